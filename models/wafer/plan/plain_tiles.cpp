#include "models/wafer/plan/plain_tiles.h"

#include <algorithm>

#include "models/wafer/plan/route_shape.h"
#include "models/wafer/units/slots.h"

namespace tessera::wafer {
namespace {

bool may_send(const fabric::ColorRoute& route, Direction out) {
  return std::any_of(
      route.positions.begin(), route.positions.end(),
      [out](const fabric::RoutePosition& p) { return p.valid && p.tx.contains(out); });
}

/// What a program may do with the routers of its wafer.
struct Reach {
  bool has_registers = false;  ///< its router takes wavelets of its colors from all sides
  bool rewrites = false;       ///< it may change its routes
  std::uint32_t sends = 0;     ///< one bit for each color that it may send

  explicit Reach(const pe::Image& image)
      : has_registers(image.uses(pe::Opcode::kStcfg)), rewrites(image.may_reach_routing()) {
    const auto add = [this](Color color) { sends |= std::uint32_t{1} << color.value(); };
    for (const pe::QueueBinding& queue : image.queues) {
      if (!queue.input && queue.color) add(*queue.color);
    }
    for (const pe::Dsd& dsd : image.dsds) {
      if (dsd.kind == pe::DsdKind::kFabout) add(dsd.color);
    }
  }
};

class PlainTiles {
 public:
  explicit PlainTiles(const Plan& plan) : plan_(plan) {
    for (const fabric::ColorRoute& route : plan.routes)
      shapes_.emplace_back(route, plan.fabric.switch_positions);
    for (const auto& image : plan.images) reach_.emplace_back(*image);
  }

  bool is_plain(std::uint32_t place) const {
    const Reach* reach = reach_of(place);
    if (reach != nullptr && reach->rewrites) return false;
    unsigned inputs = 0;
    for (std::uint32_t r = plan_.tile_routes_begin[place]; r < plan_.tile_routes_begin[place + 1];
         ++r) {
      const RouteShape& shape = shapes_[plan_.tile_routes[r].route];
      inputs += shape.inputs.size();
      if (shape.kind == RouteShape::Kind::kOther || inputs > Group::kMaxSlots) return false;
      if (reach != nullptr && reach->has_registers && may_arrive_elsewhere(place, r, *reach))
        return false;
    }
    return true;
  }

 private:
  const Reach* reach_of(std::uint32_t place) const {
    const std::int32_t image = plan_.image_of_tile[place];
    return image < 0 ? nullptr : &reach_[static_cast<std::size_t>(image)];
  }

  /// Whether wavelets of the color of route `r` may arrive on a side from which it does not receive.
  bool may_arrive_elsewhere(std::uint32_t place, std::uint32_t r, const Reach& own) const {
    const Color color = plan_.tile_routes[r].color;
    const DirectionSet from = shapes_[plan_.tile_routes[r].route].inputs;
    return std::any_of(kAllDirections.begin(), kAllDirections.end(), [&](Direction side) {
      if (from.contains(side)) return false;
      if (side == Direction::kRamp) return (own.sends >> color.value() & 1U) != 0;
      const TileCoord next = neighbour(plan_.tile_of(place), side);
      return plan_.on_wafer(next) && may_send_to(plan_.place_of(next), opposite(side), color);
    });
  }

  bool may_send_to(std::uint32_t place, Direction out, Color color) const {
    const Reach* reach = reach_of(place);
    for (std::uint32_t r = plan_.tile_routes_begin[place]; r < plan_.tile_routes_begin[place + 1];
         ++r) {
      const fabric::ColorRoute& route = plan_.routes[plan_.tile_routes[r].route];
      if (route.swap_x || route.swap_y) return true;  // another color leaves than has arrived
      if (plan_.tile_routes[r].color != color) continue;
      if ((reach != nullptr && reach->rewrites) || may_send(route, out)) return true;
    }
    return false;
  }

  const Plan& plan_;
  std::vector<RouteShape> shapes_;  // by route of the plan
  std::vector<Reach> reach_;        // by image of the plan
};

}  // namespace

std::vector<bool> plain_tiles(const Strip& strip) {
  const PlainTiles tiles(strip.plan);
  std::vector<bool> plain(strip.tile_count());
  for (std::uint32_t i = 0; i < plain.size(); ++i) plain[i] = tiles.is_plain(strip.first_place + i);
  return plain;
}

}  // namespace tessera::wafer
