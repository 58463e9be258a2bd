// Saving and restoring what changes in a run (docs/checkpoints.md).
//
// A core has one function, `void visit(state::Archive& archive)`, that names its mutable members, each once and
// in a fixed order; the same function saves and restores. Parameters, connections, caches and sets that follow from other
// members are not visited: the machine is built from the same program and configuration before it is restored, and
// visit() works out what follows. What is visited must not depend on addresses, threads or the order of steps,
// so that the bytes of a state are always the same.
//
// An object without visit() that is neither a number nor made of such things does not compile into an archive.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::state {

/// What is restored does not fit the machine: it was saved by another one, or by another version.
class Mismatch : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Archive {
 public:
  /// Saves.
  Archive() = default;
  /// Restores what bytes() of another archive were.
  explicit Archive(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)), loading_(true) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool loading() const { return loading_; }
  bool saving() const { return !loading_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  std::vector<std::uint8_t> take_bytes() { return std::move(bytes_); }
  /// Restoring: everything has been read. Throws Mismatch.
  void finish() const {
    if (at_ != bytes_.size()) fail("it has more than the machine");
  }

  /// Saves or restores each of `items`.
  template <class... T>
  void operator()(T&... items) {
    (item(items), ...);
  }
  /// A member that cannot be referred to, such as a bit field: `value` is what it is, the answer what it becomes.
  template <class T>
  [[nodiscard]] T value(T value) {
    item(value);
    return value;
  }
  /// Bytes as they are.
  void block(void* bytes, std::size_t count) {
    if (loading_) {
      require(count);
      if (count > 0) std::memcpy(bytes, bytes_.data() + at_, count);
      at_ += count;
    } else {
      const auto* const from = static_cast<const std::uint8_t*>(bytes);
      bytes_.insert(bytes_.end(), from, from + count);
    }
  }
  /// The number of things that follow, each of at least one byte: `count`, or the one that was saved.
  std::size_t count(std::size_t count) {
    auto number = static_cast<std::uint64_t>(count);
    item(number);
    if (loading_ && number > bytes_.size() - at_) fail("a count is too large");
    return static_cast<std::size_t>(number);
  }
  /// The same number was saved. Throws Mismatch, which names `what`.
  void same(std::uint64_t number, const char* what) {
    std::uint64_t saved = number;
    item(saved);
    if (saved != number)
      fail(std::string(what) + " is " + std::to_string(saved) + " in it and " +
           std::to_string(number) + " here");
  }
  [[noreturn]] static void fail(const std::string& why) { throw Mismatch(why); }

 private:
  template <class T, class = void>
  struct IsVisited : std::false_type {};
  template <class T>
  struct IsVisited<T, std::void_t<decltype(std::declval<T&>().visit(std::declval<Archive&>()))>>
      : std::true_type {};
  template <class T>
  static constexpr bool kNever = false;

  void require(std::size_t count) const {
    if (count > bytes_.size() - at_) fail("it ends too early");
  }

  template <class T>
  void item(T& value) {
    static_assert(!std::is_const_v<T>, "a constant is no state");
    if constexpr (IsVisited<T>::value) {
      value.visit(*this);
    } else if constexpr (std::is_same_v<T, bool>) {
      auto byte = static_cast<std::uint8_t>(value);
      block(&byte, 1);
      value = byte != 0;
    } else if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
      block(&value, sizeof value);
    } else {
      static_assert(kNever<T>, "it has no visit(): it cannot be part of a checkpoint");
    }
  }
  template <class Tag>
  void item(Id<Tag>& id) {
    id = Id<Tag>(value(static_cast<std::uint8_t>(id.value())));
  }
  void item(DirectionSet& set) {
    set = DirectionSet::from_bits(value(static_cast<std::uint8_t>(set.bits())));
  }
  void item(link::Wavelet& w) {
    (*this)(w.payload, w.color, w.control, w.half, w.local_flip, w.ident);
  }
  void item(std::string& text) {
    text.resize(count(text.size()));
    block(text.data(), text.size());
  }
  template <class T>
  void item(std::vector<T>& items) {
    items.resize(count(items.size()));
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>)
      block(items.data(), items.size() * sizeof(T));
    else
      for (T& each : items) item(each);
  }
  template <class T, std::size_t kSize>
  void item(std::array<T, kSize>& items) {
    for (T& each : items) item(each);
  }
  template <class A, class B>
  void item(std::pair<A, B>& both) {
    item(both.first);
    item(both.second);
  }
  template <class T>
  void item(std::optional<T>& maybe) {
    const bool has = value(maybe.has_value());
    if (loading_) maybe = has ? std::optional<T>(T{}) : std::nullopt;
    if (has) item(*maybe);
  }
  template <class T>
  void item(Ring<T>& ring) {
    while (loading_ && !ring.empty()) ring.pop_front();
    const std::size_t size = count(ring.size());
    if (size > ring.capacity()) fail("a queue is longer than it can be");
    for (std::size_t i = 0; i < size; ++i) {
      T each = loading_ ? T{} : ring[i];
      item(each);
      if (loading_) ring.push_back(each);
    }
  }
  /// An object that is made when it is first needed.
  template <class T>
  void item(std::unique_ptr<T>& maybe) {
    const bool has = value(maybe != nullptr);
    if (loading_) maybe = has ? std::make_unique<T>() : nullptr;
    if (has) item(*maybe);
  }
  template <class Key, class T>
  void item(std::map<Key, T>& all) {
    const std::size_t size = count(all.size());
    if (saving()) {
      for (auto& [key, each] : all) {
        Key copy = key;
        item(copy);
        item(each);
      }
      return;
    }
    all.clear();
    for (std::size_t i = 0; i < size; ++i) {
      Key key{};
      item(key);
      item(all[key]);
    }
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;  // restoring: what comes next
  bool loading_ = false;
};

}  // namespace tessera::state
