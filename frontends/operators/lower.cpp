#include "frontends/operators/compiler.h"

#include <algorithm>
#include <map>
#include <set>

#include "frontends/operators/node_loops.h"

namespace tessera::operators {
namespace {

using scheduled::Block;
using scheduled::End;
using scheduled::Index;
using Step = scheduled::Step;

constexpr std::size_t kNoRegion = static_cast<std::size_t>(-1);

/// The VFSMs and addresses of one stream. A continuing stream keeps its own in all
/// phases.
struct LoweredStream {
  scheduled::StreamId id = 0;
  unsigned output = 0;
  std::map<NodeIndex, unsigned> inputs;
  struct Vfsms {
    unsigned first = 0;
    unsigned last = 0;  ///< differs from `first` if the stop has a delay element
  };
  std::vector<Vfsms> vfsms;  ///< by stop
};

class Lowering {
 public:
  Lowering(const Program& program, const Compiled& compiled, const Target& target,
           const MemoryMap& map)
      : program_(program), compiled_(compiled), target_(target), map_(map) {}

  scheduled::Program lower() {
    begin();
    for (std::size_t p = 0; p < compiled_.phases.size(); ++p) add_streams(p);
    for (NodeIndex node = 0; node < result_.nodes.size(); ++node) {
      if (region_of_[node] != kNoRegion) {
        add_turns(node);
      } else if (touched_.count(node) != 0) {
        add_crossing(node);
      }
      check_limits(node);
    }
    add_online_routers();
    return std::move(result_);
  }

 private:
  const Phase& plan(std::size_t p) const { return compiled_.plan.phases[p]; }
  scheduled::Node& node(NodeIndex n) { return result_.nodes[n]; }

  void begin() {
    result_.name = program_.file;
    result_.rules = target_.rules;
    const auto size = [&](unsigned d) { return static_cast<std::uint32_t>(program_.mesh.size[d]); };
    result_.topology = {size(0), size(1), size(2)};
    result_.nodes.resize(program_.mesh.node_count());
    Memory memory = initial_memory(program_, map_);
    for (NodeIndex n = 0; n < result_.nodes.size(); ++n) node(n).memory = std::move(memory[n]);
    region_of_.assign(result_.nodes.size(), kNoRegion);
    for (std::size_t r = 0; r < compiled_.region_nodes.size(); ++r) {
      for (const NodeIndex n : compiled_.region_nodes[r]) region_of_[n] = r;
      result_.extents.emplace_back(compiled_.region_nodes[r].begin(),
                                   compiled_.region_nodes[r].end());
    }
    for (const Interruption& i : program_.interruptions) {
      for (const NodeIndex n : i.nodes) node(n).interrupts.push_back({i.at, i.length});
    }
    for (scheduled::Node& n : result_.nodes)
      std::stable_sort(n.interrupts.begin(), n.interrupts.end(),
                       [](const auto& a, const auto& b) { return a.at < b.at; });
    streams_.resize(compiled_.phases.size());
    streams_at_.resize(compiled_.phases.size());
    schedules_.resize(compiled_.phases.size());
  }

  // --- streams and slots

  void add_streams(std::size_t p) {
    const CompiledPhase& phase = compiled_.phases[p];
    for (std::size_t op = 0; op < phase.operators.size(); ++op) {
      streams_[p].emplace_back();
      streams_at_[p].emplace_back();
      const bool continues = phase.decisions[op].outcome == Outcome::kContinuing;
      for (std::size_t s = 0; s < phase.operators[op].streams.size(); ++s) {
        const StreamPlan& stream = phase.operators[op].streams[s];
        LoweredStream lowered;
        const std::pair<std::size_t, std::size_t> key(phase.operators[op].op, s);
        if (continues && continuing_.count(key) != 0) {
          lowered = continuing_.at(key);
        } else {
          lowered = add_stream(stream, phase.slots[op][s], continues);
          if (continues) continuing_[key] = lowered;
        }
        add_slots(p, stream, phase.slots[op][s], lowered);
        for (const Stop& stop : stream.stops) {
          std::vector<std::size_t>& here = streams_at_[p][op][stop.node];
          if (here.empty() || here.back() != s) here.push_back(s);
        }
        streams_[p].back().push_back(std::move(lowered));
      }
    }
  }

