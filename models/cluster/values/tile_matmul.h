// The cube's product of two tiles (reference ascend.md 4.2).
#pragma once

#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// a b + c, in f32 or int32. `c` may be nullptr; with `once`, it has one row, which is added to all.
TileValues matmul(const TileValues& a, const TileValues& b, const TileValues* c, bool once);

}  // namespace tessera::cluster
