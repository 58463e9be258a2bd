#include "models/wafer/units/slots.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "models/fabric/switching.h"
#include "models/observe/event_fields.h"
#include "models/wafer/units/blocks.h"
#include "tlm_ifaces/link/control_word.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/prefetch.h"

namespace tessera::wafer {

namespace {

unsigned lowest(unsigned bits) {
  return static_cast<unsigned>(__builtin_ctz(bits));
}

// Places in the ring of a slot: a power of two, and enough for RAMP inputs too.
unsigned ring_size(const fabric::FabricTiming& timing) {
  unsigned size = 1;
  while (size < std::max(timing.input_room(Direction::kWest), timing.input_room(Direction::kRamp)))
    size *= 2;
  return size;
}

}  // namespace

Slots::Slots(Blocks& blocks, std::vector<Slot> slots, std::vector<Link> links,
             std::vector<Group> groups, std::vector<Switch> switches)
    : blocks_(blocks), ring_mask_(ring_size(blocks.plan.fabric) - 1), slots_(std::move(slots)),
      times_(slots_.size()), links_(std::move(links)), returning_(links_.size()),
      groups_(std::move(groups)), turns_(groups_.size()), switches_(std::move(switches)),
      entries_(slots_.size() * (ring_mask_ + 1),
               blocks.events != nullptr && blocks.events->is_traced()) {
  if (slots_.size() * (ring_mask_ + std::size_t{1}) > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError("config", "fabric.buffer_depth",
                    "the buffers of all routers hold more than 2^32 wavelets; take a smaller depth "
                    "or more threads");
  }
  for (std::size_t i = 0; i < slots_.size(); ++i)
    slots_[i].first_entry = static_cast<std::uint32_t>(i * (ring_mask_ + 1));
  due_.resize(slots_.size());
  if (switches_.empty()) return;
  for (const Slot& slot : slots_) gates_.push_back({kNoIndex, all_links(slot)});
  for (std::uint32_t i = 0; i < switches_.size(); ++i) {
    const Switch& at = switches_[i];
    for (std::uint32_t slot = at.first_slot; slot < at.first_slot + at.slots; ++slot)
      gates_[slot].switch_index = i;
    note_position(at);
  }
}

void Slots::prefetch(Span slots) const {
  if (slots.first == slots.end) return;
  const std::size_t ring = ring_mask_ + 1U;
  tessera::prefetch(slots_.data(), slots.first, slots.end);
  tessera::prefetch(times_.data(), slots.first, slots.end);
  entries_.prefetch(slots.first * ring, slots.end * ring);
}

void Slots::prefetch_links(Span slots) const {
  if (slots.first == slots.end) return;
  const Slot& last = slots_[slots.end - 1];
  const std::uint32_t first_link = slots_[slots.first].first_link;
  const std::uint32_t end_link = last.first_link + last.links;
  tessera::prefetch(links_.data(), first_link, end_link);
  tessera::prefetch(returning_.data(), first_link, end_link);
  const std::uint32_t group = slots_[slots.first].group;
  if (last.group == kNoIndex) return;
  tessera::prefetch(groups_.data(), group != kNoIndex ? group : last.group, last.group + 1U);
}

/// What all slots that are stepped in a cycle have in common.
struct Slots::CycleState {
  CycleState(Slots& slots, const fabric::FabricTiming& timing, Cycle cycle)
      : now(cycle), bit(cycle_bit(cycle)), shift(Group::shift_of(cycle)),
        not_merging(~Group::bits_of(cycle)), ramp_due(cycle + timing.off_ramp_latency),
        hop_due(cycle + timing.hop_latency), credit_due(cycle + timing.credit_latency),
        credits_are_next(credit_due == slots.blocks_.now + 1), arbitration(timing.arbitration),
        at_hop(slots, hop_due), at_credit(slots.due_, credit_due),
        at_ramp(slots.blocks_.pes, ramp_due),
        hops(slots.blocks_.events, cycle, observe::EventKind::kHop) {}

