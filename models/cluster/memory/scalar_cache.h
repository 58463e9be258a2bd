// Data cache of the scalar unit of one core (reference ascend.md 1.3, 2.9): lines of 64 bytes that a
// store takes in as a load does, and that go back whole. Nothing keeps it coherent with GM, with copies
// or with other cores. Plain C++; ScalarMemory fills lines and takes them away.
//
// Fully associative; the line used least recently leaves. Every array begins with a line of its own.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tessera::cluster {

class ScalarCache {
 public:
  static constexpr std::int64_t kLineBytes = 64;
  using Bytes = std::array<std::byte, kLineBytes>;
  struct Line {
    std::uint16_t array = 0;
    std::int64_t first = 0;      ///< byte of the array, a multiple of kLineBytes
    Bytes bytes{};               ///< all zeros in a machine without data
    std::uint64_t changed = 0;   ///< bit i: byte i has been stored to and is not in GM
    std::uint32_t store_pc = 0;  ///< instruction that stored to it last
    std::uint64_t used = 0;      ///< grows with every use of the cache

    template <class Archive>
    void visit(Archive& archive) {
      archive(array, first, bytes, changed, store_pc, used);
    }
  };

  /// `bytes` is the size of all lines together, at least of one.
  explicit ScalarCache(std::uint64_t bytes) : most_(static_cast<std::size_t>(bytes / kLineBytes)) {}

  static std::int64_t line_of(std::int64_t address) { return address / kLineBytes * kLineBytes; }
  /// A line of an array as one number; lines of an array follow each other.
  static std::uint64_t key_of(std::uint16_t array, std::int64_t first) {
    return std::uint64_t{array} << 48U | static_cast<std::uint64_t>(first / kLineBytes);
  }
  /// The bits of Line::changed of `count` bytes of a line from `address` on.
  static std::uint64_t bits_of(std::int64_t address, std::int64_t count) {
    const std::uint64_t ones =
        count >= kLineBytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
    return ones << (address % kLineBytes);
  }

  /// Uses the line; nullptr: it is not there. The result holds until the next call of add() or take().
  Line* find(std::uint16_t array, std::int64_t first) {
    const auto entry = lines_.find(key_of(array, first));
    if (entry == lines_.end()) return nullptr;
    entry->second.used = ++uses_;
    return &entry->second;
  }
  /// Room for the line, which is not there. What has to leave for it goes to `victim`.
  Line& add(std::uint16_t array, std::int64_t first, std::optional<Line>& victim) {
    victim.reset();
    if (lines_.size() >= most_) {
      const auto oldest =
          std::min_element(lines_.begin(), lines_.end(), [](const auto& a, const auto& b) {
            return a.second.used < b.second.used;
          });
      victim = oldest->second;
      lines_.erase(oldest);
    }
    Line& line = lines_[key_of(array, first)];
    line.array = array;
    line.first = first;
    line.used = ++uses_;
    return line;
  }
  /// The line leaves.
  std::optional<Line> take(std::uint16_t array, std::int64_t first) {
    const auto entry = lines_.find(key_of(array, first));
    if (entry == lines_.end()) return std::nullopt;
    const Line line = entry->second;
    lines_.erase(entry);
    return line;
  }
  /// All lines leave, by array and address.
  std::vector<Line> take_all() {
    std::vector<Line> list = lines_if([](const Line&) { return true; });
    lines_.clear();
    return list;
  }
  /// Lines with changes, by array and address.
  std::vector<Line> changed_lines() const {
    return lines_if([](const Line& line) { return line.changed != 0; });
  }

  template <class Archive>
  void visit(Archive& archive) {
    archive(uses_, lines_);
  }

 private:
  template <class Wanted>
  std::vector<Line> lines_if(Wanted wanted) const {
    std::vector<Line> list;
    for (const auto& [key, line] : lines_)
      if (wanted(line)) list.push_back(line);
    std::sort(list.begin(), list.end(), [](const Line& a, const Line& b) {
      return key_of(a.array, a.first) < key_of(b.array, b.first);
    });
    return list;
  }

  std::size_t most_;
  std::uint64_t uses_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;
};

}  // namespace tessera::cluster
