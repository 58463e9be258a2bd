// What the nodes hold: the arrays of a program one behind the other, the same at every node, and
// behind them what reductions keep on their way. And what must be there after the run, computed
// without any network.
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

/// By node.
using Memory = std::vector<std::vector<std::uint32_t>>;

/// Before the run. Throws UserError when an init expression cannot be evaluated.
Memory initial_memory(const Program& program, const MemoryMap& map);
/// What a run makes of it, the partial results aside: every use does in order what its operator
/// means.
Memory expected_memory(const Program& program, const PhasePlan& plan, const MemoryMap& map,
                       Memory memory);

}  // namespace tessera::operators
