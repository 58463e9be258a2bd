// Slots: the input buffers of plain routers that are no pipes. Each output of a slot is a link with
// credits of its own, through which the copies of a multicast leave one by one. Slots of a tile
// that share outputs are a group: each output grants one of them, by the rule of fabric::Arbiter.
// Cycle rules as in models/fabric/router_core.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/fabric/sender.h"
#include "models/wafer/units.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wafer {

struct Blocks;

struct Slot {
  std::uint64_t arriving = 0;      ///< cycles in which a wavelet lands
  std::uint64_t returning = 0;     ///< cycles in which one of its links gets a credit back
  Ref upstream;                    ///< who sends into it
  std::uint32_t first_link = 0;    ///< its links are [first_link, first_link + links)
  std::uint32_t place = 0;         ///< linear index of its tile
  std::uint32_t group = kNoIndex;  ///< those it competes with for an output; none: kNoIndex
  std::uint32_t unit = 0;          ///< the first slot of the group, or itself: stepped together
  std::uint8_t head = 0;           ///< place of the oldest wavelet in its ring
  std::uint8_t held = 0;           ///< wavelets
  std::uint8_t landed = 0;         ///< wavelets that may go on
  std::uint8_t to_go = 0;          ///< links that the head has not left through; 0: none has
  std::uint8_t links = 0;
  Direction in = Direction::kWest;
  Color color;
  bool suspended = false;  ///< in teardown (wse.md 1.9)

  /// The (input port, color) pair that arbitration ranks.
  unsigned pair() const { return color.value() * kDirectionCount + index(in); }
  /// Nothing is in it, and nothing is on its way to it that has to be taken in its cycle.
  bool idle() const { return held == 0 && returning == 0; }
};

/// One output of a slot.
struct Link {
  std::uint64_t returning = 0;  ///< cycles in which a credit comes back
  std::uint32_t slot = 0;       ///< whose output it is
  Ref target;
  std::uint16_t credits = 0;  ///< room of the receiver that may be used
  Direction out = Direction::kWest;
  // As of the slot, so that a credit need not look at it.
  std::uint8_t slot_of_group = 0;  ///< number of the slot in its group
  std::uint32_t group = kNoIndex;
};
static_assert(sizeof(Link) == 24, "a large wafer has many");

/// Slots of one tile, numbered one after the other, that compete for outputs.
struct Group {
  std::uint32_t first = 0;
  std::uint8_t slots = 0;
  bool merges = false;         ///< every slot has one output, and it is the same one
  std::uint16_t controls = 0;  ///< control wavelets in the slots
  std::uint32_t busy = 0;      ///< slots that are not idle, one bit each
  // For groups that merge, one bit a slot: a wavelet may go on, and there is room for it.
  std::uint32_t landed = 0;
  std::uint32_t credited = 0;
  std::uint64_t due = 0;  ///< cycles in which a wavelet lands in a slot, or a credit comes back
  std::array<fabric::Turn, kDirectionCount> turns;  ///< per output
};

class Slots {
 public:
  /// `blocks` must outlive it. Slots, links and groups come from a SlotGraph, without their
  /// connections.
  Slots(Blocks& blocks, std::vector<Slot> slots, std::vector<Link> links,
        std::vector<Group> groups);

  void step(Cycle now);
  /// The next cycle in which a slot is due, after `now`.
  Cycle next_due(Cycle now) const { return due_.next_due(now); }
  /// As that of ActiveSet.
  void forget(Cycle now) { due_.forget(now); }
  /// Slots that follow each other, and what belongs to them, are on their way into the cache.
  void prefetch(Span slots) const;

