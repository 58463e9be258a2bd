// Programs of a scheduled mesh written by hand: a linear array by default, streams as chains and
// multicast trees with the slots of the reference (numesh.md 6).
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"
#include "models/scheduled/word_checker.h"

namespace tessera::scheduled::test {

inline Step write(unsigned output, StreamId stream) {
  Step s;
  s.kind = Step::Kind::kWrite;
  s.address = static_cast<Index>(output);
  s.stream = stream;
  return s;
}
inline Step read(unsigned input, StreamId stream, Cycle cost = 1) {
  Step s;
  s.kind = Step::Kind::kRead;
  s.address = static_cast<Index>(input);
  s.stream = stream;
  s.cost = cost;
  return s;
}
inline Step compute(Cycle cycles) {
  Step s;
  s.kind = Step::Kind::kCompute;
  s.cost = cycles;
  return s;
}
inline Step wait_until(Cycle cycle) {
  Step s;
  s.kind = Step::Kind::kWaitUntil;
  s.cost = cycle;
  return s;
}
inline Block block(unsigned repeat, std::initializer_list<Step> steps) {
  return {repeat, steps};
}

/// The task of a node that starts in cycle `from`.
inline Task task(std::string name, Cycle from, std::vector<Block> blocks,
                 Technique technique = Technique::kReturn) {
  Task t;
  t.name = std::move(name);
  t.blocks = std::move(blocks);
  if (from > 0) t.blocks.insert(t.blocks.begin(), block(1, {wait_until(from)}));
  t.technique = technique;
  return t;
}

/// One node of a stream in one schedule: where the word comes from, and its branches with the slots
/// of each.
struct Place {
  NodeId node;
  Index vfsm;
};

class Builder {
 public:
  explicit Builder(unsigned nodes) {
    program.topology = {nodes, 1, 1};
    program.nodes.resize(nodes);
  }

  /// A schedule of this length on all nodes; returns its number.
  Index schedule(unsigned length, const std::string& name = "s") {
    for (Node& node : program.nodes) {
      Schedule s;
      s.name = name;
      s.length = length;
      node.schedules.push_back(std::move(s));
    }
    return static_cast<Index>(program.nodes.front().schedules.size() - 1);
  }
  StreamId stream(const std::string& name, NodeId source, bool continuing = false) {
    Stream s;
    s.name = name;
    s.source = source;
    s.continuing = continuing;
    program.streams.push_back(s);
    return static_cast<StreamId>(program.streams.size() - 1);
  }
  Index output(NodeId node) {
    program.nodes[node].outputs.emplace_back();
    return static_cast<Index>(program.nodes[node].outputs.size() - 1);
  }
  Index input(NodeId node) {
    program.nodes[node].inputs.emplace_back();
    return static_cast<Index>(program.nodes[node].inputs.size() - 1);
  }
  Index vfsm(NodeId node) {
    program.nodes[node].vfsms.emplace_back();
    return static_cast<Index>(program.nodes[node].vfsms.size() - 1);
  }

  /// A VFSM of `stream` in schedule `in`; slots[b] are those of branch b.
  void transfer(NodeId node, Index in, Index vfsm, StreamId stream, End source,
                const std::vector<End>& branches, const std::vector<std::vector<unsigned>>& slots) {
    Schedule& s = program.nodes[node].schedules[in];
    Transfer t;
    t.vfsm = vfsm;
    t.stream = stream;
    t.source = source;
    t.branches = branches;
    s.transfers.push_back(t);
    const auto number = static_cast<Index>(s.transfers.size() - 1);
    for (std::size_t b = 0; b < slots.size(); ++b)
      for (const unsigned time : slots[b])
        s.slots.push_back({time % s.length, number, static_cast<std::uint8_t>(b)});
    for (const End& branch : branches)
      if (branch.kind == End::Kind::kInput) add_sink(stream, node, branch.index);
  }
  void add_sink(StreamId stream, NodeId node, Index input) {
    for (const Stream::Sink& sink : program.streams[stream].sinks)
      if (sink.node == node && sink.input == input) return;
    program.streams[stream].sinks.push_back({node, input});
  }

