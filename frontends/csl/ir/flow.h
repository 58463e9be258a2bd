// Control flow and liveness of a function.
#pragma once

#include <optional>
#include <vector>

#include "frontends/csl/ir/ir.h"

namespace tessera::csl::ir {

using RegisterSet = std::vector<bool>;  ///< by RegisterId

std::vector<std::vector<BlockId>> predecessors_of(const Function& function);

/// Blocks that control may reach behind `from` on ways that do not go through `without`.
std::vector<bool> blocks_behind(const Function& function, BlockId from,
                                std::optional<BlockId> without = std::nullopt);

/// Blocks that close a loop at `header`: they go to it, and all ways to them go through it.
std::vector<BlockId> latches_of(const Function& function, BlockId header);

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
