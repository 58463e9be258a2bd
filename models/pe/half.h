// 16-bit floats (reference wse.md 6.1, 8.2): IEEE binary16, bfloat16 (8 exponent and 7 fraction
// bits) and cb16 (6 and 9, bias 42). A program uses one of them.
//
// All three have subnormals, infinities and NaNs as IEEE formats do. For cb16 that is a choice of
// this model: only its field widths and one value (6.0 is 0x5900) are documented.
#pragma once

#include <cstdint>

#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::pe {

constexpr float16::Layout layout_of(HalfFormat format) {
  return format == HalfFormat::kBf16   ? float16::kBfloat16
         : format == HalfFormat::kCb16 ? float16::Layout{9, 42}
                                       : float16::kBinary16;
}
/// The value of `bits`; exact.
inline double half_value(std::uint16_t bits, HalfFormat format) {
  return float16::value_of(bits, layout_of(format));
}
/// The nearest 16-bit float, ties to even; overflow gives infinity, any NaN the one quiet NaN.
inline std::uint16_t half_bits(double value, HalfFormat format) {
  return float16::bits_of(value, layout_of(format));
}

}  // namespace tessera::pe
