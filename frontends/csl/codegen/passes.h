// Passes on one function. Each leaves valid IR behind (frontends/csl/ir/verify.h).
//
// A pass looks at the function, at the type, size, owner and openness of the variables that the function names, at which
// of them descriptors, FIFOs or initial values point to, and at records that are initial values. Whatever else of the
// program it needs to know it asks `Questions`: equal functions are optimized once (function_cache.h).
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "frontends/csl/codegen/memory_facts.h"
#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

class Questions;

/// Where local scalars live (CSL `var` locals; temporaries and constants are in registers).
enum class Locals : std::uint8_t {
  kMemory,    ///< in memory if they live across a loop edge, else in registers
  kRegisters  ///< in registers
};

/// How code is generated.
enum class Style : std::uint8_t {
  kVendor,  ///< as published programs of the vendor's compiler run (docs/csl.md)
  kPlain,   ///< statement by statement, for reading
  kBest     ///< as kVendor, with addresses that take fewer instructions than the vendor's
};

/// Loads of numbers and pointers that nobody changes become what they hold from the start: internal globals with a value of
/// their own that no instruction does anything with but load them. LLVM does the same (wse_timing_3.md C2).
void fold_constant_globals(ir::Module& module);

/// Tests of one word for eight and more numbers without a gap, after each of which the same variables get constants, become
/// one test and a table for each variable, as LLVM makes of a `switch` (inferred from its passes).
void tabulate_choices(ir::Module& module);

/// Functions that are called once, and small ones, become part of their callers.
void inline_calls(ir::Module& module, Style style);

/// Loads and stores of local scalars become copies, and with Locals::kRegisters those of elements and
/// fields at constant places too. A local stays in memory if its address is taken or if it may be read
/// before it is written.
void promote_locals(const ir::Module& module, ir::FunctionId id, ir::Function& function,
                    Locals where);

/// Replaces registers by what was copied into them.
void propagate_copies(ir::Function& function);

/// An instruction whose result is copied, and otherwise read only behind the copy in the same block, assigns the
/// target of the copy itself: `i += 1` becomes one addition.
void coalesce_copies(ir::Function& function);

/// Signed integers that cannot be negative, as counters of loops with known bounds, are divided by constants as
/// unsigned ones are, without the bias for negative ones (LLVM does the same, wse_timing_3.md C2).
void divide_as_unsigned(ir::Function& function);

/// Removes instructions without effect whose results nobody reads.
void remove_dead_code(ir::Function& function);

/// kElement becomes a symbol with offset or a shift (else a multiplication) and a sum; loads and
/// stores take constant distances into their offset; a block computes equal sums once.
void lower_addresses(ir::Function& function);
/// One kElement, appended to `out`.
void lower_element(const ir::Instruction& in, ir::Function& function,
                   std::vector<ir::Instruction>& out);

/// Memory is loaded again after a load or store of the same only if it may have changed.
void forward_loads(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                   ir::Function& function);

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

// Passes that kPlain does without

/// The same by the ways out of loops alone, which come after the loops.
void lay_out_blocks(ir::Function& function);

/// Values that do not meet get registers of their own, so that most are assigned once.
void split_webs(ir::Function& function);

/// Folds constants, and replaces operations by cheaper ones that give the same.
void simplify(ir::Function& function, pe::HalfFormat half);

/// Shifts of shifts, products of products and differences of sums with constants become one with one constant.
void join_products(ir::Function& function);

/// Products of 16 bits with a constant become a shift for each of its signed binary digits and a sum of these, as published
/// traces have them (wse_timing_3.md C10). Near the end: other passes know products.
void expand_products(ir::Function& function);

/// Tests of a register for several words that all go to one block, as those of an arm of a `switch`, become one test for
/// each run of words, as LLVM does it. Blocks that nobody reaches may be left.
void join_cases(ir::Function& function);

/// A load whose value is known on each way to it takes it from there, also where the ways have different ones, as LLVM does it.
void merge_loads(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                 ir::Function& function);

/// A register that is a copy of another one, which stays as it is while the copy lives, is that one: in the SSA form of LLVM they are one value.
void share_copies(ir::Function& function);

/// A test whose outcome is known on a way to it is left out on that way, as LLVM does it (jump threading): `dir == 1` where `dir == 0`
/// was just found.
void decide_known_branches(ir::Function& function);

/// Four and more tests of a register for words become a tree of compares, as LLVM makes it of a `switch` and of such `if`s.
void balance_cases(ir::Function& function);

/// An operation that was done on every way to a block is not done again.
void share_expressions(ir::Function& function);

/// A branch around a few instructions becomes a choice between values.
void convert_ifs(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                 ir::Function& function);
/// Choices take the compare that made their bool.
void fuse_selects(ir::Function& function);

/// Replaces one loop whose trips are few and known by its trips. Whether there was one.
bool unroll_loops(ir::Function& function, pe::HalfFormat half, Style style);

/// Moves what does not change in a loop in front of it.
void hoist_invariants(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                      ir::Function& function);
/// Globals that a loop changes are in registers while it runs.
void keep_loop_variables(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                         ir::Function& function);
/// Removes stores to memory that is stored again before anybody reads it.
void remove_dead_stores(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                        ir::Function& function);
/// Words that are joined to 32 bits, or cut out of them, are loaded as they are used.
void choose_load_widths(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                        ir::Function& function);
/// The load of a record that holds what a descriptor of the program says becomes that of the descriptor.
void fold_records(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                  ir::Function& function, Questions& questions);
/// A record that moves on by what the operations before have used stays in its DSR, which moves on
/// itself.
void reuse_records(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                   ir::Function& function, Questions& questions);

/// The words of local descriptors that change are in registers, and are stored in front of each operation of a loop and of all others,
/// also those that are as before, as published traces have it (wse_timing_3.md C10). Where loops are what they stay.
void pass_records(const ir::Module& module, ir::FunctionId id, ir::Function& function);

/// An operation that names a global variable whose descriptor changes stores its words anew as well (wse_timing_3.md C10). `@load_to_dsr`
/// takes them from where they lie.
/// What a loop does not change of it is loaded in front of the loop.
void pass_globals(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                  ir::Function& function);

/// Constants that a loop without calls stores are in registers meanwhile, while few are.
void hoist_constants(ir::Function& function);

/// The base of an array gets a register of its own for each address, and loads and stores have no
/// offset. The last pass: copy propagation would undo it.
void form_addresses(ir::Function& function);

/// Where an instruction would wait for the float in front of it, one of those that follow and do not
/// depend on either moves between them. After form_addresses.
void order_floats(const ir::Module& module, const OpenVariables& open, ir::FunctionId id,
                  ir::Function& function);

/// What the passes on one function know of its program.
/// A pass after which the IR of each function is printed.
struct PrintedPass {
  std::string pass;
  std::ostream* out = nullptr;
};
/// The names of all passes.
const std::vector<std::string>& pass_names();

struct Program {
  const ir::Module& module;
  const OpenVariables& open;
  Questions& questions;
  Style style = Style::kVendor;
  Locals locals = Locals::kMemory;  ///< of kPlain
  bool unrolls = true;
  const PrintedPass* printed = nullptr;
  bool verifies = false;  ///< std::logic_error names the pass that breaks a rule of the IR
};

/// Runs the passes of the style on one function, but for inline_calls, form_addresses and order_floats.
void optimize(const Program& program, ir::FunctionId id, ir::Function& function);

}  // namespace tessera::csl::codegen
