// Trace of AI cores for ui.perfetto.dev and chrome://tracing (models/observe/perfetto_writer.h): what
// every pipe did when. A cluster is a process, a pipe of a core a thread. Slices are tile operations
// and waits, with the reason; signals between cores are instants. An arrow leads from the operation
// after which a flag or a signal was set to the wait that it ended.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "models/cluster/core/pipe_state.h"
#include "models/cluster/program/program.h"
#include "models/observe/perfetto_writer.h"
#include "models/observe/scope.h"
#include "models/observe/sorted_sink.h"

namespace tessera::ascend {

class PipeTrace final : public observe::SortedSink {
 public:
  /// The program of the core at a place; nullptr: none.
  using Programs = std::function<const cluster::Program*(std::uint32_t place)>;
  /// `out` must outlive the trace.
  PipeTrace(observe::PerfettoWriter::Target out, unsigned clusters, Programs programs,
            const observe::Scope& scope = {});
  static constexpr unsigned kUnits = 3;  ///< of a cluster
  /// "AIC", "AIV0" or "AIV1".
  static const char* unit_name(std::uint32_t place);
  /// Where the slices of a pipe are.
  static observe::PerfettoWriter::Track track(std::uint32_t place, unsigned pipe) {
    return {place / kUnits, place % kUnits * sync::kPipeCount + pipe};
  }

 protected:
  void on_sorted_event(const observe::Event& e) override;
  void on_machine_reset(Cycle origin) override;
  void on_end() override;

 private:
  using Track = observe::PerfettoWriter::Track;
  using Args = observe::PerfettoWriter::Args;

  /// Where an arrow begins.
  struct Set {
    Track track;
    Cycle cycle = 0;
    std::string name;
  };
  struct Pipe {
    bool named = false;
    /// An operation whose result is not there yet. The next one may start before.
    unsigned under_way = 0;
    bool open = false;
    Cycle start = 0;
    std::uint32_t pc = 0;
    std::optional<Cycle> last;       ///< the last cycle of the slice that was written last
    std::optional<Set> released_by;  ///< what let it go on, in cycle `released_at`
    Cycle released_at = 0;
  };
  /// Which flag or signal: place or cluster, and what the event says of it.
  using Flag = std::tuple<std::uint32_t, observe::EventKind, std::uint32_t>;

  Pipe& pipe(std::uint32_t place, unsigned number) {
    return pipes_[place * sync::kPipeCount + number];
  }
  void name_pipe(std::uint32_t place, unsigned number);
  void start(const observe::Event& e);
  void end(const observe::Event& e);
  void close(std::uint32_t place, unsigned number, Cycle end);
  void close_all(Cycle end);
  void wait(const observe::Event& e);
  void change_flag(const observe::Event& e);
  void signal(const observe::Event& e);
  void grant(const observe::Event& e);
  void set(const Flag& flag, std::uint32_t place, unsigned number, Cycle now, std::string name);
  void release(const Flag& flag, std::uint32_t place, unsigned number, Cycle now);
  void instant(const observe::Event& e, const std::string& what);
  std::string line(std::uint32_t place, std::uint32_t pc) const;

  observe::PerfettoWriter out_;
  const Programs programs_;
  const observe::Scope scope_;
  std::vector<Pipe> pipes_;
  std::map<Flag, Set> sets_;  ///< the last one of each
  Cycle newest_ = 0;
};

}  // namespace tessera::ascend
