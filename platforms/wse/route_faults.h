// The static check of routes (docs/checks.md): wavelets that the program sends as it starts and that can never be taken.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

struct RouteFault {
  std::uint32_t place = 0;   ///< the tile whose route it is
  std::uint64_t others = 0;  ///< tiles with the same fault that are not named
  std::string id;            ///< of the rule
  std::string
      text;  ///< "color 2 of tile (26, 20) leaves WEST into tile (25, 20), which ..; 30 more tiles likewise"
};

/// Faults that are certain, equal ones of several tiles as one, in the order of the first tile:
///  - a neighbour receives what comes in no switch position,
///  - a PE gets a color for which its program has no input queue, or there is no program,
///  - a ring without an end, which a PE feeds.
/// A PE is taken to send on what it has loaded a fabout descriptor for. Nothing is said of what a program, a switch, a
/// color swap or a teardown may change before wavelets come: routes count as they are at the start, and a receiver in
/// all its positions.
std::vector<RouteFault> find_route_faults(const Workload& workload, const WseConfig& config);

}  // namespace tessera::wse
