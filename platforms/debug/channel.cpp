#include "platforms/debug/channel.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::debug {

namespace {

constexpr std::size_t kMostHeader = 4096;
constexpr std::size_t kMostBody = std::size_t{16} << 20;
constexpr const char* kLengthField = "Content-Length:";
constexpr const char* kHeaderEnd = "\r\n\r\n";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw UserError("", "--debug", "'" + path + "': " + why);
}

bool is_ready(int file, std::chrono::milliseconds wait) {
  pollfd asked{file, POLLIN, 0};
  return ::poll(&asked, 1, static_cast<int>(wait.count())) > 0;
}

/// A socket that nobody listens at, as a killed process leaves it, is removed.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return;
  if (!S_ISSOCK(found.st_mode)) refuse(path, "there is a file of this name that is no socket");
  const int probe = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool is_used =
      ::connect(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  if (is_used) refuse(path, "another process waits for a debugger there");
  ::unlink(path.c_str());
}

}  // namespace

Channel::Channel(const std::string& where) : path_(where) {
  std::signal(SIGPIPE, SIG_IGN);  // a client that has gone is told by write()
  if (where != "stdio") {
    listen(where);
    return;
  }
  in_ = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
  out_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (in_ < 0 || out_ < 0) refuse(where, "standard input or output is closed");
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

Channel::~Channel() {
  lose();
  if (listener_ < 0) return;
  ::close(listener_);
  ::unlink(path_.c_str());
}

void Channel::listen(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    refuse(path, "the path of a socket has at most 107 characters");
  std::memcpy(address.sun_path, path.c_str(), path.size());
  remove_stale(path, address);
  listener_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  constexpr mode_t kOthers = 0177;
  const mode_t before = ::umask(kOthers);
  const bool is_bound =
      listener_ >= 0 &&
      ::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int error = errno;
  ::umask(before);
  if (!is_bound || ::listen(listener_, 1) != 0) {
    if (listener_ >= 0) ::close(listener_);
    listener_ = -1;
    refuse(path, std::string("no socket can be made there: ") + std::strerror(error));
  }
}

bool Channel::accept(std::chrono::milliseconds wait) {
  if (listener_ < 0 || !is_ready(listener_, wait)) return false;
  in_ = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  out_ = in_;
  has_end_ = false;
  buffer_.clear();
  return in_ >= 0;
}

void Channel::lose() {
  if (in_ >= 0) ::close(in_);
  if (out_ >= 0 && out_ != in_) ::close(out_);
  in_ = out_ = -1;
  buffer_.clear();
}

bool Channel::has_input() {
  if (in_ < 0) return listener_ >= 0 && is_ready(listener_, std::chrono::milliseconds(0));
  return buffer_.find(kHeaderEnd) != std::string::npos ||
         is_ready(in_, std::chrono::milliseconds(0));
}

bool Channel::fill() {
  std::array<char, 65536> piece{};
  const ssize_t count = ::read(in_, piece.data(), piece.size());
  if (count < 0 && errno == EINTR) return true;
  if (count <= 0) return false;
  buffer_.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

Channel::Got Channel::take(std::string& body) {
  const auto broken = [&](const std::string& why, std::size_t drop) {
    body = why;
    // The next message may begin further on.
    const std::size_t next = buffer_.find(kLengthField, drop);
    buffer_.erase(0, next == std::string::npos ? buffer_.size() : next);
    return Got::kBroken;
  };
  const std::size_t end = buffer_.find(kHeaderEnd);
  if (end == std::string::npos) {
    if (buffer_.size() > kMostHeader) return broken("the header of a message has no end", 1);
    return Got::kNothing;
  }
  const std::size_t at = buffer_.find(kLengthField);
  if (at == std::string::npos || at > end)
    return broken("the header of a message has no Content-Length", end);
  char* after = nullptr;
  errno = 0;
  const char* const digits = buffer_.c_str() + at + std::strlen(kLengthField);
  const unsigned long long length = std::strtoull(digits, &after, 10);
  const bool is_number = after != digits && errno == 0 && std::strchr(digits, '-') != digits + 1;
  if (!is_number || *after != '\r' || length > kMostBody)
    return broken("the Content-Length of a message is no number up to 16 MB", end);
  const std::size_t begin = end + std::strlen(kHeaderEnd);
  if (buffer_.size() - begin < length) return Got::kNothing;
  body = buffer_.substr(begin, length);
  buffer_.erase(0, begin + length);
  return Got::kMessage;
}

Channel::Got Channel::read(std::string& body, std::chrono::milliseconds wait) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point until = Clock::now() + wait;
  const auto left = [&] {
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    return std::max(rest, std::chrono::milliseconds(0));
  };
  if (in_ < 0 && !accept(wait)) return listener_ < 0 ? Got::kLost : Got::kNothing;
  while (true) {
    const Got got = take(body);
    if (got != Got::kNothing) return got;
    if (!is_ready(in_, left())) return Got::kNothing;
    if (fill()) continue;
    lose();
    return Got::kLost;
  }
}

void Channel::write(const std::string& body) {
  if (out_ < 0) return;
  const std::string all =
      kLengthField + std::string(" ") + std::to_string(body.size()) + kHeaderEnd + body;
  for (std::size_t done = 0; done < all.size();) {
    const ssize_t count = ::write(out_, all.data() + done, all.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;  // read() finds that the client has gone
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace tessera::debug
