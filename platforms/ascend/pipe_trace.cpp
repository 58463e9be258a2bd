#include "platforms/ascend/pipe_trace.h"

#include <ostream>
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

}  // namespace

PipeTrace::PipeTrace(std::ostream& out, unsigned clusters,
                     std::shared_ptr<const cluster::Program> aic,
                     std::shared_ptr<const cluster::Program> aiv)
    : out_(out), aic_(std::move(aic)), aiv_(std::move(aiv)),
      pipes_(std::size_t{clusters} * kUnits * sync::kPipeCount) {
  out_ << "{\"traceEvents\": [";
  for (unsigned c = 0; c < clusters; ++c)
    write("{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " + std::to_string(c) +
          ", \"args\": {\"name\": \"cluster " + std::to_string(c) + "\"}}");
}

void PipeTrace::write(const std::string& record) {
  out_ << (first_ ? "\n" : ",\n") << record;
  first_ = false;
}

std::string PipeTrace::record(char phase, const std::string& name, std::uint32_t place,
                              unsigned number) const {
  const unsigned thread = place % kUnits * sync::kPipeCount + number;
  return std::string("{\"ph\": \"") + phase + "\", \"pid\": " + std::to_string(place / kUnits) +
         ", \"tid\": " + std::to_string(thread) + ", \"name\": " + json_quote(name);
}

std::string PipeTrace::line(std::uint32_t place, std::uint32_t pc) const {
  const auto& program = place % kUnits == 0 ? aic_ : aiv_;
  return program ? program->where(pc) : "";
}

void PipeTrace::name_pipe(std::uint32_t place, unsigned number) {
  Pipe& p = pipe(place, number);
  if (p.named) return;
  p.named = true;
  const std::string name =
      std::string(kUnitNames[place % kUnits]) + " " + to_string(static_cast<sync::Pipe>(number));
  write(record('M', "thread_name", place, number) + ", \"args\": {\"name\": " + json_quote(name) +
        "}}");
}

// An operation is shown until its result is there, or until the next one takes the pipe.
void PipeTrace::close(std::uint32_t place, unsigned number, Cycle end) {
  Pipe& p = pipe(place, number);
  if (!p.open) return;
  p.open = false;
  const auto& program = place % kUnits == 0 ? aic_ : aiv_;
  write(record('X', cluster::to_string(program->code[p.pc].op), place, number) +
        ", \"ts\": " + std::to_string(p.start) + ", \"dur\": " + std::to_string(end - p.start) +
        ", \"args\": {\"line\": " + json_quote(line(place, p.pc)) + "}}");
}

void PipeTrace::instant(const Event& e, const char* what) {
  const unsigned number = e.a & 0xFF;
  name_pipe(e.place, number);
  const std::string name = std::string(what) + " id " + std::to_string(e.a >> 16) + ", mode " +
                           std::to_string(e.a >> 8 & 0xFF);
  write(record('i', name, e.place, number) + ", \"s\": \"t\", \"ts\": " + std::to_string(e.cycle) +
        ", \"args\": {\"line\": " + json_quote(line(e.place, e.b)) + "}}");
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
    write(record('X', std::string("wait: ") + to_string(reason), e.place, number) +
          ", \"ts\": " + std::to_string(e.cycle - e.b) + ", \"dur\": " + std::to_string(e.b) +
          ", \"cname\": \"grey\"}");
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
  out_ << "\n]}\n";
}

}  // namespace tessera::ascend
