// Slots: the input buffers of plain routers that are no pipes. Each output of a slot is a link with
// credits of its own, through which the copies of a multicast leave one by one. Slots of a tile
// that share outputs are a group: each output grants one of them, by the rule of fabric::Arbiter. A color
// with a switch has a slot for each port that some position receives from, which share their links.
// Cycle rules as in models/fabric/router_core.h.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/fabric/sender.h"
#include "models/wafer/units/units.h"
#include "models/wafer/units/visit.h"
#include "tlm_ifaces/link/wavelet.h"
#include "tlm_ifaces/vocabulary/cycle.h"
#include "tlm_ifaces/vocabulary/direction.h"
#include "tlm_ifaces/vocabulary/ids.h"
#include "tlm_ifaces/vocabulary/route.h"

namespace tessera::wafer {

struct Blocks;

struct alignas(32) Slot {
  Ref upstream;                    ///< who sends into it
  std::uint32_t first_link = 0;    ///< its links are [first_link, first_link + links)
  std::uint32_t place = 0;         ///< linear index of its tile
  std::uint32_t group = kNoIndex;  ///< those it competes with for an output; none: kNoIndex
  std::uint32_t unit = 0;          ///< the first slot of the group, or itself: stepped together
  std::uint32_t first_entry = 0;   ///< where its ring begins
  // Counts that change together do not lie together: a store of one and a load of two would wait for each other.
  std::uint8_t head = 0;  ///< place of the oldest wavelet in its ring
  std::uint8_t links = 0;
  std::uint8_t held = 0;  ///< wavelets
  Direction in = Direction::kWest;
  std::uint8_t landed = 0;  ///< wavelets that may go on, but see Slots::landed()
  Color color;
  std::uint8_t to_go = 0;  ///< links that the head has not left through; 0 or all: through none
  bool suspended = false;  ///< in teardown (wse.md 1.9)

  /// The (input port, color) pair that arbitration ranks.
  unsigned pair() const { return color.value() * kDirectionCount + index(in); }
};
static_assert(sizeof(Slot) == 32, "a large wafer has many, and each should lie in one cache line");

/// When something happens to a slot, one bit a cycle. It does not lie in the Slot because those of a group that merges
/// have no use for it.
struct SlotTimes {
  std::uint64_t arriving = 0;   ///< cycles in which a wavelet lands
  std::uint64_t returning = 0;  ///< cycles in which one of its links gets a credit back
};

/// One output of a slot, or of all slots of a color with a switch.
struct Link {
  std::uint32_t slot = 0;  ///< whose output it is; of several the first one
  Ref target;
  // `group` and `slot_of_group` are those of the slot, so that a credit need not look at it.
  std::uint32_t group = kNoIndex;
  std::uint16_t credits = 0;  ///< room of the receiver that may be used
  Direction out = Direction::kWest;
  std::uint8_t slot_of_group : 7;  ///< number of the slot in its group
  bool is_shared : 1;              ///< the output of several slots

  Link() : slot_of_group(0), is_shared(false) {}
};
static_assert(sizeof(Link) == 16, "a large wafer has many");

/// Slots of one tile, numbered one after the other by rising color and port, that compete for outputs.
struct alignas(32) Group {
  enum class Kind : std::uint8_t {
    kPlain,
    /// Every slot has one output, and it is the same one. Then what happens in a cycle stands here, one bit a slot,
    /// and not in SlotTimes.
    kMerges,
    kSwitches,  ///< a color has a Switch; there may be one slot only
  };
  static constexpr unsigned kMaxSlots = 32;
  /// Limits of a group that merges: its slots, and the cycles that a latency reaches.
  static constexpr unsigned kMaxMerged = 8;
  static constexpr unsigned kMaxMergedLatency = 7;
  /// Where the byte of a cycle is in `arriving` and `returning`.
  static constexpr unsigned shift_of(Cycle c) { return c % (kMaxMergedLatency + 1) * kMaxMerged; }
  static constexpr std::uint64_t bit_of(unsigned slot, Cycle c) {
    return std::uint64_t{1} << (shift_of(c) + slot);
  }
  /// Those of all slots in a cycle.
  static constexpr std::uint64_t bits_of(Cycle c) {
    return std::uint64_t{(1U << kMaxMerged) - 1} << shift_of(c);
  }

