// Products of tiles on the cube (reference ascend.md 4.2, ascend_2.md 5.5).
#pragma once

#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// How M takes factors of f32: rounded to `mantissa` bits, ties to even or away from zero (ascend_2.md 5.10). 0 bits: as they are.
struct FactorRounding {
  unsigned mantissa = 0;
  bool ties_away = false;
};

/// a b + c, in f32 or int32. `c` may be nullptr; with `once` it has one row, which is added to all.
TileValues matmul(const TileValues& a, const TileValues& b, const TileValues* c, bool once,
                  FactorRounding rounding = {});
/// The same of factors with a scale for each 32 elements of k. How the machine adds them is not published: here in double,
/// rounded once.
TileValues matmul_mx(const TileValues& a, const TileValues& a_scales, const TileValues& b,
                     const TileValues& b_scales, const TileValues* c, bool once);

}  // namespace tessera::cluster
