// Online routing (numesh.md 2.3): software store-and-forward over one-hop streams, and why it
// cannot be message-bound (3.3).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/support/scheduled_builder.h"

namespace tessera::scheduled::test {
namespace {

/// A lattice with one-hop streams between all neighbours, one slot a period for each link.
Program lattice(unsigned x, unsigned y, unsigned z, unsigned length = 24) {
  Program p;
  p.topology = {x, y, z};
  p.nodes.resize(x * y * z);
  for (NodeId n = 0; n < p.nodes.size(); ++n) {
    Node& node = p.nodes[n];
    node.online.enabled = true;
    node.online.queues = 2;
    node.schedules.emplace_back();
    node.schedules[0].length = length;
    node.memory.assign(64, 0);
    for (unsigned port = 0; port < kPortCount; ++port) {
      if (p.topology.neighbour(n, static_cast<Port>(port)) == kNone) continue;
      node.online.outputs[port] = static_cast<Index>(node.outputs.size());
      node.outputs.emplace_back();
      node.online.inputs[port] = static_cast<Index>(node.inputs.size());
      node.inputs.emplace_back();
    }
  }
  // Port p sends in slot 4 p (even nodes) or 4 p + 2 (odd ones); the peer takes in the next.
  for (NodeId n = 0; n < p.nodes.size(); ++n) {
    const Coord c = p.topology.coord(n);
    for (unsigned port = 0; port < kPortCount; ++port) {
      const NodeId peer = p.topology.neighbour(n, static_cast<Port>(port));
      if (peer == kNone) continue;
      Node& from = p.nodes[n];
      Node& to = p.nodes[peer];
      const unsigned back = index(opposite(static_cast<Port>(port)));
      const auto stream = static_cast<StreamId>(p.streams.size());
      Stream s;
      s.name = "link " + std::to_string(n) + ">" + std::to_string(peer);
      s.source = n;
      s.continuing = true;
      s.sinks = {{peer, to.online.inputs[back]}};
      p.streams.push_back(s);
      from.online.streams[port] = stream;
      const unsigned slot = 4 * port + 2 * ((c.x + c.y + c.z) % 2);
      const auto add = [&](Node& node, End source, End branch, unsigned time) {
        Transfer t;
        t.vfsm = static_cast<Index>(node.vfsms.size());
        t.stream = stream;
        t.source = source;
        t.branches = {branch};
        node.vfsms.emplace_back();
        node.schedules[0].transfers.push_back(t);
        node.schedules[0].slots.push_back(
            {time % length, static_cast<Index>(node.schedules[0].transfers.size() - 1), 0});
      };
      add(from, End::output(from.online.outputs[port]), End::link(static_cast<Port>(port)), slot);
      add(to, End::link(static_cast<Port>(back)), End::input(to.online.inputs[back]), slot + 1);
    }
  }
  return p;
}

Step send(NodeId peer, unsigned queue, unsigned words, int data) {
  Step s;
  s.kind = Step::Kind::kSend;
  s.peer = peer;
  s.address = static_cast<Index>(queue);
  s.words = words;
  s.data = data;
  return s;
}
Step receive(unsigned queue, unsigned words, int data) {
  Step s;
  s.kind = Step::Kind::kReceive;
  s.address = static_cast<Index>(queue);
  s.words = words;
  s.data = data;
  return s;
}
void run_tasks(Program& p, NodeId node, std::vector<Task> tasks) {
  NodePhase phase;
  phase.name = "online";
  phase.tasks = std::move(tasks);
  p.nodes[node].phases = {phase};
  p.nodes[node].turns = {{0, 0}};
}

TEST(ScheduledOnline, EveryNodeSendsToEveryOther) {
  Program p = lattice(3, 3, 2);
  const auto nodes = static_cast<unsigned>(p.nodes.size());
  for (NodeId n = 0; n < nodes; ++n) {
    p.nodes[n].memory.assign(2 * nodes, 0);
    for (unsigned i = 0; i < 2; ++i) p.nodes[n].memory[i] = 100 * n + i;
    std::vector<Block> sends, receives;
    for (unsigned i = 1; i < nodes; ++i) {
      sends.push_back(block(1, {send((n + i) % nodes, 1, 2, 0)}));
      receives.push_back(block(1, {receive(1, 2, static_cast<int>(2 * i))}));
    }
    run_tasks(p, n, {task("send", 0, sends), task("receive", 0, receives)});
  }
  Trial run(p);
  EXPECT_EQ(run.run(1000000), MeshCore::Status::kFinished);
  EXPECT_EQ(run.checker.total(), 0U);
  for (NodeId n = 0; n < nodes; ++n) {
    // Whole messages, in any order, one of every other node.
    std::vector<bool> seen(nodes);
    const std::vector<std::uint32_t>& memory = run.mesh.processor(n).memory();
    for (unsigned i = 1; i < nodes; ++i) {
      EXPECT_EQ(memory[2 * i] + 1, memory[2 * i + 1]);
      seen[memory[2 * i] / 100] = true;
    }
    EXPECT_EQ(std::count(seen.begin(), seen.end(), true), static_cast<long>(nodes - 1));
  }
}

TEST(ScheduledOnline, InterruptsTakeTheProcessor) {
  const auto returns = [](Cycle interrupt_cost) {
    Program p = lattice(3, 1, 1);
    for (Node& node : p.nodes) node.online.interrupt_cost = interrupt_cost;
    run_tasks(p, 0, {task("send", 0, {block(20, {send(2, 0, 4, 0)})})});
    run_tasks(p, 1, {task("work", 0, {block(2000, {compute(1)})})});
    run_tasks(p, 2, {task("receive", 0, {block(20, {receive(0, 4, 0)})})});
    Trial run(p);
    EXPECT_EQ(run.run(1000000), MeshCore::Status::kFinished);
    return run.returned(1);
  };
  EXPECT_GT(returns(1), 2000U + 100);  // 100 words in and out
  EXPECT_GT(returns(20), returns(1) + 100);
}

TEST(ScheduledOnline, AWriterReturnsWhateverTheLengthThoughNobodyReads) {
  // No capacity bounds it: message-bound termination has nothing to stand on.
  Program p = lattice(4, 1, 1);
  constexpr unsigned kWords = 1000;
  p.nodes[0].memory.assign(kWords, 1);
  run_tasks(p, 0, {task("send", 0, {block(1, {send(3, 0, kWords, 0)})})});
  for (NodeId n = 1; n < 4; ++n) run_tasks(p, n, {});
  Trial run(p);
  EXPECT_EQ(run.run(1000000), MeshCore::Status::kFinished);
  EXPECT_LE(run.returned(0), kWords + 1);
  EXPECT_EQ(run.mesh.words_in_network(), 0U);  // all in the memory of node 3
}

}  // namespace
}  // namespace tessera::scheduled::test
