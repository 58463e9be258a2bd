// Passes on one function. Each leaves valid IR behind (frontends/csl/ir/verify.h).
#pragma once

#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

/// Where local scalars live (CSL `var` locals; temporaries and constants are in registers).
enum class Locals : std::uint8_t {
  kMemory,    ///< in memory if they live across a loop edge, else in registers
  kRegisters  ///< in registers
};

/// Functions that are called once, and small ones, become part of their callers.
void inline_calls(ir::Module& module);

/// Loads and stores of local scalars become copies. A local stays in memory if its address is taken
/// or if it may be read before it is written.
void promote_locals(const ir::Module& module, ir::FunctionId id, ir::Function& function,
                    Locals where);

/// Replaces registers by what was copied into them.
void propagate_copies(ir::Function& function);

/// An instruction whose only use is a copy assigns the target of the copy itself: `i += 1` becomes
/// one addition.
void coalesce_copies(ir::Function& function);

/// Removes instructions without effect whose results nobody reads.
void remove_dead_code(ir::Function& function);

/// kElement becomes a symbol with offset or a shift (else a multiplication) and a sum; loads and
/// stores take constant distances into their offset; a block computes equal sums once.
void lower_addresses(ir::Function& function);
/// One kElement, appended to `out`.
void lower_element(const ir::Instruction& in, ir::Function& function,
                   std::vector<ir::Instruction>& out);

/// A block loads a value in memory that it has loaded or stored before only if it may have changed.
void forward_loads(const ir::Module& module, ir::FunctionId id, ir::Function& function);

/// Branches on a bool take the compare that made it.
void fuse_compares(ir::Function& function);

/// A loop whose test stands at its top gets a copy of the test at its bottom, so that an iteration
/// takes one branch.
void rotate_loops(ir::Function& function);

/// Jumps go past blocks that only jump; blocks with one way between them become one; branches
/// on constants become jumps.
void thread_jumps(ir::Function& function);

/// The blocks of a loop stand together, so that its exits are the branches that are taken.
void order_blocks(ir::Function& function);

/// Runs all of these passes but inline_calls, some of them several times.
void optimize(const ir::Module& module, ir::FunctionId id, ir::Function& function, Locals where);

}  // namespace tessera::csl::codegen
