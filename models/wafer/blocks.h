// The blocks of a wafer, and what travels between them: wavelets one way and credits the other.
#pragma once

#include <algorithm>
#include <cstdint>

#include "models/observe/event_stream.h"
#include "models/wafer/pes.h"
#include "models/wafer/pipes.h"
#include "models/wafer/plan.h"
#include "models/wafer/rims.h"
#include "models/wafer/routers.h"
#include "models/wafer/selection.h"
#include "models/wafer/slots.h"
#include "models/wafer/units.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"

namespace tessera::wafer {

/// What is behind the ports of a wafer (Plan::ports, by index).
class Outside {
 public:
  virtual ~Outside() = default;
  /// Room behind the port for wavelets of `color`, asked once (link::ForwardIf::capacity).
  virtual unsigned capacity(std::uint32_t port, Color color) const = 0;
  virtual void put(std::uint32_t port, const link::Wavelet& w, Cycle due) = 0;
  virtual void credit(std::uint32_t port, Color color, Cycle due) = 0;
};

struct SlotGraph;

struct Blocks {
  /// The references must outlive the blocks, but `graph` (lay_out_slots()): its pipes, slots, links
  /// and groups are moved out of it.
  Blocks(const Strip& strip_, Outside& outside_, observe::EventStream* events_, SlotGraph& graph);
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  /// A wavelet lands at a receiver in cycle `due`.
  void deliver(Ref receiver, const link::Wavelet& w, Cycle due);
  /// A sender may use a credit from cycle `due` on.
  void give_credit(Ref sender, Color color, Cycle due);
  /// Room in an input queue, made when the routers have been stepped in cycle `now`: they see the
  /// credit in the next one. There may be several in a cycle.
  void give_credit_of_queue(Ref sender, Color color, Cycle now);
  /// A plain router has passed a TEARDOWN command on (wse.md 1.9). Only the program could end the
  /// teardown, and programs that do have no plain router.
  void suspend(std::uint32_t place, Color color, Cycle now);

  /// True if a sender of `held` wavelets can have a credit of cycle `due` at once: it holds none,
  /// and what comes lands in `due` at the earliest if no tile is behind. So it need not be woken. The wafer is stepped
  /// in `due` all the same: where it falls asleep the host goes on, in the same cycle with every
  /// structure.
  bool take_credit_early(unsigned held, Cycle due) {
    if (held != 0 || due != now + 1 || !selection.is_all()) return false;
    step_in(due);
    return true;
  }
  void step_in(Cycle due) { last_credit = std::max(last_credit, due); }

  const Strip strip;
  const Plan& plan;
  Outside& outside;
  observe::EventStream* const events;
  Cycle now = 0;          ///< the present cycle
  Cycle last_credit = 0;  ///< cycle of the last credit that woke nobody
  StepOrder order;
  Selection selection;  ///< what is stepped
  Rims rims;

  Pipes pipes;
  Slots slots;
  Routers routers;
  Pes pes;
};

}  // namespace tessera::wafer
