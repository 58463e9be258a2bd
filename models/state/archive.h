// Saving and restoring what changes in a run (docs/checkpoints.md).
//
// A core has one function, `void visit(state::Archive& archive)`, that names its mutable members, each once and
// in a fixed order; the same function saves and restores. Parameters, connections, caches and sets that follow from other
// members are not visited: the machine is built from the same program and configuration before it is restored, and
// visit() works out what follows. What is visited must not depend on addresses, threads or the order of steps,
// so that the bytes of a state are always the same.
//
// Plain structs may have a template, `template <class Archive> void visit(Archive& archive)`, and those of protocols, which know
// no archive, a function `visit_state(archive, one)` in this namespace.
//
// An object without visit() that is neither a number nor made of such things does not compile into an archive.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/slot/word.h"
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
  /// What is saved is handed on in pieces of so many bytes.
  static constexpr std::size_t kChunk = std::size_t{1} << 22;
  /// Takes a piece, and answers with memory for another one.
  using HandOn = std::function<std::vector<std::uint8_t>(std::vector<std::uint8_t>)>;
  /// Gives the next piece of what is restored; an empty one: there is no more.
  using Fetch = std::function<std::vector<std::uint8_t>()>;

  /// Saves; take_bytes() follows.
  Archive() = default;
  /// Saves piece by piece; hand_on_rest() follows.
  explicit Archive(HandOn hand_on) : hand_on_(std::move(hand_on)) {}
  /// Restores what bytes() of another archive were.
  explicit Archive(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)), loading_(true) {}
  /// Restores piece by piece.
  explicit Archive(Fetch fetch) : fetch_(std::move(fetch)), loading_(true) {}
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool loading() const { return loading_; }
  bool saving() const { return !loading_; }
  std::vector<std::uint8_t> take_bytes() {
    bytes_.resize(at_);
    return std::move(bytes_);
  }
  void hand_on_rest() {
    bytes_.resize(at_);
    if (at_ > 0) hand_on_(std::move(bytes_));
  }
  /// Restoring: everything has been read. Throws Mismatch.
  void finish() const {
    if (unread() > 0) fail("it has more than the machine");
  }
  // Restoring, where another archive takes a part that has no length: the bytes that come next, at most `count`; of which
  // it gives back those that it has not read.
  std::size_t unread() const { return bytes_.size() - at_; }
  std::vector<std::uint8_t> take_piece(std::size_t count) {
    const auto from = bytes_.begin() + static_cast<std::ptrdiff_t>(at_);
    count = std::min(count, unread());
    at_ += count;
    return {from, from + static_cast<std::ptrdiff_t>(count)};
  }
  void put_back(std::size_t count) {
    if (count > at_) fail("it is read twice");
    at_ -= count;
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
  /// Bytes as they are; without any, `bytes` may be null.
  void block(void* bytes, std::size_t count) {
    if (count == 0) return;
    if (loading_) {
      require(count);
      std::memcpy(bytes, bytes_.data() + at_, count);
      at_ += count;
    } else {
      if (count > bytes_.size() - at_) return write_across(bytes, count);
      std::memcpy(bytes_.data() + at_, bytes, count);
      at_ += count;
    }
  }
  /// The number of things that follow, each of at least one byte: `count`, or the one that was saved.
  std::size_t count(std::size_t count) {
    auto number = static_cast<std::uint64_t>(count);
    item(number);
    if (loading_ && number > unread() && !fetch(number)) fail("a count is too large");
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
  template <class T, class = void>
  struct IsVisitedFreely : std::false_type {};
  template <class T>
  struct IsVisitedFreely<
      T, std::void_t<decltype(visit_state(std::declval<Archive&>(), std::declval<T&>()))>>
      : std::true_type {};
  template <class T>
  static constexpr bool kNever = false;
  /// Saved as they lie in memory.
  template <class T>
  static constexpr bool kIsPlain =
      (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_same_v<T, std::byte>;

  void write_across(const void* bytes, std::size_t count) {
    const auto* from = static_cast<const std::uint8_t*>(bytes);
    while (count > 0) {
      if (at_ == bytes_.size()) make_room();
      const std::size_t part = std::min(count, bytes_.size() - at_);
      std::memcpy(bytes_.data() + at_, from, part);
      at_ += part;
      from += part;
      count -= part;
    }
  }
  void make_room() {
    constexpr std::size_t kLeast = 4096;
    if (!hand_on_) return bytes_.resize(std::max(kLeast, 2 * bytes_.size()));
    if (at_ > 0) bytes_ = hand_on_(std::move(bytes_));
    bytes_.resize(kChunk);
    at_ = 0;
  }
  void require(std::size_t count) {
    if (count > unread() && !fetch(count)) fail("it ends too early");
  }
  /// Whether there are so many bytes, in pieces to come.
  bool fetch(std::size_t count) {
    if (!fetch_) return false;
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
    at_ = 0;
    while (bytes_.size() < count) {
      const std::vector<std::uint8_t> piece = fetch_();
      if (piece.empty()) return false;
      bytes_.insert(bytes_.end(), piece.begin(), piece.end());
    }
    return true;
  }

  template <class T>
  void item(T& value) {
    static_assert(!std::is_const_v<T>, "a constant is no state");
    if constexpr (IsVisited<T>::value) {
      value.visit(*this);
    } else if constexpr (IsVisitedFreely<T>::value) {
      visit_state(*this, value);
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
  void item(slot::Word& w) {
    (*this)(w.data, w.stream, w.sequence);
    w.epoch = value(std::uint32_t{w.epoch}) & 0x7FFFFFFF;
    w.marker = value(static_cast<std::uint8_t>(w.marker)) & 1U;
  }
  void item(std::string& text) {
    text.resize(count(text.size()));
    block(text.data(), text.size());
  }
  template <class T>
  void item(std::vector<T>& items) {
    items.resize(count(items.size()));
    if constexpr (kIsPlain<T>)
      block(items.data(), items.size() * sizeof(T));
    else
      for (T& each : items) item(each);
  }
  template <class T, std::size_t kSize>
  void item(std::array<T, kSize>& items) {
    if constexpr (kIsPlain<T>)
      block(items.data(), kSize * sizeof(T));
    else
      for (T& each : items) item(each);
  }
  template <class T>
  void item(std::deque<T>& items) {
    items.resize(count(items.size()));
    for (T& each : items) item(each);
  }
  template <class... T>
  void item(std::variant<T...>& one) {
    const auto index = value(static_cast<std::uint8_t>(one.index()));
    if (loading_) choose(one, index, std::index_sequence_for<T...>());
    std::visit([this](auto& each) { item(each); }, one);
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

  /// By rising key.
  template <class Key, class T>
  void item(std::unordered_map<Key, T>& all) {
    std::vector<Key> keys;
    if (saving()) {
      for (const auto& entry : all) keys.push_back(entry.first);
      std::sort(keys.begin(), keys.end());
    }
    item(keys);
    if (loading_) all.clear();
    for (const Key& key : keys) item(all[key]);
  }
  template <class... T, std::size_t... kIndex>
  void choose(std::variant<T...>& one, std::size_t index, std::index_sequence<kIndex...>) {
    const bool is_known =
        (... || (index == kIndex && (static_cast<void>(one.template emplace<kIndex>()), true)));
    if (!is_known) fail("a kind is not known");
  }

  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;  // what comes next: of a piece that is filled, or of what is restored
  HandOn hand_on_;
  Fetch fetch_;
  bool loading_ = false;
};

}  // namespace tessera::state
