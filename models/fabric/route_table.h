// The routes of one router as they stand in the present cycle: switch positions, filters, color
// swap and teardown of every color, and what changes them at run time (reference wse.md 1.4 to
// 1.10). Plain C++.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/fabric/fabric_timing.h"
#include "models/fabric/filter.h"
#include "models/fabric/messages.h"
#include "models/observe/probe.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::fabric {

class EpochChecker;

class RouteTable {
 public:
  /// A configured color, or one that arrives here only to be swapped.
  struct Channel {
    Color color;
    bool configured = false;
    bool has_sink = false;  ///< the layout gives it a position with inputs and without outputs
    ColorRoute route;       ///< route.current is the switch position; the filter is kept beside it
    std::optional<Filter> filter;
    Messages messages;  ///< of a route that carries messages
  };

  /// Uses the rules in `timing`. `probe` gets the events of switches and teardowns.
  RouteTable(const FabricTiming& timing, observe::Probe probe);

  /// See RouterCore.
  void set_reconfigurable(Generation generation) { generation_ = generation; }
  void set_epoch_checker(EpochChecker* epochs) { epochs_ = epochs; }
  EpochChecker* epochs() const { return epochs_; }
  bool reconfigurable() const { return generation_.has_value(); }
  Generation generation() const { return generation_.value_or(Generation::kWse2); }
  std::uint32_t place() const { return probe_.place(); }

  // --- colors ---

  /// The channel of `color`, added if it is not known.
  Channel& add(Color color);
  /// Requires that `color` is not configured.
  void configure(Color color, const ColorRoute& route);
  bool known(Color color) const {
    return color.value() < kColorCount && channel_of_[color.value()] != kNone;
  }
  bool configured(Color color) const { return known(color) && at(color).configured; }
  /// Number of a known color, from 0 on.
  unsigned index_of(Color color) const { return channel_of_[color.value()]; }
  const Channel& at(Color color) const { return channels_[index_of(color)]; }
  Channel& at(Color color) { return channels_[index_of(color)]; }
  const std::vector<Channel>& channels() const { return channels_; }

  // Features that some color has, or had: if none does, no color is asked for them in a cycle.
  bool merges() const { return merges_; }    ///< a switch position that receives from several ports
  bool swaps() const { return swaps_; }      ///< color swap
  bool filters() const { return filters_; }  ///< a filter
  bool carries_messages() const { return carries_messages_; }
  bool sinks() const { return sinks_; }  ///< a position of the layout without outputs

  /// wse.md 1.6: color swap is enabled on `color` for arrivals from `in`: those of its partner
  /// (c and c^1) appear on it. From the on-ramp only with both axes.
  bool swaps(Color color, Direction in) const;
  /// Whether what arrives from `in` as `color` may leave as `color`, or as `partner` of it.
  /// Enabled on both colors, they are exchanged.
  bool may_leave_as(Color color, bool partner, Direction in) const;

  // --- changes ---

  /// Applies a wavelet that has left to the switch of its color (wse.md 1.4, 1.5); `in`: the input
  /// that it came from. True: the color enters teardown.
  bool obey(Channel& channel, const link::Wavelet& w, Direction in, Cycle now);
  /// The program has written a register of the route. Every position follows it at once, also the
  /// present one. Throws what the epoch checker throws.
  void rewrite(Channel& channel, ColorRoute after, Cycle now);
  /// The filter of a channel that has one, to be changed in cycle `now`.
  Filter& change_filter(Channel& channel, Cycle now);

  /// The route and the filter at the end of cycle `now` - 1, for readers of registers: it does not
  /// matter whether the router was stepped in `now` already.
  const ColorRoute& route_before(const Channel& channel, Cycle now) const {
    const Past& past = pasts_[index_of(channel.color)];
    return past.changed_at == now ? past.route : channel.route;
  }
  const Filter& filter_before(const Channel& channel, Cycle now) const {
    const Past& past = pasts_[index_of(channel.color)];
    return past.filter_changed_at == now ? *past.filter : *channel.filter;
  }
  /// Saves or restores what changes (models/state/archive.h).
  void visit(state::Archive& archive);

 private:
  static constexpr std::uint8_t kNone = 0xFF;

  /// A route and a filter before they changed in a cycle.
  struct Past {
    ColorRoute route;
    Cycle changed_at = kNever;
    std::optional<Filter> filter;
    Cycle filter_changed_at = kNever;
  };

  void note_features(const ColorRoute& route);
  void remember(const Channel& channel, Cycle now);
  void move_switch(Channel& channel, unsigned position, Cycle now);

  ColorSwap color_swap_;
  SwitchPositions switch_positions_;
  observe::Probe probe_;
  EpochChecker* epochs_ = nullptr;
  std::array<std::uint8_t, kColorCount> channel_of_;  // index in channels_ or kNone
  std::vector<Channel> channels_;
  std::vector<Past> pasts_;  // in the order of channels_
  bool merges_ = false;
  bool swaps_ = false;
  bool filters_ = false;
  bool carries_messages_ = false;
  bool sinks_ = false;
  std::optional<Generation> generation_;  // set if the router is reconfigurable
};

}  // namespace tessera::fabric
