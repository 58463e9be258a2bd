// Wave form of a scheduled mesh (models/observe/vcd_writer.h).
//
//   scope  numesh
//   cycle     64 bits  the clock cycle
//   scope  numesh.NODE, the name of the node
//   phase     string   the phase of its schedule; "-" after the last one
//   out in    1 bit    the processor gives a word to its router, or takes one
#pragma once

#include <vector>

#include "models/observe/sorted_sink.h"
#include "models/observe/vcd_log.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"

namespace tessera::numesh {

class PhaseVcd final : public observe::SortedSink {
 public:
  /// All arguments must outlive the wave form.
  PhaseVcd(std::ostream& out, unsigned clock_period_ps, const scheduled::Program& program,
           const scheduled::MeshView& mesh, const observe::Scope& scope);

 protected:
  bool takes(observe::Event& e) override;
  void on_sorted_event(const observe::Event& e) override;
  void on_end() override;

 private:
  struct Node {
    observe::VcdLog::Signal phase = 0, out = 0, in = 0;
  };
  void write_phases(scheduled::NodeId id);

  observe::VcdLog log_;
  const scheduled::Program& program_;
  const scheduled::MeshView& mesh_;
  std::vector<Node> nodes_;
  Cycle end_ = 0;  ///< the cycle after the last event
};

}  // namespace tessera::numesh
