#include "platforms/ascend/pipe_trace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "platforms/ascend/wait_summary.h"

namespace tessera::ascend {

using observe::Event;
using observe::EventKind;

namespace {

const char* pipe_name(unsigned number) {
  return to_string(static_cast<sync::Pipe>(number));
}

unsigned number_of(const Event& e) {
  return e.a & 0xFF;
}

/// The id and the mode that an event of the kind kSignal or kGrant carries.
std::string signal_name(const Event& e) {
  return "id " + std::to_string(e.a >> 16) + ", mode " + std::to_string(e.a >> 8 & 0xFF);
}

}  // namespace

PipeTrace::PipeTrace(observe::PerfettoWriter::Target out, unsigned clusters, Programs programs,
                     const observe::Scope& scope)
    : out_(out), programs_(std::move(programs)), scope_(scope),
      pipes_(std::size_t{clusters} * kUnits * sync::kPipeCount) {
  for (unsigned c = 0; c < clusters; ++c) out_.name_process(c, "cluster " + std::to_string(c));
}

void PipeTrace::on_sorted_event(const Event& e) {
  newest_ = e.cycle;
  switch (e.kind) {
  case EventKind::kPipeStart:
    return start(e);
  case EventKind::kPipeEnd:
    return end(e);
  case EventKind::kPipeWait:
    return wait(e);
  case EventKind::kFlag:
    return change_flag(e);
  case EventKind::kSignal:
    return signal(e);
  case EventKind::kGrant:
    return grant(e);
  default:
    return;
  }
}

void PipeTrace::on_machine_reset(Cycle origin) {
  close_all(origin);
  for (Pipe& p : pipes_) p.under_way = 0;
  sets_.clear();
}

void PipeTrace::on_end() {
  close_all(newest_);
  out_.finish();
}

void PipeTrace::close_all(Cycle end) {
  for (std::size_t i = 0; i < pipes_.size(); ++i)
    close(static_cast<std::uint32_t>(i / sync::kPipeCount),
          static_cast<unsigned>(i % sync::kPipeCount), end);
}

const char* PipeTrace::unit_name(std::uint32_t place) {
  constexpr std::array<const char*, kUnits> kUnitNames = {"AIC", "AIV0", "AIV1"};
  return kUnitNames[place % kUnits];
}

void PipeTrace::name_pipe(std::uint32_t place, unsigned number) {
  Pipe& p = pipe(place, number);
  if (p.named) return;
  p.named = true;
  out_.name_thread(track(place, number), std::string(unit_name(place)) + " " + pipe_name(number));
}

void PipeTrace::start(const Event& e) {
  const unsigned number = number_of(e);
  close(e.place, number, e.cycle);
  Pipe& p = pipe(e.place, number);
  p.open = true;
  p.start = e.cycle;
  p.pc = e.b;
  ++p.under_way;
}

// An operation that began before a restored run did has no slice.
void PipeTrace::end(const Event& e) {
  Pipe& p = pipe(e.place, number_of(e));
  if (p.under_way > 0 && --p.under_way == 0) close(e.place, number_of(e), e.cycle);
}

// An operation is shown until its result is there, or until the next one takes the pipe.
void PipeTrace::close(std::uint32_t place, unsigned number, Cycle end) {
  Pipe& p = pipe(place, number);
  if (!p.open) return;
  p.open = false;
  p.last = std::max(p.start, end - std::min<Cycle>(end, 1));
  if (!scope_.has_span(p.start, *p.last)) return;
  name_pipe(place, number);
  out_.slice(track(place, number), cluster::to_string(programs_(place)->code[p.pc].op), p.start,
             end, Args().add("line", line(place, p.pc)));
}

// The event that ended the wait has come before, in the same cycle.
void PipeTrace::wait(const Event& e) {
  const unsigned number = number_of(e);
  const auto reason = static_cast<cluster::WaitReason>(e.a >> 8);
  Pipe& p = pipe(e.place, number);
  const Cycle since = e.cycle - e.b;
  if (!scope_.has_span(since, e.cycle - 1)) return;
  name_pipe(e.place, number);
  const bool by_flag =
      reason == cluster::WaitReason::kFlag || reason == cluster::WaitReason::kCrossCore;
  const bool is_known = by_flag && p.released_by && p.released_at == e.cycle;
  Args args;
  const auto pc = static_cast<std::uint32_t>(e.ident);
  args.add("reason", std::string_view(to_string(reason)));
  args.add("for",
           is_known ? p.released_by->name : what_waits_for(programs_(e.place)->code[pc], reason));
  args.add("line", line(e.place, pc));
  out_.slice(track(e.place, number), std::string("wait: ") + to_string(reason), since, e.cycle,
             args, "grey");
  if (!is_known || !scope_.has_cycle(p.released_by->cycle)) return;
  out_.flow(p.released_by->name, p.released_by->track, p.released_by->cycle, track(e.place, number),
            e.cycle - 1);
}

void PipeTrace::change_flag(const Event& e) {
  const Flag flag{e.place, e.kind, e.a};
  const unsigned from = number_of(e), to = e.a >> 8 & 0xFF;
  if (e.b == 0) return release(flag, e.place, to, e.cycle);
  set(flag, e.place, from, e.cycle,
      "flag " + std::to_string(e.a >> 16) + " from " + pipe_name(from) + " to " + pipe_name(to));
}

// A wait names its own pipe, not that of the set; all cores of a cluster may have set it.
void PipeTrace::signal(const Event& e) {
  instant(e, "set " + signal_name(e));
  set({e.place / kUnits, e.kind, e.a >> 8}, e.place, number_of(e), e.cycle, signal_name(e));
}

void PipeTrace::grant(const Event& e) {
  instant(e, "wait over " + signal_name(e));
  release({e.place / kUnits, EventKind::kSignal, e.a >> 8}, e.place, number_of(e), e.cycle);
}

void PipeTrace::set(const Flag& flag, std::uint32_t place, unsigned number, Cycle now,
                    std::string name) {
  const Pipe& p = pipe(place, number);
  // Without an operation before it there is no slice that an arrow could begin in.
  if (p.open || p.last) {
    sets_[flag] = {track(place, number), p.open ? now : *p.last, std::move(name)};
  } else {
    sets_.erase(flag);
  }
}

void PipeTrace::release(const Flag& flag, std::uint32_t place, unsigned number, Cycle now) {
  Pipe& p = pipe(place, number);
  const auto found = sets_.find(flag);
  p.released_by.reset();
  if (found == sets_.end()) return;
  p.released_by = found->second;
  p.released_at = now;
}

void PipeTrace::instant(const Event& e, const std::string& what) {
  if (!scope_.has_cycle(e.cycle)) return;
  name_pipe(e.place, number_of(e));
  out_.instant(track(e.place, number_of(e)), what, e.cycle, Args().add("line", line(e.place, e.b)));
}

/// The source line of an instruction.
std::string PipeTrace::line(std::uint32_t place, std::uint32_t pc) const {
  const cluster::Program* const program = programs_(place);
  return program == nullptr ? "" : program->where(pc);
}

}  // namespace tessera::ascend
