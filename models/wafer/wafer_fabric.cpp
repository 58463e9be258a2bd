// Plain routers: the cycle of models/fabric/router_core.h on slots, and what travels between the
// blocks of a wafer.
#include "models/observe/event_fields.h"
#include "models/wafer/pe.h"
#include "models/wafer/wafer_core.h"
#include "models/wafer/whole_router.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::wafer {

namespace {

constexpr unsigned kPairs = 128;  // (color, input) pairs, rounded up

unsigned pair_of(const Slot& slot) {
  return slot.color.value() * kDirectionCount + index(slot.in);
}

unsigned lowest(unsigned bits) {
  return static_cast<unsigned>(__builtin_ctz(bits));
}

}  // namespace

// Place `i` of the ring of a slot, counted from the head or from 0.
const link::Wavelet& WaferCore::entry(std::uint32_t slot, unsigned i) const {
  const unsigned at = i < slot_room_ ? i : i - slot_room_;
  return entries_[std::size_t{slot} * slot_room_ + at];
}

/// What all slots that are stepped in a cycle have in common.
struct WaferCore::SlotCycle {
  SlotCycle(WaferCore& wafer, Cycle cycle)
      : now(cycle), ramp_due(cycle + wafer.plan_.fabric.off_ramp_latency),
        hop_due(cycle + wafer.plan_.fabric.hop_latency),
        rotates(wafer.plan_.fabric.arbitration == fabric::Arbitration::kRoundRobin),
        hops(wafer.events_, cycle) {}

  const Cycle now;
  const Cycle ramp_due, hop_due;  ///< when what leaves now may be seen behind RAMP, or elsewhere
  const bool rotates;
  observe::EventStream::Hops hops;
};

void WaferCore::step_slots(Cycle now) {
  SlotCycle cycle(*this, now);
  step_due(due_slots_, now, [&](std::uint32_t unit) {
    const std::uint32_t group = slots_[unit].group;
    if (group == kNoIndex) {
      step_slot(unit, cycle);
    } else if (groups_[group].merges && groups_[group].controls == 0) {
      step_merge(groups_[group], cycle);
    } else {
      step_group(groups_[group], cycle);
    }
  });
}

