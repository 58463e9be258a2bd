// QEMU as a child process, and the socket to its proxy device.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "platforms/qemu/options.h"
#include "platforms/qemu/proxy_wire.h"

namespace tessera::qemu {

class Process {
 public:
  /// Starts QEMU as the options say. Throws UserError when it cannot be started.
  explicit Process(const Options& options);
  /// Ends QEMU if it still runs.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Our end of the socket; once.
  FileDescriptor take_socket() { return std::move(socket_); }
  /// How QEMU has ended, within so many milliseconds: its exit status, or 128 and the number of a
  /// signal. No value: it still runs.
  std::optional<int> status(int milliseconds);

 private:
  FileDescriptor socket_;
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// The command line of QEMU; `fd` is its end of the socket.
std::vector<std::string> command_line(const Options& options, int fd);

}  // namespace tessera::qemu
