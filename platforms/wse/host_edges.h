// The host's ends of the rim links that streams of a layout use: one host::Edge a rim tile and
// side.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "models/host/edge.h"
#include "platforms/wse/workload.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class HostEdges {
 public:
  /// To be built inside the constructor of the module that holds the edges: they get its name.
  /// Their completion pauses the kernel.
  HostEdges(const WseConfig& config, const Workload& workload, timing::ClockDomain& domain,
            observe::Sink* sink);

  /// Requires that a stream uses the link.
  host::Edge& at(TileCoord tile, Direction side) { return *edges_.at({key_of(tile), side}); }
  /// nullptr where no stream uses the link.
  host::Edge* find(TileCoord tile, Direction side);
  std::size_t size() const { return edges_.size(); }
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  using Key = std::pair<std::size_t, Direction>;  // tile index and side
  std::size_t key_of(TileCoord at) const {
    return static_cast<std::size_t>(at.y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(at.x);
  }

  int width_;
  std::map<Key, std::unique_ptr<host::Edge>> edges_;
};

}  // namespace tessera::wse
