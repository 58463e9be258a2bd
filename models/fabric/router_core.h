// Router of a tile (reference wse.md 1.2, 1.4, 1.11): five ports, 24 colors, multicast,
// backpressure per color. Plain C++; `router.h` is its module.
//
// Storage. Per (input port, color) a FIFO of FabricTiming::input_room wavelets, for the ports a
// color is received from in any of its switch positions. Per (output port, color) the credits of
// the receiver behind the port. A full receiver therefore stops one color and no other.
//
// Order inside a cycle `now`:
//   1. credits due by now become usable;
//   2. every head that has landed (due <= now) asks for the outputs of the current switch position
//      that it has not left through and for which its color has a credit; a copy for the CE that
//      the filter or the control wavelet's own flag keeps away is none;
//   3. each output port grants one request (arbiter.h): the copy leaves, takes a credit and lands
//      at now + hop_latency, or at now + off_ramp_latency behind RAMP;
//   4. a head whose last copy has left is removed; its room is a credit upstream at
//      now + credit_latency. If it was a control wavelet, its first command now acts on the switch
//      of its color: what comes behind it finds the new position (wse.md 1.4, 1.5).
// The next wavelet of a buffer is looked at in the next cycle: one wavelet per cycle and buffer,
// one per output port. The copies of a multicast leave independently; the head stays until the last
// one has left, and holds its color only.
//
// Puts and credits that arrive during a cycle are due later, so they change nothing in it: the step
// order of neighbours cannot matter.
#pragma once

#include <boost/container/static_vector.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/fabric/arbiter.h"
#include "models/fabric/credits.h"
#include "models/fabric/fabric_timing.h"
#include "models/fabric/route.h"
#include "models/observe/event.h"
#include "models/observe/wait.h"
#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::fabric {

class EpochChecker;

class RouterCore {
 public:
  /// `wavelet` leaves through `out` and may be seen behind it from cycle `due` on.
  struct Send {
    Direction out;
    link::Wavelet wavelet;
    Cycle due;
  };
  /// Room for one wavelet of `color` is free again behind input `in`; the sender may use it from
  /// cycle `due` on.
  struct CreditReturn {
    Direction in;
    Color color;
    Cycle due;
  };
  /// `color` has entered teardown (wse.md 1.9); the CE may know from cycle `due` on.
  struct Teardown {
    Color color;
    Cycle due;
  };
  /// What one cycle did. The caller hands the sends and credits to the neighbours.
  struct Step {
    boost::container::static_vector<Send, kDirectionCount> sends;
    // Heads that go nowhere need no output: any number of them may be removed in a cycle.
    boost::container::static_vector<CreditReturn, kColorCount * kDirectionCount> credits;
    boost::container::static_vector<Teardown, kColorCount> teardowns;
    Cycle next = kNever;  ///< next cycle the router wants whatever its neighbours do
  };

  /// Throws std::invalid_argument when a latency or the depth of `timing` is 0: every effect takes
  /// a cycle.
  RouterCore(TileCoord at, const FabricTiming& timing, observe::Probe probe);

  // --- configuration, before the first put ---

  /// Configures `color`; at most once per color (wse.md 1.3), else std::logic_error. With color
  /// swap its partner may arrive here too.
  void set_route(Color color, const ColorRoute& route);
  /// The receiver behind `out` has room for `credits` wavelets of `color`. Default 0: never sends.
  /// Colors without a route are ignored.
  void set_downstream_capacity(Direction out, Color color, unsigned credits);
  /// Room for wavelets of `color` at input `in`: FabricTiming::input_room, or 0 when no switch
  /// position receives it there.
  unsigned input_capacity(Direction in, Color color) const;

  /// The program may rewrite routes within what `generation` has: every configured color gets
  /// buffers at all inputs, and where it may turn color swap on its partner does too. Before the
  /// first set_route().
  void set_reconfigurable(Generation generation) {
    reconfigurable_ = true;
    generation_ = generation;
  }
  /// Who is told what becomes of routes and of wavelets under way; it outlives the router.
  void set_epoch_checker(EpochChecker* epochs) { epochs_ = epochs; }

  // --- running ---