  LoweredStream add_stream(const StreamPlan& stream, const StreamSlots& slots, bool continues) {
    LoweredStream lowered;
    lowered.id = static_cast<scheduled::StreamId>(result_.streams.size());
    scheduled::Stream out;
    out.name = stream.name;
    out.source = stream.source();
    out.continuing = continues;
    std::vector<scheduled::Address>& outputs = node(stream.source()).outputs;
    lowered.output = static_cast<unsigned>(outputs.size());
    out.output = static_cast<Index>(outputs.size());
    outputs.push_back({stream.name, 0});
    for (std::size_t i = 0; i < stream.stops.size(); ++i) {
      const Stop& stop = stream.stops[i];
      touched_.insert(stop.node);
      std::vector<scheduled::Vfsm>& vfsms = node(stop.node).vfsms;
      LoweredStream::Vfsms numbers;
      numbers.first = numbers.last = static_cast<unsigned>(vfsms.size());
      vfsms.emplace_back();
      if (slots.stops[i].hold > 0) {
        ++numbers.last;
        vfsms.emplace_back();
      }
      lowered.vfsms.push_back(numbers);
      for (const Branch& branch : stop.branches) {
        if (!branch.deliver) continue;
        std::vector<scheduled::Address>& inputs = node(stop.node).inputs;
        lowered.inputs[stop.node] = static_cast<unsigned>(inputs.size());
        out.sinks.push_back({stop.node, static_cast<Index>(inputs.size())});
        inputs.push_back({stream.name, 0});
      }
    }
    result_.streams.push_back(std::move(out));
    return lowered;
  }

  scheduled::Schedule& schedule(std::size_t p, NodeIndex n) {
    const auto [it, is_new] = schedules_[p].emplace(n, node(n).schedules.size());
    if (is_new) {
      scheduled::Schedule schedule;
      schedule.name = plan(p).name;
      schedule.length = compiled_.phases[p].length;
      node(n).schedules.push_back(std::move(schedule));
    }
    return node(n).schedules[it->second];
  }

  void add_slots(std::size_t p, const StreamPlan& stream, const StreamSlots& slots,
                 const LoweredStream& lowered) {
    for (std::size_t i = 0; i < stream.stops.size(); ++i) {
      const Stop& stop = stream.stops[i];
      const LoweredStream::Vfsms& vfsms = lowered.vfsms[i];
      scheduled::Schedule& target = schedule(p, stop.node);
      End source = End::output(lowered.output);
      if (i > 0) {
        const NodeIndex parent = stream.before(stop);
        source = End::link(program_.mesh.port(stop.node, parent));
      }
      if (vfsms.first != vfsms.last) {
        add_transfer(target,
                     {static_cast<Index>(vfsms.first), lowered.id, source, {End::vfsm(vfsms.last)}},
                     slots.starts, {slots.stops[i].entry});
        source = End::vfsm(vfsms.first);
      }
      std::vector<End> branches;
      for (const Branch& branch : stop.branches) {
        branches.push_back(branch.deliver ? End::input(lowered.inputs.at(stop.node))
                                          : End::link(program_.mesh.port(
                                                stop.node, stream.stops[branch.stop].node)));
      }
      add_transfer(target, {static_cast<Index>(vfsms.last), lowered.id, source, branches},
                   slots.starts, slots.stops[i].branches);
    }
  }

