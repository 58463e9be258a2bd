#include "platforms/wse/route_flows.h"

#include <algorithm>

namespace tessera::wse {

namespace {

using observe::Resource;

std::uint8_t number_of(Direction d) {
  return static_cast<std::uint8_t>(d);
}

/// The sides that a color may come from when it leaves at `out`. Positions may leave a side to the one before
/// them, so those of a color with switches count together.
DirectionSet inputs_to(const layout::RouteSpec& spec, Direction out) {
  unsigned inputs = 0, outputs = 0;
  for (const fabric::RoutePosition& position : spec.route.positions) {
    if (!position.valid) continue;
    inputs |= position.rx.bits();
    outputs |= position.tx.bits();
  }
  return DirectionSet::from_bits(DirectionSet::from_bits(outputs).contains(out) ? inputs : 0);
}

}  // namespace

TileCoord RouteFlows::tile_of(std::uint32_t place) const {
  const int at = static_cast<int>(place);
  return {at % workload_.layout.width, at / workload_.layout.width};
}

const layout::RouteSpec* RouteFlows::route_at(TileCoord tile, Color color) const {
  for (const layout::TileRoute& route : workload_.layout.routes_of(tile))
    if (route.color == color) return &workload_.layout.routes[route.route];
  return nullptr;
}

bool RouteFlows::pe_sends(TileCoord tile, Color color) const {
  const auto& image = workload_.programs.image_of(tile);
  if (image == nullptr) return false;
  return std::any_of(image->queues.begin(), image->queues.end(),
                     [&](const pe::QueueBinding& q) { return !q.input && q.color == color; }) ||
         std::any_of(image->dsds.begin(), image->dsds.end(), [&](const pe::Dsd& dsd) {
           return dsd.kind == pe::DsdKind::kFabout && dsd.color == color;
         });
}

bool RouteFlows::host_may_send(TileCoord tile, Direction side) const {
  const auto is_here = [&](const layout::HostLink& link) {
    return link.tile == tile && link.side == side;
  };
  return std::any_of(workload_.links.begin(), workload_.links.end(), is_here) ||
         std::any_of(workload_.streams.begin(), workload_.streams.end(), [&](const HostStream& s) {
           return s.into_fabric && s.side == side &&
                  std::find(s.tiles.begin(), s.tiles.end(), tile) != s.tiles.end();
         });
}

observe::Flows::Upstream RouteFlows::upstream(const Resource& wavelet) const {
  const TileCoord tile = tile_of(wavelet.place);
  const Color color(wavelet.color);
  Upstream found;
  // The host may write into a queue of its own, beside the router.
  const auto out = static_cast<Direction>(wavelet.side);
  if (out == Direction::kRamp) found.from_host = host_may_send(tile, out);
  const layout::RouteSpec* const spec = route_at(tile, color);
  if (spec == nullptr) return found;
  found.unknown = spec->route.swap_x || spec->route.swap_y || spec->route.messages;
  const DirectionSet inputs = inputs_to(*spec, out);
  for (const Direction in : kAllDirections) {
    if (!inputs.contains(in)) continue;
    if (in == Direction::kRamp) {
      found.from_pe = pe_sends(tile, color);
      continue;
    }
    found.from_host |= host_may_send(tile, in);
    const TileCoord from = neighbour(tile, in);
    if (!workload_.layout.on_grid(from)) continue;
    found.before.push_back({Resource::Kind::kWavelet, 0, wavelet.color, number_of(opposite(in)),
                            static_cast<std::uint32_t>(workload_.layout.tile_index(from))});
  }
  return found;
}

Resource RouteFlows::beyond(const Resource& output) const {
  const auto out = static_cast<Direction>(output.side);
  if (out == Direction::kRamp)
    return {Resource::Kind::kInput, 0, output.color, Resource::kAny, output.place};
  const TileCoord to = neighbour(tile_of(output.place), out);
  if (!workload_.layout.on_grid(to)) return {};
  return {Resource::Kind::kBuffer, 0, output.color, number_of(opposite(out)),
          static_cast<std::uint32_t>(workload_.layout.tile_index(to))};
}

}  // namespace tessera::wse
