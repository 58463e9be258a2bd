// Which bits of a value count: masks that a shift in front of them or behind them makes idle, and low halves.
#pragma once

#include <cstdint>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

inline std::uint32_t all_ones(ir::Type type) {
  return ir::is_wide(type) ? ~0U : 0xFFFFU;
}

/// Whether `mask`, an "and" with a constant, takes only bits away that `shift`, by a constant, has taken away already or
/// takes away after it: (x & 255) << 8, (x >> 8) & 255 of 16 bits. LLVM knows which bits are used (wse_timing_3.md C2).
inline bool mask_is_idle(const ir::Instruction& shift, const ir::Instruction& mask) {
  using ir::Op, ir::Type;
  const bool shifts = shift.op == Op::kShl || (shift.op == Op::kShr && !ir::is_signed(shift.type));
  const bool fits = mask.op == Op::kAnd && shifts && !ir::is_float(shift.type) &&
                    ir::is_wide(shift.type) == ir::is_wide(mask.type) &&
                    shift.operands[1].is_constant() && mask.operands[1].is_constant() &&
                    mask.operands[0].is_register();
  if (!fits) return false;
  const std::uint32_t ones = all_ones(shift.type);
  const std::uint32_t by = shift.operands[1].number;
  if (by > (ir::is_wide(shift.type) ? 31U : 15U)) return false;
  const bool behind = mask.operands[0].is_register() && !shift.results.empty() &&
                      mask.operands[0].number == shift.results[0];
  // Bits of what the mask reads that matter in the end.
  const std::uint32_t used = behind == (shift.op == Op::kShr) ? ones >> by : ones << by & ones;
  return (mask.operands[1].number & used) == used;
}

/// Whether the low 16 bits of the result depend on the low 16 bits of the operands alone.
inline bool works_on_low_words(const ir::Instruction& in) {
  using ir::Op;
  if (in.op == Op::kShl) return in.operands[1].is_constant() && in.operands[1].number < 16;
  return in.op == Op::kAdd || in.op == Op::kSub || in.op == Op::kMul || in.op == Op::kAnd ||
         in.op == Op::kOr || in.op == Op::kXor || in.op == Op::kNeg;
}

}  // namespace tessera::csl::codegen
