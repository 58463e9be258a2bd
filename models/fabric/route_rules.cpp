#include "models/fabric/route_rules.h"

#include <algorithm>

#include "models/fabric/filter_registers.h"
#include "models/fabric/route_registers.h"

namespace tessera::fabric {
namespace {

std::string color_register_problem(Color color, std::uint16_t value, Generation generation) {
  if (generation != Generation::kWse3) return "";
  ColorRoute route;
  set_color_register(route, value);
  const DirectionSet rx = route.positions[0].rx;
  if (rx.size() > 1)
    return "receives from " + to_string(rx) + "; a WSE-3 color has exactly one rx direction";
  if (route.swap_x || route.swap_y) return "has no color swap; only a WSE-2 has it";
  if (route.pop != PopMode::kNoPop && !is_switchable(color, generation))
    return "has no switch, and no pop mode";
  return "";
}

std::string switch_register_problem(Color color, std::uint16_t value, Generation generation) {
  if (is_switchable(color, generation)) return "";
  ColorRoute route;
  set_switch_register(route, value);
  const bool moves = std::any_of(route.positions.begin() + 1, route.positions.end(),
                                 [](const RoutePosition& position) { return position.valid; });
  return moves || route.ring || route.current != 0 ? "has no switch" : "";
}

}  // namespace

bool is_switchable(Color color, Generation generation) {
  const unsigned c = color.value();
  return generation == Generation::kWse2 || c <= 9 || c == 12 || c == 13 || c == 16 || c == 17 ||
         c == 20 || c == 21;
}

std::string why_illegal(config_space::Address address, std::uint16_t value, Generation generation) {
  if (config_space::is_filter(address, generation)) {
    const bool control = config_space::filter_offset_of(address) == 0;
    return control && !is_filter_kind(value) ? "3 is no kind of filter" : "";
  }
  const Color color = config_space::color_of(address);
  const std::string problem = config_space::is_color(address)
                                  ? color_register_problem(color, value, generation)
                                  : switch_register_problem(color, value, generation);
  return problem.empty() ? "" : "color " + std::to_string(color.value()) + " " + problem;
}

}  // namespace tessera::fabric
