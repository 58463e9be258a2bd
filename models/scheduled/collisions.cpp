#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "models/scheduled/validate.h"
#include "models/scheduled/word_checker.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled {

namespace {

const Schedule& schedule_of(const Node& node, const Turn& turn) {
  return node.schedules[node.phases[turn.phase].schedule];
}

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

}  // namespace

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

}  // namespace tessera::scheduled