  /// Register of the configuration space at the end of cycle `now` - 1; 0 for a color without a
  /// route and a filter that the tile does not have. Requires config_space::is_router(address).
  std::uint16_t read_register(config_space::Address address, Cycle now) const;
  /// Writes it in cycle `due`, before the work of that cycle: the router wants to be stepped then.
  /// False, and no effect, for a color without a route and a filter that the tile does not have.
  /// Requires that why_illegal() has nothing to say.
  bool write_register(config_space::Address address, std::uint16_t value, Cycle due);
  /// What `value` would set that this router cannot have; empty: nothing.
  std::string why_illegal(config_space::Address address, std::uint16_t value) const;

  /// A wavelet that lands at input `in` in cycle `due`: the router wants to be stepped then. Throws
  /// std::logic_error when the sender had no credit.
  void put(Direction in, const link::Wavelet& w, Cycle due);
  /// The receiver behind `out` has room again, usable from cycle `due` on: the router wants to be
  /// stepped then. It may be left asleep if held() == 0. Throws std::logic_error when no wavelet
  /// was outstanding.
  void credit(Direction out, Color color, Cycle due);
  /// Does the work of cycle `now`; once a cycle. Changes nothing if nothing is due. Throws
  /// IllegalBehaviour when two enabled directions deliver at once (FabricTiming::coincidence), and
  /// what an epoch checker throws.
  Step step(Cycle now);

  // --- looking in ---

  /// Wavelets in the buffers; a multicast counts once.
  std::size_t held() const { return held_; }
  /// Switch position of a configured color.
  unsigned switch_position(Color color) const { return position_index(channel(color)); }
  bool in_teardown(Color color) const { return channel(color).route.suspended; }
  /// Free room behind `out` for `color`, counting credits on their way back: the downstream
  /// capacity when idle.
  unsigned credits(Direction out, Color color) const;
  /// For a deadlock report: every landed head that cannot leave through one of its outputs.
  void describe_waits(observe::Waits& waits, Cycle now) const;

 private:
  static constexpr std::uint8_t kNone = 0xFF;

  struct Entry {
    link::Wavelet wavelet;
    Cycle due = 0;
  };
  /// Colors that one arrival may leave as: its own and, with color swap, its partner (c and c^1).
  enum Variant : unsigned { kOwn, kPartner };
  static constexpr unsigned kVariants = 2;

  /// The oldest wavelet of a buffer on its way out, as each of its colors.
  struct Departure {
    bool filtered = false;  // the filter has been asked
    bool to_ce = true;      // .. and lets it pass
    bool started = false;   // a copy has left: branches and payload are fixed
    bool routed = false;    // fixed: the position took it
    DirectionSet branches;  // outputs still to go
    std::uint32_t payload = 0;
  };
  struct Buffer {
    Direction in;
    Color color;
    Ring<Entry> entries;
    std::array<Departure, kVariants> departures;
  };
  /// A configured color, or one that arrives here only to be swapped.
  struct Channel {
    Color color;
    bool configured = false;
    ColorRoute route;  // route.current is the switch position
    std::optional<Filter> filter;
  };
  /// What the program wrote; it counts from cycle `due` on.
  struct Write {
    Cycle due;
    config_space::Address address;
    std::uint16_t value;
  };
  /// A route and a filter before what changed in a cycle, for readers of registers.
  struct Past {
    ColorRoute route;
    Cycle changed_at = kNever;
    std::optional<Filter> filter;
    Cycle filter_changed_at = kNever;
  };
  using Requests = std::array<CandidateSet, kDirectionCount>;  // per output port: pairs

  bool known(Color color) const {
    return color.value() < kColorCount && channel_of_[color.value()] != kNone;
  }
  bool configured(Color color) const { return known(color) && channel(color).configured; }
  const Channel& channel(Color color) const { return channels_[channel_of_[color.value()]]; }
  Channel& channel(Color color) { return channels_[channel_of_[color.value()]]; }
  // An (input port, color) pair as one number: what the arbiters choose among.
  static unsigned pair_of(Direction in, Color color) {
    return color.value() * kDirectionCount + index(in);
  }
  static Color color_of(const Buffer& buffer, unsigned variant) {
    return Color(buffer.color.value() ^ variant);
  }
  const Buffer& buffer_of(unsigned pair) const;
  Buffer& buffer_of(unsigned pair);
  Buffer* find_buffer(Direction in, Color color);
  // The credit channel of (output port, color); only for known colors.
  unsigned credit_channel(Direction out, Color color) const {
    return channel_of_[color.value()] * kDirectionCount + index(out);
  }

