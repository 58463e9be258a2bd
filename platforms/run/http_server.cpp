#include "platforms/run/http_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <list>
#include <mutex>
#include <optional>
#include <random>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include "platforms/run/gzipped.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::run {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

constexpr std::chrono::seconds kPatience{30};  // how long a reply may take
// Any user of this computer can connect. Before a connection has shown the token it may not hold much:
// its request must come soon, and the oldest such connection makes room for a new one.
constexpr std::chrono::seconds kStrangerPatience{5};
constexpr std::size_t kMostStrangers = 16;
constexpr std::size_t kMostConnections = 32;  // with the token or without
constexpr std::size_t kMostUntold = 1 << 20;  // bytes that a stream may be late
constexpr std::chrono::milliseconds kBackOff{
    200};  // after accept() failed: no descriptors, no memory
constexpr std::size_t kLongestRequest = 16384;
/// The page loads nothing from elsewhere, and runs no script but its own.
constexpr const char* kContentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:";
constexpr const char* kTokenField = "X-Tessera-Token";

std::string random_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", random() & 0xFFFFFFFFU);
    token += digits;
  }
  return token;
}

/// Takes the token out of the query.
HttpRequest request_of(const std::string& target, std::string& token) {
  HttpRequest request;
  const std::size_t mark = std::min(target.find('?'), target.size());
  request.path = target.substr(0, mark);
  for (std::size_t from = mark + 1; from < target.size();) {
    const std::size_t end = std::min(target.find('&', from), target.size());
    const std::size_t equals = std::min(target.find('=', from), end);
    const std::string key = target.substr(from, equals - from);
    const std::string value = equals < end ? target.substr(equals + 1, end - equals - 1) : "";
    if (key == "token")
      token = value;
    else
      request.query[key] = value;
    from = end + 1;
  }
  return request;
}

}  // namespace

class HttpServer::Impl {
 public:
  explicit Impl(unsigned short port) : acceptor_(context_), token_(random_token()) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    boost::system::error_code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(asio::socket_base::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error)
      throw UserError("", "--serve", "port " + std::to_string(port) + ": " + error.message());
    constexpr unsigned short kUsual = 80;  // the port that addresses leave out
    const unsigned short got = acceptor_.local_endpoint().port();
    host_ = got == kUsual ? "127.0.0.1" : "127.0.0.1:" + std::to_string(got);
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Impl() {
    context_.stop();
    thread_.join();
  }

  std::string address() const { return "http://" + host_ + "/?token=" + token_; }
  const std::string& token() const { return token_; }
  void tell(const std::string& text) {
    if (!has_streams_.load(std::memory_order_relaxed)) return;
    asio::post(context_, [this, text] {
      streams_.remove_if([](const auto& held) { return held.expired(); });
      has_streams_ = !streams_.empty();
      for (const auto& held : streams_) held.lock()->tell(text);
    });
  }
  bool has_requests() const { return count_.load(std::memory_order_relaxed) != 0; }

  void serve(const Answer& answer, std::chrono::milliseconds patience) {
    std::vector<std::shared_ptr<Session>> sessions;
    {
      std::unique_lock lock(mutex_);
      if (asked_.empty()) came_.wait_for(lock, patience);
      sessions.swap(asked_);
      count_ = 0;
    }
    for (const auto& session : sessions) {
      HttpResponse response = answer(session->request);
      asio::post(context_, [session, response = std::move(response)]() mutable {
        session->reply(std::move(response));
      });
    }
  }

