// Run-time configuration of the router (reference wse.md 1.7, 1.9, 1.10).
#include <algorithm>

#include "models/fabric/epoch_checker.h"
#include "models/fabric/filter_registers.h"
#include "models/fabric/route_registers.h"
#include "models/fabric/route_rules.h"
#include "models/fabric/router_core.h"

namespace tessera::fabric {

// Filters are numbered by rising color (config_space.h). nullptr: the tile has no such color or
// filter.
const RouterCore::Channel* RouterCore::channel_at(config_space::Address address) const {
  if (!config_space::is_filter(address, Generation::kWse3)) {
    const Color color = config_space::color_of(address);
    return configured(color) ? &channel(color) : nullptr;
  }
  unsigned before = config_space::filter_of(address);
  for (unsigned c = 0; c < kColorCount; ++c) {
    if (!configured(Color(c)) || !channel(Color(c)).filter) continue;
    if (before-- == 0) return &channel(Color(c));
  }
  return nullptr;
}

// A read in the cycle of a change gives the old value, whether the router was stepped before or
// after the reader.
std::uint16_t RouterCore::read_register(config_space::Address address, Cycle now) const {
  const Channel* target = channel_at(address);
  if (target == nullptr) return 0;
  const Past& past = pasts_[channel_of_[target->color.value()]];
  if (config_space::is_filter(address, Generation::kWse3)) {
    const std::optional<Filter>& filter =
        past.filter_changed_at == now ? past.filter : target->filter;
    return filter_register(*filter, target->color, config_space::filter_offset_of(address));
  }
  const ColorRoute& route = past.changed_at == now ? past.route : target->route;
  return config_space::is_color(address) ? color_register(route) : switch_register(route);
}

bool RouterCore::write_register(config_space::Address address, std::uint16_t value, Cycle due) {
  if (channel_at(address) == nullptr) return false;
  writes_.push_back({due, address, value});
  return true;
}

std::string RouterCore::why_illegal(config_space::Address address, std::uint16_t value) const {
  const bool is_filter = config_space::is_filter(address, generation_);
  const Channel* target = channel_at(address);
  if (target == nullptr) {
    return is_filter ? "no color has filter " + std::to_string(config_space::filter_of(address))
                     : "color " + std::to_string(config_space::color_of(address).value()) +
                           " has no route in the layout";
  }
  return fabric::why_illegal(address, value, generation_);
}

void RouterCore::apply_writes(Cycle now) {
  std::size_t applied = 0;
  for (; applied < writes_.size() && writes_[applied].due <= now; ++applied) {
    const Write& write = writes_[applied];
    Channel& target = const_cast<Channel&>(*channel_at(write.address));
    if (!config_space::is_filter(write.address, Generation::kWse3)) {
      write_route(target, write, now);
      continue;
    }
    remember_filter(target, now);
    set_filter_register(*target.filter, config_space::filter_offset_of(write.address), write.value);
  }
  writes_.erase(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(applied));
}

void RouterCore::write_route(Channel& target, const Write& write, Cycle now) {
  remember(target, now);
  const unsigned position = target.route.current;
  const bool suspended = target.route.suspended;
  const std::optional<ColorRoute> before =
      epochs_ == nullptr ? std::nullopt : std::optional(target.route);
  if (config_space::is_color(write.address)) {
    set_color_register(target.route, write.value);
  } else {
    set_switch_register(target.route, write.value);
  }
  note_features(target.route);
  if (before) epochs_->rewrite(probe_.place(), target.color, *before, target.route, now);
  if (target.route.current != position) {
    probe_.emit(now, observe::EventKind::kSwitch, target.color.value(), target.route.current);
  }
  if (target.route.suspended != suspended) {
    probe_.emit(now, observe::EventKind::kTeardown, target.color.value(),
                target.route.suspended ? 1 : 0);
  }
}

// Keeps the state of the cycle before, once a cycle.
void RouterCore::remember(Channel& channel, Cycle now) {
  Past& past = pasts_[channel_of_[channel.color.value()]];
  if (past.changed_at == now) return;
  past.route = channel.route;
  past.changed_at = now;
}

void RouterCore::remember_filter(Channel& channel, Cycle now) {
  Past& past = pasts_[channel_of_[channel.color.value()]];
  if (past.filter_changed_at == now) return;
  past.filter = channel.filter;
  past.filter_changed_at = now;
}

}  // namespace tessera::fabric
