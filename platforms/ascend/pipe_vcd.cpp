#include "platforms/ascend/pipe_vcd.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/cluster/core/pipe_state.h"
#include "models/observe/event.h"
#include "platforms/ascend/pipe_trace.h"

namespace tessera::ascend {

using observe::Event;
using observe::EventKind;

namespace {

constexpr unsigned kUnits = PipeTrace::kUnits;
constexpr std::uint64_t kPicosecondsOfOneKilohertz = 1'000'000'000;

}  // namespace

PipeVcd::PipeVcd(std::ostream& out, std::uint64_t clock_khz, unsigned clusters, Programs programs,
                 const observe::Scope& scope)
    : log_(out, {kPicosecondsOfOneKilohertz, clock_khz}, "ascend", scope),
      programs_(std::move(programs)), pipes_(std::size_t{clusters} * kUnits * sync::kPipeCount) {
  for (unsigned c = 0; c < clusters; ++c) {
    log_.writer().open_scope("cluster_" + std::to_string(c));
    for (unsigned unit = 0; unit < kUnits; ++unit) declare_core(c * kUnits + unit);
    log_.writer().close_scope();
  }
}

void PipeVcd::declare_core(std::uint32_t place) {
  if (programs_(place) == nullptr) return;
  observe::VcdWriter& writer = log_.writer();
  writer.open_scope(PipeTrace::unit_name(place));
  for (const sync::Pipe shown : sync::kPipes) {
    if (shown == sync::Pipe::kS)
      continue;  // its instructions are no operations with an end of their own
    Pipe& pipe = pipes_[place * sync::kPipeCount + static_cast<unsigned>(shown)];
    writer.open_scope(to_string(shown));
    pipe.busy = writer.add_wire("busy", 1, '0');
    pipe.op = writer.add_text("op");
    pipe.wait = writer.add_text("wait");
    writer.close_scope();
  }
  writer.close_scope();
}

bool PipeVcd::takes(Event& e) {
  return e.kind == EventKind::kPipeStart || e.kind == EventKind::kPipeEnd ||
         e.kind == EventKind::kPipeWait;
}

void PipeVcd::on_sorted_event(const Event& e) {
  end_ = std::max(end_, e.cycle);
  Pipe& pipe = pipes_[e.place * sync::kPipeCount + (e.a & 0xFF)];
  if (e.kind == EventKind::kPipeStart) {
    ++pipe.under_way;
    log_.set(pipe.busy, e.cycle, 1);
    log_.set_text(pipe.op, e.cycle, cluster::to_string(programs_(e.place)->code[e.b].op));
  } else if (e.kind == EventKind::kPipeWait) {
    const auto reason = static_cast<cluster::WaitReason>(e.a >> 8);
    log_.set_text(pipe.wait, e.cycle - e.b, to_string(reason));
    log_.set_text(pipe.wait, e.cycle, "-");
  } else if (pipe.under_way > 0 &&
             --pipe.under_way == 0) {  // it may have begun before a restored run
    rest(pipe, e.cycle);
  }
}

void PipeVcd::rest(Pipe& pipe, Cycle now) {
  log_.set(pipe.busy, now, 0);
  log_.set_text(pipe.op, now, "-");
}

void PipeVcd::on_machine_reset(Cycle origin) {
  for (Pipe& pipe : pipes_) {
    if (pipe.under_way > 0) rest(pipe, origin);
    pipe.under_way = 0;
  }
}

void PipeVcd::on_end() {
  log_.write(end_ + 1);
}

}  // namespace tessera::ascend
