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
};

}  // namespace tessera::fabric
