// Trace of AI cores for ui.perfetto.dev and chrome://tracing (models/observe/perfetto_writer.h): what
// every pipe did when. A cluster is a process, a pipe of a core a thread. Slices are tile operations
// and waits, with the reason; signals between cores are instants.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/cluster/core/pipe_stats.h"
#include "models/cluster/program/program.h"
#include "models/observe/perfetto_writer.h"
#include "models/observe/sorted_sink.h"

namespace tessera::ascend {

class PipeTrace final : public observe::SortedSink {
 public:
  /// `out` must outlive the trace. nullptr: no function for that kind of core.
  PipeTrace(std::ostream& out, unsigned clusters, std::shared_ptr<const cluster::Program> aic,
            std::shared_ptr<const cluster::Program> aiv)
      : out_(out), aic_(std::move(aic)), aiv_(std::move(aiv)),
        pipes_(std::size_t{clusters} * kUnits * sync::kPipeCount) {
    for (unsigned c = 0; c < clusters; ++c) out_.name_process(c, "cluster " + std::to_string(c));
  }

 protected:
  void on_sorted_event(const observe::Event& e) override {
    newest_ = e.cycle;
    const unsigned number = e.a & 0xFF;
    switch (e.kind) {
    case observe::EventKind::kPipeStart: {
      name_pipe(e.place, number);
      close(e.place, number, e.cycle);
      Pipe& p = pipe(e.place, number);
      p.open = true;
      p.start = e.cycle;
      p.pc = e.b;
      ++p.under_way;
      return;
    }
    case observe::EventKind::kPipeEnd:
      if (--pipe(e.place, number).under_way == 0) close(e.place, number, e.cycle);
      return;
    case observe::EventKind::kPipeWait: {
      name_pipe(e.place, number);
      const auto reason = static_cast<cluster::WaitReason>(e.a >> 8);
      out_.slice(track(e.place, number), std::string("wait: ") + to_string(reason), e.cycle - e.b,
                 e.cycle, "", "grey");
      return;
    }
    case observe::EventKind::kSignal:
      return instant(e, "set");
    case observe::EventKind::kGrant:
      return instant(e, "wait over");
    default:
      return;
    }
  }
  void on_end() override {
    for (std::size_t i = 0; i < pipes_.size(); ++i)
      close(static_cast<std::uint32_t>(i / sync::kPipeCount),
            static_cast<unsigned>(i % sync::kPipeCount), newest_);
    out_.finish();
  }

 private:
  /// An operation whose result is not there yet. The next one may start before.
  struct Pipe {
    bool named = false;
    unsigned under_way = 0;
    bool open = false;
    Cycle start = 0;
    std::uint32_t pc = 0;
  };
  static constexpr unsigned kUnits = 3;
  static observe::PerfettoWriter::Track track(std::uint32_t place, unsigned pipe) {
    return {place / kUnits, place % kUnits * sync::kPipeCount + pipe};
  }
  Pipe& pipe(std::uint32_t place, unsigned number) {
    return pipes_[place * sync::kPipeCount + number];
  }
  void name_pipe(std::uint32_t place, unsigned number) {
    constexpr std::array<const char*, kUnits> kUnitNames = {"AIC", "AIV0", "AIV1"};
    Pipe& p = pipe(place, number);
    if (p.named) return;
    p.named = true;
    const std::string name =
        std::string(kUnitNames[place % kUnits]) + " " + to_string(static_cast<sync::Pipe>(number));
    out_.name_thread(track(place, number), name);
  }
  // An operation is shown until its result is there, or until the next one takes the pipe.
  void close(std::uint32_t place, unsigned number, Cycle end) {
    Pipe& p = pipe(place, number);
    if (!p.open) return;
    p.open = false;
    const auto& program = place % kUnits == 0 ? aic_ : aiv_;
    out_.slice(track(place, number), cluster::to_string(program->code[p.pc].op), p.start, end,
               line(place, p.pc));
  }
  void instant(const observe::Event& e, const char* what) {
    const unsigned number = e.a & 0xFF;
    name_pipe(e.place, number);
    const std::string name = std::string(what) + " id " + std::to_string(e.a >> 16) + ", mode " +
                             std::to_string(e.a >> 8 & 0xFF);
    out_.instant(track(e.place, number), name, e.cycle, line(e.place, e.b));
  }
  /// The member of a slice that names the source line of an instruction.
  std::string line(std::uint32_t place, std::uint32_t pc) const {
    const auto& program = place % kUnits == 0 ? aic_ : aiv_;
    return "\"line\":" + observe::json_quote(program ? program->where(pc) : "");
  }

  observe::PerfettoWriter out_;
  const std::shared_ptr<const cluster::Program> aic_, aiv_;
  std::vector<Pipe> pipes_;
  Cycle newest_ = 0;
};

}  // namespace tessera::ascend