 private:
  struct Session : std::enable_shared_from_this<Session> {
    Session(Impl& of, tcp::socket socket) : server(of), stream(std::move(socket)) {}
    /// Reads a request, for which there are `patience`.
    void read(std::chrono::seconds patience) {
      parser.emplace();
      parser->body_limit(0);
      parser->header_limit(kLongestRequest);
      stream.expires_after(patience);
      http::async_read(stream, buffer, *parser,
                       [self = shared_from_this()](beast::error_code error, std::size_t) {
                         if (!error) self->take();
                       });
    }
    // The name of the host keeps out pages of others whose name leads here.
    void take() {
      const auto& message = parser->get();
      std::string in_query;
      request = request_of(std::string(message.target()), in_query);
      request.is_post = message.method() == http::verb::post;
      keeps_alive = message.keep_alive();
      const std::string in_header(message[kTokenField]);
      const bool has_token =
          in_header == server.token_ || (!request.is_post && in_query == server.token_);
      if (!has_token || message[http::field::host] != server.host_)
        return reply({"the address that the program has printed is needed", "text/plain", 403});
      if (message.method() != http::verb::get && !request.is_post)
        return reply({"GET and POST only", "text/plain", 405});
      is_stranger = false;
      stream.expires_never();
      server.ask(shared_from_this());
    }
    void reply(HttpResponse response) {
      answer = {};
      answer.result(response.status);
      answer.set(http::field::content_type, response.type);
      answer.set(http::field::cache_control, "no-store");
      answer.set("Content-Security-Policy", kContentPolicy);
      answer.set("Referrer-Policy", "no-referrer");
      answer.set("X-Content-Type-Options", "nosniff");
      if (response.is_stream) return begin_stream(response.body);
      if (response.is_packed) {
        answer.set(http::field::content_encoding, "gzip");
        response.body = gzipped(response.body);
      }
      answer.keep_alive(keeps_alive && !is_stranger);
      answer.body() = std::move(response.body);
      answer.prepare_payload();
      stream.expires_after(is_stranger ? kStrangerPatience : kPatience);
      http::async_write(stream, answer,
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          if (!error && self->answer.keep_alive()) return self->read(kPatience);
                          beast::error_code ignored;
                          self->stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
                        });
    }
    /// An answer without a length: its end is that of the connection.
    void begin_stream(const std::string& body) {
      std::ostringstream head;
      answer.keep_alive(false);
      head << answer.base();
      server.streams_.push_back(weak_from_this());
      server.has_streams_ = true;
      watch();
      tell(head.str() + body);
    }
    /// Until who listens goes away.
    void watch() {
      stream.expires_never();
      stream.async_read_some(asio::buffer(watched),
                             [self = shared_from_this()](beast::error_code error, std::size_t) {
                               if (error) return self->stream.close();
                               self->watch();
                             });
    }
    void tell(const std::string& text) {
      if (untold.size() + text.size() > kMostUntold) return stream.close();
      untold += text;
      if (telling.empty()) write_untold();
    }
    void write_untold() {
      telling.swap(untold);
      asio::async_write(stream, asio::buffer(telling),
                        [self = shared_from_this()](beast::error_code error, std::size_t) {
                          self->telling.clear();
                          if (error) return self->stream.close();
                          if (!self->untold.empty()) self->write_untold();
                        });
    }

    Impl& server;
    bool is_stranger = true;  ///< has not shown the token
    bool keeps_alive = false;
    beast::tcp_stream stream;
    beast::flat_buffer buffer;
    std::optional<http::request_parser<http::empty_body>> parser;
    HttpRequest request;
    http::response<http::string_body> answer;
    std::string untold, telling;  ///< of a stream
    std::array<char, 64> watched{};
  };

  void accept() {
    acceptor_.async_accept([this](boost::system::error_code error, tcp::socket socket) {
      if (error) return accept_later();
      sessions_.remove_if([](const auto& held) { return held.expired(); });
      make_room();
      if (sessions_.size() < kMostConnections) {
        const auto session = std::make_shared<Session>(*this, std::move(socket));
        sessions_.push_back(session);
        strangers_.push_back(session);
        session->read(kStrangerPatience);
      }
      accept();
    });
  }
  // The connection that could not be accepted still waits, so that another try at once fails too.
  void accept_later() {
    back_off_.expires_after(kBackOff);
    back_off_.async_wait([this](boost::system::error_code error) {
      if (!error) accept();
    });
  }
  void make_room() {
    strangers_.remove_if([](const std::weak_ptr<Session>& held) {
      const auto session = held.lock();
      return session == nullptr || !session->is_stranger;
    });
    if (strangers_.size() < kMostStrangers) return;
    if (const auto oldest = strangers_.front().lock()) oldest->stream.close();
    strangers_.pop_front();
  }
  void ask(std::shared_ptr<Session> session) {
    const std::lock_guard lock(mutex_);
    asked_.push_back(std::move(session));
    ++count_;
    came_.notify_one();
  }

  asio::io_context context_{1};
  tcp::acceptor acceptor_;
  asio::steady_timer back_off_{context_};
  std::list<std::weak_ptr<Session>> sessions_;
  std::list<std::weak_ptr<Session>> strangers_;  ///< in the order in which they came
  std::list<std::weak_ptr<Session>> streams_;
  std::atomic<bool> has_streams_ = false;
  std::string host_;
  const std::string token_;
  std::mutex mutex_;
  std::condition_variable came_;
  std::vector<std::shared_ptr<Session>> asked_;
  std::atomic<unsigned> count_ = 0;
  std::thread thread_;
};

HttpServer::HttpServer(unsigned short port) : impl_(std::make_unique<Impl>(port)) {}
HttpServer::~HttpServer() = default;

std::string HttpServer::address() const {
  return impl_->address();
}

const std::string& HttpServer::token() const {
  return impl_->token();
}

void HttpServer::tell(const std::string& text) {
  impl_->tell(text);
}

bool HttpServer::has_requests() const {
  return impl_->has_requests();
}

void HttpServer::serve(const Answer& answer, std::chrono::milliseconds patience) {
  impl_->serve(answer, patience);
}

}  // namespace tessera::run
