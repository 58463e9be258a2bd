#include "platforms/numesh/phase_vcd.h"

#include <algorithm>

namespace tessera::numesh {

using observe::Event;
using observe::EventKind;

PhaseVcd::PhaseVcd(std::ostream& out, unsigned clock_period_ps, const scheduled::Program& program,
                   const scheduled::MeshView& mesh, const observe::Scope& scope)
    : log_(out, {clock_period_ps, 1}, "numesh", scope), program_(program), mesh_(mesh) {
  observe::VcdWriter& writer = log_.writer();
  for (scheduled::NodeId id = 0; id < mesh.size(); ++id) {
    writer.open_scope(scheduled::node_name(program, id));
    nodes_.push_back(
        {writer.add_text("phase"), writer.add_wire("out", 1, '0'), writer.add_wire("in", 1, '0')});
    writer.close_scope();
  }
}

bool PhaseVcd::takes(Event& e) {
  end_ = std::max(end_, e.cycle + 1);
  return e.kind == EventKind::kWordOut || e.kind == EventKind::kWordIn;
}

void PhaseVcd::on_sorted_event(const Event& e) {
  const Node& node = nodes_[e.place];
  log_.pulse(e.kind == EventKind::kWordOut ? node.out : node.in, e.cycle, e.cycle + 1);
}

// As the phases of PhaseTrace: the processor knows when each of its turns ended.
void PhaseVcd::write_phases(scheduled::NodeId id) {
  const scheduled::Node& node = program_.nodes[id];
  const scheduled::ProcessorCore& processor = mesh_.processor(id);
  Cycle from = 0;
  for (std::size_t turn = 0; turn < node.turns.size() && turn <= processor.turn(); ++turn) {
    log_.set_text(nodes_[id].phase, from, node.phases[node.turns[turn].phase].name);
    const Cycle ended = processor.ended_at(turn);
    if (ended == kNever) return;
    const bool is_last = turn + 1 == node.turns.size();  // no schedule changes after it
    log_.set_text(nodes_[id].phase, is_last ? ended : ended + 1, "-");
    from = ended + 1 + program_.rules.switch_cost;
  }
}

void PhaseVcd::on_end() {
  for (scheduled::NodeId id = 0; id < mesh_.size(); ++id) write_phases(id);
  log_.write(end_);
}

}  // namespace tessera::numesh
