// What tile operations compute (reference ascend.md 4.2, 4.3; TileFunction of tile_operation.h).
//
// Cube: products of f16, bf16 and f32 are added in f32 by growing k, those of int8 in int32, which
// wraps around. Sums of rows and columns of floats are added in f32 from the first element on.
#pragma once

#include <vector>

#include "models/cluster/program/tile_operation.h"
#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// The result, in the type of the last operand. It may have fewer rows and columns than the operand:
/// the others stay as they are. `inputs`: as many as input_count says.
TileValues compute(const TileOperation& operation, const ResolvedOperation& resolved,
                   std::vector<TileValues> inputs);

}  // namespace tessera::cluster
