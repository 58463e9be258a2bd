// Brings a function into a form in which every instruction, with its virtual registers, has a
// direct translation: the last pass before register allocation.
#pragma once

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// Parameters from the fifth on are passed in memory: the callee gets a local for each and loads it
/// at its start, callers store into it. Once for the module, before `legalize`.
void lower_extra_parameters(ir::Module& module);

/// Afterwards stored values and first operands of compares are registers, addresses are registers
/// or variables, conversions are those of the machine or between integers, kElement and kNeg of
/// integers are gone, and no jump goes to the entry.
void legalize(ir::Function& function);

/// Parameters that arrive in registers: d0, d2, d4, d6.
inline constexpr unsigned kRegisterParameters = 4;

/// Stores of the low half of a pair store its even register: the conversion in front of them goes.
void store_low_halves(ir::Function& function);

}  // namespace tessera::csl::codegen
