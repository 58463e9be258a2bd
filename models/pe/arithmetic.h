// The element functions of the arithmetic instructions (reference wse.md 6.1, 6.7), on raw register
// bits. Integers wrap. Floats are rounded to nearest even after every operation, also between
// product and sum of fmacs; only fmach, the fused multiply-add of 16-bit floats, rounds once
// (wse.md 6.1). A NaN result always has the same bits, so that runs agree on every host.
#pragma once

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

/// Value and bits of a 16-bit IEEE float, whose layout the compiler knows here.
inline double ieee_half_value(std::uint32_t bits) {
  return float16::value_of(static_cast<std::uint16_t>(bits), float16::kBinary16);
}
inline std::uint32_t ieee_half_bits(double value) {
  return float16::bits_of(value, float16::kBinary16);
}

/// addend + a * b of 16-bit IEEE floats, rounded once. The product is exact in a double; where the sum is not,
/// evaluate_any() rounds.
inline std::uint32_t ieee_half_multiply_add(std::uint32_t addend, std::uint32_t a,
                                            std::uint32_t b) {
  const double x = ieee_half_value(addend);
  const double product = ieee_half_value(a) * ieee_half_value(b);
  const double sum = x + product;
  const double share = sum - x;  // of the product; the rest of both is what rounding has lost
  const double lost = (x - (sum - share)) + (product - share);
  if (lost == 0) return ieee_half_bits(sum);
  return evaluate_any(Opcode::kFmach, addend, a, b, HalfFormat::kF16);
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
  case Opcode::kAdd32:
    return a + b;
  case Opcode::kSub32:
    return a - b;
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

/// Result of a compare instruction.
bool compare(Opcode op, std::uint32_t a, std::uint32_t b, HalfFormat half);

}  // namespace tessera::pe
