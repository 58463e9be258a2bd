// Elementwise arithmetic of the vector unit on one element (reference ascend.md 4.3).
#pragma once

#include <cstdint>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

/// Exact, or in double; not rounded to a type.
double apply(Arithmetic what, double a, double b);
double apply(Arithmetic what, double a);
/// 64 bits, not cut to the type; `element` says how far shifts reach. Division by zero gives 0.
std::int64_t apply(Arithmetic what, std::int64_t a, std::int64_t b, Element element);
std::int64_t apply(Arithmetic what, std::int64_t a);

}  // namespace tessera::cluster
