// The wire of x-pci-proxy-dev, QEMU's PCI device whose behaviour lies in another process: a Unix stream
// socket with messages of a header of 16 bytes and a payload, in the byte order of the host
// (docs/qemu.md#the-wire). QEMU calls it a private protocol; it is that of QEMU 7.2 to 10.0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::qemu {

/// The peer does not speak this wire, or is gone. `what()` is a sentence.
class WireError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// QEMU has closed the socket: it has ended, or is about to.
class PeerGone : public WireError {
 public:
  using WireError::WireError;
};

/// A file descriptor that is closed at the end of its life.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor() { reset(); }
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  int release();
  void reset();

 private:
  int fd_;
};

/// Whether a read would not block.
bool can_read(int fd);

enum class Command : std::int32_t {
  kRamMap = 0,  ///< where the memory of the guest lies; no answer
  kAnswer = 1,
  kConfigWrite = 2,
  kConfigRead = 3,
  kBarWrite = 4,
  kBarRead = 5,
  kInterruptLines = 6,  ///< two eventfds: interrupt and end of interrupt; no answer
  kReset = 7,
};

/// What QEMU asks for.
struct Request {
  Command command = Command::kRamMap;
  std::uint64_t address = 0;  ///< offset in the configuration space, or address on the bus
  std::uint64_t value = 0;    ///< value to be written
  unsigned bytes = 0;         ///< 1, 2, 4 or 8
  bool is_memory = true;      ///< false: an access to an I/O port
  std::vector<FileDescriptor> files;

  bool wants_answer() const {
    return command != Command::kRamMap && command != Command::kInterruptLines;
  }
};

inline constexpr std::size_t kHeaderBytes = 16;
inline constexpr std::size_t kMostPayloadBytes = 192;
using HeaderBytes = std::array<std::byte, kHeaderBytes>;

/// Bytes of payload after `header`. Throws WireError for a header that QEMU does not send.
std::size_t payload_bytes(const HeaderBytes& header);
/// The request without its files. `payload` has as many bytes as payload_bytes() says. Throws WireError.
Request decode(const HeaderBytes& header, const std::byte* payload);

/// Our end of the socket.
class Wire {
 public:
  explicit Wire(FileDescriptor socket) : socket_(std::move(socket)) {}

  /// Whether something can be received, within so many milliseconds of wall time. `also`: another file
  /// that ends the wait when it can be read, -1: none.
  bool wait(int milliseconds, int also = -1) const;
  /// The next request; blocks for at most a few seconds inside a message. Throws WireError.
  Request receive();
  void answer(std::uint64_t value);

 private:
  void receive_bytes(std::byte* to, std::size_t count, std::vector<FileDescriptor>* files);

  FileDescriptor socket_;
};

}  // namespace tessera::qemu