  std::uint32_t first = 0;
  std::uint32_t busy = 0;  ///< slots that are not idle, one bit each; of a group that merges all
  std::uint16_t controls = 0;  ///< control wavelets in the slots
  std::uint8_t slots = 0;
  Kind kind = Kind::kPlain;
  // Only groups that merge use these.
  std::uint8_t turn = 0;      ///< the slot whose turn it is; where controls are not 0, Turns say it
  std::uint8_t landed = 0;    ///< slots from which a wavelet may go on
  std::uint8_t credited = 0;  ///< slots for whose wavelet there is room
  std::uint8_t open = 0xFF;   ///< slots that are not in teardown
  std::uint64_t arriving = 0;   ///< slots in which a wavelet lands, a byte a cycle
  std::uint64_t returning = 0;  ///< slots whose link gets a credit back, a byte a cycle

  bool merges() const { return kind == Kind::kMerges; }
  /// Wavelets of a slot that have not landed: one bit of each byte, added up in the highest one.
  unsigned under_way(unsigned slot) const {
    constexpr std::uint64_t kInEachByte = 0x0101010101010101;
    return static_cast<unsigned>((arriving >> slot & kInEachByte) * kInEachByte >> 56);
  }
};
static_assert(sizeof(Group) == 32, "as Slot");

/// The switch of a color whose route has several positions, or loses commands on its way.
struct Switch {
  fabric::ColorRoute route;  ///< with all sides (ColorRoute::fill_in); `current` is the position
  std::uint32_t first_slot = 0;  ///< its slots are [first_slot, first_slot + slots)
  std::uint8_t slots = 0;
  /// By position: the links of its outputs, one bit each.
  std::array<std::uint8_t, fabric::kSwitchPositions> links{};

  /// Links through which the present position sends what comes from `in`.
  unsigned open_from(Direction in) const {
    return route.positions[route.current].rx.contains(in) ? links[route.current] : 0U;
  }
};

/// Which slot of a group each output serves next.
using Turns = std::array<fabric::Turn, kDirectionCount>;

class Slots {
 public:
  /// `blocks` must outlive it. Slots, links, groups and switches come from a SlotGraph, without their
  /// connections.
  Slots(Blocks& blocks, std::vector<Slot> slots, std::vector<Link> links, std::vector<Group> groups,
        std::vector<Switch> switches);

  void step(Cycle now);
  /// The next cycle in which a slot is due, after `now`.
  Cycle next_due(Cycle now) const { return due_.next_due(now); }
  /// As that of ActiveSet.
  void forget(Cycle now) { due_.forget(now); }
  /// Slots that follow each other, and their wavelets, are on their way into the cache.
  void prefetch(Span slots) const;
  /// The same of their links and groups, for slots that have arrived there.
  void prefetch_links(Span slots) const;

  /// What many slots that a wavelet lands in have in common: the cycle.
  struct Arrivals {
    Arrivals(Slots& slots, Cycle due)
        : units(slots.due_, due), bit(cycle_bit(due)), shift(Group::shift_of(due)) {}
    ActiveSet::Row units;  ///< those that are due
    const std::uint64_t bit;
    const unsigned shift;  ///< Group::shift_of() the cycle
  };
  /// A wavelet lands in cycle `due`.
  void put(std::uint32_t slot, const link::Wavelet& w, Cycle due) {
    Arrivals arrivals(*this, due);
    put(slot, Stored(w), w.ident, arrivals);
  }
  /// The same; `due` is that of `arrivals`.
  [[gnu::always_inline]] inline void put(std::uint32_t slot, Stored w, std::uint64_t ident,
                                         Arrivals& arrivals);
  /// The receiver behind a link has room again, usable from cycle `due` on.
  inline void credit(std::uint32_t link, Cycle due);
  /// The same when the slots have been stepped in the cycle before the one from which on it counts.
  void credit_for_next(std::uint32_t index) {
    Link& link = links_[index];
    // One that had credits waits for something else.
    if (link.credits++ > 0) return;
    if (slots_[link.slot].held > 0 || link.is_shared)
      due_.insert_for_next(link.slot - link.slot_of_group);
    note_credits(link);
  }
  /// The same in a cycle in which the slots have not been stepped yet.
  void credit_now(std::uint32_t index, Cycle now) {
    Link& link = links_[index];
    due_.insert(link.slot - link.slot_of_group, now);
    ++link.credits;
    note_credits(link);
  }
  /// wafer::credit_at_once() of a link.
  bool credit_at_once(std::uint32_t link) { return wafer::credit_at_once(links_[link]); }
  /// Before the first step: what the receiver behind a link has room for.
  void set_credits(std::uint32_t index, unsigned credits) {
    Link& link = links_[index];
    link.credits = static_cast<std::uint16_t>(link.credits + credits);
    if (credits > 0) note_credits(link);
  }
  /// put() in two parts, for a wavelet that lands further ahead than a mask reaches.
  [[gnu::always_inline]] void append(std::uint32_t index, Stored w, std::uint64_t ident) {
    Slot& slot = slots_[index];
    store(slot, w, ident);
    if (w.control() && slot.group != kNoIndex) ++groups_[slot.group].controls;
  }
  void land(std::uint32_t slot, Cycle now) {
    const std::uint32_t group = slots_[slot].group;
    ++slots_[slot].landed;
    due_.insert(slots_[slot].unit, now);
    if (group != kNoIndex) groups_[group].busy |= 1U << (slot - slots_[slot].unit);
  }

