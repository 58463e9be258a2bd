#include "platforms/qemu/proxy_wire.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace tessera::qemu {

namespace {

constexpr unsigned kMostFiles = 8;
constexpr int kPatienceInsideMessageMs = 2000;

template <class Value>
Value load(const std::byte* from) {
  Value value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

[[noreturn]] void refuse(const std::string& what) {
  throw WireError(what + "; the other end does not speak the wire of x-pci-proxy-dev of QEMU");
}

unsigned checked_bytes(std::uint64_t bytes, unsigned most) {
  const bool is_power = bytes != 0 && (bytes & (bytes - 1)) == 0;
  if (!is_power || bytes > most) refuse("QEMU asks for " + std::to_string(bytes) + " bytes");
  return static_cast<unsigned>(bytes);
}

std::size_t expected_bytes(Command command) {
  switch (command) {
  case Command::kRamMap:
    return 192;  // 8 regions: addresses, sizes, offsets
  case Command::kConfigWrite:
  case Command::kConfigRead:
    return 12;
  case Command::kBarWrite:
  case Command::kBarRead:
    return 24;
  case Command::kInterruptLines:
  case Command::kReset:
    return 0;
  case Command::kAnswer:
    break;
  }
  refuse("QEMU sends command " + std::to_string(static_cast<std::int32_t>(command)) +
         ", which is no request");
}

}  // namespace

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  reset();
  fd_ = other.release();
  return *this;
}
int FileDescriptor::release() {
  return std::exchange(fd_, -1);
}
void FileDescriptor::reset() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

bool can_read(int fd) {
  pollfd file{fd, POLLIN, 0};
  return ::poll(&file, 1, 0) > 0;
}

std::size_t payload_bytes(const HeaderBytes& header) {
  const std::size_t expected = expected_bytes(static_cast<Command>(load<std::int32_t>(&header[0])));
  const auto bytes = load<std::uint64_t>(&header[8]);
  if (bytes == expected) return expected;
  refuse("a message with command " + std::to_string(load<std::int32_t>(&header[0])) + " has " +
         std::to_string(bytes) + " bytes, expected " + std::to_string(expected));
}

Request decode(const HeaderBytes& header, const std::byte* payload) {
  Request request;
  request.command = static_cast<Command>(load<std::int32_t>(&header[0]));
  switch (request.command) {
  case Command::kConfigWrite:
  case Command::kConfigRead:
    request.address = load<std::uint32_t>(payload);
    request.value = load<std::uint32_t>(payload + 4);
    request.bytes = checked_bytes(load<std::uint32_t>(payload + 8), 4);
    break;
  case Command::kBarWrite:
  case Command::kBarRead:
    request.address = load<std::uint64_t>(payload);
    request.value = load<std::uint64_t>(payload + 8);
    request.bytes = checked_bytes(load<std::uint32_t>(payload + 16), 8);
    request.is_memory = load<std::uint8_t>(payload + 20) != 0;
    break;
  default:
    break;
  }
  return request;
}

bool Wire::wait(int milliseconds, int also) const {
  pollfd files[2] = {{socket_.get(), POLLIN, 0}, {also, POLLIN, 0}};
  return ::poll(files, also < 0 ? 1 : 2, milliseconds) > 0 && files[0].revents != 0;
}

Request Wire::receive() {
  HeaderBytes header;
  std::vector<FileDescriptor> files;
  receive_bytes(header.data(), header.size(), &files);
  std::array<std::byte, kMostPayloadBytes> payload{};
  const std::size_t bytes = payload_bytes(header);
  if (bytes > 0) receive_bytes(payload.data(), bytes, &files);
  Request request = decode(header, payload.data());
  request.files = std::move(files);
  if (request.command == Command::kInterruptLines && request.files.size() != 2)
    refuse("the interrupt lines come with " + std::to_string(request.files.size()) +
           " files, expected 2");
  return request;
}

void Wire::receive_bytes(std::byte* to, std::size_t count, std::vector<FileDescriptor>* files) {
  while (count > 0) {
    if (!wait(kPatienceInsideMessageMs)) refuse("QEMU stopped in the middle of a message");
    alignas(cmsghdr) char control[CMSG_SPACE(kMostFiles * sizeof(int))];
    iovec bytes{to, count};
    msghdr message{};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t received = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) throw PeerGone("QEMU has closed the socket");
    for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
         part = CMSG_NXTHDR(&message, part)) {
      if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
      for (std::size_t at = CMSG_LEN(0); at + sizeof(int) <= part->cmsg_len; at += sizeof(int))
        files->emplace_back(load<int>(reinterpret_cast<std::byte*>(part) + at));
    }
    to += received;
    count -= static_cast<std::size_t>(received);
  }
}

void Wire::answer(std::uint64_t value) {
  std::array<std::byte, kHeaderBytes + 8> message{};
  const auto command = static_cast<std::int32_t>(Command::kAnswer);
  const std::uint64_t bytes = sizeof value;
  std::memcpy(&message[0], &command, sizeof command);
  std::memcpy(&message[8], &bytes, sizeof bytes);
  std::memcpy(&message[kHeaderBytes], &value, sizeof value);
  for (std::size_t sent = 0; sent < message.size();) {
    const ssize_t now = ::send(socket_.get(), &message[sent], message.size() - sent, MSG_NOSIGNAL);
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) throw PeerGone("QEMU has closed the socket");
    sent += static_cast<std::size_t>(now);
  }
}

}  // namespace tessera::qemu
