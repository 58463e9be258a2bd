#include "models/scheduled/program.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>

#include "models/scheduled/online_router_core.h"
#include "models/scheduled/word_checker.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled {

namespace {

class Validator {
 public:
  explicit Validator(const Program& program) : program_(program) {}

  void check() {
    const Rules& rules = program_.rules;
    require(program_.topology.nodes() == program_.nodes.size(), "nodes do not fill the topology");
    require(rules.vfsm_buffer > 0 && rules.output_depth > 0 && rules.input_depth > 0,
            "buffers and queues hold at least a word");
    require(rules.vfsms_per_cycle >= 1 && rules.vfsms_per_cycle <= kPortCount,
            "VFSMs per cycle must be 1 to 6");
    require(rules.io_per_cycle >= 1 && rules.schedule_memory >= 1,
            "I/O per cycle and schedule memory must be at least 1");
    for (const auto& extent : program_.extents)
      for (const NodeId member : extent)
        require(member < program_.nodes.size(), "an extent has a node that is not there");
    for (node_ = 0; node_ < program_.nodes.size(); ++node_) check_node();
  }

 private:
  void require(bool holds, const std::string& problem) const {
    if (!holds) throw std::invalid_argument(place_ + problem);
  }

  void check_node() {
    const Node& node = program_.nodes[node_];
    for (const Schedule& schedule : node.schedules) {
      place_ = "node " + std::to_string(node_) + ", schedule '" + schedule.name + "': ";
      check_schedule(node, schedule);
    }
    for (const NodePhase& phase : node.phases) {
      place_ = "node " + std::to_string(node_) + ", phase '" + phase.name + "': ";
      require(phase.schedule < node.schedules.size(), "its schedule is not there");
      check_extent(phase);
      for (const Task& task : phase.tasks)
        for (const Block& block : task.blocks)
          for (const Step& step : block.steps) check_step(node, block, step);
    }
    place_ = "node " + std::to_string(node_) + ": ";
    for (std::size_t i = 0; i < node.turns.size(); ++i) {
      require(node.turns[i].phase < node.phases.size(), "a turn names a phase that is not there");
      require(i == 0 || node.turns[i - 1].epoch < node.turns[i].epoch, "epochs must rise");
    }
    if (node.online.enabled) check_online(node);
    place_.clear();
  }

  void check_extent(const NodePhase& phase) const {
    const bool asks = phase.barrier ||
                      std::any_of(phase.tasks.begin(), phase.tasks.end(),
                                  [](const Task& t) { return t.technique == Technique::kBarrier; });
    require(!asks || phase.extent != kNone, "it has a barrier and no extent");
    if (phase.extent == kNone || !(asks || program_.rules.skew == SkewPolicy::kBarrier)) return;
    require(phase.extent < program_.extents.size(), "its extent is not there");
    const std::vector<NodeId>& members = program_.extents[phase.extent];
    require(std::find(members.begin(), members.end(), node_) != members.end(),
            "the node is no member of its extent");
  }

  void check_schedule(const Node& node, const Schedule& schedule) const {
    require(schedule.length > 0, "its length is 0");
    std::set<Index> vfsms;
    for (const Transfer& t : schedule.transfers) {
      require(t.vfsm < node.vfsms.size(), "a transfer names a VFSM that is not there");
      require(vfsms.insert(t.vfsm).second,
              "VFSM " + std::to_string(t.vfsm) + " is annotated twice");
      require(t.stream < program_.streams.size(), "a transfer names a stream that is not there");
      require(!t.branches.empty() && t.branches.size() <= 16, "a transfer has 1 to 16 branches");
      check_end(node, t.source, false);
      for (const End& branch : t.branches) check_end(node, branch, true);
    }
    std::map<std::uint32_t, std::set<Index>> ran;  // time: VFSMs
    std::set<std::pair<std::uint32_t, Index>> sent, read;
    for (const Slot& slot : schedule.slots) {
      require(slot.time < schedule.length, "a slot lies after the end");
      require(slot.transfer < schedule.transfers.size(), "a slot names no transfer");
      const Transfer& t = schedule.transfers[slot.transfer];
      require(slot.branch < t.branches.size(), "a slot names a branch that is not there");
      require(ran[slot.time].insert(t.vfsm).second, "a VFSM has two slots at one time");
      require(ran[slot.time].size() <= program_.rules.vfsms_per_cycle,
              "slot " + std::to_string(slot.time) + " is taken by more VFSMs than can run");
      const End to = t.branches[slot.branch];
      if (to.kind == End::Kind::kLink)
        require(sent.insert({slot.time, to.index}).second, "two VFSMs send on one link");
      if (slot.branch == 0 && t.source.kind == End::Kind::kLink)
        require(read.insert({slot.time, t.source.index}).second, "two VFSMs read one link");
    }
  }

