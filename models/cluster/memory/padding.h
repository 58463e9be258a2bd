// What MTE2 writes behind the rows that it brings to UB: the last block of 32 bytes is filled up.
#pragma once

#include "models/cluster/program/tile_operation.h"
#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// Extends the target of a copy to UB, and what is copied, to whole blocks in the direction in which its elements lie one
/// after the other; the new elements are `pad`. A row never grows beyond its place in the tile.
void pad_blocks(Pad pad, ResolvedOperand& target, TileValues& values);

}  // namespace tessera::cluster
