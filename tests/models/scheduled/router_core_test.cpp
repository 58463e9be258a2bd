// VFSM routers (numesh.md 1.2, 1.3, 1.5): buffers, delay elements, forks, stalls, reuse, and what
// is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/scheduled_builder.h"

namespace tessera::scheduled::test {
namespace {

using testing::HasSubstr;

const End kForward = End::link(Port::kXPlus);
const End kBehind = End::link(Port::kXMinus);

/// Cycle in which the reader of a 0 -> 1 stream returns: 20 words, slots in every cycle.
Cycle every_cycle(unsigned buffer) {
  Builder b(2);
  b.program.rules.vfsm_buffer = buffer;
  const Index in = b.schedule(1);
  const StreamId s = b.stream("s", 0);
  b.chain(in, s, {0, 1}, {0});
  b.turn(0, in, {task("w", 0, {block(20, {write(0, s)})})});
  b.turn(1, in, {task("r", 0, {block(20, {read(0, s)})})});
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  return run.returned(1);
}

TEST(ScheduledRouter, ConsecutiveSlotsNeedTwoBufferWordsForFullRate) {
  EXPECT_EQ(every_cycle(2), 1 + 3 + 20U);          // numesh.md 1.3
  EXPECT_EQ(every_cycle(1), 1 + 3 + 2 * 19 + 1U);  // no look-ahead: every second cycle
}

/// 0 -> 1 -> 2 with a delay element in node 1: one slot later each.
struct Delay {
  Delay() : b(3) {
    in = b.schedule(4);
    s = b.stream("s", 0);
    b.output(0);
    b.input(2);
    b.transfer(0, in, b.vfsm(0), s, End::output(0), {kForward}, {{0}});
    const Index first = b.vfsm(1), second = b.vfsm(1);
    b.transfer(1, in, first, s, kBehind, {End::vfsm(second)}, {{1}});
    b.transfer(1, in, second, s, End::vfsm(first), {kForward}, {{3}});
    b.transfer(2, in, b.vfsm(2), s, kBehind, {End::input(0)}, {{0}});
  }
  Builder b;
  Index in;
  StreamId s;
};

TEST(ScheduledRouter, DelayElementMovesTheSlotAndAddsABuffer) {
  Delay d;
  d.b.turn(0, d.in, {task("w", 0, {block(30, {write(0, d.s)})})});
  d.b.turn(1, d.in, {});
  d.b.turn(2, d.in, {task("r", 500, {block(30, {read(0, d.s)})})});
  Trial run(d.b.program);
  run.run(400);
  EXPECT_EQ(run.mesh.processor(0).words_written(), 2U + 3 + 1 + 2);  // C with e = 1
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(run.checker.delivered(d.s, 0), 30U);
  EXPECT_EQ(run.checker.total(), 0U);
}

TEST(ScheduledRouter, DelayElementLatency) {
  Delay d;
  d.b.turn(0, d.in, {task("w", 0, {block(1, {write(0, d.s)})})});
  d.b.turn(1, d.in, {});
  d.b.turn(2, d.in, {task("r", 0, {block(1, {read(0, d.s)})})});
  Trial run(d.b.program);
  run.run();
  // Taken in 4, by node 1 in 5, by its second VFSM in 7, by node 2 in 8, delivered in 9, read in
  // 10.
  EXPECT_EQ(run.returned(2), 11U);
}

TEST(ScheduledRouter, BranchesAreServedInOrderOneAWord) {
  // Node 0 forks to its own input first and then to node 1, whose reader never starts.
  Builder b(2);
  const Index in = b.schedule(4);
  const StreamId s = b.stream("s", 0);
  b.output(0);
  b.input(0);
  b.input(1);
  b.transfer(0, in, b.vfsm(0), s, End::output(0), {kForward, End::input(0)}, {{0}, {1}});
  b.transfer(1, in, b.vfsm(1), s, kBehind, {End::input(0)}, {{1}});
  b.turn(0, in,
         {task("w", 0, {block(20, {write(0, s)})}), task("echo", 0, {block(20, {read(0, s)})})});
  b.turn(1, in, {});
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  // Node 1 takes three (two in its queue, one in the VFSM); the fourth is not echoed.
  EXPECT_EQ(run.mesh.processor(0).words_read(), 3U);
  const std::vector<RouterCore::Held> held = run.mesh.router(0).held();
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].oldest->sequence, 3U);
  EXPECT_EQ(held[0].branch, 0U);
}

TEST(ScheduledRouter, AStalledChainRestartsAtFullRate) {
  Builder b(6);
  const Index in = b.schedule(4);
  const StreamId s = b.stream("s", 0);
  b.chain(in, s, {0, 1, 2, 3, 4, 5}, {0});
  b.turn(0, in, {task("w", 0, {block(100, {write(0, s)})})});
  for (NodeId n = 1; n < 5; ++n) b.turn(n, in, {});
  b.turn(5, in, {task("r", 1000, {block(100, {read(0, s)})})});
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  // Two words are in the queue; the others follow every four cycles from the start.
  EXPECT_LE(run.returned(5), 1000U + 98 * 4 + 6);
}