// Arrivals land, credits become usable.
inline void WaferCore::settle(Slot& slot, std::uint64_t cycle) {
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

// Links that the head of the slot has still to leave through.
std::uint8_t WaferCore::branches_of(const Slot& slot, const link::Wavelet& head) const {
  if (slot.to_go != 0) return slot.to_go;
  auto branches = static_cast<std::uint8_t>((1U << slot.links) - 1);
  if (!head.control || !link::command_at(head.payload, 0).ignore_at_ce) return branches;
  for (unsigned i = 0; i < slot.links; ++i) {  // wse.md 1.5: not for the CE
    if (links_[slot.first_link + i].out == Direction::kRamp)
      branches = static_cast<std::uint8_t>(branches & ~(1U << i));
  }
  return branches;
}

// A slot whose outputs are its own: nobody to choose among.
void WaferCore::step_slot(std::uint32_t index, SlotCycle& cycle) {
  Slot& slot = slots_[index];
  settle(slot, cycle_bit(cycle.now));
  if (slot.landed == 0 || slot.suspended) return;
  const link::Wavelet head = entry(index, slot.head);
  const unsigned before = branches_of(slot, head);
  unsigned to_go = before;
  for (unsigned bits = before; bits != 0; bits &= bits - 1) {
    Link& link = links_[slot.first_link + lowest(bits)];
    if (link.credits == 0) continue;
    send(slot, link, head, cycle);
    to_go &= ~(bits & -bits);
  }
  if (to_go == 0) {
    remove_head(index, cycle.now);
    if (slot.landed > 0) due_slots_.insert(index, cycle.now + 1);
  } else if (to_go != before) {
    slot.to_go = static_cast<std::uint8_t>(to_go);
  }
}

// Slots with one output, the same for all: one of them is granted it. Data wavelets only, which have
// no other way to go.
void WaferCore::step_merge(Group& group, SlotCycle& cycle) {
  const std::uint64_t cycle_mask = cycle_bit(cycle.now);
  std::uint8_t& turn = group.turn[index(links_[slots_[group.first].first_link].out)];
  unsigned waiting = 0;
  unsigned granted = 0;
  unsigned best = kPairs;
  for (unsigned left = group.busy; left != 0; left &= left - 1) {
    const unsigned s = lowest(left);
    Slot& slot = slots_[group.first + s];
    settle(slot, cycle_mask);
    if (slot.landed == 0 || slot.suspended) {
      if (slot.held == 0 && slot.returning == 0) group.busy &= ~(1U << s);
      continue;
    }
    ++waiting;
    const unsigned key = (pair_of(slot) - (cycle.rotates ? turn : 0U)) % kPairs;
    if (key >= best || links_[slot.first_link].credits == 0) continue;
    best = key;
    granted = s;
  }
  if (best == kPairs) return;
  const std::uint32_t winner = group.first + granted;
  Slot& slot = slots_[winner];
  if (cycle.rotates) turn = static_cast<std::uint8_t>(pair_of(slot) + 1);
  send(slot, links_[slot.first_link], entry(winner, slot.head), cycle);
  remove_head(winner, cycle.now);
  if (waiting > 1 || slot.landed > 0) due_slots_.insert(group.first, cycle.now + 1);
  if (slot.held == 0 && slot.returning == 0) group.busy &= ~(1U << granted);
}

// Slots that share outputs: each output grants one, by the rule of fabric::Arbiter.
void WaferCore::step_group(Group& group, SlotCycle& cycle) {
  struct Grant {
    unsigned key = kPairs;  // the lowest wins
    unsigned pair = 0;
    unsigned slot = 0;
    unsigned link = 0;
  };
  std::array<Grant, kDirectionCount> grants;
  unsigned granted = 0;                           // one bit an output
  std::array<std::uint8_t, kColorCount> to_go{};  // by slot of the group
  unsigned landed = 0;                            // one bit a slot
  unsigned moved = 0;                             // ..
  for (unsigned left = group.busy; left != 0; left &= left - 1) {
    const unsigned s = lowest(left);
    Slot& slot = slots_[group.first + s];
    settle(slot, cycle_bit(cycle.now));
    if (slot.held == 0 && slot.returning == 0) group.busy &= ~(1U << s);
    if (slot.landed == 0 || slot.suspended) continue;
    landed |= 1U << s;
    to_go[s] = branches_of(slot, entry(group.first + s, slot.head));
    if (to_go[s] == 0) moved |= 1U << s;
    for (unsigned bits = to_go[s]; bits != 0; bits &= bits - 1) {
      const Link& link = links_[slot.first_link + lowest(bits)];
      if (link.credits == 0) continue;
      const unsigned out = index(link.out);
      const unsigned pair = pair_of(slot);
      const unsigned key = (pair - (cycle.rotates ? group.turn[out] : 0U)) % kPairs;
      if ((granted >> out & 1U) != 0 && key >= grants[out].key) continue;
      granted |= 1U << out;
      grants[out] = {key, pair, s, lowest(bits)};
    }
  }
  for (unsigned bits = granted; bits != 0; bits &= bits - 1) {
    const unsigned out = lowest(bits);
    const Grant& grant = grants[out];
    if (cycle.rotates) group.turn[out] = static_cast<std::uint8_t>(grant.pair + 1);
    const std::uint32_t s = group.first + grant.slot;
    Slot& slot = slots_[s];
    send(slot, links_[slot.first_link + grant.link], entry(s, slot.head), cycle);
    to_go[grant.slot] = static_cast<std::uint8_t>(to_go[grant.slot] & ~(1U << grant.link));
    slot.to_go = to_go[grant.slot];
    moved |= 1U << grant.slot;
  }
  if (moved == 0) return;
  bool again = (landed & ~moved) != 0;  // lost an output
  for (unsigned bits = moved; bits != 0; bits &= bits - 1) {
    const std::uint32_t s = group.first + lowest(bits);
    if (to_go[lowest(bits)] == 0) remove_head(s, cycle.now);
    again |= slots_[s].landed > 0;
    if (slots_[s].held == 0 && slots_[s].returning == 0) group.busy &= ~(1U << lowest(bits));
  }
  if (again) due_slots_.insert(group.first, cycle.now + 1);
}

inline void WaferCore::send(const Slot& slot, Link& link, const link::Wavelet& head,
                            SlotCycle& cycle) {
  link::Wavelet w = head;
  cycle.hops.record(slot.place, link.out, observe::hop_word(w, link.out), w.payload, w.ident);
  w.local_flip = false;  // meant for this router only
  --link.credits;
  deliver(link.target, w, link.out == Direction::kRamp ? cycle.ramp_due : cycle.hop_due);
}

void WaferCore::remove_head(std::uint32_t index, Cycle now) {
  Slot& slot = slots_[index];
  const link::Wavelet& head = entry(index, slot.head);
  const bool teardown =
      head.control && link::command_at(head.payload, 0).command == link::Command::kTeardown;
  if (head.control && slot.group != kNoIndex) --groups_[slot.group].controls;
  slot.to_go = 0;
  slot.head = static_cast<std::uint8_t>(slot.head + 1U < slot_room_ ? slot.head + 1 : 0);
  --slot.held;
  --slot.landed;
  give_credit(slot.upstream, slot.color, now + plan_.fabric.credit_latency);
  if (!teardown) return;
  slot.suspended = true;
  suspend(slot.place, slot.color, now);
}

// wse.md 1.9. Only the program could end it, and programs that do have no plain router.
void WaferCore::suspend(std::uint32_t place, Color color, Cycle now) {
  if (events_ != nullptr)
    events_->record({now, place, observe::EventKind::kTeardown, color.value(), 1, 0});
  tell_teardown(place, color, now + 1);
}

// The compute engine of a tile, if it has one, may know from cycle `due` on.
void WaferCore::tell_teardown(std::uint32_t place, Color color, Cycle due) {
  const std::uint32_t pe = pe_of_tile_[place];
  if (pe == kNoIndex) return;
  (*pes_)[pe].engine.teardown(color, due);
  wake_pe(pe, due);
}

void WaferCore::step_router(std::uint32_t index, Cycle now) {
  WholeRouter& router = routers_[index];
  const fabric::RouterCore::Step step = router.core.step(now);
  for (const fabric::RouterCore::Send& send : step.sends)
    deliver(router.receiver(send.out, send.wavelet.color), send.wavelet, send.due);
  for (const fabric::RouterCore::CreditReturn& credit : step.credits)
    give_credit(router.sender(credit.in, credit.color), credit.color, credit.due);
  for (const fabric::RouterCore::Teardown& teardown : step.teardowns)
    tell_teardown(router.place, teardown.color, teardown.due);
  if (step.next != kNever) wake_router(index, step.next);
}

void WaferCore::deliver(Ref to, const link::Wavelet& w, Cycle due) {
  switch (to.kind()) {
  case Ref::Kind::kPipe:
    put_into_pipe(to.index(), w, due);
    break;
  case Ref::Kind::kSlot: {
    Slot& slot = slots_[to.index()];
    entry(to.index(), slot.head + slot.held) = w;
    ++slot.held;
    if (w.control && slot.group != kNoIndex) ++groups_[slot.group].controls;
    slot.arriving |= cycle_bit(due);
    wake_slot(to.index(), due);
    break;
  }
  case Ref::Kind::kQueue: {
    InQueue& queue = in_queues_[to.index()];
    const unsigned at = queue.head + queue.held;
    in_entries_[queue.first_entry + (at < queue.room ? at : at - queue.room)] = w;
    ++queue.held;
    queue.arriving |= cycle_bit(due);
    Pe& pe = (*pes_)[queue.pe];
    pe.arriving |= cycle_bit(due);
    if (events_ != nullptr) {
      events_->record({due, pe.place, observe::EventKind::kQueueIn,
                       queue.id.value() | queue.color.value() << 8, w.payload, w.ident});
    }
    wake_pe(queue.pe, due);
    break;
  }
  case Ref::Kind::kRouter:
    routers_[to.router()].core.put(to.direction(), w, due);
    wake_router(to.router(), due);
    break;
  case Ref::Kind::kPort:
    outside_.put(to.index(), w, due);
    break;
  case Ref::Kind::kNone:
  case Ref::Kind::kRamp:
    break;  // a sender has no credit for these
  }
}

void WaferCore::give_credit(Ref sender, Color color, Cycle due) {
  switch (sender.kind()) {
  case Ref::Kind::kPipe: {
    Pipe& pipe = pipes_[sender.index()];
    if (is_credit_usable_at_once(pipe.held, due)) {
      note_credit(due);
      ++pipe.credits;
      break;
    }
    pipe.returning |= pipe_bit(due);
    due_pipes_.insert(sender.index(), due);
    break;
  }
  case Ref::Kind::kSlot: {
    Link& link = links_[sender.index()];
    Slot& slot = slots_[link.slot];
    if (is_credit_usable_at_once(slot.held, due)) {
      note_credit(due);
      ++link.credits;
      break;
    }
    link.returning |= cycle_bit(due);
    slot.returning |= cycle_bit(due);
    wake_slot(link.slot, due);
    break;
  }
  case Ref::Kind::kRamp: {
    RampLink& link = ramp_links_[sender.index()];
    link.returning |= cycle_bit(due);
    due_ramps_.insert(link.pe, due);
    break;
  }
  case Ref::Kind::kRouter:
    routers_[sender.router()].core.credit(sender.direction(), color, due);
    wake_router(sender.router(), due);
    break;
  case Ref::Kind::kPort:
    outside_.credit(sender.index(), color, due);
    break;
  case Ref::Kind::kNone:
  case Ref::Kind::kQueue:
    break;  // nobody sends there
  }
}

}  // namespace tessera::wafer
