// How messages of the Debug Adapter Protocol come and go, one body each.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tessera::debug {

class Wire {
 public:
  virtual ~Wire() = default;
  enum class Got : std::uint8_t {
    kMessage,
    kNothing,  ///< in the time given
    kBroken,   ///< `body` says what is wrong; what follows may be read
    kLost      ///< the client has gone; another one may come at a socket
  };
  /// Waits for the next message for so long.
  virtual Got read(std::string& body, std::chrono::milliseconds wait) = 0;
  /// Whether read() would not wait.
  virtual bool has_input() = 0;
  virtual void write(const std::string& body) = 0;
  /// The client has started the process, and its end is that of the run.
  virtual bool is_stdio() const = 0;
};

/// Keeps what is written for somebody in this process, who hands requests to the session.
class Outbox final : public Wire {
 public:
  Got read(std::string&, std::chrono::milliseconds) override { return Got::kNothing; }
  bool has_input() override { return false; }
  void write(const std::string& body) override { messages_.push_back(body); }
  bool is_stdio() const override { return false; }
  std::vector<std::string> take() { return std::exchange(messages_, {}); }

 private:
  std::vector<std::string> messages_;
};

}  // namespace tessera::debug