  void check_end(const Node& node, End end, bool is_branch) const {
    switch (end.kind) {
    case End::Kind::kLink:
      require(end.index < kPortCount, "a link is none of the six");
      return require(program_.topology.neighbour(node_, static_cast<Port>(end.index)) != kNone,
                     std::string("a transfer uses link ") +
                         to_string(static_cast<Port>(end.index)) + ", which leaves the mesh");
    case End::Kind::kOutput:
      return require(!is_branch && end.index < node.outputs.size(),
                     "an output is not there or is a branch");
    case End::Kind::kInput:
      return require(is_branch && end.index < node.inputs.size(),
                     "an input is not there or is a source");
    case End::Kind::kVfsm:
      return require(end.index < node.vfsms.size(), "a delay element is not there");
    }
  }

  void check_step(const Node& node, const Block& block, const Step& step) const {
    using Kind = Step::Kind;
    const Kind kind = step.kind;
    if (kind == Kind::kWrite || kind == Kind::kWriteMarker) {
      require(step.address < node.outputs.size(), "a step writes to an output that is not there");
      require(step.stream < program_.streams.size(), "a step writes to no stream");
    }
    if (kind == Kind::kRead)
      require(step.address < node.inputs.size(), "a step reads an input that is not there");
    if (kind == Kind::kLoad || kind == Kind::kSwitch)
      require(step.address < node.schedules.size(), "a step names no schedule");
    if (kind == Kind::kSend || kind == Kind::kReceive) check_message(node, step);
    const auto inside = [&](std::int64_t at) {
      return at >= 0 && at < static_cast<std::int64_t>(node.memory.size());
    };
    const bool message = kind == Kind::kSend || kind == Kind::kReceive;
    const std::int64_t words = message && step.words > 0 ? step.words - 1 : 0;
    const std::int64_t last =
        block.repeat == 0 ? 0 : std::int64_t{step.stride} * (block.repeat - 1);
    for (const std::int64_t first : {step.data, step.from})
      require(first < 0 || block.repeat == 0 ||
                  (inside(first) && inside(first + words) && inside(first + last) &&
                   inside(first + last + words)),
              "a step reaches beyond the memory of the node");
  }

  void check_message(const Node& node, const Step& step) const {
    require(node.online.enabled, "a step sends messages, and the node has no online router");
    require(step.words <= OnlineRouterCore::kMaxWords, "a message is longer than 4095 words");
    require(step.kind == Step::Kind::kReceive || step.peer < program_.nodes.size(),
            "a message goes to a node that is not there");
    require(step.address < node.online.queues, "a message queue is not there");
  }

  void check_online(const Node& node) const {
    require(program_.nodes.size() <= OnlineRouterCore::kMaxNodes &&
                node.online.queues <= OnlineRouterCore::kMaxQueues && node.online.queues > 0,
            "online routing has at most 65536 nodes and 16 queues");
    for (unsigned p = 0; p < kPortCount; ++p) {
      const bool peer = program_.topology.neighbour(node_, static_cast<Port>(p)) != kNone;
      const Index in = node.online.inputs[p];
      const Index out = node.online.outputs[p];
      require(in == OnlineRouter::kNoAddress || in < node.inputs.size(),
              "online routing reads an input that is not there");
      require(out == OnlineRouter::kNoAddress ||
                  (out < node.outputs.size() && node.online.streams[p] < program_.streams.size()),
              "online routing writes to an output or stream that is not there");
      require(!peer || (in != OnlineRouter::kNoAddress && out != OnlineRouter::kNoAddress),
              "online routing needs addresses for every neighbour");
    }
  }

