// Sums and products of rows and columns in the order of the machine (reference ascend_2.md 3.3).
#pragma once

#include <vector>

#include "models/cluster/values/tile_values.h"

namespace tessera::cluster {

/// Each row of `values` to one number. Numbers are rounded to the type after each operation.
TileValues reduce_rows(const TileValues& values, Arithmetic what, VectorForm form);
/// Each column to one number.
TileValues reduce_columns(const TileValues& values, Arithmetic what, VectorForm form);

/// A sum as one instruction makes it: neighbours are added until one number is left.
double sum_of_neighbours(std::vector<double> lanes, Element element);

}  // namespace tessera::cluster
