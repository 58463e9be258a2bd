#include "models/wafer/slots.h"

#include <algorithm>
#include <utility>

#include "models/observe/event_fields.h"
#include "models/wafer/blocks.h"
#include "tlm_ifaces/link/control_word.h"
#include "tlm_ifaces/vocabulary/prefetch.h"

namespace tessera::wafer {

namespace {

constexpr unsigned kNobody = fabric::CandidateSet::kSize;  // rank that every candidate is below

unsigned lowest(unsigned bits) {
  return static_cast<unsigned>(__builtin_ctz(bits));
}

unsigned ring_bits(const fabric::FabricTiming& timing) {
  const unsigned room =
      std::max(timing.input_room(Direction::kWest), timing.input_room(Direction::kRamp));
  unsigned bits = 0;
  while (1U << bits < room) ++bits;
  return bits;
}

}  // namespace

Slots::Slots(Blocks& blocks, std::vector<Slot> slots, std::vector<Link> links,
             std::vector<Group> groups)
    : blocks_(blocks), ring_bits_(ring_bits(blocks.plan.fabric)),
      ring_mask_((1U << ring_bits_) - 1), slots_(std::move(slots)), links_(std::move(links)),
      groups_(std::move(groups)), entries_(slots_.size() << ring_bits_,
                                           blocks.events != nullptr && blocks.events->is_traced()) {
  due_.resize(slots_.size());
}

void Slots::prefetch(Span slots) const {
  if (slots.first == slots.end) return;
  tessera::prefetch(slots_.data(), slots.first, slots.end);
  entries_.prefetch(entry_index(slots.first, 0), entry_index(slots.end, 0));
  const Slot& last = slots_[slots.end - 1];
  tessera::prefetch(links_.data(), slots_[slots.first].first_link, last.first_link + last.links);
  const std::uint32_t group = slots_[slots.first].group;
  if (last.group != kNoIndex)
    tessera::prefetch(groups_.data(), group != kNoIndex ? group : last.group, last.group + 1U);
}

/// What all slots that are stepped in a cycle have in common.
struct Slots::CycleState {
  CycleState(const Blocks& blocks, ActiveSet& due, ActiveSet& engines, Cycle cycle)
      : now(cycle), ramp_due(cycle + blocks.plan.fabric.off_ramp_latency),
        hop_due(cycle + blocks.plan.fabric.hop_latency), shift(Group::shift_of(cycle)),
        merging_now(Group::bits_of(cycle)), credit_due(cycle + blocks.plan.fabric.credit_latency),
        credits_are_next(credit_due == blocks.now + 1), arbitration(blocks.plan.fabric.arbitration),
        at_hop(due, hop_due), at_credit(due, credit_due), at_ramp(engines, ramp_due),
        hops(blocks.events, cycle, observe::EventKind::kHop),
        arrivals(blocks.events, ramp_due, observe::EventKind::kQueueIn) {}

