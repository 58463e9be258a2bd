#include "platforms/ascend/pipe_trace.h"

#include <utility>

#include "models/cluster/core/pipe_stats.h"
#include "models/observe/json_quote.h"

namespace tessera::ascend {

namespace {

using observe::Event;
using observe::EventKind;
using observe::json_quote;

constexpr unsigned kUnits = 3;
constexpr std::array<const char*, kUnits> kUnitNames = {"AIC", "AIV0", "AIV1"};

observe::PerfettoWriter::Track track(std::uint32_t place, unsigned pipe) {
  return {place / kUnits, place % kUnits * sync::kPipeCount + pipe};
}

}  // namespace

PipeTrace::PipeTrace(std::ostream& out, unsigned clusters,
                     std::shared_ptr<const cluster::Program> aic,
                     std::shared_ptr<const cluster::Program> aiv)
    : out_(out), aic_(std::move(aic)), aiv_(std::move(aiv)),
      pipes_(std::size_t{clusters} * kUnits * sync::kPipeCount) {
  for (unsigned c = 0; c < clusters; ++c) out_.name_process(c, "cluster " + std::to_string(c));
}

std::string PipeTrace::line(std::uint32_t place, std::uint32_t pc) const {
  const auto& program = place % kUnits == 0 ? aic_ : aiv_;
  return "\"line\":" + json_quote(program ? program->where(pc) : "");
}

void PipeTrace::name_pipe(std::uint32_t place, unsigned number) {
  Pipe& p = pipe(place, number);
  if (p.named) return;
  p.named = true;
  const std::string name =
      std::string(kUnitNames[place % kUnits]) + " " + to_string(static_cast<sync::Pipe>(number));
  out_.name_thread(track(place, number), name);
}

// An operation is shown until its result is there, or until the next one takes the pipe.
void PipeTrace::close(std::uint32_t place, unsigned number, Cycle end) {
  Pipe& p = pipe(place, number);
  if (!p.open) return;
  p.open = false;
  const auto& program = place % kUnits == 0 ? aic_ : aiv_;
  out_.slice(track(place, number), cluster::to_string(program->code[p.pc].op), p.start, end,
             line(place, p.pc));
}

void PipeTrace::instant(const Event& e, const char* what) {
  const unsigned number = e.a & 0xFF;
  name_pipe(e.place, number);
  const std::string name = std::string(what) + " id " + std::to_string(e.a >> 16) + ", mode " +
                           std::to_string(e.a >> 8 & 0xFF);
  out_.instant(track(e.place, number), name, e.cycle, line(e.place, e.b));
}

void PipeTrace::on_sorted_event(const Event& e) {
  newest_ = e.cycle;
  const unsigned number = e.a & 0xFF;
  switch (e.kind) {
  case EventKind::kPipeStart: {
    name_pipe(e.place, number);
    close(e.place, number, e.cycle);
    Pipe& p = pipe(e.place, number);
    p.open = true;
    p.start = e.cycle;
    p.pc = e.b;
    ++p.under_way;
    return;
  }
  case EventKind::kPipeEnd:
    if (--pipe(e.place, number).under_way == 0) close(e.place, number, e.cycle);
    return;
  case EventKind::kPipeWait: {
    name_pipe(e.place, number);
    const auto reason = static_cast<cluster::WaitReason>(e.a >> 8);
    out_.slice(track(e.place, number), std::string("wait: ") + to_string(reason), e.cycle - e.b,
               e.cycle, "", "grey");
    return;
  }
  case EventKind::kSignal:
    return instant(e, "set");
  case EventKind::kGrant:
    return instant(e, "wait over");
  default:
    return;
  }
}

void PipeTrace::on_end() {
  for (std::size_t i = 0; i < pipes_.size(); ++i)
    close(static_cast<std::uint32_t>(i / sync::kPipeCount),
          static_cast<unsigned>(i % sync::kPipeCount), newest_);
  out_.finish();
}

}  // namespace tessera::ascend
