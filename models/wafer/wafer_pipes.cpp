// Pipes: the cycle of a router for the wavelets that have one way to go and nobody to compete with.
// This is where the time of streams goes; it walks memory forward, a cache line a hop.
#include "models/observe/event_fields.h"
#include "models/wafer/pe.h"
#include "models/wafer/wafer_core.h"
#include "models/wafer/whole_router.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::wafer {

namespace {

enum Flag : std::uint8_t { kControl = 1, kHalf = 2, kLocalFlip = 4 };  // as in observe::hop_word

std::uint8_t flags_of(const link::Wavelet& w) {
  return static_cast<std::uint8_t>((w.control ? kControl : 0) | (w.half ? kHalf : 0) |
                                   (w.local_flip ? kLocalFlip : 0));
}

unsigned wrap(unsigned i) {
  return i % kPipeRoom;
}

}  // namespace

/// What all pipes that are stepped in a cycle have in common.
struct WaferCore::PipeCycle {
  PipeCycle(WaferCore& wafer, Cycle cycle)
      : now(cycle), shift(cycle % ActiveSet::kHorizon),
        landing(cycle_bit(cycle + wafer.plan_.fabric.hop_latency)),
        credit_due(cycle + wafer.plan_.fabric.credit_latency), traced(!wafer.pipe_idents_.empty()),
        at_landing(wafer.due_pipes_, cycle + wafer.plan_.fabric.hop_latency),
        at_credit(wafer.due_pipes_, credit_due), next(wafer.due_pipes_, cycle + 1),
        hops(wafer.events_, cycle) {}

  const Cycle now;
  const unsigned shift;         ///< of the masks of cycles
  const std::uint64_t landing;  ///< bit of the cycle in which what leaves now lands
  const Cycle credit_due;
  const bool traced;
  ActiveSet::Row at_landing, at_credit, next;
  observe::EventStream::Hops hops;
};

void WaferCore::step_pipes(Cycle now) {
  PipeCycle cycle(*this, now);
  step_due(due_pipes_, now, [&](std::uint32_t pipe) { step_pipe(pipe, cycle); });
}

void WaferCore::step_pipe(std::uint32_t index, PipeCycle& cycle) {
  Pipe& pipe = pipes_[index];
  // 1. Arrivals land, credits become usable.
  const std::uint64_t due = std::uint64_t{1} << cycle.shift;
  pipe.landed = static_cast<std::uint8_t>(pipe.landed + (pipe.arriving >> cycle.shift & 1U));
  pipe.arriving &= ~due;
  pipe.credits = static_cast<std::uint16_t>(pipe.credits + (pipe.returning >> cycle.shift & 1U));
  pipe.returning &= ~due;
  if (pipe.landed == 0 || pipe.suspended) return;
  // 2., 3. The head leaves if the receiver has room.
  const std::uint8_t flags = pipe.flags[pipe.head];
  if ((flags & (kControl | kLocalFlip)) == 0 && !cycle.traced &&
      pipe.target.kind() == Ref::Kind::kPipe) {
    if (pipe.credits == 0) return;
    --pipe.credits;
    const std::uint32_t payload = pipe.payloads[pipe.head];
    const std::uint32_t word = pipe.color.value() | tessera::index(pipe.out) << 8 |
                               static_cast<std::uint32_t>(flags) << 16;
    cycle.hops.record(pipe.place, pipe.out, word, payload);
    Pipe& next = pipes_[pipe.target.index()];
    const unsigned at = wrap(next.head + next.held);
    next.payloads[at] = payload;
    next.flags[at] = flags;
    ++next.held;
    next.arriving |= cycle.landing;
    cycle.at_landing.insert(pipe.target.index());
  } else if (!send_head(index, head_of(index), cycle.now)) {
    return;
  }
  // 4. Its room goes upstream.
  pipe.head = static_cast<std::uint8_t>(wrap(pipe.head + 1U));
  --pipe.held;
  --pipe.landed;
  if (pipe.upstream.kind() == Ref::Kind::kPipe) {
    pipes_[pipe.upstream.index()].returning |= cycle_bit(cycle.credit_due);
    cycle.at_credit.insert(pipe.upstream.index());
  } else {
    give_credit(pipe.upstream, pipe.color, cycle.credit_due);
  }
  if (pipe.landed > 0) cycle.next.insert(index);
}

link::Wavelet WaferCore::head_of(std::uint32_t index) const {
  const Pipe& pipe = pipes_[index];
  link::Wavelet w;
  w.payload = pipe.payloads[pipe.head];
  w.color = pipe.color;
  w.control = (pipe.flags[pipe.head] & kControl) != 0;
  w.half = (pipe.flags[pipe.head] & kHalf) != 0;
  w.local_flip = (pipe.flags[pipe.head] & kLocalFlip) != 0;
  if (!pipe_idents_.empty()) w.ident = pipe_idents_[std::size_t{index} * kPipeRoom + pipe.head];
  return w;
}

// Any wavelet to any receiver. False: it stays.
bool WaferCore::send_head(std::uint32_t index, const link::Wavelet& head, Cycle now) {
  Pipe& pipe = pipes_[index];
  const link::CommandEntry command = link::command_at(head.payload, 0);
  const bool ramp = pipe.out == Direction::kRamp;
  const bool kept_from_ce = head.control && command.ignore_at_ce && ramp;  // wse.md 1.5
  if (!kept_from_ce) {
    if (pipe.credits == 0) return false;
    if (events_ != nullptr) {
      events_->record({now, pipe.place, observe::EventKind::kHop, observe::hop_word(head, pipe.out),
                       head.payload, head.ident});
    }
    --pipe.credits;
    link::Wavelet w = head;
    w.local_flip = false;  // meant for this router only
    deliver(pipe.target, w,
            now + (ramp ? plan_.fabric.off_ramp_latency : plan_.fabric.hop_latency));
  }
  if (head.control && command.command == link::Command::kTeardown) {
    pipe.suspended = true;
    suspend(pipe.place, pipe.color, now);
  }
  return true;
}

void WaferCore::put_into_pipe(std::uint32_t index, const link::Wavelet& w, Cycle due) {
  Pipe& pipe = pipes_[index];
  const unsigned at = wrap(pipe.head + pipe.held);
  pipe.payloads[at] = w.payload;
  pipe.flags[at] = flags_of(w);
  if (!pipe_idents_.empty()) pipe_idents_[std::size_t{index} * kPipeRoom + at] = w.ident;
  ++pipe.held;
  pipe.arriving |= cycle_bit(due);
  due_pipes_.insert(index, due);
}

}  // namespace tessera::wafer
