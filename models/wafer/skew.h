// Tiles stepped ahead of others, so that those of a block stay in the cache for several cycles. Every
// effect travels one tile a cycle at most, so in the coordinates row + cycle and column + cycle all of them lead to
// the same or a later block: blocks are stepped for all cycles, one after the other.
#pragma once

#include "models/wafer/units.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

class WaferCore;

/// Which blocks. Results do not depend on them.
struct Skew {
  unsigned depth = kMaxDepth;  ///< cycles, at most kMaxDepth; 1: none
  int rows = 16;
  int columns = 16;
  bool when_busy = true;  ///< only while so many tiles are busy that the cache does not hold them
};

/// No latency of a wafer whose tiles are stepped ahead of others may be above.
inline constexpr unsigned kMaxLatencyAhead = kMaxLatency - kMaxDepth;

/// Steps all tiles of a strip in cycles `begin` to `end` - 1, as far as none has failed.
void step_skewed(WaferCore& core, const Skew& skew, Cycle begin, Cycle end);

}  // namespace tessera::wafer
