#include "platforms/server/frame.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <poll.h>
#include <unistd.h>

#include "platforms/run/signals.h"

namespace tessera::server {

namespace {

using Lengths = std::array<std::uint8_t, 12>;
constexpr std::size_t kHeaderLength = 4;
constexpr std::uint64_t kLongestHeader = 1U << 28;
constexpr std::size_t kPiece = 1U << 24;  // a wrong length does not take all memory

std::uint64_t little_endian(const std::uint8_t* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | bytes[i];
  return value;
}

void put_little_endian(std::uint64_t value, std::uint8_t* bytes, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// Waits for input or its end; false: the run is to end before. A signal that comes between the question
/// and the waiting must not be lost, so it can come in ppoll() only.
bool wait_for(int input) {
  sigset_t stop, before;
  ::sigemptyset(&stop);
  ::sigaddset(&stop, SIGINT);
  ::sigaddset(&stop, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &stop, &before);
  pollfd watched = {input, POLLIN, 0};
  int ready = 0;
  while (!run::must_stop() && (ready = ::ppoll(&watched, 1, nullptr, &before)) < 0 &&
         errno == EINTR) {
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return !run::must_stop();
}

/// Bytes that came before the end of the input, `count` at most.
std::size_t read_bytes(int input, std::uint8_t* bytes, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::read(input, bytes + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw std::runtime_error(std::string("the host cannot be read: ") + strerror(errno));
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

void read_whole(int input, std::uint8_t* bytes, std::size_t count) {
  if (read_bytes(input, bytes, count) != count)
    throw std::runtime_error("the host program ended in the middle of a frame");
}

void write_bytes(int output, const void* bytes, std::size_t count) {
  const auto* next = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t put = ::write(output, next, count);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) throw HostHasGone(std::string("the host cannot be reached: ") + strerror(errno));
    next += put;
    count -= static_cast<std::size_t>(put);
  }
}

}  // namespace

FrameChannel FrameChannel::of_process() {
  std::signal(SIGPIPE, SIG_IGN);  // a host that has gone is an error of write()
  const int output = ::dup(STDOUT_FILENO);
  if (output < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
    throw std::system_error(errno, std::generic_category(), "standard output cannot be used");
  return {STDIN_FILENO, output};
}

FrameChannel::FrameChannel(FrameChannel&& other) noexcept
    : input_(std::exchange(other.input_, -1)), output_(std::exchange(other.output_, -1)) {}

FrameChannel::~FrameChannel() {
  if (input_ >= 0) ::close(input_);
  if (output_ >= 0) ::close(output_);
}

std::optional<Frame> FrameChannel::read() {
  Lengths lengths{};
  if (!wait_for(input_)) return std::nullopt;
  const std::size_t got = read_bytes(input_, lengths.data(), lengths.size());
  if (got == 0) return std::nullopt;
  read_whole(input_, lengths.data() + got, lengths.size() - got);
  const std::uint64_t header = little_endian(lengths.data(), kHeaderLength);
  std::uint64_t data = little_endian(lengths.data() + kHeaderLength, 8);
  if (header > kLongestHeader)
    throw std::runtime_error("what the host sends is no frame: its header has " +
                             std::to_string(header) + " bytes");
  Frame frame;
  frame.header.resize(header);
  read_whole(input_, reinterpret_cast<std::uint8_t*>(frame.header.data()), header);
  while (data > 0) {
    const std::size_t piece = std::min<std::uint64_t>(data, kPiece);
    const std::size_t before = frame.data.size();
    frame.data.resize(before + piece);
    read_whole(input_, frame.data.data() + before, piece);
    data -= piece;
  }
  return frame;
}

void FrameChannel::write(const Frame& frame) {
  Lengths lengths{};
  put_little_endian(frame.header.size(), lengths.data(), kHeaderLength);
  put_little_endian(frame.data.size(), lengths.data() + kHeaderLength, 8);
  write_bytes(output_, lengths.data(), lengths.size());
  write_bytes(output_, frame.header.data(), frame.header.size());
  write_bytes(output_, frame.data.data(), frame.data.size());
}

}  // namespace tessera::server
