// The arithmetic of FIX with scales (reference ascend_2.md 1.1, 1.2).
//
// A scale is a word of 64 bits: bits 31:13 the factor, an f32 whose low 13 bits are dropped; 35:32 a shift to the right
// by one more, which bit 36 selects (A2/A3); 45:37 an offset with a sign and 46 the sign of the result (8 bits only).
// Order: convert to f32, multiply, ReLU, round, offset, saturate.
#pragma once

#include <cstdint>
#include <vector>

#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

struct FixScale {
  bool relu = false;    ///< negative accumulators become 0
  bool shifts = false;  ///< the generation has the shift
};

/// `values` of f32 or i32, scaled, as elements `to`. `words`: one for all columns, or one for each. Floats saturate, and
/// NaN becomes 0. Throws std::length_error with a sentence for a factor that FIX does not take.
TileValues scaled_by_fix(const TileValues& values, const std::vector<std::int64_t>& words,
                         Element to, FixScale how);

}  // namespace tessera::cluster
