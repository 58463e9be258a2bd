// Which instruction of the tile does which operation of the IR.
#pragma once

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// The instruction for kAdd .. kScale, kMultiplyAdd, kAbs, kNormalize, kClz .. kPopcnt and for kNeg
/// on floats. Throws std::logic_error if there is none.
pe::Opcode opcode_of(ir::Op op, ir::Type type);

/// A move between registers, or of an immediate into a register.
pe::Opcode move_of(ir::Type type);

/// A compare into the flag. The machine has ==, < and <=; the first operand is a register.
struct FlagCompare {
  pe::Opcode op = pe::Opcode::kEq16;
  ir::Value first;
  ir::Value second;
  bool sense = true;  ///< the condition holds if the flag has this value
};
/// The first operand is a constant only if the machine has no other form: both are constants, or
/// floats would need the negated compare, which is wrong for a NaN.
FlagCompare compare_of(ir::Condition condition, ir::Type type, const ir::Value& a,
                       const ir::Value& b);

}  // namespace tessera::csl::codegen
