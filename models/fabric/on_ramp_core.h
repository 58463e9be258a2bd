// On-ramp of a tile (reference wse.md 1.2, 1.11): hands wavelets of the PE's output queues to the
// RAMP input of the router, one per cycle. Plain C++; `on_ramp.h` is its module.
//
// Order inside a cycle `now`:
//   1. credits due by now become usable; nothing else happens in cycles of FabricTiming::ramp_pauses;
//   2. every output queue whose oldest wavelet may be read asks if the router has room for its
//      color: a queue that is held up does not hold up the others;
//   3. one of them is served, by the rule FabricTiming::arbitration; its wavelet lands at the
//      router at now + on_ramp_latency.
#pragma once

#include <array>
#include <optional>

#include "models/fabric/fabric_timing.h"
#include "models/fabric/sender.h"
#include "models/observe/wait.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/tile_coord.h"

namespace tessera::fabric {

class OnRampCore {
 public:
  /// The oldest wavelet of an output queue. `wavelet` is looked at only from cycle `ready_at` on.
  struct Head {
    Cycle ready_at = kNever;
    const link::Wavelet* wavelet = nullptr;
  };
  using Heads = std::array<Head, kMaxQueues>;  // by output queue
  /// `wavelet` is to be taken from `queue` in this cycle and lands at the router in cycle `due`.
  struct Grant {
    QueueId queue;
    link::Wavelet wavelet;
    Cycle due;
  };
  struct Step {
    std::optional<Grant> grant;
    Cycle next = kNever;  ///< next cycle the on-ramp wants whatever queues and router do
  };

  /// Throws std::invalid_argument when timing.on_ramp_latency is 0. `place`: linear index of the
  /// tile, for reports.
  OnRampCore(TileCoord at, const FabricTiming& timing, std::uint32_t place);

  /// Room for wavelets of `color` at the RAMP input of the router. Default 0: never sends.
  void set_capacity(Color color, unsigned capacity) {
    credits_.set_capacity(color.value(), capacity);
  }
  /// The router has room again, usable from cycle `due` on: the on-ramp wants to be stepped then.
  /// Throws std::logic_error when no wavelet was outstanding.
  void credit(Color color, Cycle due);
  /// Does the work of cycle `now`; once a cycle. The caller pops a granted wavelet off its queue.
  Step step(Cycle now, const Heads& heads);

  /// For checkpoints (models/state/archive.h).
  template <class Archive>
  void visit(Archive& archive) {
    archive(credits_, arbiter_);
  }
  std::uint32_t place() const { return place_; }
  /// Free room of the router for `color`, counting credits on their way back.
  unsigned credits(Color color) const { return credits_.owned(color.value()); }
  /// Output queues whose oldest wavelet the router does not take, for a deadlock report.
  void describe_waits(observe::Waits& waits, Cycle now, const Heads& heads) const;
  /// The wait of one queue; `capacity` is that of the router for the color.
  static observe::Wait wait_for_router(std::uint32_t place, QueueId queue, Color color,
                                       unsigned capacity);

 private:
  TileCoord at_;
  FabricTiming timing_;
  std::uint32_t place_;
  Credits credits_{kColorCount};
  Arbiter arbiter_;
};

}  // namespace tessera::fabric
