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
  bool is_post = false;
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
  bool is_packed = false;  ///< is sent compressed
  /// The connection stays open, and tell() adds to the answer.
  bool is_stream = false;
};

/// Listens on 127.0.0.1. Requests come in on a thread of its own and are answered by the thread that
/// calls serve(), so what answers them need not be safe against others. A request without the token, or
/// under another host name, is refused; that of a POST stands in the header X-Tessera-Token, so that no
/// page of others can send it. Connections without the token are few and short: 16 at a time, of which
/// the oldest makes room for a new one, and 5 s each. There are 32 connections at most.
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
  const std::string& token() const;
  /// Whether a request waits for its answer; costs nothing.
  bool has_requests() const;
  /// Answers the requests that have come; without one it waits for at most `patience`.
  void serve(const Answer& answer, std::chrono::milliseconds patience);
  /// Sends text to those who listen to a stream.
  void tell(const std::string& text);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tessera::run