  const Program& program_;
  NodeId node_ = 0;
  std::string place_;
};

const Schedule& schedule_of(const Node& node, const Turn& turn) {
  return node.schedules[node.phases[turn.phase].schedule];
}

/// A word that `from` sends and `to` takes for another stream. It can when the slots in which the
/// one offers on a link and the other listens on it are equal modulo the greatest common divisor of
/// the two lengths.
struct Collision {
  NodeId from;
  Port port;  // port of `from`
  StreamId sent;
  std::uint32_t sent_epoch, sent_slot;
  NodeId to;
  StreamId taken_for;
  std::uint32_t taken_epoch, taken_slot;
};

/// What `from` sends in turn `a` through `port` and the node behind takes in turn `b` for something
/// else.
void compare(const Program& program, NodeId from, const Turn& a, Port port, NodeId to,
             const Turn& b, std::vector<Collision>& found) {
  const Schedule& sender = schedule_of(program.nodes[from], a);
  const Schedule& receiver = schedule_of(program.nodes[to], b);
  const std::uint32_t gcd = std::gcd(sender.length, receiver.length);
  for (const Slot& out : sender.slots) {
    const Transfer& t = sender.transfers[out.transfer];
    if (!(t.branches[out.branch] == End::link(port))) continue;
    for (const Slot& in : receiver.slots) {
      const Transfer& u = receiver.transfers[in.transfer];
      if (in.branch != 0 || !(u.source == End::link(opposite(port)))) continue;
      if ((out.time + 1) % gcd != in.time % gcd) continue;
      const bool continues = t.stream == u.stream && program.streams[t.stream].continuing;
      if (continues) continue;
      found.push_back({from, port, t.stream, a.epoch, out.time, to, u.stream, b.epoch, in.time});
    }
  }
}

/// Pairs of turns in which neighbours can be at one time though they should not: the one is the
/// next of the other in the order of the program. Repeated pairs of a loop count once.
void compare_turns(const Program& program, NodeId from, Port port, NodeId to,
                   std::vector<Collision>& found) {
  const std::vector<Turn>& mine = program.nodes[from].turns;
  const std::vector<Turn>& theirs = program.nodes[to].turns;
  std::set<std::tuple<Index, Index, bool>> seen;
  std::size_t next = 0;
  for (const Turn& a : mine) {
    while (next < theirs.size() && theirs[next].epoch < a.epoch) ++next;
    // theirs[next - 1] is the one before, theirs[next] this one or the one after.
    for (std::size_t i = next == 0 ? 0 : next - 1; i < theirs.size() && i <= next + 1; ++i) {
      const Turn& b = theirs[i];
      if (b.epoch == a.epoch || !seen.insert({a.phase, b.phase, b.epoch < a.epoch}).second)
        continue;
      compare(program, from, a, port, to, b, found);
    }
  }
}

/// All collisions between turns of neighbours whose epochs follow each other in either order.
/// Continuing streams do not collide with themselves.
std::vector<Collision> find_collisions(const Program& program) {
  std::vector<Collision> found;
  for (NodeId n = 0; n < program.nodes.size(); ++n) {
    for (unsigned p = 0; p < kPortCount; ++p) {
      const auto port = static_cast<Port>(p);
      const NodeId peer = program.topology.neighbour(n, port);
      if (peer != kNone) compare_turns(program, n, port, peer, found);
    }
  }
  return found;
}

std::string text(const Program& program, const Collision& c) {
  return node_name(program, c.from) + " sends " + stream_name(program, c.sent) + " through " +
         to_string(c.port) + " in slot " + std::to_string(c.sent_slot) + " of " +
         phase_name(program, c.from, c.sent_epoch) + ", and " + node_name(program, c.to) +
         " in slot " + std::to_string(c.taken_slot) + " of " +
         phase_name(program, c.to, c.taken_epoch) + " would take it for " +
         stream_name(program, c.taken_for);
}

void refuse_collisions(const Program& program) {
  const std::vector<Collision> found = find_collisions(program);
  if (found.empty()) return;
  throw IllegalBehaviour(text(program, found.front()) +
                             (found.size() == 1 ? ""
                                                : ", and " + std::to_string(found.size() - 1) +
                                                      " more such pairs of slots"),
                         kCollisionId);
}

}  // namespace

void validate(const Program& program) {
  Validator(program).check();
}

const Program& checked(const Program& program) {
  validate(program);
  if (program.rules.skew == SkewPolicy::kCheck) refuse_collisions(program);
  return program;
}

}  // namespace tessera::scheduled
