// The element functions of the arithmetic instructions (reference wse.md 6.1, 6.7), on raw register
// bits. Integers wrap. Floats are rounded to nearest even after every operation, also between
// product and sum of fmacs; only fmach, the fused multiply-add of 16-bit floats, rounds once
// (wse.md 6.1). A NaN result always has the same bits, so that runs agree on every host.
#pragma once

#include <cassert>
#include <cmath>
#include <cstdint>
#include <optional>

#include "models/pe/isa.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/bits.h"
#include "tlm_ifaces/vocabulary/float16.h"

namespace tessera::pe {

/// Result of an arithmetic or move instruction for one element. `a`, `b`, `c` are the sources in
/// operand order; those the opcode does not have are ignored. 16-bit results have a zero upper
/// half. `half`: format of 16-bit floats. Integer division requires b != 0.
/// Not for addc16, sel16 and sel32, which read the flag.
std::uint32_t evaluate_any(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                           HalfFormat half);

/// The bits of a 32-bit float; those of any NaN are those of the one quiet NaN.
inline std::uint32_t single_bits(float value) {
  constexpr std::uint32_t kQuietNan = 0x7FC00000U;
  return std::isnan(value) ? kQuietNan : bit_cast<std::uint32_t>(value);
}

// Value and bits of a 16-bit IEEE float as float16::value_of() and bits_of() have them, quicker for nearly all numbers.

/// Those of infinities, NaNs, numbers near zero and overflow.
double rare_half_value(std::uint32_t bits);
std::uint32_t rare_half_bits(double value);

inline double ieee_half_value(std::uint32_t bits) {
  constexpr std::uint32_t kInfinity = 0x7C00;
  constexpr int kFraction = 13;      // bits that that of a float has more
  constexpr float kBias = 0x1p112F;  // what the biases of the exponents differ by
  const std::uint32_t magnitude = bits & 0x7FFFU;
  if (magnitude >= kInfinity) return rare_half_value(bits);
  // Exact, for subnormals too: the bits as those of a float that is too small.
  const float value = bit_cast<float>(magnitude << kFraction | (bits & 0x8000U) << 16);
  return static_cast<double>(value * kBias);
}
inline std::uint32_t ieee_half_bits(double value) {
  constexpr unsigned kFraction = float16::kDoubleFractionBits - 10;
  constexpr std::uint64_t kOne = std::uint64_t{1} << float16::kDoubleFractionBits;  // of exponents
  constexpr std::uint64_t kRebias = kOne * (float16::kDoubleBias - 15);
  const auto bits = bit_cast<std::uint64_t>(value);
  const std::uint64_t magnitude = bits & ~(std::uint64_t{1} << 63);
  if (magnitude - (kRebias + kOne) >= 30 * kOne) return rare_half_bits(value);
  // To nearest, ties to even; a carry runs into the exponent, at last to infinity.
  const std::uint64_t odd = magnitude >> kFraction & 1;
  const std::uint64_t rounded =
      magnitude - kRebias + (std::uint64_t{1} << (kFraction - 1)) - 1 + odd;
  return static_cast<std::uint32_t>(bits >> 48 & 0x8000U) |
         static_cast<std::uint32_t>(rounded >> kFraction);
}

/// addend + a * b of 16-bit IEEE floats, rounded once; `factor`: the value of b. The product is exact in a double; where
/// the sum is not, evaluate_any() rounds.
[[gnu::always_inline]] inline std::uint32_t
ieee_half_multiply_add(std::uint32_t addend, std::uint32_t a, std::uint32_t b, double factor) {
  const double x = ieee_half_value(addend);
  const double product = ieee_half_value(a) * factor;
  const double sum = x + product;
  const double share = sum - x;  // of the product; the rest of both is what rounding has lost
  const double lost = (x - (sum - share)) + (product - share);
  if (lost == 0) return ieee_half_bits(sum);
  return evaluate_any(Opcode::kFmach, addend, a, b, HalfFormat::kF16);
}
inline std::uint32_t ieee_half_multiply_add(std::uint32_t addend, std::uint32_t a,
                                            std::uint32_t b) {
  return ieee_half_multiply_add(addend, a, b, ieee_half_value(b));
}

/// evaluate_any() of the operations on 16-bit floats that are quicker in the IEEE format; nullopt: not one of them.
template <class Third>
[[gnu::always_inline]] inline std::optional<std::uint32_t>
evaluate_ieee_half(Opcode op, std::uint32_t a, std::uint32_t b, Third&& third) {
  switch (op) {
  case Opcode::kFaddh:
    return ieee_half_bits(ieee_half_value(a) + ieee_half_value(b));
  case Opcode::kFsubh:
    return ieee_half_bits(ieee_half_value(a) - ieee_half_value(b));
  case Opcode::kFmulh:
    return ieee_half_bits(ieee_half_value(a) * ieee_half_value(b));
  case Opcode::kFmach:
    return ieee_half_multiply_add(a, b, third());
  default:
    return std::nullopt;
  }
}

/// evaluate_any(), quicker for most of what programs do; the host rounds once too. The third source is asked for only
/// where the opcode may have one.
template <class Third>
[[gnu::always_inline]] inline std::uint32_t
evaluate_with(Opcode op, std::uint32_t a, std::uint32_t b, Third&& third, HalfFormat half) {
  switch (op) {
  case Opcode::kMovri:
  case Opcode::kFmovs:
  case Opcode::kMov32:
    return a;
  case Opcode::kFadds:
    return single_bits(bit_cast<float>(a) + bit_cast<float>(b));
  case Opcode::kFsubs:
    return single_bits(bit_cast<float>(a) - bit_cast<float>(b));
  case Opcode::kFmuls:
    return single_bits(bit_cast<float>(a) * bit_cast<float>(b));
  case Opcode::kFmacs:
    return single_bits(bit_cast<float>(a) + bit_cast<float>(b) * bit_cast<float>(third()));
  case Opcode::kMov16:
  case Opcode::kFmovh:
    return a & 0xFFFFU;
  case Opcode::kAdd16:
    return (a + b) & 0xFFFFU;
  case Opcode::kSub16:
    return (a - b) & 0xFFFFU;
  case Opcode::kAnd16:
    return a & b & 0xFFFFU;
  case Opcode::kOr16:
    return (a | b) & 0xFFFFU;
  case Opcode::kXor16:
    return (a ^ b) & 0xFFFFU;
  case Opcode::kSll16:
    return (b & 0xFFFFU) < 16 ? (a << (b & 0xFU)) & 0xFFFFU : 0;
  case Opcode::kSlr16:
    return (b & 0xFFFFU) < 16 ? (a & 0xFFFFU) >> (b & 0xFU) : 0;
  case Opcode::kImul16:
    return (a * b) & 0xFFFFU;
  case Opcode::kAdd32:
    return a + b;
  case Opcode::kSub32:
    return a - b;
  case Opcode::kAnd32:
    return a & b;
  case Opcode::kOr32:
    return a | b;
  case Opcode::kXor32:
    return a ^ b;
  default:
    break;
  }
  if (half == HalfFormat::kF16) {
    if (const std::optional<std::uint32_t> quick = evaluate_ieee_half(op, a, b, third))
      return *quick;
  }
  return evaluate_any(op, a, b, third(), half);
}
inline std::uint32_t evaluate(Opcode op, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                              HalfFormat half) {
  return evaluate_with(
      op, a, b, [c] { return c; }, half);
}

/// addc16: 16-bit sum and carry out.
struct CarrySum {
  std::uint32_t sum = 0;
  bool carry = false;
};
CarrySum add_with_carry(std::uint32_t a, std::uint32_t b, bool carry);

/// Result of a compare instruction of integers.
inline bool compare_integers(Opcode op, std::uint32_t a, std::uint32_t b) {
  const auto narrow = [](std::uint32_t v) { return static_cast<std::uint16_t>(v); };
  const auto narrow_signed = [](std::uint32_t v) { return static_cast<std::int16_t>(v); };
  const auto wide_signed = [](std::uint32_t v) { return static_cast<std::int32_t>(v); };
  switch (op) {
  case Opcode::kEq16:
    return narrow(a) == narrow(b);
  case Opcode::kLt16:
    return narrow_signed(a) < narrow_signed(b);
  case Opcode::kLtu16:
    return narrow(a) < narrow(b);
  case Opcode::kLte16:
    return narrow_signed(a) <= narrow_signed(b);
  case Opcode::kLteu16:
    return narrow(a) <= narrow(b);
  case Opcode::kEq32:
    return a == b;
  case Opcode::kLt32:
    return wide_signed(a) < wide_signed(b);
  case Opcode::kLtu32:
    return a < b;
  case Opcode::kLte32:
    return wide_signed(a) <= wide_signed(b);
  default:
    assert(op == Opcode::kLteu32);
    return a <= b;
  }
}
/// The same of any.
bool compare(Opcode op, std::uint32_t a, std::uint32_t b, HalfFormat half);

}  // namespace tessera::pe
