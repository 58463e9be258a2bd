// Where the head of an input buffer goes, and as which colors (reference wse.md 1.4 to 1.9): the
// switch position of its color, color swap, filters, CE injection and teardown together. Plain C++.
#pragma once

#include <algorithm>

#include "models/fabric/input_buffers.h"
#include "models/fabric/route_table.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"

namespace tessera::fabric {

class HeadRouting {
 public:
  /// Both must outlive it.
  HeadRouting(RouteTable& routes, const InputBuffers& buffers)
      : routes_(routes), buffers_(buffers) {}

  /// The answers are those of cycle `now` from here on.
  void begin_cycle(Cycle now) { now_ = now; }

  /// Colors that a head has to be asked about: without color swap its own only.
  unsigned variants() const { return routes_.swaps() ? kVariants : 1U; }
  unsigned position_index(const RouteTable::Channel& channel) const {
    return channel.route.injection == Injection::kNone ? channel.route.current
                                                       : injecting_position(channel);
  }
  const RoutePosition& position_of(const RouteTable::Channel& channel) const {
    return channel.route.positions[position_index(channel)];
  }

  /// Outputs that the head has still to leave through.
  DirectionSet outputs(const InputBuffer& buffer, unsigned variant) const;
  /// outputs() as the own color, none in teardown: of a router without color swap all there is to
  /// ask, for nearly every wavelet.
  DirectionSet plain_outputs(const InputBuffer& buffer) const {
    const RouteTable::Channel& channel = routes_.at(buffer.color);
    if (channel.route.suspended) return {};
    const Departure& departure = buffer.departures[kOwn];
    if (departure.started) return departure.branches;
    const RoutePosition& position = position_of(channel);
    if (!position.valid || !position.rx.contains(buffer.in)) return {};
    return copies(position, departure);
  }
  /// wse.md 1.9: nothing of a color in teardown moves.
  bool is_suspended(const InputBuffer& buffer) const;
  /// A switch position takes it, and nothing is left to send.
  bool is_done(const InputBuffer& buffer) const;
  /// Whether no switch position, present or not, takes it as any of its colors.
  bool is_stranded(const InputBuffer& buffer) const;

  /// Decides, once for each head, whether the CE gets a copy (wse.md 1.5 NOCE, 1.7 filters). True:
  /// it was to get one and does not.
  bool ask_filters(InputBuffer& buffer);
  /// The first copy leaves: fixes where the others go and what the list of commands becomes.
  void start(InputBuffer& buffer) const;

 private:
  unsigned injecting_position(const RouteTable::Channel& channel) const;
  bool is_routed(const InputBuffer& buffer, unsigned variant) const;
  void start_as(InputBuffer& buffer, unsigned variant) const;
  static DirectionSet copies(const RoutePosition& position, const Departure& departure) {
    DirectionSet outputs = position.tx;
    if (!departure.to_ce) outputs.erase(Direction::kRamp);
    return outputs;
  }

  RouteTable& routes_;
  const InputBuffers& buffers_;
  Cycle now_ = 0;
};

}  // namespace tessera::fabric
