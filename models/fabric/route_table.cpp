#include "models/fabric/route_table.h"

#include "models/fabric/epoch_checker.h"
#include "models/fabric/switching.h"

namespace tessera::fabric {

RouteTable::RouteTable(const FabricTiming& timing, observe::Probe probe)
    : color_swap_(timing.color_swap), switch_positions_(timing.switch_positions), probe_(probe) {
  channel_of_.fill(kNone);
}

RouteTable::Channel& RouteTable::add(Color color) {
  if (known(color)) return at(color);
  channel_of_[color.value()] = static_cast<std::uint8_t>(channels_.size());
  Channel& added = channels_.emplace_back();
  added.color = color;
  pasts_.emplace_back();
  return added;
}

void RouteTable::configure(Color color, const ColorRoute& route) {
  Channel& channel = add(color);
  channel.configured = true;
  channel.route = route;
  channel.route.fill_in(switch_positions_);
  note_features(channel.route);
  for (const RoutePosition& position : channel.route.positions)
    channel.has_sink |=
        !route.messages && position.valid && !position.rx.empty() && position.tx.empty();
  sinks_ |= channel.has_sink;
  channel.route.filter.reset();
  if (route.filter) channel.filter.emplace(*route.filter);
}

void RouteTable::note_features(const ColorRoute& route) {
  filters_ |= route.filter.has_value();
  swaps_ |= route.swap_x || route.swap_y;
  carries_messages_ |= route.messages;
  if (route.messages) return;  // they never meet on an output
  for (const RoutePosition& position : route.positions)
    merges_ |= position.valid && position.rx.size() > 1;
}

bool RouteTable::swaps(Color color, Direction in) const {
  if (!configured(color)) return false;
  const ColorRoute& route = at(color).route;
  const bool along_x = in == Direction::kEast || in == Direction::kWest;
  const bool along_y = in == Direction::kNorth || in == Direction::kSouth;
  return (route.swap_x || along_y) && (route.swap_y || along_x);
}

bool RouteTable::may_leave_as(Color color, bool partner, Direction in) const {
  if (!swaps_) return !partner;
  const bool to_partner = swaps(Color(color.value() ^ 1U), in);
  if (partner) return to_partner;
  if (!to_partner) return true;
  return color_swap_ == ColorSwap::kBoth && !swaps(color, in);
}

bool RouteTable::obey(Channel& channel, const link::Wavelet& w, Direction in, Cycle now) {
  ColorRoute& route = channel.route;
  const auto move = [&](unsigned position) { move_switch(channel, position, now); };
  if (!fabric::obey(route, w, in, move) || route.suspended) return false;
  remember(channel, now);
  if (epochs_ != nullptr) epochs_->tear_down({place(), in, channel.color, w}, route, now);
  route.suspended = true;
  probe_.emit(now, observe::EventKind::kTeardown, channel.color.value(), 1);
  return true;
}

void RouteTable::move_switch(Channel& channel, unsigned position, Cycle now) {
  if (channel.route.current == position) return;
  remember(channel, now);
  channel.route.current = position;
  probe_.emit(now, observe::EventKind::kSwitch, channel.color.value(), position);
}

void RouteTable::rewrite(Channel& channel, ColorRoute after, Cycle now) {
  after.fill_in(switch_positions_);
  remember(channel, now);
  const ColorRoute before = channel.route;
  channel.route = after;
  note_features(after);
  channel.has_sink = false;
  const unsigned color = channel.color.value();
  if (epochs_ != nullptr) epochs_->rewrite(place(), channel.color, before, after, now);
  if (after.current != before.current)
    probe_.emit(now, observe::EventKind::kSwitch, color, after.current);
  if (after.suspended != before.suspended)
    probe_.emit(now, observe::EventKind::kTeardown, color, after.suspended ? 1 : 0);
}

// The state at the end of the cycle before, so only the first change of a cycle counts.
void RouteTable::remember(const Channel& channel, Cycle now) {
  Past& past = pasts_[index_of(channel.color)];
  if (past.changed_at == now) return;
  past.route = channel.route;
  past.changed_at = now;
}

Filter& RouteTable::change_filter(Channel& channel, Cycle now) {
  Past& past = pasts_[index_of(channel.color)];
  if (past.filter_changed_at != now) {
    past.filter = channel.filter;
    past.filter_changed_at = now;
  }
  return *channel.filter;
}

}  // namespace tessera::fabric
