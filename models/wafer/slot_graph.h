// Lays the slots of a wafer out (slot.h): which routers are plain, which of their slots compete,
// and in which order slots lie in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "models/wafer/plan.h"
#include "models/wafer/slot.h"

namespace tessera::wafer {

struct SlotGraph {
  std::vector<Pipe> pipes;  ///< along the paths; `upstream`, `target`, `credits` are not set
  std::vector<Slot> slots;  ///< along the paths; `upstream` is not set
  std::vector<Link> links;  ///< in the order of their slots; `target`, `credits` are not set
  std::vector<Group> groups;
  std::vector<Ref> receivers;  ///< pipe or slot, as Plan::tile_routes; none: router not plain
};

/// By tile, whether its router needs no more than slots: every color is received from one port and
/// keeps its route, and the program does not touch its registers. Otherwise it gets a
/// fabric::RouterCore of its own.
std::vector<bool> plain_tiles(const Plan& plan);

/// `plain`: plain_tiles().
SlotGraph lay_out_slots(const Plan& plan, const std::vector<bool>& plain);

/// Index in Plan::tile_routes of `color` on a tile; kNoIndex when it does not route it.
std::uint32_t find_route(const Plan& plan, std::uint32_t place, Color color);

/// The one input of a route of a plain router.
Direction input_of_route(const Plan& plan, std::uint32_t tile_route);

}  // namespace tessera::wafer
