// Floats of 8 and of 4 bits (reference ascend_2.md 5.3, 5.4).
//
// e4m3 has no infinity and one NaN, e5m2 is as IEEE has it, hif8 has as many bits of fraction as its exponent leaves, e8m0
// is a power of two without sign, e2m1 and e1m2 have finite numbers only.
#pragma once

#include <cstdint>

#include "models/cluster/program/tile_operation.h"

namespace tessera::cluster {

/// The value of a code; of 4 bits the low half counts. A NaN has its code in its fraction.
double small_float_value(Element element, std::uint8_t code);
/// The nearest code, ties to even; a NaN with a code in its fraction gives that code.
std::uint8_t small_float_code(Element element, double value);

/// `value` as a number of the type. kDefault: to nearest, ties to even; of hif8 ties away from zero. `saturates`: what is
/// beyond the largest number becomes that, and NaN 0; otherwise infinity, or NaN where there is none. Formats of 4 bits
/// always saturate, and have 0 for NaN.
double small_float_rounded(double value, Element element, Rounding rounding, bool saturates);
/// The largest finite number.
double small_float_largest(Element element);

}  // namespace tessera::cluster
