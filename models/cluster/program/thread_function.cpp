#include "models/cluster/program/thread_function.h"

#include <algorithm>

namespace tessera::cluster {

// Warps hide each other's latencies, up to what the core has in flight, and all of them share its instructions and its way to GM.
Cycle cycles_of(const ThreadWork& work, unsigned gm_bytes_per_cycle, unsigned cores) {
  constexpr ThreadCosts costs;
  const std::uint64_t waits = work.gm_lines * costs.gm + work.l2_lines * costs.l2;
  const unsigned share =
      std::clamp(gm_bytes_per_cycle / std::max(cores, 1U), 1U, costs.gm_bytes_per_cycle);
  const std::uint64_t bytes = (work.gm_lines + work.stored_lines) * kThreadLineBytes;
  return costs.launch + std::max({work.longest, work.blocks * costs.block, waits / costs.in_flight,
                                  work.stored_lines * costs.store, bytes / share});
}

}  // namespace tessera::cluster
