// Trace of AI cores for ui.perfetto.dev and chrome://tracing (models/observe/perfetto_writer.h): what
// every pipe did when. A cluster is a process, a pipe of a core a thread. Slices are tile operations
// and waits, with the reason; signals between cores are instants.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "models/cluster/program/program.h"
#include "models/observe/perfetto_writer.h"
#include "models/observe/sorted_sink.h"

namespace tessera::ascend {

class PipeTrace final : public observe::SortedSink {
 public:
  /// `out` must outlive the trace. nullptr: no function for that kind of core.
  PipeTrace(std::ostream& out, unsigned clusters, std::shared_ptr<const cluster::Program> aic,
            std::shared_ptr<const cluster::Program> aiv);

 protected:
  void on_sorted_event(const observe::Event& e) override;
  void on_end() override;

 private:
  /// An operation whose result is not there yet. The next one may start before.
  struct Pipe {
    bool named = false;
    unsigned under_way = 0;
    bool open = false;
    Cycle start = 0;
    std::uint32_t pc = 0;
  };
  Pipe& pipe(std::uint32_t place, unsigned number) {
    return pipes_[place * sync::kPipeCount + number];
  }
  void name_pipe(std::uint32_t place, unsigned number);
  void close(std::uint32_t place, unsigned number, Cycle end);
  void instant(const observe::Event& e, const char* what);
  /// The member of a slice that names the source line of an instruction.
  std::string line(std::uint32_t place, std::uint32_t pc) const;

  observe::PerfettoWriter out_;
  const std::shared_ptr<const cluster::Program> aic_, aiv_;
  std::vector<Pipe> pipes_;
  Cycle newest_ = 0;
};

}  // namespace tessera::ascend