  static void add_transfer(scheduled::Schedule& schedule, const scheduled::Transfer& transfer,
                           const std::vector<std::uint32_t>& starts,
                           const std::vector<std::uint32_t>& offsets) {
    const auto number = static_cast<Index>(schedule.transfers.size());
    schedule.transfers.push_back(transfer);
    for (const std::uint32_t start : starts) {
      for (std::size_t b = 0; b < offsets.size(); ++b) {
        schedule.slots.push_back(
            {(start + offsets[b]) % schedule.length, number, static_cast<std::uint8_t>(b)});
      }
    }
  }

  // --- phases of a node

  void add_turns(NodeIndex n) {
    const std::size_t region = region_of_[n];
    const std::vector<std::size_t>& turns = compiled_.plan.regions[region].turns;
    std::map<std::size_t, Index> phase_of;
    for (std::size_t t = 0; t < turns.size(); ++t) {
      const auto known = phase_of.find(turns[t]);
      Index number = 0;
      if (t > 0 && known != phase_of.end()) {
        number = known->second;
      } else {
        number = add_phase(n, turns[t], region, t == 0);
        // The first turn has what no other has: the start, and what continues.
        if (t > 0) phase_of[turns[t]] = number;
      }
      node(n).turns.push_back({number, static_cast<std::uint32_t>(t)});
    }
  }

  Index add_phase(NodeIndex n, std::size_t p, std::size_t region, bool first) {
    const CompiledPhase& compiled = compiled_.phases[p];
    schedule(p, n);
    scheduled::NodePhase phase;
    phase.name = plan(p).name;
    phase.schedule = static_cast<Index>(schedules_[p].at(n));
    phase.barrier = compiled.barrier;
    phase.extent = static_cast<std::uint32_t>(region);
    for (const Thread& thread : plan(p).threads) add_task(n, p, thread, phase);
    add_crossed(n, p, phase);
    if (first) add_first(n, p, phase);
    node(n).phases.push_back(std::move(phase));
    return static_cast<Index>(node(n).phases.size() - 1);
  }

  std::size_t place_of(std::size_t p, std::size_t op) const {
    const std::vector<std::size_t>& operators = plan(p).operators;
    return static_cast<std::size_t>(std::find(operators.begin(), operators.end(), op) -
                                    operators.begin());
  }

  void add_task(NodeIndex n, std::size_t p, const Thread& thread, scheduled::NodePhase& phase) {
    scheduled::Task task;
    std::set<std::size_t> named;
    for (std::size_t u = 0; u < thread.uses.size(); ++u) {
      const Use& use = thread.uses[u];
      if (use.is_work) {
        add_work(n, program_.works[use.index], task);
        continue;
      }
      const std::size_t i = place_of(p, use.index);
      if (!add_use(n, p, i, task)) continue;
      if (named.insert(use.index).second)
        task.name += (task.name.empty() ? "" : ", ") + program_.operators[use.index].name;
      const bool last = std::none_of(
          thread.uses.begin() + static_cast<std::ptrdiff_t>(u) + 1, thread.uses.end(),
          [&](const Use& later) { return !later.is_work && later.index == use.index; });
      if (last) finish_use(n, p, i, task);
    }
    if (task.blocks.empty()) return;
    if (task.name.empty()) task.name = "work";
    // A task has one technique: beside markers the delay is one of the phase.
    if (task.technique == scheduled::Technique::kMarker)
      phase.delay = std::max(phase.delay, task.delay);
    phase.tasks.push_back(std::move(task));
  }

  void add_work(NodeIndex n, const Work& work, scheduled::Task& task) const {
    if (std::count(work.nodes.begin(), work.nodes.end(), n) == 0) return;
    Step step;
    step.cost = work.cycles;
    task.blocks.push_back({1, {step}});
  }

  /// Whether the node has anything to do in a use of operator `i` of phase `p`.
  bool add_use(NodeIndex n, std::size_t p, std::size_t i, scheduled::Task& task) const {
    const OperatorStreams& streams = compiled_.phases[p].operators[i];
    const Operator& op = program_.operators[streams.op];
    std::vector<Block> blocks;
    if (op.kind == Kind::kOnline) {
      blocks = online_blocks(op, n, map_);
    } else if (const NodeRole* role = streams.role_of(n)) {
      blocks = node_loops(op, streams, *role, addresses(p, i, n), map_, streams.op, target_.rules);
    }
    task.blocks.insert(task.blocks.end(), blocks.begin(), blocks.end());
    return !blocks.empty();
  }

