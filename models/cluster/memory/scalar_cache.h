// Data cache of the scalar unit of one core (reference ascend.md 1.3, 2.9): lines of 64 bytes that a
// store takes in as a load does, and that go back whole. Nothing keeps it coherent with GM, with copies
// or with other cores. Plain C++; ScalarMemory fills lines and takes them away.
//
// Fully associative; the line used least recently leaves. Every array begins with a line of its own.
#pragma once

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
    std::uint32_t store_pc = 0;  ///< of the last store
    std::uint64_t used = 0;      ///< grows with every use of the cache
  };

  /// `bytes`: of all lines, at least one line.
  explicit ScalarCache(std::uint64_t bytes) : most_(static_cast<std::size_t>(bytes / kLineBytes)) {}

  static std::int64_t line_of(std::int64_t address) { return address / kLineBytes * kLineBytes; }
  /// A line of an array as one number; lines of an array follow each other.
  static std::uint64_t key_of(std::uint16_t array, std::int64_t first) {
    return std::uint64_t{array} << 48U | static_cast<std::uint64_t>(first / kLineBytes);
  }
  /// The bits of Line::changed of `count` bytes of a line from `address` on.
  static std::uint64_t bits_of(std::int64_t address, std::int64_t count);

  /// A use of the line; nullptr: it is not there. Until the next call of add() or take().
  Line* find(std::uint16_t array, std::int64_t first);
  /// Room for the line, which is not there. What has to leave for it goes to `victim`.
  Line& add(std::uint16_t array, std::int64_t first, std::optional<Line>& victim);
  /// The line leaves.
  std::optional<Line> take(std::uint16_t array, std::int64_t first);
  /// All lines leave, by array and address.
  std::vector<Line> take_all();
  /// Lines with changes, by array and address.
  std::vector<Line> changed_lines() const;

 private:
  std::size_t most_;
  std::uint64_t uses_ = 0;
  std::unordered_map<std::uint64_t, Line> lines_;
};

}  // namespace tessera::cluster
