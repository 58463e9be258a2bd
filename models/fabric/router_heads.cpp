// Heads of the router's buffers: where they go, what control wavelets do, what they wait for
// (reference wse.md 1.4 to 1.9).
#include <algorithm>

#include "models/fabric/epoch_checker.h"
#include "models/fabric/router_core.h"
#include "models/fabric/router_waits.h"
#include "models/observe/event_fields.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {

namespace {

/// wse.md 1.4: whether a passing wavelet loses `command`, its first.
bool pops(const ColorRoute& route, link::Command command) {
  switch (route.pop) {
  case PopMode::kNoPop:
    return false;
  case PopMode::kAlwaysPop:
    return true;
  case PopMode::kPopOnAdvance:
    return route.moves(command);
  case PopMode::kPopOnAdvanceNop:
    return route.moves(command) || command == link::Command::kNop;
  }
  return false;
}

}  // namespace

// wse.md 1.6: enabled on `color`, arrivals on its partner appear on it. From the on-ramp only with
// both axes.
bool RouterCore::swaps(Color color, Direction in) const {
  if (!configured(color)) return false;
  const ColorRoute& route = channel(color).route;
  switch (in) {
  case Direction::kEast:
  case Direction::kWest:
    return route.swap_x;
  case Direction::kNorth:
  case Direction::kSouth:
    return route.swap_y;
  default:
    return route.swap_x && route.swap_y;
  }
}

// Whether an arrival may leave as this variant at all. Enabled on both colors, they are exchanged.
bool RouterCore::takes_variant(const Buffer& buffer, unsigned variant) const {
  if (!swaps_) return variant == kOwn;
  const bool to_partner = swaps(color_of(buffer, kPartner), buffer.in);
  if (variant == kPartner) return to_partner;
  if (!to_partner) return true;
  return timing_.color_swap == ColorSwap::kBoth && !swaps(buffer.color, buffer.in);
}

// wse.md 1.8: with CE injection the buffers decide: by what has landed, because what a neighbour
// puts in this cycle may come before or after the step.
unsigned RouterCore::injecting_position(const Channel& channel) const {
  const ColorRoute& route = channel.route;
  const auto holds = [&](Direction in) {
    const std::uint8_t buffer = buffer_of_[pair_of(in, channel.color)];
    if (buffer == kNone || buffers_[buffer].entries.empty()) return false;
    return buffers_[buffer].entries.front().due <= now_;
  };
  if (route.injection == Injection::kHigh) return holds(Direction::kRamp) ? 1 : 0;
  return std::any_of(kCardinalDirections.begin(), kCardinalDirections.end(), holds) ? 0 : 1;
}

bool RouterCore::is_routed(const Buffer& buffer, unsigned variant) const {
  const Departure& departure = buffer.departures[variant];
  if (departure.started) return departure.routed;
  const Color color = color_of(buffer, variant);
  if (!takes_variant(buffer, variant) || !configured(color)) return false;
  const RoutePosition& position = position_of(channel(color));
  return position.valid && position.rx.contains(buffer.in);
}

// Outputs that the head has still to leave through.
DirectionSet RouterCore::outputs_of(const Buffer& buffer, unsigned variant) const {
  const Departure& departure = buffer.departures[variant];
  if (departure.started) return departure.branches;
  if (!is_routed(buffer, variant)) return {};
  DirectionSet outputs = position_of(channel(color_of(buffer, variant))).tx;
  if (!departure.to_ce) outputs.erase(Direction::kRamp);
  return outputs;
}

// wse.md 1.9: nothing of a color in teardown moves.
bool RouterCore::is_suspended(const Buffer& buffer) const {
  if (channel(buffer.color).route.suspended) return true;
  if (!swaps_) return false;
  const Color partner = color_of(buffer, kPartner);
  return known(partner) && channel(partner).route.suspended && is_routed(buffer, kPartner);
}

// Every position that takes it has nothing left to send.
bool RouterCore::is_done(const Buffer& buffer) const {
  if (!swaps_ && buffer.departures[kOwn].started) return buffer.departures[kOwn].branches.empty();
  bool routed = false;
  for (unsigned variant = 0; variant < (swaps_ ? kVariants : 1U); ++variant) {
    if (!outputs_of(buffer, variant).empty()) return false;
    routed |= is_routed(buffer, variant);
  }
  return routed;
}

// Before a copy has left: it was to go to the CE, and may not.
bool RouterCore::is_rejected(const Buffer& buffer) const {
  return std::any_of(
      buffer.departures.begin(), buffer.departures.end(),
      [](const Departure& departure) { return !departure.started && !departure.to_ce; });
}

// Once for each head: whether the CE gets a copy (wse.md 1.5 NOCE, 1.7 filters).
void RouterCore::ask_filters(Buffer& buffer, Cycle now) {
  const link::Wavelet& w = buffer.entries.front().wavelet;
  for (unsigned variant = 0; variant < (swaps_ ? kVariants : 1U); ++variant) {
    Departure& departure = buffer.departures[variant];
    if (departure.filtered || !is_routed(buffer, variant)) continue;
    Channel& target = channel(color_of(buffer, variant));
    if (!position_of(target).tx.contains(Direction::kRamp)) continue;
    departure.filtered = true;
    departure.to_ce = !(w.control && link::command_at(w.payload, 0).ignore_at_ce);
    if (!target.filter) continue;
    remember_filter(target, now);
    departure.to_ce &= target.filter->accept(w);
  }
}