  // Configuration.
  Channel& add_channel(Color color);
  void add_buffer(Direction in, Color color);

  // Where the head of a buffer goes.
  bool swaps(Color color, Direction in) const;
  bool takes_variant(const Buffer& buffer, unsigned variant) const;
  unsigned position_index(const Channel& channel) const {
    return channel.route.injection == Injection::kNone ? channel.route.current
                                                       : injecting_position(channel);
  }
  unsigned injecting_position(const Channel& channel) const;
  const RoutePosition& position_of(const Channel& channel) const {
    return channel.route.positions[position_index(channel)];
  }
  DirectionSet outputs_of(const Buffer& buffer, unsigned variant) const;
  bool is_routed(const Buffer& buffer, unsigned variant) const;
  bool is_suspended(const Buffer& buffer) const;
  // outputs_of() of a router without color swap, none in teardown: the way of nearly every wavelet.
  DirectionSet plain_outputs(const Buffer& buffer) const {
    const Channel& channel = this->channel(buffer.color);
    if (channel.route.suspended) return {};
    const Departure& departure = buffer.departures[kOwn];
    if (departure.started) return departure.branches;
    const RoutePosition& position = position_of(channel);
    if (!position.valid || !position.rx.contains(buffer.in)) return {};
    DirectionSet outputs = position.tx;
    if (!departure.to_ce) outputs.erase(Direction::kRamp);
    return outputs;
  }
  bool is_done(const Buffer& buffer) const;
  bool is_rejected(const Buffer& buffer) const;
  void ask_filters(Buffer& buffer, Cycle now);
  void start(Buffer& buffer);

  void note_features(const ColorRoute& route);
  const Channel* channel_at(config_space::Address address) const;
  void apply_writes(Cycle now);
  void write_route(Channel& channel, const Write& write, Cycle now);
  void remember(Channel& channel, Cycle now);
  void remember_filter(Channel& channel, Cycle now);
  void check_coincidence(const Channel& channel, Cycle now) const;
  void tell_route_of(const Buffer& buffer, unsigned variant) const;
  void tell_who_stays() const;
  std::optional<unsigned> only_plain_head() const;
  bool serve_alone(unsigned pair, Cycle now, Step& step);
  bool pass_on(Buffer& buffer, Direction out, Cycle now, Step& step);
  void look_at_heads(Cycle now);
  Requests collect_requests(Cycle now) const;
  void send(Buffer& buffer, Direction out, Cycle now, Step& step);
  void remove_head(Buffer& buffer, Cycle now, Step& step);
  void drop_head(Buffer& buffer, Cycle now, Step& step);
  void obey(Channel& channel, const link::Wavelet& w, Direction in, Cycle now, Step& step);
  void move_switch(Channel& channel, unsigned position, Cycle now);
  Cycle next_wake(Cycle now, bool moved) const;
  std::string what_head_waits_for(const Buffer& buffer) const;
  std::string why_not_routed(const Buffer& buffer) const;
  std::string name() const;

  TileCoord at_;
  FabricTiming timing_;
  observe::Probe probe_;
  std::array<Arbiter, kDirectionCount> arbiters_;
  std::array<std::uint8_t, kColorCount> channel_of_;  // index in channels_ or kNone
  std::vector<Channel> channels_;
  std::vector<Past> pasts_;  // as channels_
  std::vector<Buffer> buffers_;
  std::array<std::uint8_t, kColorCount * kDirectionCount> buffer_of_;  // index or kNone, by pair
  bool merges_ = false;    // some switch position receives from several directions
  bool swaps_ = false;     // some color has color swap
  bool filters_ = false;   // some color has a filter
  CandidateSet occupied_;  // pairs whose buffer holds something
  CandidateSet dropped_;   // .. and whose head goes nowhere, in this cycle
  Credits credits_;
  std::vector<Write> writes_;  // by cycle
  bool reconfigurable_ = false;
  EpochChecker* epochs_ = nullptr;
  Generation generation_ = Generation::kWse2;  // of a router that is reconfigurable
  std::size_t held_ = 0;
  std::size_t controls_held_ = 0;  // control wavelets among them
  Cycle now_ = 0;                  // of the last step
};

}  // namespace tessera::fabric
