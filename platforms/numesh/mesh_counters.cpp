#include "platforms/numesh/mesh_counters.h"

namespace tessera::numesh {

std::uint64_t phase_changes(const scheduled::Program& program, const scheduled::MeshView& mesh,
                            scheduled::NodeId node) {
  std::uint64_t changes = 0;
  for (std::size_t turn = 0; turn + 1 < program.nodes[node].turns.size(); ++turn)
    changes += mesh.processor(node).ended_at(turn) != kNever ? 1 : 0;
  return changes;
}

std::vector<report::Counter> totals(const scheduled::Program& program,
                                    const scheduled::MeshView& mesh) {
  std::uint64_t written = 0, read = 0, changes = 0;
  for (scheduled::NodeId node = 0; node < mesh.size(); ++node) {
    written += mesh.processor(node).words_written();
    read += mesh.processor(node).words_read();
    changes += phase_changes(program, mesh, node);
  }
  return {{"words_written", written, "words", "words that processors handed to their routers"},
          {"words_read", read, "words", "words that processors took from their routers"},
          {"phase_changes", changes, "switches", "changes of the schedule, of all nodes"},
          {"words_left", mesh.words_in_network(), "words",
           "words that lie in routers and queues at the end"}};
}

}  // namespace tessera::numesh
