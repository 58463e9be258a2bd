// Route of one color through one router (reference wse.md 1.2, 1.3, 1.4): up to four switch
// positions, each with the ports it receives from and the ports it transmits to.
#pragma once

#include <array>

#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::fabric {

inline constexpr unsigned kSwitchPositions = 4;

struct RoutePosition {
  DirectionSet rx;
  DirectionSet tx;
  bool valid = false;
};

struct ColorRoute {
  std::array<RoutePosition, kSwitchPositions> positions;
  unsigned current = 0;  ///< switch position at the start (wse.md 1.4 current_switch_pos)
  bool ring = false;     ///< an advance at the last valid position goes to position 0

  /// Moves the switch to the next valid position; at the last one it stays, or starts again
  /// (wse.md 1.4).
  void advance() {
    for (unsigned next = current + 1; next < kSwitchPositions; ++next) {
      if (!positions[next].valid) continue;
      current = next;
      return;
    }
    if (ring) current = 0;
  }
};

}  // namespace tessera::fabric