TEST(ScheduledRouter, TwoVfsmsInOneCycleIfTheRulesAllow) {
  Builder b(2);
  b.program.rules.vfsms_per_cycle = 2;
  b.program.rules.io_per_cycle = 2;
  const Index in = b.schedule(2);
  const StreamId x = b.stream("x", 0), y = b.stream("y", 1);
  b.chain(in, x, {0, 1}, {0});
  b.chain(in, y, {1, 0}, {0});
  for (NodeId n = 0; n < 2; ++n) {
    b.turn(n, in,
           {task("w", 0, {block(50, {write(0, n == 0 ? x : y)})}),
            task("r", 0, {block(50, {read(0, n == 0 ? y : x)})})});
  }
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_LE(run.mesh.finished_at(), 110U);
  EXPECT_EQ(run.checker.total(), 0U);
}

TEST(ScheduledRouter, AReusedVfsmInjectsItsWordIntoTheOtherStream) {
  // numesh.md 3.2: VFSM 0 of node 1 holds a word of "old" (nobody reads it) when it becomes part of
  // "new", which goes to another input.
  Builder b(2);
  const Index before = b.schedule(4, "old"), after = b.schedule(4, "new");
  const StreamId old = b.stream("old", 0), fresh = b.stream("new", 0);
  b.output(0);
  b.input(1);
  b.input(1);
  const std::vector<Index> vfsms = b.new_vfsms({0, 1});
  b.chain(before, old, {0, 1}, {0}, 0, 0, vfsms);
  b.chain(after, fresh, {0, 1}, {0}, 0, 1, vfsms);
  b.turn(0, before, {task("w", 0, {block(3, {write(0, old)})})}).delay = 60;
  b.turn(1, before, {}).not_before = 60;
  b.turn(0, after, {task("w", 0, {block(1, {write(0, fresh)})})});
  b.turn(1, after, {task("r", 0, {block(1, {read(1, fresh)})})});
  Trial run(b.program);
  run.run();
  EXPECT_EQ(run.stranded(), 1U);
  EXPECT_EQ(run.misrouted(), 1U);  // delivered to input 1
  const std::vector<WordChecker::Finding> all = run.checker.findings();
  EXPECT_THAT(run.checker.text(all.back()),
              HasSubstr("node 1: word 2 of stream 'old', written in phase 'p0', is misrouted: "
                        "input 1 takes it for no stream in phase 'p1'"));
}

TEST(ScheduledRouter, WhatIsNoProgramIsRefusedWithItsPlace) {
  struct Case {
    std::string text;
    std::function<void(Builder&)> spoil;
  };
  const std::vector<Case> cases = {
      {"node 1, schedule 's': a transfer uses link +x, which leaves the mesh",
       [](Builder& b) { b.program.nodes[1].schedules[0].transfers[0].branches = {kForward}; }},
      {"node 0, schedule 's': a slot lies after the end",
       [](Builder& b) { b.program.nodes[0].schedules[0].slots[0].time = 4; }},
      {"node 0, schedule 's': VFSM 0 is annotated twice",
       [](Builder& b) {
         Schedule& s = b.program.nodes[0].schedules[0];
         s.transfers.push_back(s.transfers[0]);
       }},
      {"node 0, phase 'p0': a step writes to an output that is not there",
       [](Builder& b) { b.program.nodes[0].phases[0].tasks[0].blocks[0].steps[0].address = 7; }},
      {"node 0, phase 'p0': a step reaches beyond the memory of the node",
       [](Builder& b) { b.program.nodes[0].phases[0].tasks[0].blocks[0].steps[0].data = 3; }},
      {"node 0: epochs must rise",
       [](Builder& b) { b.program.nodes[0].turns.push_back(b.program.nodes[0].turns[0]); }},
      {"VFSMs per cycle must be 1 to 6", [](Builder& b) { b.program.rules.vfsms_per_cycle = 0; }},
  };
  for (const Case& c : cases) {
    Builder b(2);
    const Index in = b.schedule(4);
    const StreamId s = b.stream("s", 0);
    b.chain(in, s, {0, 1}, {0});
    b.turn(0, in, {task("w", 0, {block(1, {write(0, s)})})});
    b.turn(1, in, {});
    EXPECT_NO_THROW(MeshCore mesh(b.program));
    c.spoil(b);
    try {
      MeshCore mesh(b.program);
      ADD_FAILURE() << "accepted: " << c.text;
    } catch (const std::invalid_argument& e) {
      EXPECT_EQ(std::string(e.what()), c.text);
    }
  }
}

}  // namespace
}  // namespace tessera::scheduled::test
