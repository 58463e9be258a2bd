#include "models/fabric/router_registers.h"

#include "models/fabric/register_words.h"

namespace tessera::fabric {

namespace {

// A WSE-2 has no filter registers: there their addresses are refused before they come here.
bool is_filter(config_space::Address address) {
  return config_space::is_filter(address, Generation::kWse3);
}

}  // namespace

// Filters are numbered by rising color (config_space.h). nullptr: the tile has no such color or
// filter.
RouteTable::Channel* RouterRegisters::channel_at(config_space::Address address) const {
  if (!is_filter(address)) {
    const Color color = config_space::color_of(address);
    return routes_.configured(color) ? &routes_.at(color) : nullptr;
  }
  unsigned before = config_space::filter_of(address);
  for (unsigned c = 0; c < kColorCount; ++c) {
    if (!routes_.configured(Color(c)) || !routes_.at(Color(c)).filter) continue;
    if (before-- == 0) return &routes_.at(Color(c));
  }
  return nullptr;
}

std::uint16_t RouterRegisters::read(config_space::Address address, Cycle now) const {
  const RouteTable::Channel* channel = channel_at(address);
  if (channel == nullptr) return 0;
  if (is_filter(address)) {
    return filter_register(routes_.filter_before(*channel, now), channel->color,
                           config_space::filter_offset_of(address));
  }
  const ColorRoute& route = routes_.route_before(*channel, now);
  return config_space::is_color(address) ? color_register(route) : switch_register(route);
}

bool RouterRegisters::write(config_space::Address address, std::uint16_t value, Cycle due) {
  if (channel_at(address) == nullptr) return false;
  writes_.push_back({due, address, value});
  return true;
}

std::string RouterRegisters::why_illegal(config_space::Address address, std::uint16_t value) const {
  if (channel_at(address) != nullptr)
    return fabric::why_illegal(address, value, routes_.generation());
  if (config_space::is_filter(address, routes_.generation()))
    return "no color has filter " + std::to_string(config_space::filter_of(address));
  return "color " + std::to_string(config_space::color_of(address).value()) +
         " has no route in the layout";
}

void RouterRegisters::apply_due(Cycle now) {
  auto write = writes_.begin();
  for (; write != writes_.end() && write->due <= now; ++write) {
    RouteTable::Channel& channel = *channel_at(write->address);
    if (is_filter(write->address)) {
      set_filter_register(routes_.change_filter(channel, now),
                          config_space::filter_offset_of(write->address), write->value);
      continue;
    }
    ColorRoute route = channel.route;
    if (config_space::is_color(write->address)) {
      set_color_register(route, write->value);
    } else {
      set_switch_register(route, write->value);
    }
    routes_.rewrite(channel, route, now);
  }
  writes_.erase(writes_.begin(), write);
}

}  // namespace tessera::fabric
