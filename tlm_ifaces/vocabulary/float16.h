// 16-bit floats of any split of their bits into exponent and fraction: with subnormals, infinities and
// NaNs as IEEE formats have them. Nothing depends on the rounding mode of the host.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tlm_ifaces/vocabulary/bits.h"

namespace tessera::float16 {

// A double is 1 + 11 + 52 bits with bias 1023 (IEEE binary64). Both directions work on its bits, so
// that nothing depends on the rounding mode of the host.
inline constexpr int kDoubleFractionBits = 52;
inline constexpr int kDoubleBias = 1023;
inline constexpr int kDoubleMaxExponent = 0x7FF;
inline constexpr std::uint64_t kDoubleHiddenBit = std::uint64_t{1} << kDoubleFractionBits;

/// The other 15 - fraction_bits bits are the exponent.
struct Layout {
  int fraction_bits;
  int bias;
  /// The exponent of the least normal number, which the subnormals have too.
  int min_exponent() const { return 1 - bias; }
  std::uint64_t infinity() const { return 0x7FFF >> fraction_bits << fraction_bits; }
};

inline constexpr Layout kBinary16{10, 15};
inline constexpr Layout kBfloat16{7, 127};

inline double from_parts(std::uint64_t sign, int exponent_field, std::uint64_t fraction) {
  return bit_cast<double>(
      sign << 63 | static_cast<std::uint64_t>(exponent_field) << kDoubleFractionBits | fraction);
}

/// The value of `bits`; exact.
inline double value_of(std::uint16_t bits, Layout layout) {
  const std::uint64_t sign = bits >> 15;
  const std::uint64_t magnitude = bits & 0x7FFF;
  const int exponent = static_cast<int>(magnitude >> layout.fraction_bits);
  const std::uint64_t fraction = magnitude & ((std::uint64_t{1} << layout.fraction_bits) - 1);
  const int widen = kDoubleFractionBits - layout.fraction_bits;
  if (magnitude >= layout.infinity()) {
    return from_parts(sign, kDoubleMaxExponent, fraction << widen);
  }
  if (exponent > 0) {
    return from_parts(sign, exponent - layout.bias + kDoubleBias, fraction << widen);
  }
  const double unit =
      from_parts(sign, layout.min_exponent() - layout.fraction_bits + kDoubleBias, 0);
  return static_cast<double>(fraction) * unit;  // exact: few bits times a power of two
}

/// The nearest number, ties to even; overflow gives infinity, any NaN the one quiet NaN.
inline std::uint16_t bits_of(double value, Layout layout) {
  const auto bits = bit_cast<std::uint64_t>(value);
  const auto sign = static_cast<std::uint64_t>(bits >> 63 << 15);
  const int exponent_field = static_cast<int>(bits >> kDoubleFractionBits) & kDoubleMaxExponent;
  const std::uint64_t fraction = bits & (kDoubleHiddenBit - 1);

  if (exponent_field == kDoubleMaxExponent) {
    if (fraction == 0) return static_cast<std::uint16_t>(sign | layout.infinity());
    return static_cast<std::uint16_t>(layout.infinity() | 1U << (layout.fraction_bits - 1));
  }
  // Zero, or a subnormal double, which is far below the smallest 16-bit number of every format.
  if (exponent_field == 0) return static_cast<std::uint16_t>(sign);

  const std::uint64_t significand = fraction | kDoubleHiddenBit;
  const int exponent = exponent_field - kDoubleBias;
  const int unit_exponent = std::max(exponent, layout.min_exponent());
  // That many low bits of the significand are below one unit of the result.
  const int below = kDoubleFractionBits - layout.fraction_bits + unit_exponent - exponent;
  if (below > kDoubleFractionBits + 1)
    return static_cast<std::uint16_t>(sign);  // under half a unit
  const std::uint64_t odd = significand >> below & 1;
  const std::uint64_t rounded =
      (significand + (std::uint64_t{1} << (below - 1)) - 1 + odd) >> below;
  // The hidden bit and a carry out of rounding run into the exponent field, as they should.
  const std::uint64_t magnitude =
      (static_cast<std::uint64_t>(unit_exponent - layout.min_exponent()) << layout.fraction_bits) +
      rounded;
  return static_cast<std::uint16_t>(sign | std::min(magnitude, layout.infinity()));
}

}  // namespace tessera::float16
