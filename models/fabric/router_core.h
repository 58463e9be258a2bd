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
//      that it has not left through and for which its color has a credit;
//   3. each output port grants one request (arbiter.h): the copy leaves, takes a credit and lands
//      at now + hop_latency, or at now + off_ramp_latency behind RAMP;
//   4. a head whose last copy has left is removed; its room is a credit upstream at
//      now + credit_latency. If it came from RAMP with local_flip set, the switch of its color
//      advances (wse.md 1.4): from the next cycle on the new position holds. A multicast that has
//      begun to leave another input ends as it began.
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
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/ring.h"

namespace tessera::fabric {

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
  /// What one cycle did. The caller hands the sends and credits to the neighbours.
  struct Step {
    boost::container::static_vector<Send, kDirectionCount> sends;
    boost::container::static_vector<CreditReturn, kDirectionCount> credits;
    Cycle next = kNever;  ///< next cycle the router wants whatever its neighbours do
  };

  /// Throws std::invalid_argument when a latency or the depth of `timing` is 0: every effect takes
  /// a cycle.
  RouterCore(TileCoord at, const FabricTiming& timing, observe::Probe probe);

  // --- configuration, before the first put ---

  /// Configures `color`; at most once per color (wse.md 1.3), else std::logic_error.
  void set_route(Color color, const ColorRoute& route);
  /// The receiver behind `out` has room for `credits` wavelets of `color`. Default 0: never sends.
  /// Colors without a route are ignored.
  void set_downstream_capacity(Direction out, Color color, unsigned credits);
  /// Room for wavelets of `color` at input `in`: FabricTiming::input_room, or 0 when no switch
  /// position receives it there.
  unsigned input_capacity(Direction in, Color color) const;

  // --- running ---

  /// A wavelet that lands at input `in` in cycle `due`: the router wants to be stepped then. Throws
  /// std::logic_error when the sender had no credit.
  void put(Direction in, const link::Wavelet& w, Cycle due);
  /// The receiver behind `out` has room again, usable from cycle `due` on: the router wants to be
  /// stepped then. It may be left asleep if held() == 0. Throws std::logic_error when no wavelet
  /// was outstanding.
  void credit(Direction out, Color color, Cycle due);
  /// Does the work of cycle `now`; once a cycle. Changes nothing if nothing is due. Throws
  /// IllegalBehaviour when two enabled directions deliver at once (FabricTiming::coincidence).
  Step step(Cycle now);

  // --- looking in ---

  /// Wavelets in the buffers; a multicast counts once.
  std::size_t held() const { return held_; }
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
  struct Buffer {
    Direction in;
    Color color;
    Ring<Entry> entries;
    DirectionSet branches;  // outputs still to go of a head that has begun to leave; else empty
  };
  /// A configured color.
  struct Channel {
    ColorRoute route;                                  // route.current is the switch position
    std::array<std::uint8_t, kDirectionCount> buffer;  // per input port: index in buffers_ or kNone
  };
  using Requests = std::array<CandidateSet, kDirectionCount>;  // per output port: pairs

  bool configured(Color color) const {
    return color.value() < kColorCount && channel_of_[color.value()] != kNone;
  }
  // An (input port, color) pair as one number: what the arbiters choose among.
  static unsigned pair_of(Direction in, Color color) {
    return color.value() * kDirectionCount + index(in);
  }
  const Buffer& buffer_of(unsigned pair) const;
  Buffer& buffer_of(unsigned pair);
  Buffer* find_buffer(Direction in, Color color);
  const RoutePosition& position_of(Color color) const;
  // The credit channel of (output port, color); only for configured colors.
  unsigned credit_channel(Direction out, Color color) const {
    return channel_of_[color.value()] * kDirectionCount + index(out);
  }
  DirectionSet branches_of(const Buffer& buffer) const;

  void check_coincidence(const Channel& channel, Cycle now) const;
  Requests collect_requests(Cycle now) const;
  void send(unsigned pair, Direction out, Cycle now, Step& step);
  void remove_head(unsigned pair, Cycle now, Step& step);
  Cycle next_wake(Cycle now, bool sent) const;
  std::string what_head_waits_for(const Buffer& buffer) const;
  std::string why_no_credit(const Buffer& buffer, Direction out) const;
  std::string name() const;

  TileCoord at_;
  FabricTiming timing_;
  observe::Probe probe_;
  std::array<Arbiter, kDirectionCount> arbiters_;
  std::array<std::uint8_t, kColorCount> channel_of_;  // index in channels_ or kNone
  std::vector<Channel> channels_;
  std::vector<Buffer> buffers_;
  bool merges_ = false;    // some switch position receives from several directions
  CandidateSet occupied_;  // pairs whose buffer holds something
  Credits credits_;
  std::size_t held_ = 0;
};

}  // namespace tessera::fabric
