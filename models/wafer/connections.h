// The connections between the blocks of a wafer. They are made once, before the first step; reports
// follow them too.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "models/wafer/plan.h"
#include "models/wafer/ref.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wafer {

struct Blocks;

class Connections {
 public:
  /// `blocks` must outlive it. `buffers`: pipe or slot of every tile route (SlotGraph::receivers).
  Connections(Blocks& blocks, std::vector<Ref> buffers);

  /// Tells all senders their receivers, with the room there, and the other way round. Throws as
  /// WaferCore::start().
  void connect();

  /// The pipe or slot of an entry of Plan::tile_routes; kNone: its router is not plain.
  Ref buffer_of_route(std::uint32_t tile_route) const { return buffers_[tile_route]; }
  /// The pipe or slot of a color on a tile with a plain router.
  Ref buffer_of(std::uint32_t place, Color color) const;
  /// The port of the router that a pipe or slot belongs to.
  std::optional<Direction> input_of(Ref buffer) const;
  /// Room of a receiver for wavelets of `color`.
  unsigned capacity_of(Ref receiver, Color color) const;

 private:
  void connect_routers();
  void connect_ramps(std::uint32_t place);
  unsigned attach(Ref sender, Ref receiver, Color color);
  Ref receiver_behind(std::uint32_t place, Direction out, Color color) const;
  Ref queue_of(std::uint32_t place, Color color) const;
  Ref port_at(std::uint32_t place, Direction side) const;

  Blocks& blocks_;
  const Plan& plan_;
  std::vector<Ref> buffers_;
  std::unordered_map<std::uint64_t, std::uint32_t> port_of_;  // by place and side
};

}  // namespace tessera::wafer