  std::vector<Slot>& all() { return slots_; }
  const std::vector<Slot>& all() const { return slots_; }
  std::vector<Link>& links() { return links_; }
  const std::vector<Link>& links() const { return links_; }
  /// Cycles in which a wavelet lands in a slot, or a credit comes back to a link, one bit each.
  std::uint64_t arriving(std::uint32_t slot) const { return times_[slot].arriving; }
  std::uint64_t returning(std::uint32_t link) const { return returning_[link]; }
  /// Links of `slot` that its head has still to leave through, one bit each.
  unsigned branches_of_head(const Slot& slot) const {
    return branches_of(head(slot), slot, open_links(slot));
  }
  /// Whether the switch of its color, if it has one, receives from its port.
  bool is_open(const Slot& slot) const { return open_links(slot) != 0; }
  /// Whether some slot of its group has a switch.
  bool may_switch(const Slot& slot) const {
    return slot.group != kNoIndex && groups_[slot.group].kind == Group::Kind::kSwitches;
  }
  /// The switch of its color; nullptr: it has none.
  const Switch* switch_of(const Slot& slot) const {
    const std::uint32_t at = gates_.empty() ? kNoIndex : gates_[index_of(slot)].switch_index;
    return at == kNoIndex ? nullptr : &switches_[at];
  }
  /// Slots of the color whose first slot has number `first`.
  unsigned slots_of_color(std::uint32_t first) const {
    const Switch* const at = switch_of(slots_[first]);
    return at == nullptr ? 1 : at->slots;
  }
  /// Wavelets of `slot` that may go on. A group that merges does not count them, because nobody needs their number
  /// when they land.
  unsigned landed(const Slot& slot) const {
    if (slot.group == kNoIndex || !groups_[slot.group].merges()) return slot.landed;
    return slot.held - groups_[slot.group].under_way(index_of(slot) - slot.unit);
  }
  /// For checkpoints: a wavelet that lands in slot `index` in cycle `due`, or a credit of the link `index`, is in the masks, or
  /// no longer, without effect on who is due.
  void toggle(std::uint32_t index, Cycle due, bool credit) {
    (credit ? returning_[index] : times_[index].arriving) ^= cycle_bit(due);
  }
  /// Before slots are restored: none is due.
  void forget_all() { due_.resize(slots_.size()); }
  /// By rising number where slots are of one group.
  void visit(std::uint32_t slot, const Visit& visit);

 private:
  struct CycleState;
  struct Head;
  struct Round;

