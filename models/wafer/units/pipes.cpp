#include "models/wafer/units/pipes.h"

#include <algorithm>
#include <utility>

#include "models/observe/event_fields.h"
#include "models/wafer/units/blocks.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::wafer {

namespace {

enum Flag : unsigned { kControl = 1, kHalf = 2, kLocalFlip = 4 };  // as in observe::hop_word

unsigned flags_of(const link::Wavelet& w) {
  return (w.control ? kControl : 0U) | (w.half ? kHalf : 0U) | (w.local_flip ? kLocalFlip : 0U);
}

}  // namespace

Pipes::Pipes(Blocks& blocks, std::vector<Pipe> pipes) : blocks_(blocks), pipes_(std::move(pipes)) {
  if (blocks.events != nullptr && blocks.events->is_traced())
    idents_.resize(pipes_.size() * kPipeRoom);
  due_.resize(pipes_.size());
}

/// What all pipes that are stepped in a cycle have in common.
struct Pipes::CycleState {
  CycleState(Pipes& owner, const fabric::FabricTiming& timing, Cycle cycle)
      : now(cycle), pipes(owner.pipes_.data()), shift(cycle % (kPipeLatency + 1)),
        landing(pipe_bit(cycle + timing.hop_latency)),
        credit(pipe_bit(cycle + timing.credit_latency)), traced(!owner.idents_.empty()),
        at_landing(owner.due_, cycle + timing.hop_latency),
        at_credit(owner.due_, cycle + timing.credit_latency), next(owner.due_, cycle + 1),
        at_slots(owner.blocks_.slots, cycle + timing.hop_latency),
        at_ramp(owner.blocks_.pes, cycle + timing.off_ramp_latency),
        hops(owner.blocks_.events, cycle, observe::EventKind::kHop) {}

  const Cycle now;
  Pipe* const pipes;
  const unsigned shift;        ///< number of the bit of `now` in the masks
  const std::uint8_t landing;  ///< bit of the cycle in which what leaves now lands
  const std::uint8_t credit;   ///< bit of the cycle in which its room is a credit upstream
  const bool traced;
  ActiveSet::Row at_landing, at_credit, next;
  Slots::Arrivals at_slots;  ///< what leaves now into slots
  Pes::Arrivals at_ramp;     ///< what leaves now into queues
  observe::EventStream::OfOneKind hops;
};

// A data wavelet into a slot or a queue.
inline void Pipes::send_plain(const Pipe& pipe, unsigned flags, CycleState& cycle) {
  const observe::EventStream::OfOneKind::Place at = cycle.hops.at(pipe.place);
  const std::uint32_t payload = pipe.payloads[0];
  const Stored w(payload, Color(pipe.color), flags == kHalf);
  cycle.hops.record(at, pipe.color | std::uint32_t{pipe.out} << 8 | flags << 16, payload);
  if (pipe.target.kind() == Ref::Kind::kSlot)
    blocks_.slots.put(pipe.target.index(), w, 0, cycle.at_slots);
  else
    blocks_.pes.put(pipe.target.index(), w, 0, pipe.place, cycle.at_ramp);
}

// Inlined by force, here and below: calls, and what is spilled around them, are a third of the
// time of a hop.
inline void Pipes::step_one(std::uint32_t index, CycleState& cycle) {
  Pipe& pipe = cycle.pipes[index];
  // 1. Arrivals land, credits become usable.
  const auto due = static_cast<std::uint8_t>(1U << cycle.shift);
  pipe.landed = static_cast<std::uint8_t>(pipe.landed + (pipe.arriving >> cycle.shift & 1U));
  pipe.arriving &= static_cast<std::uint8_t>(~due);
  pipe.credits = static_cast<std::uint8_t>(pipe.credits + (pipe.returning >> cycle.shift & 1U));
  pipe.returning &= static_cast<std::uint8_t>(~due);
  if (!pipe.ready()) return;
  // 2., 3. The head leaves if the receiver has room.
  const unsigned flags = pipe.head_flags();
  const bool plain = flags <= kHalf && flags != kControl && !cycle.traced;
  if (plain && pipe.target.kind() == Ref::Kind::kPipe) {
    if (pipe.credits == 0) return;
    --pipe.credits;
    const std::uint32_t payload = pipe.payloads[0];
    Pipe& next = cycle.pipes[pipe.target.index()];
    next.append(payload, flags);
    // The event comes last: GCC keeps a payload that is needed after it in memory, stored as four bytes and loaded as
    // eight, which wait for each other (a quarter of the time of a stream).
    cycle.hops.record(cycle.hops.at(pipe.place),
                      pipe.color | std::uint32_t{pipe.out} << 8 | flags << 16, payload);
    next.arriving |= cycle.landing;
    cycle.at_landing.insert(pipe.target.index());
  } else if (plain && pipe.target.kind() <= Ref::Kind::kQueue) {
    if (pipe.credits == 0) return;
    --pipe.credits;
    send_plain(pipe, flags, cycle);
  } else if (!send_head(index, cycle.now)) {
    return;
  }
  // 4. Its room goes upstream.
  pipe.remove_head();
  if (pipe.upstream.kind() == Ref::Kind::kPipe) {
    cycle.pipes[pipe.upstream.index()].returning |= cycle.credit;
    cycle.at_credit.insert(pipe.upstream.index());
  } else {
    blocks_.give_credit(pipe.upstream, Color(pipe.color),
                        cycle.now + blocks_.plan.fabric.credit_latency);
  }
  if (pipe.landed > 0) cycle.next.insert(index);
}

