// Messages of the Debug Adapter Protocol ("Content-Length: N", an empty line, N bytes) on standard input and output, or at a
// Unix socket that only this user may use, one client at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

namespace tessera::debug {

class Channel {
 public:
  /// `where`: "stdio", or the path of a socket. With "stdio" all else that the process prints goes to standard
  /// error from now on. Throws UserError.
  explicit Channel(const std::string& where);
  /// Removes the socket.
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  enum class Got : unsigned char {
    kMessage,
    kNothing,  ///< in the time given
    kBroken,   ///< `body` says what is wrong; what follows may be read
    kLost      ///< the client has gone; another one may come at a socket
  };
  /// Waits for the next message for so long.
  Got read(std::string& body, std::chrono::milliseconds wait);
  /// Whether read() would not wait.
  bool has_input();
  void write(const std::string& body);
  bool is_stdio() const { return listener_ < 0; }
  bool is_connected() const { return in_ >= 0; }
  const std::string& path() const { return path_; }

 private:
  void listen(const std::string& path);
  bool accept(std::chrono::milliseconds wait);
  /// false: the client has gone.
  bool fill();
  Got take(std::string& body);
  void lose();

  std::string path_;
  int listener_ = -1;
  int in_ = -1;
  int out_ = -1;
  std::string buffer_;
  bool has_end_ = false;
};

}  // namespace tessera::debug
