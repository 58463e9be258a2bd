#include "platforms/numesh/phase_trace.h"

#include <ostream>

#include "models/observe/json_quote.h"
#include "models/scheduled/word_checker.h"

namespace tessera::numesh {

namespace {

class TraceWriter {
 public:
  explicit TraceWriter(std::ostream& out) : out_(out) { out_ << "{\"traceEvents\": ["; }
  ~TraceWriter() { out_ << "\n]}\n"; }
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void process(scheduled::NodeId node, const std::string& name) {
    begin();
    out_ << "{\"ph\": \"M\", \"name\": \"process_name\", \"pid\": " << node
         << ", \"args\": {\"name\": " << observe::json_quote(name) << "}}";
  }
  void slice(scheduled::NodeId node, std::size_t track, const std::string& name, Cycle from,
             Cycle to) {
    if (to <= from) return;
    begin();
    out_ << "{\"ph\": \"X\", \"pid\": " << node << ", \"tid\": " << track
         << ", \"name\": " << observe::json_quote(name) << ", \"ts\": " << from
         << ", \"dur\": " << to - from << "}";
  }

 private:
  void begin() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
  }
  std::ostream& out_;
  bool first_ = true;
};

void write_node(TraceWriter& trace, const scheduled::Program& program, scheduled::NodeId id,
                const scheduled::ProcessorCore& processor, Cycle end) {
  const scheduled::Node& node = program.nodes[id];
  Cycle from = 0;
  for (std::size_t turn = 0; turn < node.turns.size() && turn <= processor.turn(); ++turn) {
    const scheduled::NodePhase& phase = node.phases[node.turns[turn].phase];
    const Cycle ended = processor.ended_at(turn);
    const Cycle to = ended == kNever ? end : ended + 1;
    trace.slice(id, 0, "phase " + phase.name, from, to);
    for (std::size_t task = 0; task < phase.tasks.size(); ++task) {
      const Cycle returned = processor.returned_at(turn, task);
      trace.slice(id, 1 + task, phase.tasks[task].name, from, returned == kNever ? end : returned);
    }
    from = to + program.rules.switch_cost;
  }
}

}  // namespace

void write_phase_trace(std::ostream& out, const scheduled::Program& program,
                       const scheduled::MeshView& mesh, Cycle end) {
  TraceWriter trace(out);
  for (scheduled::NodeId id = 0; id < mesh.size(); ++id) {
    if (program.nodes[id].turns.empty()) continue;
    trace.process(id, scheduled::node_name(program, id));
    write_node(trace, program, id, mesh.processor(id), end);
  }
}

}  // namespace tessera::numesh
