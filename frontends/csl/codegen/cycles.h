// Functions that call each other in a cycle. A call in tail position becomes a jump. Around any other
// call of the cycle the caller keeps its frame, which is static like all others, on a small stack.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::codegen {

struct Cycles {
  static constexpr unsigned kNone = ~0U;
  std::vector<unsigned> of;                        ///< by FunctionId: its cycle
  std::vector<std::vector<ir::FunctionId>> members;  ///< by cycle
  /// Frames are kept here: `top` holds the address of the first free byte of `stack`.
  std::optional<ir::VariableId> stack;
  std::optional<ir::VariableId> top;
  std::vector<ir::FunctionId> overflow;  ///< by cycle: the function that stops the run

  bool is_inside(ir::FunctionId caller, ir::FunctionId callee) const {
    return caller < of.size() && callee < of.size() && of[caller] != kNone &&
           of[caller] == of[callee];
  }
};

/// Bytes for the frames of calls in cycles.
inline constexpr std::uint32_t kStackBytes = 2048;

/// The cycles of the functions that tasks and exported functions reach. Calls whose result, if any,
/// is that of the caller stand in front of its return afterwards. Adds the stack to the module if one is
/// needed. Throws UserError if a pointer to a local would be passed on in a call that keeps frames.
Cycles find_cycles(ir::Module& module);

/// Whether the call at `position` is the last thing that the function does, and a jump does as well.
bool is_tail_call(const ir::Module& module, const Cycles& cycles, ir::FunctionId caller,
                  const ir::Block& block, std::size_t position);
/// Whether the function has a call that comes back to it.
bool has_plain_call(const ir::Module& module, const Cycles& cycles, ir::FunctionId f,
                    const ir::Function& function);

}  // namespace tessera::csl::codegen
