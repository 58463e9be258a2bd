// A small web server for a page of this program, reachable from this computer only.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

namespace tessera::run {

struct HttpRequest {
  std::string path;                          ///< "/state"
  std::map<std::string, std::string> query;  ///< without the token
  /// The value of a key; empty: it was not given.
  std::string value(const std::string& key) const {
    const auto found = query.find(key);
    return found == query.end() ? std::string() : found->second;
  }
};

struct HttpResponse {
  std::string body;
  std::string type = "application/json";
  unsigned status = 200;
};

/// Listens on 127.0.0.1. Requests come in on a thread of its own and are answered by the thread that
/// calls serve(), so what answers them need not be safe against others. A request without the token, or
/// under another host name, is refused. Connections without the token are few and short: 16 at a time,
/// of which the oldest makes room for a new one, and 5 s each.
class HttpServer {
 public:
  using Answer = std::function<HttpResponse(const HttpRequest&)>;

  /// Port 0: one that is free. Throws UserError when the port cannot be had.
  explicit HttpServer(unsigned short port);
  /// Ends the connections.
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// "http://127.0.0.1:8080/?token=..".
  std::string address() const;
  /// Whether a request waits for its answer; costs nothing.
  bool has_requests() const;
  /// Answers the requests that have come; without one it waits for at most `patience`.
  void serve(const Answer& answer, std::chrono::milliseconds patience);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::run
