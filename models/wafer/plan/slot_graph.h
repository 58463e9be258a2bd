// Lays the input buffers of a wafer out as pipes and slots: which routers are plain, which of their
// slots compete, and in which order both lie in memory: along the paths, so that a stream walks
// memory in order.
#pragma once

#include <cstdint>
#include <vector>

#include "models/wafer/plan/plan.h"
#include "models/wafer/units/pipes.h"
#include "models/wafer/units/slots.h"

namespace tessera::wafer {

struct SlotGraph {
  std::vector<bool> plain;  ///< plain_tiles()
  std::vector<Pipe> pipes;  ///< along the paths; `upstream`, `target`, `credits` are not set
  std::vector<Slot> slots;  ///< along the paths; `upstream` is not set
  std::vector<Link> links;  ///< in the order of their slots; `target`, `credits` are not set
  std::vector<Group> groups;
  std::vector<Switch> switches;  ///< in the order of their slots
  std::vector<Ref>
      receivers;  ///< pipe or (first) slot, by route of the strip; none: router not plain
};

/// A path that leaves the strip ends there, and one that enters it begins there.
SlotGraph lay_out_slots(const Strip& strip);

/// Index in Plan::tile_routes of `color` on a tile; kNoIndex when it does not route it.
std::uint32_t find_route(const Plan& plan, std::uint32_t place, Color color);

/// The one input of a route of a plain router that has no switch.
Direction input_of_route(const Plan& plan, std::uint32_t tile_route);

}  // namespace tessera::wafer
