#include "models/wafer/units/head_waits.h"

namespace tessera::wafer {

namespace {

unsigned landed_in(const Pipe& pipe) {
  return pipe.landed % Pipe::kSuspended;
}

unsigned lowest(unsigned bits) {
  return static_cast<unsigned>(__builtin_ctz(bits));
}

/// Calls `visit` for the links in `bits`.
template <class Visit>
void for_each_link(const Slots& slots, const Slot& slot, unsigned bits, Visit visit) {
  for (; bits != 0; bits &= bits - 1) visit(slots.links()[slot.first_link + lowest(bits)]);
}

}  // namespace

// A wavelet that leaves has waited since its first cycle at the front: that of its landing, in which the pipe is always
// stepped, or the one after the wavelet before it left.
void HeadWaits::note_pipe(std::uint32_t index, unsigned held, Cycle now) {
  const Pipe& pipe = pipes_.all()[index];
  Cycle& since = pipe_since_[index];
  if (pipe.held != held) {
    if (since < now) waits_.wait(pipe.place, pipe.direction(), now - since);
    since = landed_in(pipe) > 0 ? now + 1 : kNever;
  } else if (since == kNever && landed_in(pipe) > 0) {
    since = now;
  }
}

// A slot with one link needs no look at its head: one that does not leave through the link does not wait either.
void HeadWaits::look_at(Before& before, std::uint32_t first, unsigned busy) const {
  for (; busy != 0; busy &= busy - 1) {
    const unsigned s = lowest(busy);
    const Slot& slot = slots_.all()[first + s];
    before.held[s] = slot.held;
    const bool has_one_way = slot.links == 1 && !slots_.may_switch(slot);
    before.to_go[s] = has_one_way || slot.held == 0
                          ? std::uint8_t{1}
                          : static_cast<std::uint8_t>(slots_.branches_of_head(slot));
  }
}

void HeadWaits::note_slots(const Before& before, std::uint32_t first, unsigned busy, Cycle now) {
  for (; busy != 0; busy &= busy - 1) {
    const unsigned s = lowest(busy);
    const Slot& slot = slots_.all()[first + s];
    Cycle& since = slot_since_[first + s];
    if (slot.held != before.held[s]) {
      if (since < now) {
        for_each_link(slots_, slot, before.to_go[s],
                      [&](const Link& link) { waits_.wait(slot.place, link.out, now - since); });
      }
      since = slots_.landed(slot) > 0 ? now + 1 : kNever;
    } else if (slots_.landed(slot) > 0) {
      if (since == kNever) since = now;
      if (slot.suspended) continue;
      if (before.to_go[s] == 0)
        note_switch(slot, since, now);
      else
        note_head(slot, before.to_go[s], since, now);
    }
  }
}

// The head could not leave, because the switch of its color did not receive from its port. If it can now, the switch has turned at
// the end of the cycle. A router does not account the wait of a head that goes nowhere then.
void HeadWaits::note_switch(const Slot& slot, Cycle& since, Cycle now) {
  if (slots_.branches_of_head(slot) == 0) return;
  if (since <= now) waits_.wait_for_route(slot.place, now + 1 - since);
  since = now + 1;
}

// The head has left through some of the links `before`, and waits for the others.
void HeadWaits::note_head(const Slot& slot, unsigned before, Cycle since, Cycle now) {
  const unsigned left = slot.links == 1 ? 1 : slots_.branches_of_head(slot);
  for_each_link(slots_, slot, before & ~left,
                [&](const Link& link) { waits_.wait(slot.place, link.out, now - since); });
  for_each_link(slots_, slot, left, [&](const Link& link) {
    if (link.credits > 0) waits_.take(slot.place, link.out);
  });
}

void HeadWaits::add_lasting(observe::LinkWaits& waits, Cycle end) const {
  for (std::size_t i = 0; i < pipe_since_.size(); ++i) {
    if (pipe_since_[i] >= end) continue;
    const Pipe& pipe = pipes_.all()[i];
    const Cycle cycles = end - pipe_since_[i];
    if (pipe.suspended())
      waits.wait_for_route(pipe.place, cycles);
    else
      waits.wait(pipe.place, pipe.direction(), cycles);
  }
  for (std::size_t i = 0; i < slot_since_.size(); ++i) {
    if (slot_since_[i] >= end) continue;
    const Slot& slot = slots_.all()[i];
    const Cycle cycles = end - slot_since_[i];
    if (slot.suspended || !slots_.is_open(slot)) {
      waits.wait_for_route(slot.place, cycles);
      continue;
    }
    for_each_link(slots_, slot, slots_.branches_of_head(slot),
                  [&](const Link& link) { waits.wait(slot.place, link.out, cycles); });
  }
}

}  // namespace tessera::wafer
