// Register allocation by linear scan over r0..r14: 16-bit values take one register, 32-bit values
// an aligned pair d0 .. d12. r15 holds the return address. No register survives a call.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// By virtual register: the number of its (even, if wide) register. kUnused: it never has a value.
using Allocation = std::vector<std::uint8_t>;
inline constexpr std::uint8_t kUnused = 0xFF;

/// Parameters arrive in d0, d2, d4, d6, arguments are put there, results come in d0; the allocation
/// prefers these registers but does not promise them. Values for which there is no register, or
/// which live across a call, move to locals that are added to the module; `function` gets the loads
/// and stores.
Allocation allocate(ir::Module& module, ir::FunctionId id, ir::Function& function);

/// Where parameter `i` arrives: in a pair of its own; those of a task follow each other in d0, which
/// is the wavelet.
unsigned arrival_of(const ir::Function& function, std::size_t i);

}  // namespace tessera::csl::codegen
