// 16-bit floats (reference wse.md 6.1, 8.2): IEEE binary16, bfloat16 (8 exponent and 7 fraction
// bits) and cb16 (6 and 9, bias 42). A program uses one of them.
//
// All three have subnormals, infinities and NaNs as IEEE formats do. For cb16 that is a choice of
// this model: only its field widths and one value (6.0 is 0x5900) are documented.
#pragma once

#include <cstdint>

#include "models/pe/program.h"

namespace tessera::pe {

/// The value of `bits`; exact.
double half_value(std::uint16_t bits, HalfFormat format);
/// The nearest 16-bit float, ties to even; overflow gives infinity, any NaN the one quiet NaN.
std::uint16_t half_bits(double value, HalfFormat format);

}  // namespace tessera::pe