  /// A chain from output `from` of the first node to input `to` of the last along +x or -x, which
  /// has the VFSMs `vfsms` there; first slots `slots`.
  void chain(Index in, StreamId stream, const std::vector<NodeId>& path,
             const std::vector<unsigned>& slots, Index from, Index to,
             const std::vector<Index>& vfsms) {
    for (std::size_t k = 0; k < path.size(); ++k) {
      std::vector<unsigned> here;
      for (const unsigned slot : slots) here.push_back(slot + static_cast<unsigned>(k));
      const End source = k == 0 ? End::output(from) : End::link(towards(path[k], path[k - 1]));
      const End out =
          k + 1 == path.size() ? End::input(to) : End::link(towards(path[k], path[k + 1]));
      transfer(path[k], in, vfsms[k], stream, source, {out}, {here});
    }
  }
  /// The same with new addresses and VFSMs; returns {output, input}.
  std::pair<Index, Index> chain(Index in, StreamId stream, const std::vector<NodeId>& path,
                                const std::vector<unsigned>& slots) {
    const Index from = output(path.front());
    const Index to = input(path.back());
    chain(in, stream, path, slots, from, to, new_vfsms(path));
    program.streams[stream].output = from;
    return {from, to};
  }
  std::vector<Index> new_vfsms(const std::vector<NodeId>& path) {
    std::vector<Index> all;
    for (const NodeId node : path) all.push_back(vfsm(node));
    return all;
  }

  /// How a node of a multicast tree serves its own processor.
  enum class Local { kNone, kFirst, kLast };
  /// A multicast from node 0 along the array to all others, first slot 0: node k takes the word in
  /// the slot after that in which node k - 1 forwards it; its branches have a slot each, in order.
  /// Node 0 has output 0, and input 0 if it has an echo; the others have input 0.
  void multicast(Index in, StreamId s, const std::vector<Local>& local) {
    unsigned slot = 0;
    for (NodeId n = 0; n < program.nodes.size(); ++n) {
      const bool last_node = n + 1 == program.nodes.size();
      std::vector<End> branches;
      if (!last_node) branches.push_back(End::link(Port::kXPlus));
      if (local[n] != Local::kNone) {
        const End here = End::input(input(n));
        branches.insert(local[n] == Local::kFirst ? branches.begin() : branches.end(), here);
      }
      std::vector<std::vector<unsigned>> slots;
      for (unsigned b = 0; b < branches.size(); ++b) slots.push_back({slot + b});
      const End source = n == 0 ? End::output(output(n)) : End::link(Port::kXMinus);
      transfer(n, in, vfsm(n), s, source, branches, slots);
      slot += local[n] == Local::kFirst ? 2 : 1;
    }
  }

  static Port towards(NodeId from, NodeId to) { return to > from ? Port::kXPlus : Port::kXMinus; }

  /// The next turn of `node`: `tasks` under schedule `in`.
  NodePhase& turn(NodeId node, Index in, std::vector<Task> tasks, std::uint32_t epoch = kNone) {
    Node& n = program.nodes[node];
    NodePhase phase;
    phase.name = "p" + std::to_string(n.phases.size());
    phase.schedule = in;
    phase.tasks = std::move(tasks);
    n.phases.push_back(std::move(phase));
    const auto number = static_cast<Index>(n.phases.size() - 1);
    n.turns.push_back({number, epoch != kNone ? epoch : number});
    return n.phases.back();
  }

  Program program;
};

/// A program on its way, with a checker.
struct Trial {
  explicit Trial(const Program& program, observe::EventStream* events = nullptr)
      : checker(program), mesh(program, events, &checker) {}
  MeshCore::Status run(Cycle end = 100000) { return mesh.run(end); }
  /// The cycle in which task `task` of turn `turn` returned.
  Cycle returned(NodeId node, std::size_t turn = 0, std::size_t task = 0) const {
    return mesh.processor(node).returned_at(turn, task);
  }
  /// Runs until it has, or until `end`.
  Cycle run_until_return(NodeId node, Cycle end = 100000) {
    while (returned(node) == kNever && mesh.now() < end)
      if (mesh.run(mesh.now() + 1) != MeshCore::Status::kLimit) break;
    return returned(node);
  }
  std::uint64_t stranded() const { return checker.count(WordChecker::Kind::kStranded); }
  std::uint64_t misrouted() const { return checker.count(WordChecker::Kind::kMisrouted); }
  /// Words that the network has lost or has made up: sent - copies read - in the network; for
  /// streams with one sink.
  std::int64_t unaccounted() const {
    std::int64_t words = 0;
    for (NodeId n = 0; n < static_cast<NodeId>(nodes()); ++n) {
      words += static_cast<std::int64_t>(mesh.processor(n).words_written());
      words -= static_cast<std::int64_t>(mesh.processor(n).words_read());
    }
    return words - static_cast<std::int64_t>(mesh.words_in_network());
  }
  std::string waits() const {
    observe::Waits all;
    mesh.describe_waits(all);
    std::string text;
    for (const observe::Wait& wait : all) text += wait.who + " waits for " + wait.what + "\n";
    return text;
  }
  std::size_t nodes() const { return mesh.size(); }
  WordChecker checker;
  MeshCore mesh;
};

}  // namespace tessera::scheduled::test
