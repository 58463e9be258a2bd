// Masks that a shift in front of them or behind them makes idle.
#pragma once

#include <cstdint>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

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
  const std::uint32_t ones = ir::is_wide(shift.type) ? ~0U : 0xFFFFU;
  const std::uint32_t by = shift.operands[1].number;
  if (by > (ir::is_wide(shift.type) ? 31U : 15U)) return false;
  const bool behind = mask.operands[0].is_register() && !shift.results.empty() &&
                      mask.operands[0].number == shift.results[0];
  // Bits of what the mask reads that matter in the end.
  const std::uint32_t used = behind == (shift.op == Op::kShr) ? ones >> by : ones << by & ones;
  return (mask.operands[1].number & used) == used;
}

}  // namespace tessera::csl::codegen
