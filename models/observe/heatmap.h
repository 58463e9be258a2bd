// A picture of the machine, one square a tile, colored by a count: an SVG file that a browser
// shows.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "models/observe/counters.h"

namespace tessera::observe {

/// What is shown has the color that the live view shows it in.
enum class Hue : std::uint8_t { kBusy, kWaits, kLinks };

struct HeatMap {
  unsigned width = 1;   ///< tiles
  unsigned height = 1;  ///< tiles
  std::string title;
  std::string unit;            ///< after numbers: "%", "wavelets"
  std::vector<double> values;  ///< row by row, width * height of them, none negative
  /// Tiles that means and the smallest value are of, those with a program; empty: all of them.
  std::vector<bool> counted = {};
  Hue hue = Hue::kBusy;
};

/// Share of cycles in which the issue slot of a tile was used, in percent of `cycles`.
HeatMap issue_slot_use(const Counters& counters, Cycle cycles);
/// One counter of every tile.
HeatMap counter_map(const Counters& counters, Counter counter);

/// Draws the map: a color scale from 0 to a round number above the largest value, axes with tile coordinates, smallest,
/// mean and largest value. Machines with more than 256 tiles on a side are drawn in blocks of
/// tiles, each with the mean of its tiles.
void write_svg(std::ostream& out, const HeatMap& map);

}  // namespace tessera::observe
