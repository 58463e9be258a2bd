// The memories of the nodes: the arrays of a program one after the other, the same at every node,
// and after them the partial results of reductions. Also what the memories must hold after the
// run, computed without any network.
#pragma once

#include <cstdint>
#include <vector>

#include "frontends/operators/phases.h"
#include "frontends/operators/program.h"

namespace tessera::operators {

struct MemoryMap {
  std::vector<std::uint32_t> array;    ///< first word, by array
  std::vector<std::uint32_t> partial;  ///< first word of partial results, by operator
  std::uint32_t words = 0;
};
MemoryMap map_memory(const Program& program);

/// The words of each node's memory, by node.
using Memory = std::vector<std::vector<std::uint32_t>>;

/// The memory before the run. Throws UserError when an init expression cannot be evaluated.
Memory initial_memory(const Program& program, const MemoryMap& map);
/// The memory after the run, except for the partial results: every use does in order what its
/// operator means.
Memory expected_memory(const Program& program, const PhasePlan& plan, const MemoryMap& map,
                       Memory memory);

}  // namespace tessera::operators
