// The five ports of a router (wse.md 1.2) and sets of them, in the bit order of the route word
// (wse.md 1.2: WEST, EAST, SOUTH, NORTH, RAMP). x grows east, y grows south, (0, 0) is the
// north-west corner.
#pragma once

#include <array>
#include <cstdint>
#include <ostream>
#include <string>

#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera {

enum class Direction : std::uint8_t { kWest, kEast, kSouth, kNorth, kRamp };

inline constexpr unsigned kDirectionCount = 5;
inline constexpr std::array<Direction, 4> kCardinalDirections = {
    Direction::kWest, Direction::kEast, Direction::kSouth, Direction::kNorth};
inline constexpr std::array<Direction, 5> kAllDirections = {
    Direction::kWest, Direction::kEast, Direction::kSouth, Direction::kNorth, Direction::kRamp};

constexpr unsigned index(Direction d) {
  return static_cast<unsigned>(d);
}

constexpr const char* to_string(Direction d) {
  constexpr std::array<const char*, 5> kNames = {"WEST", "EAST", "SOUTH", "NORTH", "RAMP"};
  return kNames[index(d)];
}
inline std::ostream& operator<<(std::ostream& os, Direction d) {
  return os << to_string(d);
}

/// The side on which a neighbour sees what leaves here through `d`; RAMP faces RAMP.
constexpr Direction opposite(Direction d) {
  constexpr std::array<Direction, 5> kOpposite = {
      Direction::kEast, Direction::kWest, Direction::kNorth, Direction::kSouth, Direction::kRamp};
  return kOpposite[index(d)];
}

/// The tile next to `at` in cardinal direction `d` (it may lie off the grid).
constexpr TileCoord neighbour(TileCoord at, Direction d) {
  constexpr std::array<int, 5> kDx = {-1, 1, 0, 0, 0};
  constexpr std::array<int, 5> kDy = {0, 0, 1, -1, 0};
  return {at.x + kDx[index(d)], at.y + kDy[index(d)]};
}

/// A set of directions: the receive or transmit mask of a route.
class DirectionSet {
 public:
  constexpr DirectionSet() = default;
  constexpr DirectionSet(std::initializer_list<Direction> ds) {
    for (Direction d : ds) insert(d);
  }
  static constexpr DirectionSet from_bits(unsigned bits) {
    DirectionSet s;
    s.bits_ = static_cast<std::uint8_t>(bits & 0x1F);
    return s;
  }
  constexpr unsigned bits() const { return bits_; }
  constexpr bool contains(Direction d) const { return (bits_ >> index(d)) & 1U; }
  constexpr void insert(Direction d) {
    bits_ = static_cast<std::uint8_t>(bits_ | (1U << index(d)));
  }
  constexpr void erase(Direction d) {
    bits_ = static_cast<std::uint8_t>(bits_ & ~(1U << index(d)));
  }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr unsigned size() const {
    unsigned n = 0;
    for (unsigned b = bits_; b != 0; b &= b - 1) ++n;
    return n;
  }
  friend constexpr bool operator==(DirectionSet a, DirectionSet b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(DirectionSet a, DirectionSet b) { return a.bits_ != b.bits_; }

 private:
  std::uint8_t bits_ = 0;
};

/// "WEST+RAMP", or "none".
inline std::string to_string(DirectionSet set) {
  std::string text;
  for (Direction d : kAllDirections) {
    if (!set.contains(d)) continue;
    if (!text.empty()) text += '+';
    text += to_string(d);
  }
  return text.empty() ? "none" : text;
}

}  // namespace tessera
