// Frames that a host program and the server of its machine exchange over a pair of pipes
// (docs/csl-host.md, "Protocol"): the length of the header (32 bits), the length of the data (64
// bits), both little-endian, the header as JSON text, the data.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::server {

struct Frame {
  std::string header;
  std::vector<std::uint8_t> data;
};

/// Nobody reads what the server writes.
class HostHasGone : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class FrameChannel {
 public:
  /// The channel of this process over its standard input and output. What the process prints to
  /// standard output from now on goes to standard error.
  static FrameChannel of_process();
  /// Takes both file descriptors over.
  FrameChannel(int input, int output) : input_(input), output_(output) {}
  ~FrameChannel();
  FrameChannel(FrameChannel&& other) noexcept;
  FrameChannel(const FrameChannel&) = delete;
  FrameChannel& operator=(const FrameChannel&) = delete;

  int input() const { return input_; }
  /// Waits for a frame. No value: the peer has closed its side, or the run has been
  /// ended by a signal (run/signals.h). Throws std::runtime_error when it does
  /// so inside a frame, or when the lengths are no frame's.
  std::optional<Frame> read();
  /// Throws HostHasGone.
  void write(const Frame& frame);

 private:
  int input_;
  int output_;
};

}  // namespace tessera::server
