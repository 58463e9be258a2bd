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
//      that it has not left through and for which its color has a credit. No copy goes to the
//      CE if the filter or the flag of a control wavelet keeps it away;
//   3. each output port grants one request (sender.h): the copy leaves, takes a credit and lands
//      at now + hop_latency, or at now + off_ramp_latency behind RAMP;
//   4. a head whose last copy has left is removed; its room is a credit upstream at
//      now + credit_latency. If it was a control wavelet, its first command now acts on the switch
//      of its color: what comes after it finds the new position (wse.md 1.4, 1.5).
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
#include <memory>
#include <optional>
#include <string>

#include "models/fabric/fabric_timing.h"
#include "models/fabric/head_routing.h"
#include "models/fabric/head_waits.h"
#include "models/fabric/registers.h"
#include "models/fabric/route_table.h"
#include "models/fabric/sender.h"
#include "models/observe/diagnosis.h"
#include "models/observe/probe.h"
#include "models/observe/wait.h"
#include "models/state/fwd.h"
#include "tlm_ifaces/config/config_space.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::fabric {

/// The parts of a router: RouteTable, how its colors are routed; RouterRegisters, what the program
/// sees and changes of that; InputBuffers; and HeadRouting, where their heads go. The core grants
/// outputs, spends credits and keeps the order inside a cycle.
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
  RouterCore(const RouterCore&) = delete;
  RouterCore& operator=(const RouterCore&) = delete;

  // --- configuration, before the first put ---

  /// Configures `color`; at most once per color (wse.md 1.3), else std::logic_error. With color
  /// swap its partner may arrive here too.
  void set_route(Color color, const ColorRoute& route);
  /// The receiver behind `out` has room for `credits` wavelets of `color`. Default 0: never sends.
  /// Colors without a route are ignored.
  void set_downstream_capacity(Direction out, Color color, unsigned credits) {
    if (routes_.configured(color)) credits_.set_capacity(credit_channel(out, color), credits);
  }
  /// Room for wavelets of `color` at input `in`: FabricTiming::input_room, or 0 when no switch
  /// position receives it there.
  unsigned input_capacity(Direction in, Color color) const {
    return buffers_.find(in, color) == nullptr ? 0 : timing_.input_room(in);
  }

  /// The program may rewrite routes within what `generation` has: every configured color gets
  /// buffers at all inputs, and where it may turn color swap on its partner does too. Before the
  /// first set_route().
  void set_reconfigurable(Generation generation) { routes_.set_reconfigurable(generation); }
  /// Who is told what becomes of routes and of wavelets under way; it outlives the router.
  void set_epoch_checker(EpochChecker* epochs) { routes_.set_epoch_checker(epochs); }
  /// Who hears that wavelets of a color land from two directions at once (Coincidence::kMerge); it outlives
  /// the router. nullptr, the default: nobody.
  void set_diagnoses(observe::Diagnoses* diagnoses) { diagnoses_ = diagnoses; }
  /// From cycle 0 on the router tells `waits`, which outlives it, what its wavelets wait for.
  void set_link_waits(observe::LinkWaits& waits) {
    waits_ = std::make_unique<HeadWaits>(waits, probe_.place());
  }

  // --- running ---

  /// Register of the configuration space at the end of cycle `now` - 1; 0 for a color without a
  /// route and a filter that the tile does not have. Requires config_space::is_router(address).
  std::uint16_t read_register(config_space::Address address, Cycle now) const {
    return registers_.read(address, now);
  }
  /// Writes it in cycle `due`, before the work of that cycle: the router wants to be stepped then.
  /// False, and no effect, for a color without a route and a filter that the tile does not have.
  /// Requires that why_illegal() has nothing to say.
  bool write_register(config_space::Address address, std::uint16_t value, Cycle due) {
    return registers_.write(address, value, due);
  }
  /// What `value` would set that this router cannot have; empty: nothing.
  std::string why_illegal(config_space::Address address, std::uint16_t value) const {
    return registers_.why_illegal(address, value);
  }

  /// A wavelet that lands at input `in` in cycle `due`: the router wants to be stepped then. Throws
  /// std::logic_error when the sender had no credit.
  void put(Direction in, const link::Wavelet& w, Cycle due);
  /// The receiver behind `out` has room again, usable from cycle `due` on: the router wants to be
  /// stepped then. It may be left asleep if held() == 0. Throws std::logic_error when no wavelet
  /// was outstanding.
  void credit(Direction out, Color color, Cycle due);
  /// Does the work of cycle `now`; once a cycle. Changes nothing if nothing is due. Throws
  /// IllegalBehaviour when two enabled directions deliver at once and that is illegal
  /// (FabricTiming::coincidence), and what an epoch checker throws.
  Step step(Cycle now);

  // --- looking in ---

  /// Wavelets in the buffers; a multicast counts once.
  std::size_t held() const { return buffers_.held(); }
  /// Switch position of a configured color.
  unsigned switch_position(Color color) const { return heads_.position_index(routes_.at(color)); }
  bool in_teardown(Color color) const { return routes_.at(color).route.suspended; }
  /// Free room behind `out` for `color`, counting credits on their way back: the downstream
  /// capacity when idle.
  unsigned credits(Direction out, Color color) const {
    return routes_.configured(color) ? credits_.owned(credit_channel(out, color)) : 0;
  }
  /// For a deadlock report: every landed head that cannot leave through one of its outputs.
  void describe_waits(observe::Waits& waits, Cycle now) const;
  /// Adds to `waits` what has waited in the cycles before `end` and still does. Requires set_link_waits().
  void add_lasting_waits(observe::LinkWaits& waits, Cycle end) const {
    waits_->add_lasting(waits, end);
  }
  /// Saves or restores what changes (models/state/archive.h).
  /// The accounts of waits
  /// are restored where both runs have them. Throws state::Mismatch.
  void visit(state::Archive& archive);

 private:
  using Requests = std::array<CandidateSet, kDirectionCount>;  // per output port: pairs

  // The credit channel of (output port, color); only for known colors.
  unsigned credit_channel(Direction out, Color color) const {
    return routes_.index_of(color) * kDirectionCount + index(out);
  }
  void add_buffer(Direction in, Color color);
  std::optional<unsigned> only_plain_head() const;
  bool serve_alone(unsigned pair, Cycle now, Step& step);
  void pass_on(InputBuffer& buffer, Direction out, Cycle now, Step& step);
  bool goes_one_way(const InputBuffer& buffer) const;
  CandidateSet look_at_heads(Cycle now);
  void account_waits(Cycle now);
  void check_coincidence(const RouteTable::Channel& channel, Cycle now) const;
  void tell_who_stays(Cycle now) const;
  /// The head of `buffer` has landed where its route has no output.
  void tell_of_sink(const InputBuffer& buffer, Cycle now) const;
  Requests collect_requests(Cycle now) const;
  void send(InputBuffer& buffer, Direction out, Cycle now, Step& step);
  void leave(Direction out, const link::Wavelet& w, Cycle now, Step& step);
  void finish_head(InputBuffer& buffer, Cycle now, Step& step);
  void remove_head(InputBuffer& buffer, Cycle now, Step& step);
  Cycle next_wake(Cycle now, bool moved) const;
  std::string what_head_waits_for(const InputBuffer& buffer,
                                  std::vector<observe::Resource>& needs) const;
  std::string why_not_routed(const InputBuffer& buffer) const;
  std::string name() const { return "router of tile " + to_string(at_); }

  TileCoord at_;
  FabricTiming timing_;
  observe::Probe probe_;
  observe::Diagnoses* diagnoses_ = nullptr;
  std::array<Arbiter, kDirectionCount> arbiters_;
  RouteTable routes_;
  RouterRegisters registers_{routes_};
  InputBuffers buffers_;
  HeadRouting heads_{routes_, buffers_, at_};
  Credits credits_;
  std::unique_ptr<HeadWaits> waits_;  // nullptr: nobody asked
};

