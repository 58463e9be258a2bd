// The host's ends of the links that streams use: one host::Edge a tile and side.
#pragma once

#include <map>
#include <memory>
#include <string>
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
            observe::Sink* sink)
      : width_(workload.layout.width) {
    host::IdentRange idents;
    idents.stride = static_cast<std::uint32_t>(workload.links.size());
    for (const layout::HostLink& link : workload.links) {
      const TileCoord at = link.tile;
      const Direction side = link.side;
      const std::string name =
          "edge_" + std::to_string(at.x) + "_" + std::to_string(at.y) + "_" + to_string(side);
      const observe::Probe probe(sink, static_cast<std::uint32_t>(key_of(at)));
      auto edge = std::make_unique<host::Edge>(name.c_str(), domain, at, side, config.fabric,
                                               idents, probe);
      edge->on_complete([&domain] { domain.request_pause(); });
      edge->take_only(link.out_colors);
      edge->drop(link.dropped_colors);
      edges_[{key_of(at), side}] = {std::move(edge), idents};
      ++idents.first;
    }
  }
  /// All edges as new ones for `workload`; those that it does not use take nothing.
  void reset(const WseConfig& config, const Workload& workload, observe::Sink* sink) {
    for (auto& [key, held] : edges_) {
      const observe::Probe probe(sink, static_cast<std::uint32_t>(key.first));
      held.edge->reset(config.fabric, held.idents, probe);
      held.edge->take_only(0);
    }
    for (const layout::HostLink& link : workload.links) {
      at(link.tile, link.side).take_only(link.out_colors);
      at(link.tile, link.side).drop(link.dropped_colors);
    }
  }
  /// Saves or restores all edges (models/state/archive.h).
  void visit(state::Archive& archive, Cycle next, bool is_due) {
    for (auto& [key, held] : edges_) held.edge->visit(archive, next, is_due);
  }
  /// When the tiles have been reset too.
  void start() {
    for (auto& [key, held] : edges_) held.edge->start();
  }

  /// Requires that a stream uses the link.
  host::Edge& at(TileCoord tile, Direction side) { return *edges_.at({key_of(tile), side}).edge; }
  /// nullptr where no stream uses the link.
  host::Edge* find(TileCoord tile, Direction side) {
    const auto edge = edges_.find({key_of(tile), side});
    return edge == edges_.end() ? nullptr : edge->second.edge.get();
  }
  std::size_t size() const { return edges_.size(); }
  void describe_waits(observe::Waits& waits, Cycle now) const {
    for (const auto& [key, held] : edges_) held.edge->core().describe_waits(waits, now);
  }

 private:
  using Key = std::pair<std::size_t, Direction>;  // tile index and side
  std::size_t key_of(TileCoord at) const {
    return static_cast<std::size_t>(at.y) * static_cast<std::size_t>(width_) +
           static_cast<std::size_t>(at.x);
  }

  struct Held {
    std::unique_ptr<host::Edge> edge;
    host::IdentRange idents;
  };

  int width_;
  std::map<Key, Held> edges_;
};

}  // namespace tessera::wse
