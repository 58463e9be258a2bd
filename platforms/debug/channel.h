// Messages of the Debug Adapter Protocol ("Content-Length: N", an empty line, N bytes) on standard input and output, or at a
// Unix socket that only this user may use, one client at a time.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "platforms/debug/wire.h"

namespace tessera::debug {

class Channel final : public Wire {
 public:
  /// `where`: "stdio", or the path of a socket. With "stdio" all else that the process prints goes to standard
  /// error from now on. Throws UserError.
  explicit Channel(const std::string& where);
  /// Removes the socket.
  ~Channel() override;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  Got read(std::string& body, std::chrono::milliseconds wait) override;
  bool has_input() override;
  void write(const std::string& body) override;
  bool is_stdio() const override { return listener_ < 0; }
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