void Pipes::step(Cycle now) {
  CycleState cycle(*this, blocks_.plan.fabric, now);
  const Spans* const some = blocks_.selection.of(Selection::kPipes);
  const auto step_pipe = [&](std::uint32_t pipe) __attribute__((always_inline)) {
    step_one(pipe, cycle);
  };
  if (!blocks_.waits) return blocks_.order.step_due(due_, now, some, step_pipe);
  blocks_.order.step_due(due_, now, some, [&](std::uint32_t pipe) {
    blocks_.waits->step_pipe(pipe, now, [&] { step_pipe(pipe); });
  });
}

link::Wavelet Pipes::head_of(std::uint32_t index) const {
  const Pipe& pipe = pipes_[index];
  link::Wavelet w;
  w.payload = pipe.payloads[0];
  w.color = Color(pipe.color);
  w.control = (pipe.head_flags() & kControl) != 0;
  w.half = (pipe.head_flags() & kHalf) != 0;
  w.local_flip = (pipe.head_flags() & kLocalFlip) != 0;
  if (!idents_.empty()) w.ident = idents_[std::size_t{index} * kPipeRoom];
  return w;
}

// Any wavelet to any receiver. False: it stays.
[[gnu::noinline]] bool Pipes::send_head(std::uint32_t index, Cycle now) {
  Pipe& pipe = pipes_[index];
  link::Wavelet w = head_of(index);
  const link::CommandEntry command = link::command_at(w.payload, 0);
  const Direction out = pipe.direction();
  const bool ramp = out == Direction::kRamp;
  const bool kept_from_ce = w.control && command.ignore_at_ce && ramp;  // wse.md 1.5
  if (!kept_from_ce && pipe.credits == 0) return false;
  if (!idents_.empty()) {
    std::uint64_t* idents = &idents_[std::size_t{index} * kPipeRoom];
    std::copy(idents + 1, idents + kPipeRoom, idents);
  }
  if (!kept_from_ce) {
    if (blocks_.events != nullptr) {
      blocks_.events->record({now, pipe.place, observe::EventKind::kHop, observe::hop_word(w, out),
                              w.payload, w.ident});
    }
    --pipe.credits;
    w.local_flip = false;  // meant for this router only
    const fabric::FabricTiming& timing = blocks_.plan.fabric;
    blocks_.deliver(pipe.target, w, now + (ramp ? timing.off_ramp_latency : timing.hop_latency));
  }
  if (w.control && command.command == link::Command::kTeardown) {
    pipe.landed |= Pipe::kSuspended;
    blocks_.suspend(pipe.place, Color(pipe.color), now);
  }
  return true;
}

void Pipes::put(std::uint32_t index, const link::Wavelet& w, Cycle due) {
  Pipe& pipe = pipes_[index];
  if (!idents_.empty()) idents_[std::size_t{index} * kPipeRoom + pipe.held] = w.ident;
  pipe.append(w.payload, flags_of(w));
  pipe.arriving |= pipe_bit(due);
  due_.insert(index, due);
}

void Pipes::credit(std::uint32_t index, Cycle due) {
  Pipe& pipe = pipes_[index];
  if (blocks_.take_credit_early(pipe.held > 0, pipe.credits, due)) {
    ++pipe.credits;
    return;
  }
  pipe.returning |= pipe_bit(due);
  due_.insert(index, due);
}

}  // namespace tessera::wafer