  /// A wavelet lands in cycle `due`.
  void put(std::uint32_t slot, const link::Wavelet& w, Cycle due) {
    ActiveSet::Row row(due_, due);
    put(slot, w, row, cycle_bit(due));
  }
  /// The receiver behind a link has room again, usable from cycle `due` on.
  inline void credit(std::uint32_t link, Cycle due);
  /// The same; `row` is that of cycle `due` in due().
  inline void credit(std::uint32_t link, Cycle due, ActiveSet::Row& row);
  /// The same when the slots have been stepped in the cycle before the one from which on it counts.
  void credit_for_next(std::uint32_t index) {
    Link& link = links_[index];
    // One that had credits waits for something else.
    if (link.credits == 0 && slots_[link.slot].held > 0)
      due_.insert_for_next(link.slot - link.slot_of_group);
    add_credits(link, 1);
  }
  /// The same in a cycle in which the slots have not been stepped yet.
  void credit_now(std::uint32_t index, Cycle now) {
    Link& link = links_[index];
    due_.insert(link.slot - link.slot_of_group, now);
    add_credits(link, 1);
  }
  /// Before the first step: what the receiver behind a link has room for.
  void set_credits(std::uint32_t index, unsigned credits) {
    Link& link = links_[index];
    if (credits > 0) add_credits(link, credits);
  }
  /// put() in two parts, for a wavelet that lands further ahead than a mask reaches.
  void append(std::uint32_t index, const link::Wavelet& w) {
    Slot& slot = slots_[index];
    entries_.put(entry_index(index, slot.head + slot.held), w);
    ++slot.held;
    if (w.control && slot.group != kNoIndex) ++groups_[slot.group].controls;
  }
  void land(std::uint32_t slot, Cycle now) {
    ++slots_[slot].landed;
    wake(slot, now);
  }

  std::vector<Slot>& all() { return slots_; }
  const std::vector<Slot>& all() const { return slots_; }
  std::vector<Link>& links() { return links_; }
  const std::vector<Link>& links() const { return links_; }
  /// Links of `slot` that its head has still to leave through, one bit each.
  unsigned branches_of_head(const Slot& slot) const {
    return branches_of(slot, head(static_cast<std::uint32_t>(&slot - slots_.data())));
  }

 private:
  struct CycleState;

  void step_one(std::uint32_t slot, CycleState& cycle);
  void step_group(Group& group, CycleState& cycle);
  void step_merge(Group& group, CycleState& cycle);
  void settle(Slot& slot, std::uint64_t cycle);
  void settle_merge(Group& group, std::uint64_t cycle);
  void look_again(Group& group) const;
  std::uint8_t branches_of(const Slot& slot, const Stored& head) const;
  void send(const Slot& slot, Link& link, const link::Wavelet& head, CycleState& cycle);
  void remove_head(std::uint32_t slot, CycleState& cycle);
  void drop_head(Slot& slot, CycleState& cycle);
  /// put() in the cycle of `row`, whose bit is `cycle`.
  void put(std::uint32_t slot, const link::Wavelet& w, ActiveSet::Row& row, std::uint64_t cycle) {
    append(slot, w);
    slots_[slot].arriving |= cycle;
    wake(slot, row, cycle);
  }
  void wake(std::uint32_t slot, ActiveSet::Row& row, std::uint64_t cycle) {
    const Slot& s = slots_[slot];
    row.insert(s.unit);
    if (s.group == kNoIndex) return;
    Group& group = groups_[s.group];
    group.busy |= 1U << (slot - s.unit);
    group.due |= cycle;
  }
  void wake(std::uint32_t slot, Cycle at) {
    ActiveSet::Row row(due_, at);
    wake(slot, row, cycle_bit(at));
  }
  void add_credits(Link& link, unsigned more) {
    link.credits = static_cast<std::uint16_t>(link.credits + more);
    if (link.group != kNoIndex) groups_[link.group].credited |= 1U << link.slot_of_group;
  }
  /// Place `i` of the ring of a slot, counted from the head or from 0.
  std::size_t entry_index(std::uint32_t slot, unsigned i) const {
    return std::size_t{slot} * room_ + (i < room_ ? i : i - room_);
  }
  const Stored& head(std::uint32_t slot) const {
    return entries_[entry_index(slot, slots_[slot].head)];
  }
  link::Wavelet whole_head(std::uint32_t slot) const {
    return entries_.get(entry_index(slot, slots_[slot].head));
  }

  Blocks& blocks_;
  unsigned room_;  // entries of the ring of a slot, RAMP inputs included
  std::vector<Slot> slots_;
  std::vector<Link> links_;
  std::vector<Group> groups_;
  Store entries_;  // [slot][place in the ring]
  ActiveSet due_;  // by first slot of a group
};

}  // namespace tessera::wafer
