// The element functions of the arithmetic instructions (reference wse.md 6.1, 6.7), on raw register
// bits. Integers wrap. Floats are rounded to nearest even after every operation, also between
// product and sum of fmacs; only fmach, the fused multiply-add of 16-bit floats, rounds once
// (wse.md 6.1). A NaN result always has the same bits, so that runs agree on every host.
#pragma once

#include <cmath>
#include <cstdint>

#include "models/pe/isa.h"
#include "models/pe/program.h"
#include "tlm_ifaces/vocabulary/bits.h"

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
  default:
    return evaluate_any(op, a, b, third(), half);
  }
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