  const Cycle now;
  const Cycle ramp_due, hop_due;    ///< when what leaves now may be seen behind RAMP, or elsewhere
  const unsigned shift;             ///< Group::shift_of(now)
  const std::uint64_t merging_now;  ///< Group::bits_of(now)
  const Cycle credit_due;           ///< when the room of what leaves now is a credit upstream
  const bool credits_are_next;      ///< credit_due is the next cycle
  bool next_cycle = false;          ///< the wafer has to be stepped in the next cycle
  const fabric::Arbitration arbitration;
  ActiveSet::Row at_hop, at_credit;  ///< slots that are due at hop_due, or at credit_due
  ActiveSet::Row at_ramp;            ///< engines that are due at ramp_due
  observe::EventStream::OfOneKind hops, arrivals;
};

/// A wavelet that leaves a slot.
struct Slots::Head {
  Stored wavelet;
  std::uint32_t hop_word;  ///< observe::hop_word() but for the direction
  std::uint64_t ident;
  observe::EventStream::OfOneKind::Place place;
};

// Arrivals land, credits become usable.
inline void Slots::settle(Slot& slot, std::uint64_t cycle) {
  if ((slot.arriving & cycle) != 0) {
    slot.arriving &= ~cycle;
    ++slot.landed;
  }
  if ((slot.returning & cycle) == 0) return;
  slot.returning &= ~cycle;
  for (unsigned i = 0; i < slot.links; ++i) {
    Link& link = links_[slot.first_link + i];
    if ((link.returning & cycle) == 0) continue;
    link.returning &= ~cycle;
    ++link.credits;
  }
}

unsigned Slots::branches_of_control(const Slot& slot, Stored head) const {
  unsigned branches = (1U << slot.links) - 1;
  if (!link::command_at(head.payload(), 0).ignore_at_ce) return branches;
  for (unsigned i = 0; i < slot.links; ++i) {  // wse.md 1.5: not for the CE
    if (links_[slot.first_link + i].out == Direction::kRamp) branches &= ~(1U << i);
  }
  return branches;
}

// Inlined by force, here and below, as in pipes.cpp.
[[gnu::always_inline]] inline Slots::Head Slots::take_head(std::uint32_t index,
                                                           const CycleState& cycle) const {
  const Slot& slot = slots_[index];
  const std::size_t entry = entry_index(index, slot.head);
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
    put(link.target.index(), head.wavelet, head.ident, cycle.at_hop, cycle.hop_due);
  else if (link.target.kind() == Ref::Kind::kQueue)
    blocks_.pes.put(link.target.index(), head.wavelet, head.ident, head.place.place, cycle.ramp_due,
                    cycle.at_ramp, cycle.arrivals);
  else
    blocks_.deliver(link.target, head.wavelet.wavelet(head.ident),
                    link.out == Direction::kRamp ? cycle.ramp_due : cycle.hop_due);
}

// The oldest wavelet has left, and its room goes upstream.
[[gnu::always_inline]] inline void Slots::drop_head(Slot& slot, CycleState& cycle) {
  ++slot.head;
  --slot.held;
  if (slot.upstream.kind() != Ref::Kind::kSlot)
    return blocks_.give_credit(slot.upstream, slot.color, cycle.credit_due);
  Link& link = links_[slot.upstream.index()];
  if (cycle.credits_are_next && credit_at_once(link))
    cycle.next_cycle = true;
  else
    credit_later(link, slot.upstream.index(), cycle.credit_due, cycle.at_credit);
}

[[gnu::always_inline]] inline void Slots::remove_head(std::uint32_t index, Stored oldest,
                                                      CycleState& cycle) {
  Slot& slot = slots_[index];
  slot.to_go = 0;
  --slot.landed;
  drop_head(slot, cycle);
  if (oldest.control()) note_control_left(index, oldest, cycle);
}

void Slots::note_control_left(std::uint32_t index, Stored control, const CycleState& cycle) {
  Slot& slot = slots_[index];
  if (slot.group != kNoIndex) --groups_[slot.group].controls;
  if (link::command_at(control.payload(), 0).command != link::Command::kTeardown) return;
  slot.suspended = true;
  blocks_.suspend(slot.place, slot.color, cycle.now);
}

// A slot whose outputs are its own: nobody to choose among.
void Slots::step_one(std::uint32_t index, CycleState& cycle) {
  Slot& slot = slots_[index];
  settle(slot, cycle_bit(cycle.now));
  if (slot.landed == 0 || slot.suspended) return;
  const Head oldest = take_head(index, cycle);
  const unsigned before = branches_of(slot, oldest.wavelet);
  unsigned to_go = before;
  for (unsigned bits = before; bits != 0; bits &= bits - 1) {
    Link& link = links_[slot.first_link + lowest(bits)];
    if (link.credits == 0) continue;
    send(link, oldest, cycle);
    to_go &= ~(bits & -bits);
  }
  if (to_go == 0) {
    remove_head(index, oldest.wavelet, cycle);
    if (slot.landed > 0) due_.insert_for_next(index);
  } else if (to_go != before) {
    slot.to_go = static_cast<std::uint8_t>(to_go);
  }
}

// Arrivals land and credits become usable in a group that merges.
[[gnu::always_inline]] inline void Slots::settle_merge(Group& group, const CycleState& cycle) {
  const auto arrived = static_cast<unsigned>((group.arriving & cycle.merging_now) >> cycle.shift);
  group.landed = static_cast<std::uint8_t>(group.landed | (arrived & ~group.suspended));
  group.arriving &= ~cycle.merging_now;
  if ((group.returning & cycle.merging_now) != 0) take_credits(group, cycle);
}

void Slots::take_credits(Group& group, const CycleState& cycle) {
  const auto credited = static_cast<unsigned>((group.returning & cycle.merging_now) >> cycle.shift);
  for (unsigned left = credited; left != 0; left &= left - 1) {
    Link& link = links_[slots_[group.first + lowest(left)].first_link];
    link.returning &= ~cycle_bit(cycle.now);
    ++link.credits;
  }
  group.credited = static_cast<std::uint8_t>(group.credited | credited);
  group.returning &= ~cycle.merging_now;
}

// A group that merges, while control wavelets are in it: they may leave in another way.
void Slots::step_with_controls(Group& group, CycleState& cycle) {
  fabric::Turn& turn = group.turns[index(group.out)];
  if (group.turn > 0) turn.take(slots_[group.first + group.turn - 1].pair(), cycle.arbitration);
  for (unsigned s = 0; s < group.slots; ++s) {
    Slot& slot = slots_[group.first + s];
    slot.landed = static_cast<std::uint8_t>(landed(slot));
  }
  step_group(group, cycle);
  group.busy = (1U << group.slots) - 1;
  group.landed = group.credited = group.suspended = group.turn = 0;
  for (unsigned s = 0; s < group.slots; ++s) {
    const Slot& slot = slots_[group.first + s];
    const unsigned bit = 1U << s;
    if (slot.suspended)
      group.suspended = static_cast<std::uint8_t>(group.suspended | bit);
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
  const std::uint32_t winner = group.first + granted;
  Slot& slot = slots_[winner];
  Link& link = links_[slot.first_link];
  send(link, take_head(winner, cycle), cycle);
  if (link.credits == 0)
    group.credited = static_cast<std::uint8_t>(group.credited & ~(1U << granted));
  drop_head(slot, cycle);
  if (slot.held == group.under_way(granted))
    group.landed = static_cast<std::uint8_t>(group.landed & ~(1U << granted));
  // Those that lack credits only are woken by them.
  if ((group.landed & group.credited) != 0)
    due_.insert_for_next(group.first);
  else if (group.landed != 0)
    cycle.next_cycle = true;
}

// Slots that share outputs: each output grants one, by the rule of fabric::Arbiter.
void Slots::step_group(Group& group, CycleState& cycle) {
  struct Grant {
    unsigned rank = kNobody;
    unsigned slot = 0;
    unsigned link = 0;
  };
  std::array<Grant, kDirectionCount> grants;
  unsigned granted = 0;                           // one bit an output
  std::array<std::uint8_t, kColorCount> to_go{};  // by slot of the group
  unsigned landed = 0;                            // one bit a slot
  unsigned moved = 0;                             // one bit a slot
  for (unsigned left = group.busy; left != 0; left &= left - 1) {
    const unsigned s = lowest(left);
    Slot& slot = slots_[group.first + s];
    settle(slot, cycle_bit(cycle.now));
    if (slot.idle()) group.busy &= ~(1U << s);
    if (slot.landed == 0 || slot.suspended) continue;
    landed |= 1U << s;
    to_go[s] = static_cast<std::uint8_t>(branches_of(slot, head(group.first + s)));
    if (to_go[s] == 0) moved |= 1U << s;
    for (unsigned bits = to_go[s]; bits != 0; bits &= bits - 1) {
      const Link& link = links_[slot.first_link + lowest(bits)];
      if (link.credits == 0) continue;
      const unsigned out = index(link.out);
      const unsigned rank = group.turns[out].rank(slot.pair());
      if (rank >= grants[out].rank) continue;
      granted |= 1U << out;
      grants[out] = {rank, s, lowest(bits)};
    }
  }
  for (unsigned bits = granted; bits != 0; bits &= bits - 1) {
    const unsigned out = lowest(bits);
    const Grant& grant = grants[out];
    const std::uint32_t s = group.first + grant.slot;
    Slot& slot = slots_[s];
    group.turns[out].take(slot.pair(), cycle.arbitration);
    send(links_[slot.first_link + grant.link], take_head(s, cycle), cycle);
    to_go[grant.slot] = static_cast<std::uint8_t>(to_go[grant.slot] & ~(1U << grant.link));
    slot.to_go = to_go[grant.slot];
    moved |= 1U << grant.slot;
  }
  if (moved == 0) return;
  bool again = (landed & ~moved) != 0;  // lost an output
  for (unsigned bits = moved; bits != 0; bits &= bits - 1) {
    const std::uint32_t s = group.first + lowest(bits);
    if (to_go[lowest(bits)] == 0) remove_head(s, head(s), cycle);
    again |= slots_[s].landed > 0;
    if (slots_[s].idle()) group.busy &= ~(1U << lowest(bits));
  }
  if (again) due_.insert_for_next(group.first);
}

void Slots::step(Cycle now) {
  CycleState cycle(blocks_, due_, blocks_.pes.engines_near(), now);
  const Spans* const some = blocks_.selection.of(Selection::kSlots);
  const auto step_unit = [&](std::uint32_t unit) __attribute__((always_inline)) {
    const std::uint32_t group = slots_[unit].group;
    if (group == kNoIndex) {
      step_one(unit, cycle);
    } else if (groups_[group].merges) {
      step_merge(groups_[group], cycle);
    } else {
      step_group(groups_[group], cycle);
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