  Addresses addresses(std::size_t p, std::size_t i, NodeIndex n) const {
    const std::vector<LoweredStream>& streams = streams_[p][i];
    return {[&streams](std::size_t s) { return streams[s].output; },
            [&streams, n](std::size_t s) { return streams[s].inputs.at(n); },
            [&streams](std::size_t s) { return streams[s].id; }};
  }

  /// What the technique of an operator asks of the node after its last use.
  void finish_use(NodeIndex n, std::size_t p, std::size_t i, scheduled::Task& task) const {
    const Decision& decision = compiled_.phases[p].decisions[i];
    using scheduled::Technique;
    if (decision.outcome == Outcome::kMarker) {
      task.technique = Technique::kMarker;
      add_markers(n, p, i, task);
      return;
    }
    if (decision.outcome == Outcome::kMessage) {
      if (task.technique != Technique::kMarker) task.technique = Technique::kMessageBound;
      const auto& delays = decision.delays;
      const auto at = std::lower_bound(delays.begin(), delays.end(), std::pair(n, Cycle{0}));
      if (at != delays.end() && at->first == n) task.delay = std::max(task.delay, at->second);
    }
    if (decision.outcome == Outcome::kProcessor && task.technique == Technique::kReturn)
      task.technique = Technique::kProcessorBound;
  }

  void add_markers(NodeIndex n, std::size_t p, std::size_t i, scheduled::Task& task) const {
    const std::vector<StreamPlan>& streams = compiled_.phases[p].operators[i].streams;
    const auto here = streams_at_[p][i].find(n);
    if (here == streams_at_[p][i].end()) return;
    for (const std::size_t s : here->second) {
      const LoweredStream& lowered = streams_[p][i][s];
      task.markers.push_back(lowered.id);
      if (streams[s].source() != n) continue;
      Step step;
      step.kind = Step::Kind::kWriteMarker;
      step.address = static_cast<Index>(lowered.output);
      step.stream = lowered.id;
      task.blocks.push_back({1, {step}});
    }
  }

  /// Streams with markers that cross a node which takes no part.
  void add_crossed(NodeIndex n, std::size_t p, scheduled::NodePhase& phase) const {
    const CompiledPhase& compiled = compiled_.phases[p];
    for (std::size_t i = 0; i < plan(p).operators.size(); ++i) {
      if (compiled.decisions[i].outcome != Outcome::kMarker) continue;
      if (compiled.operators[i].role_of(n) != nullptr) continue;
      scheduled::Task task;
      task.name = "crossed by " + program_.operators[compiled.decisions[i].op].name;
      task.technique = scheduled::Technique::kMarker;
      add_markers(n, p, i, task);
      if (!task.markers.empty()) phase.tasks.push_back(std::move(task));
    }
  }

  /// What only the first turn of a node has.
  void add_first(NodeIndex n, std::size_t p, scheduled::NodePhase& phase) const {
    for (std::size_t c = 0; c < plan(p).continuing.size(); ++c) {
      const std::size_t i = plan(p).operators.size() + c;
      scheduled::Task task;
      task.name = program_.operators[plan(p).continuing[c]].name;
      task.technique = scheduled::Technique::kContinuing;
      if (add_use(n, p, i, task)) phase.tasks.push_back(std::move(task));
    }
    Cycle start = 0;
    for (const Start& s : program_.starts) {
      if (std::count(s.nodes.begin(), s.nodes.end(), n) != 0) start = std::max(start, s.at);
    }
    if (start == 0) return;
    // A node without a task here would otherwise go on to its next phase before.
    phase.not_before = std::max(phase.not_before, start);
    Step wait;
    wait.kind = Step::Kind::kWaitUntil;
    wait.cost = start;
    for (scheduled::Task& task : phase.tasks)
      task.blocks.insert(task.blocks.begin(), Block{1, {wait}});
  }

