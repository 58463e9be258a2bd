// Run-time configuration of the router (reference wse.md 1.9, 1.10).
#include <algorithm>

#include "models/fabric/route_registers.h"
#include "models/fabric/router_core.h"

namespace tessera::fabric {

// A read in the cycle of a change gives the old value, whether the router was stepped before or
// after the reader.
std::uint16_t RouterCore::read_register(config_space::Address address, Cycle now) const {
  const Color color = config_space::color_of(address);
  if (!configured(color)) return 0;
  const Past& past = pasts_[channel_of_[color.value()]];
  const ColorRoute& route = past.changed_at == now ? past.route : channel(color).route;
  return config_space::is_color(address) ? color_register(route) : switch_register(route);
}

bool RouterCore::write_register(config_space::Address address, std::uint16_t value, Cycle due) {
  if (!configured(config_space::color_of(address))) return false;
  writes_.push_back({due, address, value});
  return true;
}

void RouterCore::apply_writes(Cycle now) {
  std::size_t applied = 0;
  for (; applied < writes_.size() && writes_[applied].due <= now; ++applied) {
    const Write& write = writes_[applied];
    Channel& target = channel(config_space::color_of(write.address));
    remember(target, now);
    const unsigned position = target.route.current;
    const bool suspended = target.route.suspended;
    if (config_space::is_color(write.address)) {
      set_color_register(target.route, write.value);
    } else {
      set_switch_register(target.route, write.value);
    }
    note_features(target.route);
    if (target.route.current != position) {
      probe_.emit(now, observe::EventKind::kSwitch, target.color.value(), target.route.current);
    }
    if (target.route.suspended != suspended) {
      probe_.emit(now, observe::EventKind::kTeardown, target.color.value(),
                  target.route.suspended ? 1 : 0);
    }
  }
  writes_.erase(writes_.begin(), writes_.begin() + static_cast<std::ptrdiff_t>(applied));
}

// Keeps the state of the cycle before, once a cycle.
void RouterCore::remember(Channel& channel, Cycle now) {
  Past& past = pasts_[channel_of_[channel.color.value()]];
  if (past.changed_at != now) past = {channel.route, now};
}

}  // namespace tessera::fabric
