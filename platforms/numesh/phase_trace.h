// Trace of a scheduled mesh for ui.perfetto.dev and chrome://tracing
// (models/observe/perfetto_writer.h). A node is a process; its threads are its phases and the tasks of
// a phase. An arrow leads from the first word that a stream sends in a phase to where it is read.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "models/observe/perfetto_writer.h"
#include "models/observe/scope.h"
#include "models/observe/sorted_sink.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"

namespace tessera::numesh {

class PhaseTrace final : public observe::SortedSink {
 public:
  /// All arguments must outlive the trace.
  PhaseTrace(observe::PerfettoWriter::Target out, const scheduled::Program& program,
             const scheduled::MeshView& mesh, const observe::Scope& scope);
  /// The run has come to cycle `end`; its last events may have been earlier.
  void reach(Cycle end) { end_ = end; }

 protected:
  bool takes(observe::Event& e) override;
  void on_sorted_event(const observe::Event& e) override;
  void on_end() override;

 private:
  using NodeId = scheduled::NodeId;

  struct Word {
    NodeId node = 0;
    Cycle cycle = 0;
  };
  struct Arrow {
    Word sent, received;
  };
  /// A slice as it was written, to find the row of a word.
  struct Span {
    unsigned thread = 0;
    Cycle start = 0, end = 0;
  };

  void send(const observe::Event& e);
  void write_node(NodeId id);
  void write_slice(NodeId id, const Span& span, const std::string& name);
  const Span* span_of(const Word& word) const;

  observe::PerfettoWriter out_;
  const scheduled::Program& program_;
  const scheduled::MeshView& mesh_;
  const observe::Scope scope_;
  Cycle end_ = 0;                     ///< end of the run: the cycle after the last event
  std::vector<std::uint32_t> phase_;  ///< by node: changes of the schedule so far
  std::unordered_map<std::uint64_t, std::uint32_t> drawn_;  ///< by stream and node: last phase
  std::unordered_map<std::uint64_t, Word> sent_;            ///< by Event::ident
  std::vector<Arrow> arrows_;
  std::vector<std::vector<Span>> spans_;  ///< by node
};

}  // namespace tessera::numesh