  /// A node that has nothing to do with phases: only continuing operators use it.
  void add_crossing(NodeIndex n) {
    for (std::size_t p = 0; p < schedules_.size(); ++p) {
      if (schedules_[p].count(n) == 0) continue;
      scheduled::NodePhase phase;
      phase.name = plan(p).name;
      phase.schedule = static_cast<Index>(schedules_[p].at(n));
      phase.extent = scheduled::kNone;
      add_first(n, p, phase);
      node(n).phases.push_back(std::move(phase));
      node(n).turns.push_back({0, 0});
      return;
    }
  }

  void check_limits(NodeIndex n) const {
    const scheduled::Node& made = result_.nodes[n];
    const auto check = [&](std::size_t count, std::uint32_t most, const char* what,
                           const char* key) {
      if (count <= most) return;
      program_.fail("program", "node ", program_.mesh.name(n), " needs ", count, " ", what,
                    " for all phases, but the machine has ", most, " (", key, ")");
    };
    check(made.vfsms.size(), target_.max_vfsms, "VFSMs", "router.vfsms");
    check(made.outputs.size(), target_.max_addresses, "addresses to the router",
          "interface.addresses");
    check(made.inputs.size(), target_.max_addresses, "addresses from the router",
          "interface.addresses");
  }

  void add_online_routers() {
    for (std::size_t p = 0; p < compiled_.phases.size(); ++p) {
      for (std::size_t i = 0; i < plan(p).operators.size(); ++i) {
        const Operator& op = program_.operators[plan(p).operators[i]];
        if (op.kind == Kind::kOnline) add_online_routers(op, p, i);
      }
    }
  }
  void add_online_routers(const Operator& op, std::size_t p, std::size_t i) {
    check_messages(program_, op);
    const std::vector<StreamPlan>& streams = compiled_.phases[p].operators[i].streams;
    for (std::size_t s = 0; s < streams.size(); ++s) {
      const NodeIndex from = streams[s].stops[0].node;
      const NodeIndex to = streams[s].stops[1].node;
      const unsigned out = scheduled::index(program_.mesh.port(from, to));
      const unsigned in = scheduled::index(program_.mesh.port(to, from));
      const LoweredStream& lowered = streams_[p][i][s];
      node(from).online.outputs[out] = static_cast<Index>(lowered.output);
      node(from).online.streams[out] = lowered.id;
      node(to).online.inputs[in] = static_cast<Index>(lowered.inputs.at(to));
    }
    unsigned queues = 1;
    for (const Message& message : op.messages) queues = std::max(queues, queues_of(op, message.to));
    for (const NodeIndex n : compiled_.phases[p].operators[i].touched) {
      scheduled::OnlineRouter& router = node(n).online;
      router.enabled = true;
      router.queues = queues;
      router.interrupt_cost = target_.interrupt_cost;
    }
  }

  const Program& program_;
  const Compiled& compiled_;
  const Target& target_;
  const MemoryMap& map_;
  scheduled::Program result_;
  std::vector<std::size_t> region_of_;
  std::set<NodeIndex> touched_;
  std::vector<std::vector<std::vector<LoweredStream>>> streams_;  // by phase, operator, stream
  std::vector<std::vector<std::map<NodeIndex, std::vector<std::size_t>>>>
      streams_at_;  // by phase, op
  std::map<std::pair<std::size_t, std::size_t>, LoweredStream> continuing_;
  std::vector<std::map<NodeIndex, std::size_t>> schedules_;  // by phase: its number at a node
};

}  // namespace

scheduled::Program lower(const Program& program, const Compiled& compiled, const Target& target,
                         const MemoryMap& map) {
  return Lowering(program, compiled, target, map).lower();
}

}  // namespace tessera::operators
