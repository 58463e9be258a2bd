// Control flow and liveness of a function.
#pragma once

#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

using RegisterSet = std::vector<bool>;  ///< by RegisterId

std::vector<std::vector<BlockId>> predecessors_of(const Function& function);

/// Blocks that can be reached from the entry.
std::vector<bool> reachable_blocks(const Function& function);

/// Removes the blocks that cannot be reached and renumbers the others in their order.
void remove_unreachable(Function& function);

struct Liveness {
  std::vector<RegisterSet> in;   ///< by block: live at its start
  std::vector<RegisterSet> out;  ///< at its end
};
Liveness liveness_of(const Function& function);

/// How many instructions (and parameter lists) assign each register.
std::vector<unsigned> definition_counts(const Function& function);

}  // namespace tessera::csl::ir
