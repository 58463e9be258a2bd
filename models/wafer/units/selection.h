// Which units of a strip are stepped: all of them, or those of a rectangle of its tiles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "models/wafer/units/units.h"

namespace tessera::wafer {

struct Blocks;

/// Tiles in columns `first_x` to `end_x` - 1 and rows `first_y` to `end_y` - 1.
struct Area {
  int first_x = 0;
  int end_x = 0;
  int first_y = 0;
  int end_y = 0;

  bool empty() const { return first_x >= end_x || first_y >= end_y; }
};

class Selection {
 public:
  enum Kind : std::uint8_t { kPipes, kSlots, kRouters, kPes };

  /// Makes select() possible, in a strip that is numbered by tile.
  void number_units(const Blocks& blocks);
  void select(const Blocks& blocks, const Area& area);
  /// Those of a kind in an area of one row.
  Span units(const Blocks& blocks, Kind kind, const Area& row) const;
  void select_all() { all_ = true; }
  bool is_all() const { return all_; }
  /// The selected units of a kind; nullptr: all.
  const Spans* of(Kind kind) const { return all_ ? nullptr : &selected_[kind]; }

 private:
  static constexpr std::size_t kKinds = 4;
  using Numbers = std::array<std::uint32_t, kKinds>;

  bool all_ = true;
  std::vector<Numbers> first_of_tile_;  // by tile of the strip, and the end
  std::array<Spans, kKinds> selected_;
};

}  // namespace tessera::wafer
