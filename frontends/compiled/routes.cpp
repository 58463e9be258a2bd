#include "frontends/compiled/routes.h"

#include <boost/json.hpp>

#include <cstdlib>

namespace tessera::compiled {
namespace {

namespace json = boost::json;
using fabric::ColorRoute, fabric::FilterConfig, fabric::FilterKind, fabric::PopMode;

constexpr std::array<const char*, 4> kPopModes = {"no_pop", "always_pop", "pop_on_advance",
                                                  "pop_on_advance_nop"};
constexpr std::array<const char*, 3> kFilterKinds = {"counter", "sparse_counter", "range"};

/// Index of a name; the first one if it is none of them.
template <std::size_t N>
std::size_t index_in(const std::array<const char*, N>& names, const std::string& name) {
  for (std::size_t i = 0; i < N; ++i) {
    if (name == names[i]) return i;
  }
  return 0;
}

FilterConfig filter_of(const std::map<std::string, std::string>& fields) {
  FilterConfig filter;
  for (std::size_t i = 0; i < kFilterKinds.size(); ++i) {
    const auto kind = fields.find(std::string("kind.") + kFilterKinds[i]);
    if (kind != fields.end() && kind->second == "true") filter.kind = static_cast<FilterKind>(i);
  }
  const auto flag = [&](const char* name) {
    const auto field = fields.find(name);
    return field != fields.end() && field->second == "true";
  };
  const auto number = [&](const char* name) {
    const auto field = fields.find(name);
    return field == fields.end()
               ? 0U
               : static_cast<std::uint32_t>(std::strtoul(field->second.c_str(), nullptr, 10));
  };
  filter.count_data = flag("count_data");
  filter.count_control = flag("count_control");
  filter.filter_control = flag("filter_control");
  filter.init_counter = number("init_counter");
  filter.limit1 = number("limit1");
  filter.limit2 = number("limit2");
  filter.max_counter = number("max_counter");
  filter.min_idx = static_cast<std::uint16_t>(number("min_idx"));
  filter.max_idx = static_cast<std::uint16_t>(number("max_idx"));
  return filter;
}

json::array names_of(DirectionSet set) {
  json::array names;
  for (const Direction d : kAllDirections) {
    if (set.contains(d)) names.emplace_back(to_string(d));
  }
  return names;
}

json::object filter_object(const FilterConfig& filter) {
  json::object object{{"kind", kFilterKinds[static_cast<std::size_t>(filter.kind)]}};
  if (filter.kind == FilterKind::kRange) {
    object["min_idx"] = filter.min_idx;
    object["max_idx"] = filter.max_idx;
    return object;
  }
  object["count_data"] = filter.count_data;
  object["count_control"] = filter.count_control;
  object["init_counter"] = filter.init_counter;
  object["limit1"] = filter.limit1;
  object["max_counter"] = filter.max_counter;
  if (filter.kind == FilterKind::kSparseCounter) {
    object["limit2"] = filter.limit2;
  } else {
    object["filter_control"] = filter.filter_control;
  }
  return object;
}

json::object switches_object(const ColorRoute& route) {
  json::object object;
  for (std::size_t i = 1; i < route.positions.size(); ++i) {
    const fabric::RoutePosition& position = route.positions[i];
    if (!position.valid) continue;
    json::object sides;
    if (position.sets_rx) sides["rx"] = names_of(position.rx);
    if (position.sets_tx) sides["tx"] = names_of(position.tx);
    object["pos" + std::to_string(i)] = std::move(sides);
  }
  if (route.current != 0) object["current_switch_pos"] = route.current;
  if (route.ring) object["ring_mode"] = true;
  if (route.pop != PopMode::kNoPop)
    object["pop_mode"] = kPopModes[static_cast<std::size_t>(route.pop)];
  return object;
}

}  // namespace

ColorRoute route_of(const csl::ColorConfig& config) {
  ColorRoute route;
  route.positions[0] = {DirectionSet::from_bits(config.rx), DirectionSet::from_bits(config.tx),
                        true};
  for (std::size_t i = 0; i < config.positions.size(); ++i) {
    const csl::SwitchPosition& given = config.positions[i];
    if (!given.is_valid) continue;
    route.positions[i + 1] = {DirectionSet::from_bits(given.rx.value_or(0)),
                              DirectionSet::from_bits(given.tx.value_or(0)), true,
                              given.rx.has_value(), given.tx.has_value()};
  }
  route.current = config.current_position;
  route.ring = config.ring_mode;
  route.pop = static_cast<PopMode>(index_in(kPopModes, config.pop_mode));
  route.swap_x = config.swap_x;
  route.swap_y = config.swap_y;
  route.suspended = config.teardown;
  route.messages = config.messages;
  if (!config.filter.empty()) route.filter = filter_of(config.filter);
  return route;
}

std::string route_text(const ColorRoute& route) {
  json::object object{{"rx", names_of(route.positions[0].rx)},
                      {"tx", names_of(route.positions[0].tx)}};
  json::object switches = switches_object(route);
  if (!switches.empty()) object["switches"] = std::move(switches);
  if (route.filter) object["filter"] = filter_object(*route.filter);
  if (route.swap_x) object["color_swap_x"] = true;
  if (route.swap_y) object["color_swap_y"] = true;
  if (route.suspended) object["teardown"] = true;
  if (route.messages) object["messages"] = true;
  return json::serialize(object);
}

}  // namespace tessera::compiled