// What a wavelet in a router waits for, in words: one wording for every structure that a router may
// have.

inline std::string color_text(Color color) {
  return "color " + std::to_string(color.value());
}
inline std::string wavelets_wait(std::size_t n) {
  return n == 1 ? "1 wavelet waits" : std::to_string(n) + " wavelets wait";
}
/// Who waits: the buffer of a color at an input.
inline std::string router_input(Color color, Direction in) {
  return "router, " + color_text(color) + " from " + to_string(in);
}
/// An output whose receiver, of `capacity` for the color, gives no credit; `n` wavelets wait.
inline std::string output_without_credit(Direction out, Color color, unsigned capacity,
                                         std::size_t n) {
  std::string why = "nobody receives " + color_text(color) + " there";
  if (capacity > 0) {
    why = "no credit: " + wavelets_wait(n);
  } else if (out == Direction::kRamp) {
    why = "no input queue of this PE is bound to " + color_text(color);
  }
  return std::string("its ") + to_string(out) + " output (" + why + ")";
}
/// What the same output needs.
inline observe::Resource need_of_output(std::uint32_t place, Direction out, Color color,
                                        unsigned capacity) {
  using Kind = observe::Resource::Kind;
  const auto kind = capacity == 0 ? Kind::kNever : Kind::kBuffer;
  return {kind, observe::Resource::kBeyond, static_cast<std::uint8_t>(color.value()),
          static_cast<std::uint8_t>(out), place};
}
/// The wait of a buffer of a router, which says `what` it waits for, with how many others at the end.
inline observe::Wait wait_of_buffer(std::uint32_t place, Color color, Direction in,
                                    std::string what, std::vector<observe::Resource> needs) {
  observe::Wait wait{place, router_input(color, in), std::move(what), true};
  wait.shared = std::min(wait.what.find(": "), wait.what.size());
  wait.needs = std::move(needs);
  wait.gives = {observe::Resource::Kind::kBuffer, 0, static_cast<std::uint8_t>(color.value()),
                static_cast<std::uint8_t>(in), place};
  return wait;
}
/// The switch of `route` does not receive from `in`, where `n` wavelets wait.
inline std::string position_that_receives(Direction in, const ColorRoute& route, unsigned position,
                                          std::size_t n) {
  return std::string("a switch position that receives from ") + to_string(in) +
         " (switch position " + std::to_string(position) + " receives from " +
         to_string(route.positions[position].rx) + "): " + wavelets_wait(n);
}
inline std::string end_of_teardown(std::size_t n) {
  return "the end of the teardown of its color: " + wavelets_wait(n);
}

}  // namespace tessera::fabric