  void step_one(std::uint32_t slot, CycleState& cycle);
  // A group with a switch or without one.
  template <bool kSwitches>
  void step_group(Group& group, CycleState& cycle);
  template <bool kSwitches>
  void step_only(Group& group, unsigned number, CycleState& cycle);
  template <bool kSwitches>
  void ask(Group& group, Round& round, const CycleState& cycle);
  template <bool kSwitches>
  void send_copy(const Slot& slot, const Head& head, Link& link, CycleState& cycle);
  void step_merge(Group& group, CycleState& cycle);
  Turns& turns_of(const Group& group) {
    return turns_[static_cast<std::size_t>(&group - groups_.data())];
  }
  void settle(std::uint32_t slot, const CycleState& cycle);
  void settle_links(std::uint32_t slot, const CycleState& cycle);
  void settle_merge(Group& group, const CycleState& cycle);
  void take_credits(Group& group, const CycleState& cycle);
  void step_with_controls(Group& group, CycleState& cycle);
  /// Links that the head of the slot has still to leave through, of those that are `open`.
  unsigned branches_of(Stored head, const Slot& slot, unsigned open) const {
    if (slot.to_go != 0) return slot.to_go;
    return head.control() ? branches_of_control(head, slot, open) : open;
  }
  unsigned branches_of(const Slot& slot, Stored head) const {
    return branches_of(head, slot, all_links(slot));
  }
  unsigned branches_of_control(Stored head, const Slot& slot, unsigned open) const;
  static unsigned all_links(const Slot& slot) { return (1U << slot.links) - 1; }
  unsigned open_links(const Slot& slot) const {
    return gates_.empty() ? all_links(slot) : gates_[index_of(slot)].open;
  }
  /// open_links() of a slot in a group with switches, or without.
  template <bool kSwitches>
  unsigned open_links_in(const Slot& slot) const {
    return kSwitches ? gates_[index_of(slot)].open : all_links(slot);
  }
  Head take_head(const Slot& slot, const CycleState& cycle) const;
  void send(Link& link, const Head& head, CycleState& cycle);
  template <bool kSwitches>
  void remove_head(Slot& slot, Stored oldest, CycleState& cycle);
  void note_control_left(Slot& slot, Stored control, const CycleState& cycle);
  void turn_switch(Slot& slot, Stored left, const CycleState& cycle);
  void note_position(const Switch& at);
  Head without_command(const Slot& slot, Head head) const;
  void drop_head(Slot& slot, CycleState& cycle);
  void visit_links(const Slot& slot, const Visit& visit);
  void visit_switch(std::uint32_t slot, const Visit& visit);
  /// Links of a slot, those that several share at the first one.
  unsigned own_links(std::uint32_t slot) const {
    return links_[slots_[slot].first_link].slot == slot ? slots_[slot].links : 0U;
  }
  void follow(std::uint32_t slot, std::uint64_t arriving, const Visit& visit);
  inline void credit_later(std::uint32_t link, Cycle due, ActiveSet::Row& row);
  std::uint32_t index_of(const Slot& slot) const {
    return static_cast<std::uint32_t>(&slot - slots_.data());
  }
  [[gnu::always_inline]] void store(Slot& slot, Stored w, std::uint64_t ident) {
    entries_.put(entry_index(slot, slot.head + slot.held), w, ident);
    ++slot.held;
  }
  /// A link has credits.
  void note_credits(const Link& link) {
    if (link.group == kNoIndex) return;
    Group& group = groups_[link.group];
    group.credited = static_cast<std::uint8_t>(group.credited | 1U << link.slot_of_group);
  }
  /// Place `i` of the ring of a slot, for any `i` that follows those in the ring.
  std::size_t entry_index(const Slot& slot, unsigned i) const {
    return std::size_t{slot.first_entry} + (i & ring_mask_);
  }
  Stored head(const Slot& slot) const { return entries_[entry_index(slot, slot.head)]; }
  /// Nothing is in it, and nothing is on its way to it that has to be taken in its cycle.
  bool idle(std::uint32_t slot) const {
    return slots_[slot].held == 0 && times_[slot].returning == 0;
  }

  Blocks& blocks_;
  const unsigned ring_mask_;  // places in the ring of a slot - 1
  std::vector<Slot> slots_;
  std::vector<SlotTimes> times_;  // by slot
  std::vector<Link> links_;
  std::vector<std::uint64_t> returning_;  // by link
  std::vector<Group> groups_;
  std::vector<Turns> turns_;  // by group
  /// Of a slot: its switch, and links that are open.
  struct Gate {
    std::uint32_t switch_index = kNoIndex;
    std::uint32_t open = 0;
  };
  std::vector<Switch> switches_;
  std::vector<Gate> gates_;  // by slot; empty: there are no switches
  Store entries_;            // [slot][place in the ring]
  ActiveSet due_;            // by first slot of a group
};

[[gnu::always_inline]] inline void Slots::put(std::uint32_t index, Stored w, std::uint64_t ident,
                                              Arrivals& arrivals) {
  Slot& slot = slots_[index];
  store(slot, w, ident);
  arrivals.units.insert(slot.unit);
  if (slot.group != kNoIndex) {
    Group& group = groups_[slot.group];
    if (w.control()) ++group.controls;
    const unsigned number = index - slot.unit;
    if (group.merges()) {
      group.arriving |= std::uint64_t{1} << (arrivals.shift + number);
      return;
    }
    group.busy |= 1U << number;
  }
  times_[index].arriving |= arrivals.bit;
}

}  // namespace tessera::wafer
