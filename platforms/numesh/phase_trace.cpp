#include "platforms/numesh/phase_trace.h"

#include <algorithm>
#include <string>

namespace tessera::numesh {

using observe::Event;
using observe::EventKind;

PhaseTrace::PhaseTrace(observe::PerfettoWriter::Target out, const scheduled::Program& program,
                       const scheduled::MeshView& mesh, const observe::Scope& scope)
    : out_(out), program_(program), mesh_(mesh), scope_(scope), phase_(mesh.size()),
      spans_(mesh.size()) {}

bool PhaseTrace::takes(Event& e) {
  end_ = std::max(end_, e.cycle + 1);
  return e.kind == EventKind::kSchedule || e.kind == EventKind::kWordOut ||
         e.kind == EventKind::kWordIn;
}

void PhaseTrace::on_sorted_event(const Event& e) {
  if (e.kind == EventKind::kSchedule) {
    ++phase_[e.place];
  } else if (e.kind == EventKind::kWordOut) {
    send(e);
  } else if (const auto found = sent_.find(e.ident); found != sent_.end()) {
    arrows_.push_back({found->second, {e.place, e.cycle}});
  }
}

void PhaseTrace::send(const Event& e) {
  const std::uint64_t stream = e.ident >> 32;
  const std::uint32_t phase = phase_[e.place] + 1;  // 0: none drawn
  std::uint32_t& drawn = drawn_[stream << 32 | e.place];
  if (drawn == phase || !scope_.has_cycle(e.cycle)) return;
  drawn = phase;
  sent_[e.ident] = {e.place, e.cycle};
}

void PhaseTrace::write_slice(NodeId id, const Span& span, const std::string& name) {
  if (span.end <= span.start || !scope_.has_span(span.start, span.end - 1)) return;
  const auto is_same = [&](const Span& other) { return other.thread == span.thread; };
  std::vector<Span>& spans = spans_[id];
  if (spans.empty()) out_.name_process(id, scheduled::node_name(program_, id));
  if (std::none_of(spans.begin(), spans.end(), is_same))
    out_.name_thread({id, span.thread}, span.thread == 0
                                            ? std::string("phases")
                                            : "task " + std::to_string(span.thread - 1));
  spans.push_back(span);
  out_.slice({id, span.thread}, name, span.start, span.end, {});
}

// What is not over at the end lasts until it.
void PhaseTrace::write_node(NodeId id) {
  const scheduled::Node& node = program_.nodes[id];
  const scheduled::ProcessorCore& processor = mesh_.processor(id);
  Cycle from = 0;
  for (std::size_t turn = 0; turn < node.turns.size() && turn <= processor.turn(); ++turn) {
    const scheduled::NodePhase& phase = node.phases[node.turns[turn].phase];
    const Cycle ended = processor.ended_at(turn);
    const bool is_last = turn + 1 == node.turns.size();  // no schedule changes after it
    const Cycle to = ended == kNever ? end_ : is_last ? ended : ended + 1;
    write_slice(id, {0, from, to}, "phase " + phase.name);
    for (std::size_t task = 0; task < phase.tasks.size(); ++task) {
      const Cycle returned = processor.returned_at(turn, task);
      write_slice(id, {static_cast<unsigned>(1 + task), from, returned == kNever ? end_ : returned},
                  phase.tasks[task].name);
    }
    from = to + program_.rules.switch_cost;
  }
}

/// The slice of a task, or of a phase, in which a word was handled; nullptr: there is none.
const PhaseTrace::Span* PhaseTrace::span_of(const Word& word) const {
  const auto& spans = spans_[word.node];
  const auto contains = [&](const Span& span) {
    return span.start <= word.cycle && word.cycle < span.end;
  };
  const auto found = std::find_if(spans.rbegin(), spans.rend(), contains);
  return found == spans.rend() ? nullptr : &*found;
}

void PhaseTrace::on_end() {
  for (NodeId id = 0; id < mesh_.size(); ++id) write_node(id);
  for (const Arrow& arrow : arrows_) {
    const Span* const from = span_of(arrow.sent);
    const Span* const to = span_of(arrow.received);
    if (from == nullptr || to == nullptr) continue;
    out_.flow("word", {arrow.sent.node, from->thread}, arrow.sent.cycle,
              {arrow.received.node, to->thread}, arrow.received.cycle);
  }
  out_.finish();
}

}  // namespace tessera::numesh
