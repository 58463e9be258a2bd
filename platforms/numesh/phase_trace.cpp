#include "platforms/numesh/phase_trace.h"

#include "models/observe/perfetto_writer.h"
#include "models/scheduled/word_checker.h"

namespace tessera::numesh {

namespace {

using Trace = observe::PerfettoWriter;

void write_node(Trace& trace, const scheduled::Program& program, scheduled::NodeId id,
                const scheduled::ProcessorCore& processor, Cycle end) {
  const scheduled::Node& node = program.nodes[id];
  Cycle from = 0;
  for (std::size_t turn = 0; turn < node.turns.size() && turn <= processor.turn(); ++turn) {
    const scheduled::NodePhase& phase = node.phases[node.turns[turn].phase];
    const Cycle ended = processor.ended_at(turn);
    const Cycle to = ended == kNever ? end : ended + 1;
    if (to > from) trace.slice({id, 0}, "phase " + phase.name, from, to);
    for (std::size_t task = 0; task < phase.tasks.size(); ++task) {
      const Cycle returned = processor.returned_at(turn, task);
      const Cycle over = returned == kNever ? end : returned;
      const auto thread = static_cast<unsigned>(1 + task);
      if (over > from) trace.slice({id, thread}, phase.tasks[task].name, from, over);
    }
    from = to + program.rules.switch_cost;
  }
}

}  // namespace

void write_phase_trace(std::ostream& out, const scheduled::Program& program,
                       const scheduled::MeshView& mesh, Cycle end) {
  Trace trace(out);
  for (scheduled::NodeId id = 0; id < mesh.size(); ++id) {
    if (program.nodes[id].turns.empty()) continue;
    trace.name_process(id, scheduled::node_name(program, id));
    write_node(trace, program, id, mesh.processor(id), end);
  }
  trace.finish();
}

}  // namespace tessera::numesh
