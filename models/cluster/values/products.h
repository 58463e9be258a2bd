// Products of tiles on the cube (reference ascend.md 4.2, ascend_2.md 5.5).
#pragma once

#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// a b + c, in f32 or int32. `c` may be nullptr; with `once` it has one row, which is added to all.
TileValues matmul(const TileValues& a, const TileValues& b, const TileValues* c, bool once);
/// The same of factors with a scale for each 32 elements of k. How the machine adds them is not published: here in double,
/// rounded once.
TileValues matmul_mx(const TileValues& a, const TileValues& a_scales, const TileValues& b,
                     const TileValues& b_scales, const TileValues* c, bool once);

}  // namespace tessera::cluster