// The first copy leaves: where the others go and what the list of commands becomes is fixed.
void RouterCore::start(Buffer& buffer) {
  const link::Wavelet& w = buffer.entries.front().wavelet;
  if (!swaps_ && !w.control) {
    Departure& departure = buffer.departures[kOwn];
    departure.branches = plain_outputs(buffer);
    departure.started = departure.routed = true;
    departure.payload = w.payload;
    buffer.departures[kPartner].started = true;  // also if the program turns color swap on now
    if (epochs_ != nullptr) tell_route_of(buffer, kOwn);
    return;
  }
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    Departure& departure = buffer.departures[variant];
    departure.routed = is_routed(buffer, variant);
    departure.branches = outputs_of(buffer, variant);
    departure.started = true;
    departure.payload = w.payload;
    if (epochs_ != nullptr && departure.routed) tell_route_of(buffer, variant);
    if (!w.control || !departure.routed) continue;
    const ColorRoute& route = channel(color_of(buffer, variant)).route;
    if (pops(route, link::command_at(w.payload, 0).command))
      departure.payload = link::pop_command(w.payload);
  }
}

// What a wavelet that has left does to the switch of its color (wse.md 1.4, 1.5).
void RouterCore::obey(Channel& channel, const link::Wavelet& w, Direction in, Cycle now,
                      Step& step) {
  ColorRoute& route = channel.route;
  if (route.injection != Injection::kNone) return;
  if (w.local_flip && in == Direction::kRamp) move_switch(channel, route.advanced(), now);
  if (!w.control) return;
  const link::Command command = link::command_at(w.payload, 0).command;
  if (command == link::Command::kTeardown) remember(channel, now);
  switch (command) {
  case link::Command::kNop:
    break;
  case link::Command::kAdvance:
    move_switch(channel, route.advanced(), now);
    break;
  case link::Command::kReset:
    move_switch(channel, 0, now);
    break;
  case link::Command::kTeardown:
    if (route.suspended) break;
    if (epochs_ != nullptr) epochs_->tear_down({probe_.place(), in, channel.color, w}, route, now);
    route.suspended = true;
    probe_.emit(now, observe::EventKind::kTeardown, channel.color.value(), 1);
    step.teardowns.push_back(Teardown{channel.color, now + 1});
    break;
  }
}

void RouterCore::move_switch(Channel& channel, unsigned position, Cycle now) {
  if (channel.route.current == position) return;
  remember(channel, now);
  channel.route.current = position;
  probe_.emit(now, observe::EventKind::kSwitch, channel.color.value(), position);
}

void RouterCore::check_coincidence(const Channel& channel, Cycle now) const {
  const Buffer* first = nullptr;
  const DirectionSet rx = position_of(channel).rx;
  for (Direction in : kAllDirections) {
    if (!rx.contains(in) || buffer_of_[pair_of(in, channel.color)] == kNone) continue;
    const Buffer& buffer = buffers_[buffer_of_[pair_of(in, channel.color)]];
    bool lands = false;
    for (std::size_t i = 0; i < buffer.entries.size(); ++i) lands |= buffer.entries[i].due == now;
    if (!lands) continue;
    if (first == nullptr) {
      first = &buffer;
      continue;
    }
    throw IllegalBehaviour(name() + ": wavelets of " + color_text(buffer.color) + " land from " +
                               to_string(first->in) + " and from " + to_string(in) +
                               " in one cycle; what follows is undefined",
                           kCoincidenceId);
  }
}

std::string RouterCore::why_not_routed(const Buffer& buffer) const {
  const Channel& own = channel(buffer.color);
  if (!own.configured) return "a route: its color has none on this tile";
  const RoutePosition& position = position_of(own);
  const std::string in_position = " (switch position " + std::to_string(position_index(own));
  if (!position.valid) return "a valid switch position" + in_position + " is invalid)";
  if (!position.rx.contains(buffer.in)) {
    return std::string("a switch position that receives from ") + to_string(buffer.in) +
           in_position + " receives from " + to_string(position.rx) +
           "): " + wavelets_wait(buffer.entries.size());
  }
  return "a switch position that transmits somewhere" + in_position + " transmits to none)";
}

std::string RouterCore::what_head_waits_for(const Buffer& buffer) const {
  if (is_suspended(buffer)) {
    return end_of_teardown(buffer.entries.size());
  }
  std::string what;
  bool routed = false;
  for (unsigned variant = 0; variant < (swaps_ ? kVariants : 1U); ++variant) {
    const DirectionSet outputs = outputs_of(buffer, variant);
    routed |= !outputs.empty();
    for (Direction out : kAllDirections) {
      const Color color = color_of(buffer, variant);
      if (!outputs.contains(out) || credits_.owned(credit_channel(out, color)) > 0) continue;
      what += (what.empty() ? "room at " : " and room at ") +
              output_without_credit(out, color, credits_.capacity(credit_channel(out, color)),
                                    buffer.entries.size());
    }
  }
  return routed ? what : why_not_routed(buffer);
}

void RouterCore::describe_waits(observe::Waits& waits, Cycle now) const {
  occupied_.for_each([&](unsigned pair) {
    const Buffer& buffer = buffer_of(pair);
    if (buffer.entries.front().due > now) return;
    const std::string what = what_head_waits_for(buffer);
    if (what.empty()) return;
    waits.push_back({probe_.place(), router_input(buffer.color, buffer.in), what, true});
  });
}

}  // namespace tessera::fabric