  const Cycle now;
  const std::uint64_t bit;          ///< cycle_bit(now)
  const unsigned shift;             ///< Group::shift_of(now)
  const std::uint64_t not_merging;  ///< all but Group::bits_of(now)
  const Cycle ramp_due, hop_due;    ///< when what leaves now may be seen behind RAMP, or elsewhere
  const Cycle credit_due;           ///< when the room of what leaves now is a credit upstream
  const bool credits_are_next;      ///< credit_due is the next cycle
  bool next_cycle = false;          ///< the wafer has to be stepped in the next cycle
  const fabric::Arbitration arbitration;
  Arrivals at_hop;           ///< what leaves now into slots
  ActiveSet::Row at_credit;  ///< slots that are due at credit_due
  Pes::Arrivals at_ramp;     ///< what leaves now through RAMP
  observe::EventStream::OfOneKind hops;
};

/// A wavelet that leaves a slot.
struct Slots::Head {
  Stored wavelet;
  std::uint32_t hop_word;  ///< observe::hop_word() but for the direction
  std::uint64_t ident;
  observe::EventStream::OfOneKind::Place place;
};

// Arrivals land, credits become usable.
inline void Slots::settle(std::uint32_t index, const CycleState& cycle) {
  SlotTimes& times = times_[index];
  if ((times.arriving & cycle.bit) != 0) {
    times.arriving &= ~cycle.bit;
    ++slots_[index].landed;
  }
  if ((times.returning & cycle.bit) != 0) settle_links(index, cycle);
}

void Slots::settle_links(std::uint32_t index, const CycleState& cycle) {
  const Slot& slot = slots_[index];
  times_[index].returning &= ~cycle.bit;
  for (std::uint32_t link = slot.first_link; link < slot.first_link + slot.links; ++link) {
    if ((returning_[link] & cycle.bit) == 0) continue;
    returning_[link] &= ~cycle.bit;
    ++links_[link].credits;
  }
}

unsigned Slots::branches_of_control(Stored head, const Slot& slot, unsigned open) const {
  unsigned branches = open;
  if (!link::command_at(head.payload(), 0).ignore_at_ce) return branches;
  for (unsigned i = 0; i < slot.links; ++i) {  // wse.md 1.5: not for the CE
    if (links_[slot.first_link + i].out == Direction::kRamp) branches &= ~(1U << i);
  }
  return branches;
}

// Inlined by force, here and below, as in pipes.cpp.
[[gnu::always_inline]] inline Slots::Head Slots::take_head(const Slot& slot,
                                                           const CycleState& cycle) const {
  const std::size_t entry = entry_index(slot, slot.head);
  const Stored oldest = entries_[entry];
  Head head{oldest, oldest.color().value(), entries_.ident(entry), cycle.hops.at(slot.place)};
  if (oldest.has_flags()) {  // few have
    head.hop_word = observe::hop_word(oldest.wavelet(0), Direction{});
    head.wavelet = oldest.without_local_flip();  // it is meant for this router only
  }
  return head;
}

[[gnu::always_inline]] inline void Slots::send(Link& link, const Head& head, CycleState& cycle) {
  cycle.hops.record(head.place, head.hop_word | index(link.out) << 8, head.wavelet.payload(),
                    head.ident);
  --link.credits;
  if (link.target.kind() == Ref::Kind::kSlot)
    put(link.target.index(), head.wavelet, head.ident, cycle.at_hop);
  else if (link.target.kind() == Ref::Kind::kQueue)
    blocks_.pes.put(link.target.index(), head.wavelet, head.ident, head.place.place, cycle.at_ramp);
  else
    blocks_.deliver(link.target, head.wavelet.wavelet(head.ident),
                    link.out == Direction::kRamp ? cycle.ramp_due : cycle.hop_due);
}

// The oldest wavelet has left, and its room goes upstream.
[[gnu::always_inline]] inline void Slots::drop_head(Slot& slot, CycleState& cycle) {
  ++slot.head;
  --slot.held;
  if (cycle.credits_are_next && blocks_.credit_at_once(slot.upstream))
    cycle.next_cycle = true;
  else if (slot.upstream.kind() == Ref::Kind::kSlot)
    credit_later(slot.upstream.index(), cycle.credit_due, cycle.at_credit);
  else
    blocks_.give_credit(slot.upstream, slot.color, cycle.credit_due);
}

template <bool kSwitches>
[[gnu::always_inline]] inline void Slots::remove_head(Slot& slot, Stored oldest,
                                                      CycleState& cycle) {
  slot.to_go = 0;
  --slot.landed;
  drop_head(slot, cycle);
  if constexpr (kSwitches) {
    if (oldest.has_flags()) turn_switch(slot, oldest, cycle);
  } else {
    if (oldest.control()) note_control_left(slot, oldest, cycle);
  }
}

void Slots::note_control_left(Slot& slot, Stored control, const CycleState& cycle) {
  if (slot.group != kNoIndex) --groups_[slot.group].controls;
  if (link::command_at(control.payload(), 0).command != link::Command::kTeardown) return;
  slot.suspended = true;
  blocks_.suspend(slot.place, slot.color, cycle.now);
}

// --- switches

void Slots::note_position(const Switch& at) {
  for (std::uint32_t slot = at.first_slot; slot < at.first_slot + at.slots; ++slot)
    gates_[slot].open = at.open_from(slots_[slot].in);
}

// `left` has flags: it may move the switch, or suspend all slots of its color.
void Slots::turn_switch(Slot& slot, Stored left, const CycleState& cycle) {
  const Switch* const found = switch_of(slot);
  if (found == nullptr) {
    if (left.control()) note_control_left(slot, left, cycle);
    return;
  }
  if (left.control()) --groups_[slot.group].controls;
  Switch& at = switches_[static_cast<std::size_t>(found - switches_.data())];
  const bool ends = fabric::obey(at.route, left.wavelet(0), slot.in, [&](unsigned position) {
    if (at.route.current == position) return;
    at.route.current = position;
    note_position(at);
    blocks_.tell_switch(slot.place, slot.color, position, cycle.now);
  });
  if (!ends) return;
  for (std::uint32_t i = at.first_slot; i < at.first_slot + at.slots; ++i)
    slots_[i].suspended = true;
  blocks_.suspend(slot.place, slot.color, cycle.now);
}

// A control wavelet for another tile: pop mode may take its first command. The PE gets the list as it came, with the
// argument of its task. The switch has not moved since the first copy left, because its position receives from no other port.
Slots::Head Slots::without_command(const Slot& slot, Head head) const {
  const Switch* const at = switch_of(slot);
  const std::uint32_t payload = head.wavelet.payload();
  if (at == nullptr || !fabric::pops(at->route, link::command_at(payload, 0).command)) return head;
  link::Wavelet w = head.wavelet.wavelet(0);
  w.payload = link::pop_command(payload);
  head.wavelet = Stored(w);
  return head;
}

template <bool kSwitches>
[[gnu::always_inline]] inline void Slots::send_copy(const Slot& slot, const Head& head, Link& link,
                                                    CycleState& cycle) {
  if (kSwitches && head.wavelet.control() && link.out != Direction::kRamp)
    send(link, without_command(slot, head), cycle);
  else
    send(link, head, cycle);
}

// A slot whose outputs are its own: nobody to choose among.
[[gnu::always_inline]] inline void Slots::step_one(std::uint32_t index, CycleState& cycle) {
  settle(index, cycle);
  Slot& slot = slots_[index];
  if (slot.landed == 0 || slot.suspended) return;
  const Head oldest = take_head(slot, cycle);
  unsigned stay = 0;
  for (unsigned left = branches_of(slot, oldest.wavelet); left != 0; left &= left - 1) {
    Link& link = links_[slot.first_link + lowest(left)];
    if (link.credits > 0)
      send(link, oldest, cycle);
    else
      stay |= left & -left;
  }
  slot.to_go = static_cast<std::uint8_t>(stay);
  if (stay != 0) return;
  remove_head<false>(slot, oldest.wavelet, cycle);
  if (slot.landed > 0) due_.insert_for_next(index);
}

// Arrivals land and credits become usable in a group that merges.
[[gnu::always_inline]] inline void Slots::settle_merge(Group& group, const CycleState& cycle) {
  if (group.returning != 0) take_credits(group, cycle);
  const auto arrived = static_cast<std::uint8_t>(group.arriving >> cycle.shift);
  group.arriving &= cycle.not_merging;
  group.landed = static_cast<std::uint8_t>(group.landed | (arrived & group.open));
}

void Slots::take_credits(Group& group, const CycleState& cycle) {
  const auto credited = static_cast<std::uint8_t>(group.returning >> cycle.shift);
  group.returning &= cycle.not_merging;
  group.credited = static_cast<std::uint8_t>(group.credited | credited);
  for (unsigned left = credited; left != 0; left &= left - 1) {
    const std::uint32_t link = slots_[group.first + lowest(left)].first_link;
    returning_[link] &= ~cycle.bit;
    ++links_[link].credits;
  }
}

// A group that merges, while control wavelets are in it: they may leave in another way.
void Slots::step_with_controls(Group& group, CycleState& cycle) {
  const Direction out = links_[slots_[group.first].first_link].out;  // of all its slots
  fabric::Turn& turn = turns_of(group)[index(out)];
  if (group.turn > 0) turn.take(slots_[group.first + group.turn - 1].pair(), cycle.arbitration);
  for (unsigned s = 0; s < group.slots; ++s) {
    Slot& slot = slots_[group.first + s];
    slot.landed = static_cast<std::uint8_t>(landed(slot));
  }
  step_group<false>(group, cycle);
  group.busy = (1U << group.slots) - 1;
  group.landed = group.credited = group.turn = 0;
  for (unsigned s = 0; s < group.slots; ++s) {
    const Slot& slot = slots_[group.first + s];
    const unsigned bit = 1U << s;
    if (slot.suspended)
      group.open = static_cast<std::uint8_t>(group.open & ~bit);
    else if (slot.landed > 0)
      group.landed = static_cast<std::uint8_t>(group.landed | bit);
    if (links_[slot.first_link].credits > 0)
      group.credited = static_cast<std::uint8_t>(group.credited | bit);
    if (slot.pair() < turn.first()) group.turn = static_cast<std::uint8_t>(s + 1);
  }
}

// Slots with one output, the same for all: one of them is granted it. Data wavelets only, which
// have no other way to go.
[[gnu::always_inline]] inline void Slots::step_merge(Group& group, CycleState& cycle) {
  settle_merge(group, cycle);
  if (group.controls != 0) return step_with_controls(group, cycle);
  const unsigned asking = group.landed & group.credited;
  if (asking == 0) return;
  const unsigned first = asking & ~0U << group.turn;
  const unsigned granted = lowest(first != 0 ? first : asking);
  if (cycle.arbitration == fabric::Arbitration::kRoundRobin)
    group.turn = static_cast<std::uint8_t>(granted + 1);
  Slot& slot = slots_[group.first + granted];
  Link& link = links_[slot.first_link];
  if (link.credits == 1)  // the last one
    group.credited = static_cast<std::uint8_t>(group.credited & ~(1U << granted));
  send(link, take_head(slot, cycle), cycle);
  drop_head(slot, cycle);
  if (slot.held == 0 || slot.held == group.under_way(granted))
    group.landed = static_cast<std::uint8_t>(group.landed & ~(1U << granted));
  // Those that lack credits only are woken by them.
  if ((group.landed & group.credited) != 0)
    due_.insert_for_next(group.first);
  else if (group.landed != 0)
    cycle.next_cycle = true;
}

// Slots that share outputs, of which only one has something to do: it is granted every output that it asks for.
template <bool kSwitches>
void Slots::step_only(Group& group, unsigned number, CycleState& cycle) {
  const std::uint32_t index = group.first + number;
  Slot& slot = slots_[index];
  settle(index, cycle);
  const unsigned open = open_links_in<kSwitches>(slot);
  if (slot.landed > 0 && !slot.suspended && (!kSwitches || open != 0)) {
    const Head oldest = take_head(slot, cycle);
    const unsigned branches = branches_of(head(slot), slot, open);
    unsigned stay = branches;
    for (unsigned left = branches; left != 0; left &= left - 1) {
      Link& link = links_[slot.first_link + lowest(left)];
      if (link.credits == 0) continue;
      turns_of(group)[tessera::index(link.out)].take(slot.pair(), cycle.arbitration);
      send_copy<kSwitches>(slot, oldest, link, cycle);
      stay &= ~(left & -left);
    }
    slot.to_go = static_cast<std::uint8_t>(stay == branches ? slot.to_go : stay);
    if (stay == 0) remove_head<kSwitches>(slot, head(slot), cycle);
    if ((stay == 0 || stay != branches) && slot.landed > 0) due_.insert_for_next(group.first);
  }
  if (idle(index)) group.busy &= ~(1U << number);
}

/// What the slots of a group ask for in a cycle, and who gets it.
struct Slots::Round {
  struct Grant {
    unsigned rank;
    unsigned slot;
    unsigned link;
  };
  std::array<Grant, kDirectionCount> grants;         // of those in `granted`
  unsigned granted = 0;                              // one bit an output
  std::array<std::uint8_t, Group::kMaxSlots> to_go;  // by slot of the group, of those in `landed`
  unsigned landed = 0;                               // one bit a slot
  unsigned moved = 0;                                // one bit a slot
};

template <bool kSwitches>
[[gnu::always_inline]] inline void Slots::ask(Group& group, Round& round, const CycleState& cycle) {
  Turns& turns = turns_of(group);
  for (unsigned left = group.busy; left != 0; left &= left - 1) {
    const unsigned s = lowest(left);
    Slot& slot = slots_[group.first + s];
    settle(group.first + s, cycle);
    if (idle(group.first + s)) group.busy &= ~(1U << s);
    if (slot.landed == 0 || slot.suspended) continue;
    round.landed |= 1U << s;
    const unsigned open = open_links_in<kSwitches>(slot);
    if (kSwitches && open == 0) continue;
    round.to_go[s] = static_cast<std::uint8_t>(branches_of(head(slot), slot, open));
    if (round.to_go[s] == 0) round.moved |= 1U << s;
    for (unsigned bits = round.to_go[s]; bits != 0; bits &= bits - 1) {
      const Link& link = links_[slot.first_link + lowest(bits)];
      if (link.credits == 0) continue;
      const unsigned out = index(link.out);
      const unsigned rank = turns[out].rank(slot.pair());
      if ((round.granted >> out & 1U) != 0 && rank >= round.grants[out].rank) continue;
      round.granted |= 1U << out;
      round.grants[out] = {rank, s, lowest(bits)};
    }
  }
}

// Slots that share outputs: each output grants one, by the rule of fabric::Arbiter.
template <bool kSwitches>
void Slots::step_group(Group& group, CycleState& cycle) {
  if ((group.busy & (group.busy - 1)) == 0) {
    if (group.busy != 0) step_only<kSwitches>(group, lowest(group.busy), cycle);
    return;
  }
  Round round;
  ask<kSwitches>(group, round, cycle);
  for (unsigned bits = round.granted; bits != 0; bits &= bits - 1) {
    const unsigned out = lowest(bits);
    const Round::Grant& grant = round.grants[out];
    Slot& slot = slots_[group.first + grant.slot];
    std::uint8_t& to_go = round.to_go[grant.slot];
    turns_of(group)[out].take(slot.pair(), cycle.arbitration);
    send_copy<kSwitches>(slot, take_head(slot, cycle), links_[slot.first_link + grant.link], cycle);
    to_go = static_cast<std::uint8_t>(to_go & ~(1U << grant.link));
    slot.to_go = to_go;
    round.moved |= 1U << grant.slot;
  }
  if (round.moved == 0) return;
  bool again = (round.landed & ~round.moved) != 0;  // lost an output
  for (unsigned bits = round.moved; bits != 0; bits &= bits - 1) {
    const std::uint32_t s = group.first + lowest(bits);
    if (round.to_go[lowest(bits)] == 0) remove_head<kSwitches>(slots_[s], head(slots_[s]), cycle);
    again |= slots_[s].landed > 0;
    if (idle(s)) group.busy &= ~(1U << lowest(bits));
  }
  if (again) due_.insert_for_next(group.first);
}

void Slots::step(Cycle now) {
  CycleState cycle(*this, blocks_.plan.fabric, now);
  const Spans* const some = blocks_.selection.of(Selection::kSlots);
  const auto step_unit = [&](std::uint32_t unit) __attribute__((always_inline)) {
    const std::uint32_t group = slots_[unit].group;
    if (group == kNoIndex) {
      step_one(unit, cycle);
    } else if (groups_[group].merges()) {
      step_merge(groups_[group], cycle);
    } else if (groups_[group].kind == Group::Kind::kSwitches) {
      step_group<true>(groups_[group], cycle);
    } else {
      step_group<false>(groups_[group], cycle);
    }
  };
  if (!blocks_.waits) {
    blocks_.order.step_due(due_, now, some, step_unit);
  } else {
    blocks_.order.step_due(due_, now, some, [&](std::uint32_t unit) {
      const std::uint32_t group = slots_[unit].group;
      blocks_.waits->step_slots(unit, group == kNoIndex ? 1 : groups_[group].busy, now,
                                [&] { step_unit(unit); });
    });
  }
  if (cycle.next_cycle) blocks_.step_in(now + 1);
}

}  // namespace tessera::wafer
