// A message between the processes that share a wafer: values one after the other, read in the order
// in which they were written. Both ends run the same executable, so values travel as they lie in memory.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::wafer {

class Packet {
 public:
  Packet() = default;
  explicit Packet(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    put_bytes(&value, sizeof(T));
  }
  template <class T>
  void put_all(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    put(values.size());
    put_bytes(values.data(), values.size() * sizeof(T));
  }
  void put_text(const std::string& text) {
    put(text.size());
    put_bytes(text.data(), text.size());
  }

  template <class T>
  T get() {
    T value{};
    get_bytes(&value, sizeof(T));
    return value;
  }
  template <class T>
  std::vector<T> get_all() {
    std::vector<T> values(get<std::size_t>());
    get_bytes(values.data(), values.size() * sizeof(T));
    return values;
  }
  std::string get_text() {
    std::string text(get<std::size_t>(), ' ');
    get_bytes(text.data(), text.size());
    return text;
  }

  void append(const Packet& other) { put_bytes(other.bytes_.data(), other.bytes_.size()); }
  bool at_end() const { return read_ == bytes_.size(); }
  const std::vector<std::byte>& bytes() const { return bytes_; }
  void clear() {
    bytes_.clear();
    read_ = 0;
  }

 private:
  void put_bytes(const void* from, std::size_t count) {
    const auto* const begin = static_cast<const std::byte*>(from);
    bytes_.insert(bytes_.end(), begin, begin + count);
  }
  void get_bytes(void* to, std::size_t count) {
    if (count > 0) std::memcpy(to, bytes_.data() + read_, count);
    read_ += count;
  }

  std::vector<std::byte> bytes_;
  std::size_t read_ = 0;
};

/// The way to another process and back. Messages arrive whole and in order.
class Channel {
 public:
  virtual ~Channel() = default;
  virtual void send(const Packet& packet) = 0;
  /// The message is on its way, whether the other process waits for it or not: two may post() to each other.
  virtual void post(Packet packet) = 0;
  /// Waits for the next message. Throws when the other process is lost.
  virtual Packet receive() = 0;
};

}  // namespace tessera::wafer
