// Pipes: the cycle of a router for the wavelets that have one way to go and nobody to compete with.
// This is where the time of streams goes; it walks memory forward, a cache line a hop.
#include "models/observe/event_fields.h"
#include "models/wafer/pe.h"
#include "models/wafer/wafer_core.h"
#include "models/wafer/whole_router.h"
#include "tlm_ifaces/link/control_word.h"

namespace tessera::wafer {

namespace {

enum Flag : unsigned { kControl = 1, kHalf = 2, kLocalFlip = 4 };  // as in observe::hop_word

unsigned flags_of(const link::Wavelet& w) {
  return (w.control ? kControl : 0U) | (w.half ? kHalf : 0U) | (w.local_flip ? kLocalFlip : 0U);
}

}  // namespace

/// What all pipes that are stepped in a cycle have in common.
struct WaferCore::PipeCycle {
  PipeCycle(WaferCore& wafer, Cycle cycle)
      : now(cycle), pipes(wafer.pipes_.data()), shift(cycle % (kPipeLatency + 1)),
        landing(pipe_bit(cycle + wafer.plan_.fabric.hop_latency)),
        credit(pipe_bit(cycle + wafer.plan_.fabric.credit_latency)),
        traced(!wafer.pipe_idents_.empty()),
        at_landing(wafer.due_pipes_, cycle + wafer.plan_.fabric.hop_latency),
        at_credit(wafer.due_pipes_, cycle + wafer.plan_.fabric.credit_latency),
        next(wafer.due_pipes_, cycle + 1), hops(wafer.events_, cycle) {}

  const Cycle now;
  Pipe* const pipes;
  const unsigned shift;        ///< of the masks
  const std::uint8_t landing;  ///< bit of the cycle in which what leaves now lands
  const std::uint8_t credit;   ///< .. in which its room is a credit upstream
  const bool traced;
  ActiveSet::Row at_landing, at_credit, next;
  observe::EventStream::Hops hops;
};

// Inlined by force, here and below: calls, and what is spilled around them, are a third of the
// time of a hop.
inline void WaferCore::step_pipe(std::uint32_t index, PipeCycle& cycle) {
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
  if (flags <= kHalf && flags != kControl && !cycle.traced &&
      pipe.target.kind() == Ref::Kind::kPipe) {
    if (pipe.credits == 0) return;
    --pipe.credits;
    const std::uint32_t payload = pipe.payloads[0];
    cycle.hops.record(pipe.place, pipe.direction(),
                      pipe.color | std::uint32_t{pipe.out} << 8 | flags << 16, payload);
    Pipe& next = cycle.pipes[pipe.target.index()];
    next.append(payload, flags);
    next.arriving |= cycle.landing;
    cycle.at_landing.insert(pipe.target.index());
  } else if (!send_head(index, cycle.now)) {
    return;
  }
  // 4. Its room goes upstream.
  pipe.remove_head();
  if (pipe.upstream.kind() == Ref::Kind::kPipe) {
    cycle.pipes[pipe.upstream.index()].returning |= cycle.credit;
    cycle.at_credit.insert(pipe.upstream.index());
  } else {
    give_credit(pipe.upstream, Color(pipe.color), cycle.now + plan_.fabric.credit_latency);
  }
  if (pipe.landed > 0) cycle.next.insert(index);
}

void WaferCore::step_pipes(Cycle now) {
  PipeCycle cycle(*this, now);
  step_due(
      due_pipes_,
      now, [&](std::uint32_t pipe) __attribute__((always_inline)) { step_pipe(pipe, cycle); });
}

link::Wavelet WaferCore::head_of(std::uint32_t index) const {
  const Pipe& pipe = pipes_[index];
  link::Wavelet w;
  w.payload = pipe.payloads[0];
  w.color = Color(pipe.color);
  w.control = (pipe.head_flags() & kControl) != 0;
  w.half = (pipe.head_flags() & kHalf) != 0;
  w.local_flip = (pipe.head_flags() & kLocalFlip) != 0;
  if (!pipe_idents_.empty()) w.ident = pipe_idents_[std::size_t{index} * kPipeRoom];
  return w;
}

// Any wavelet to any receiver. False: it stays.
[[gnu::noinline]] bool WaferCore::send_head(std::uint32_t index, Cycle now) {
  Pipe& pipe = pipes_[index];
  link::Wavelet w = head_of(index);
  const link::CommandEntry command = link::command_at(w.payload, 0);
  const Direction out = pipe.direction();
  const bool ramp = out == Direction::kRamp;
  const bool kept_from_ce = w.control && command.ignore_at_ce && ramp;  // wse.md 1.5
  if (!kept_from_ce && pipe.credits == 0) return false;
  if (!pipe_idents_.empty()) {
    std::uint64_t* idents = &pipe_idents_[std::size_t{index} * kPipeRoom];
    std::copy(idents + 1, idents + kPipeRoom, idents);
  }
  if (!kept_from_ce) {
    if (events_ != nullptr) {
      events_->record({now, pipe.place, observe::EventKind::kHop, observe::hop_word(w, out),
                       w.payload, w.ident});
    }
    --pipe.credits;
    w.local_flip = false;  // meant for this router only
    deliver(pipe.target, w,
            now + (ramp ? plan_.fabric.off_ramp_latency : plan_.fabric.hop_latency));
  }
  if (w.control && command.command == link::Command::kTeardown) {
    pipe.landed |= Pipe::kSuspended;
    suspend(pipe.place, Color(pipe.color), now);
  }
  return true;
}

void WaferCore::put_into_pipe(std::uint32_t index, const link::Wavelet& w, Cycle due) {
  Pipe& pipe = pipes_[index];
  if (!pipe_idents_.empty()) pipe_idents_[std::size_t{index} * kPipeRoom + pipe.held] = w.ident;
  pipe.append(w.payload, flags_of(w));
  pipe.arriving |= pipe_bit(due);
  due_pipes_.insert(index, due);
}

}  // namespace tessera::wafer
