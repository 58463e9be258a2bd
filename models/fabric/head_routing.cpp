#include "models/fabric/head_routing.h"

#include "models/fabric/epoch_checker.h"
#include "models/fabric/switching.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::fabric {

// wse.md 1.8: the buffers decide, by what has landed: what a neighbour puts in this cycle may come
// before or after the step.
unsigned HeadRouting::injecting_position(const RouteTable::Channel& channel) const {
  const auto holds = [&](Direction in) {
    const InputBuffer* buffer = buffers_.find(in, channel.color);
    return buffer != nullptr && !buffer->entries.empty() && buffer->head().due <= now_;
  };
  if (channel.route.injection == Injection::kHigh) return holds(Direction::kRamp) ? 1 : 0;
  return std::any_of(kCardinalDirections.begin(), kCardinalDirections.end(), holds) ? 0 : 1;
}

bool HeadRouting::is_routed(const InputBuffer& buffer, unsigned variant) const {
  const Departure& departure = buffer.departures[variant];
  if (departure.started) return departure.routed;
  const Color color = buffer.color_as(variant);
  if (!routes_.may_leave_as(buffer.color, variant == kPartner, buffer.in) ||
      !routes_.configured(color))
    return false;
  const RoutePosition& position = position_of(routes_.at(color));
  return position.valid && position.rx.contains(buffer.in);
}

DirectionSet HeadRouting::outputs(const InputBuffer& buffer, unsigned variant) const {
  const Departure& departure = buffer.departures[variant];
  if (departure.started) return departure.branches;
  if (!is_routed(buffer, variant)) return {};
  const RouteTable::Channel& channel = routes_.at(buffer.color_as(variant));
  if (channel.route.messages) return message_output(channel, buffer);
  return copies(position_of(channel), departure);
}

bool HeadRouting::is_suspended(const InputBuffer& buffer) const {
  if (routes_.at(buffer.color).route.suspended) return true;
  if (!routes_.swaps()) return false;
  const Color partner = buffer.color_as(kPartner);
  return routes_.known(partner) && routes_.at(partner).route.suspended &&
         is_routed(buffer, kPartner);
}

bool HeadRouting::is_done(const InputBuffer& buffer) const {
  if (!routes_.swaps() && buffer.started()) return buffer.departures[kOwn].branches.empty();
  bool routed = false;
  for (unsigned variant = 0; variant < variants(); ++variant) {
    if (!outputs(buffer, variant).empty()) return false;
    routed |= is_routed(buffer, variant);
  }
  return routed;
}

bool HeadRouting::is_stranded(const InputBuffer& buffer) const {
  for (unsigned variant = 0; variant < kVariants; ++variant) {
    const Color color = buffer.color_as(variant);
    if (!routes_.may_leave_as(buffer.color, variant == kPartner, buffer.in) ||
        !routes_.configured(color))
      continue;
    if (routes_.at(color).route.receives(buffer.in)) return false;
  }
  return true;
}

bool HeadRouting::ask_filters(InputBuffer& buffer) {
  const link::Wavelet& w = buffer.head().wavelet;
  for (unsigned variant = 0; variant < variants(); ++variant) {
    Departure& departure = buffer.departures[variant];
    if (departure.filtered || !is_routed(buffer, variant)) continue;
    RouteTable::Channel& channel = routes_.at(buffer.color_as(variant));
    if (channel.route.messages || !position_of(channel).tx.contains(Direction::kRamp)) continue;
    departure.filtered = true;
    departure.to_ce = !(w.control && link::command_at(w.payload, 0).ignore_at_ce);
    if (channel.filter) departure.to_ce &= routes_.change_filter(channel, now_).accept(w);
  }
  return std::any_of(
      buffer.departures.begin(), buffer.departures.end(),
      [](const Departure& departure) { return !departure.started && !departure.to_ce; });
}

void HeadRouting::start(InputBuffer& buffer) const {
  start_as(buffer, kOwn);
  if (routes_.swaps()) start_as(buffer, kPartner);
  buffer.departures[kPartner].started = true;  // also if the program turns color swap on now
}

void HeadRouting::start_as(InputBuffer& buffer, unsigned variant) const {
  const link::Wavelet& w = buffer.head().wavelet;
  Departure& departure = buffer.departures[variant];
  departure.routed = is_routed(buffer, variant);
  departure.started = true;
  departure.payload = w.payload;
  if (!departure.routed) return;
  const Color color = buffer.color_as(variant);
  const RouteTable::Channel& channel = routes_.at(color);
  const RoutePosition& position = position_of(channel);
  departure.branches =
      channel.route.messages ? message_output(channel, buffer) : copies(position, departure);
  if (routes_.epochs() != nullptr)
    routes_.epochs()->take_route({routes_.place(), buffer.in, color, w}, position.tx, now_);
  if (w.control && pops(channel.route, link::command_at(w.payload, 0).command))
    departure.payload = link::pop_command(w.payload);
}

}  // namespace tessera::fabric
