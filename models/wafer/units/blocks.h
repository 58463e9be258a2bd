// The blocks of a wafer, and what travels between them: wavelets one way and credits the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "models/observe/event_stream.h"
#include "models/wafer/plan/plan.h"
#include "models/wafer/sharing/rims.h"
#include "models/wafer/units/head_waits.h"
#include "models/wafer/units/pes.h"
#include "models/wafer/units/pipes.h"
#include "models/wafer/units/routers.h"
#include "models/wafer/units/selection.h"
#include "models/wafer/units/slots.h"
#include "models/wafer/units/units.h"
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
  inline void deliver(Ref receiver, const link::Wavelet& w, Cycle due);
  /// A sender may use a credit from cycle `due` on.
  inline void give_credit(Ref sender, Color color, Cycle due);
  /// wafer::credit_at_once() of a slot or an on-ramp; false of anybody else.
  inline bool credit_at_once(Ref sender);
  /// Room in an input queue, made when the routers have been stepped in cycle `now`: they see the
  /// credit in the next one, in which the wafer has to be stepped. There may be several in a cycle.
  inline void give_credit_of_queue(Ref sender, Color color, Cycle now);
  /// A plain router has passed a TEARDOWN command on (wse.md 1.9). Only the program could end the
  /// teardown, and programs that do have no plain router.
  void suspend(std::uint32_t place, Color color, Cycle now);
  /// The switch of a plain router takes a position.
  void tell_switch(std::uint32_t place, Color color, unsigned position, Cycle cycle) const {
    if (events != nullptr)
      events->record({cycle, place, observe::EventKind::kSwitch, color.value(), position, 0});
  }

  /// True if a sender can have a credit of cycle `due` at once, because it does not wait for it: for
  /// example it holds no wavelet, and what comes lands in `due` at the earliest if no tile is behind; where it may be,
  /// one that has credits left can do no more with another. So it need not be
  /// woken. The wafer is stepped in `due` all the same: where it falls asleep the host goes on, in
  /// the same cycle with every structure.
  bool take_credit_early(bool is_waited_for, unsigned credits, Cycle due) {
    if (is_waited_for || due != now + 1 || (credits == 0 && !selection.is_all())) return false;
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
  std::optional<HeadWaits> waits;  ///< waits of pipes and slots; none: nobody asked

 private:
  void deliver_elsewhere(Ref receiver, const link::Wavelet& w, Cycle due);
  void credit_elsewhere(Ref sender, Color color, Cycle due);
  void credit_of_queue_elsewhere(Ref sender, Color color, Cycle next);
};

// --- what travels between slots and PEs, inlined into their steps

inline void Slots::credit(std::uint32_t index, Cycle due) {
  if (due == blocks_.now + 1 && credit_at_once(index)) return blocks_.step_in(due);
  ActiveSet::Row row(due_, due);
  credit_later(index, due, row);
}

inline void Slots::credit_later(std::uint32_t index, Cycle due, ActiveSet::Row& row) {
  Link& link = links_[index];
  Slot& slot = slots_[link.slot];
  // Nothing leaves through the link for want of it before the slot is stepped in `due`: the head has left through it.
  const bool has_left = slot.to_go != 0 && (slot.to_go >> (index - slot.first_link) & 1U) == 0;
  const bool is_waited_for = link.is_shared || (slot.held > 0 && !has_left);
  if (blocks_.take_credit_early(is_waited_for, link.credits, due)) {
    ++link.credits;
    return note_credits(link);
  }
  returning_[index] |= cycle_bit(due);
  row.insert(slot.unit);
  if (link.group != kNoIndex) {
    Group& group = groups_[link.group];
    if (group.merges()) {
      group.returning |= Group::bit_of(link.slot_of_group, due);
      return;
    }
    group.busy |= 1U << link.slot_of_group;
  }
  times_[link.slot].returning |= cycle_bit(due);
}

inline void Pes::put(std::uint32_t index, const link::Wavelet& w, Cycle due) {
  const Pe& pe = pes_[in_queues_[index].pe];
  if (blocks_.events != nullptr) {
    blocks_.events->record({due, pe.place, observe::EventKind::kQueueIn,
                            in_queues_[index].event_word(), w.payload, w.ident});
  }
  ActiveSet::Row engines(due_engines_.near(), due);
  append(index, Stored(w), landings_.row(due), engines);
}

inline Pes::Arrivals::Arrivals(Pes& pes, Cycle due)
    : landings(pes.landings_.row(due)), engines(pes.due_engines_.near(), due),
      events(pes.blocks_.events, due, observe::EventKind::kQueueIn) {}

[[gnu::always_inline]] inline void Pes::put(std::uint32_t index, Stored w, std::uint64_t ident,
                                            std::uint32_t place, Arrivals& arrivals) {
  arrivals.events.record(arrivals.events.at(place), in_queues_[index].event_word(), w.payload(),
                         ident);
  append(index, w, arrivals.landings, arrivals.engines);
}

[[gnu::always_inline]] inline void Pes::append(std::uint32_t index, Stored w,
                                               Landings::Row landings, ActiveSet::Row& engines) {
  InQueue& queue = in_queues_[index];
  const unsigned at = queue.head + queue.held;
  in_entries_[queue.first_entry + (at < queue.room ? at : at - queue.room)] = w;
  ++queue.held;
  landings.put(queue.pe, queue.number);
  engines.insert(queue.pe);
}

inline void Blocks::deliver(Ref receiver, const link::Wavelet& w, Cycle due) {
  if (receiver.kind() == Ref::Kind::kQueue)
    pes.put(receiver.index(), w, due);
  else if (receiver.kind() == Ref::Kind::kSlot)
    slots.put(receiver.index(), w, due);
  else
    deliver_elsewhere(receiver, w, due);
}

inline bool Blocks::credit_at_once(Ref sender) {
  if (sender.kind() == Ref::Kind::kSlot) return slots.credit_at_once(sender.index());
  return sender.kind() == Ref::Kind::kRamp && pes.credit_at_once(sender.index());
}

inline void Blocks::give_credit(Ref sender, Color color, Cycle due) {
  if (sender.kind() == Ref::Kind::kSlot)
    slots.credit(sender.index(), due);
  else
    credit_elsewhere(sender, color, due);
}

inline void Blocks::give_credit_of_queue(Ref sender, Color color, Cycle cycle) {
  if (sender.kind() == Ref::Kind::kSlot)
    slots.credit_for_next(sender.index());
  else
    credit_of_queue_elsewhere(sender, color, cycle + 1);
}

}  // namespace tessera::wafer
