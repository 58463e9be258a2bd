// Wafers for tests, tile by tile: the text of a program, a route, a port.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "frontends/tasm/assembler.h"
#include "models/wafer/plan/plan.h"

namespace tessera::wafer::bench {

inline constexpr Direction kW = Direction::kWest;
inline constexpr Direction kE = Direction::kEast;
inline constexpr Direction kS = Direction::kSouth;
inline constexpr Direction kN = Direction::kNorth;
inline constexpr Direction kR = Direction::kRamp;

inline fabric::ColorRoute route(DirectionSet rx, DirectionSet tx) {
  fabric::ColorRoute r;
  r.positions[0] = {rx, tx, true};
  return r;
}
/// The same route with a second switch position: its router is not plain.
inline fabric::ColorRoute with_switch(fabric::ColorRoute r) {
  r.positions[1] = r.positions[0];
  return r;
}

class PlanBuilder {
 public:
  PlanBuilder(int width, int height) {
    plan_.width = width;
    plan_.height = height;
    plan_.input_queue_lengths = {6, 6, 4, 4, 2, 2, 2, 2};
    plan_.output_queue_lengths = {2, 2, 6, 6, 2, 2, 2, 2};
  }

  Plan& settings() { return plan_; }
  PlanBuilder& route_of(TileCoord at, unsigned color, const fabric::ColorRoute& route) {
    routes_[{plan_.place_of(at), color}] = route;
    return *this;
  }
  PlanBuilder& program(TileCoord at, const std::string& text) {
    programs_[plan_.place_of(at)] = text;
    return *this;
  }
  PlanBuilder& port(TileCoord at, Direction side) {
    plan_.ports.push_back({at, side});
    return *this;
  }
  bool has_route(TileCoord at, unsigned color) const {
    return routes_.count({plan_.place_of(at), color}) != 0;
  }
  const std::map<std::pair<std::uint32_t, unsigned>, fabric::ColorRoute>& routes() const {
    return routes_;
  }

  Plan build() const {
    Plan plan = plan_;
    const auto tiles = static_cast<std::size_t>(plan.width) * static_cast<std::size_t>(plan.height);
    plan.image_of_tile.assign(tiles, -1);
    for (std::uint32_t place = 0; place < tiles; ++place) {
      plan.tile_routes_begin.push_back(static_cast<std::uint32_t>(plan.tile_routes.size()));
      for (unsigned color = 0; color < kColorCount; ++color) {
        const auto found = routes_.find({place, color});
        if (found == routes_.end()) continue;
        plan.tile_routes.push_back({Color(color), static_cast<std::uint32_t>(plan.routes.size())});
        plan.routes.push_back(found->second);
      }
    }
    plan.tile_routes_begin.push_back(static_cast<std::uint32_t>(plan.tile_routes.size()));
    for (const auto& [place, text] : programs_) {
      plan.image_of_tile[place] = static_cast<std::int32_t>(plan.images.size());
      plan.images.push_back(std::make_shared<const pe::Image>(
          tasm::assemble(text, {"tile" + std::to_string(place), plan.generation, {}})));
    }
    return plan;
  }

 private:
  Plan plan_;
  std::map<std::pair<std::uint32_t, unsigned>, fabric::ColorRoute> routes_;
  std::map<std::uint32_t, std::string> programs_;
};

}  // namespace tessera::wafer::bench
