#include "platforms/wse/host_edges.h"

#include <string>

namespace tessera::wse {

HostEdges::HostEdges(const WseConfig& config, const Workload& workload, timing::ClockDomain& domain,
                     observe::Sink* sink)
    : width_(workload.layout.width) {
  const std::vector<RimLink> links = rim_links(workload.layout, workload.streams);
  host::IdentRange idents;
  idents.stride = static_cast<std::uint32_t>(links.size());
  for (const auto& [at, side] : links) {
    const std::string name =
        "edge_" + std::to_string(at.x) + "_" + std::to_string(at.y) + "_" + to_string(side);
    const observe::Probe probe(sink, static_cast<std::uint32_t>(key_of(at)));
    auto edge =
        std::make_unique<host::Edge>(name.c_str(), domain, at, side, config.fabric, idents, probe);
    edge->on_complete([&domain] { domain.request_pause(); });
    edge->take_only(colors_taken(workload.streams, at, side));
    edges_[{key_of(at), side}] = std::move(edge);
    ++idents.first;
  }
}

host::Edge* HostEdges::find(TileCoord tile, Direction side) {
  const auto edge = edges_.find({key_of(tile), side});
  return edge == edges_.end() ? nullptr : edge->second.get();
}

void HostEdges::describe_waits(observe::Waits& waits, Cycle now) const {
  for (const auto& [key, edge] : edges_) edge->core().describe_waits(waits, now);
}

}  // namespace tessera::wse
