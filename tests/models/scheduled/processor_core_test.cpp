// Processors of a scheduled mesh (numesh.md 1.4, 3, R8, R10): I/O, tasks side by side, memory,
// interrupts, techniques, switches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tests/support/scheduled_builder.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::scheduled::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Step with_data(Step s, int data, Combine combine = Combine::kReplace, int stride = 1) {
  s.data = data;
  s.combine = combine;
  s.stride = stride;
  return s;
}

/// 0 -> 1 in every second slot.
struct Pair {
  explicit Pair(unsigned length = 2) : b(2) {
    in = b.schedule(length);
    s = b.stream("s", 0);
    b.chain(in, s, {0, 1}, {0});
  }
  Builder b;
  Index in;
  StreamId s;
};

TEST(ScheduledProcessor, OneIoACycleSharedByTasksInTurn) {
  Builder b(2);
  const Index in = b.schedule(2);
  const StreamId x = b.stream("x", 0), y = b.stream("y", 0);
  b.chain(in, x, {0, 1}, {0});
  b.chain(in, y, {0, 1}, {1});
  for (NodeId n = 0; n < 2; ++n) {
    const auto io = [&](unsigned a, StreamId s) { return n == 0 ? write(a, s) : read(a, s); };
    b.turn(n, in, {task("x", 0, {block(100, {io(0, x)})}), task("y", 0, {block(100, {io(1, y)})})});
  }
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  // 200 words at one I/O a cycle, one word of each stream every two cycles.
  EXPECT_GE(run.returned(0, 0, 1), 200U);
  EXPECT_LE(run.returned(0, 0, 1), 204U);
  EXPECT_LE(run.returned(0, 0, 1) - run.returned(0, 0, 0), 2U);
}

TEST(ScheduledProcessor, ReadsCombineWithMemory) {
  Pair p;
  p.b.program.nodes[0].memory = {5, 0xFFFFFFFF, 7, 9};
  p.b.program.nodes[1].memory = {10, 10, 10, 10, 0, 0};
  const StreamId s = p.s;
  p.b.turn(0, p.in, {task("w", 0, {block(4, {with_data(write(0, s), 0)})})});
  Step partial = with_data(read(0, s), 4, Combine::kAdd);  // memory[4] = memory[3] + word
  partial.from = 3;
  p.b.turn(1, p.in,
           {task("r", 0,
                 {block(1, {with_data(read(0, s), 0, Combine::kAdd)}),
                  block(1, {with_data(read(0, s), 1, Combine::kMin)}),
                  block(1, {with_data(read(0, s), 2, Combine::kMax)}), block(1, {partial})})});
  Trial run(p.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_THAT(run.mesh.processor(1).memory(), ElementsAre(15, 0xFFFFFFFF, 10, 10, 19, 0));
}

TEST(ScheduledProcessor, StrideGoesBackwards) {
  Pair p;
  p.b.program.nodes[0].memory = {1, 2, 3};
  p.b.program.nodes[1].memory = {0, 0, 0};
  p.b.turn(0, p.in,
           {task("w", 0, {block(3, {with_data(write(0, p.s), 2, Combine::kReplace, -1)})})});
  p.b.turn(1, p.in, {task("r", 0, {block(3, {with_data(read(0, p.s), 0)})})});
  Trial run(p.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_THAT(run.mesh.processor(1).memory(), ElementsAre(3, 2, 1));
}

Cycle reader_returns(Cycle at, Cycle length, Technique technique, bool suspend) {
  Pair p(4);
  p.b.program.rules.suspend_interrupts = suspend;
  p.b.turn(0, p.in, {task("w", 0, {block(20, {write(0, p.s)})}, technique)});
  p.b.turn(1, p.in, {task("r", 0, {block(20, {read(0, p.s)})}, technique)});
  p.b.program.nodes[1].interrupts = {{at, length}};
  Trial run(p.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  return run.returned(1);
}

TEST(ScheduledProcessor, InterruptsStopTheTasks) {
  const Cycle plain = reader_returns(1000, 1, Technique::kReturn, true);
  EXPECT_EQ(reader_returns(30, 200, Technique::kReturn, true) > plain + 100, true);
  // Message-bound tasks hold them off, if the rules say so (numesh.md 3.3).
  EXPECT_EQ(reader_returns(30, 200, Technique::kMessageBound, true), plain);
  EXPECT_GT(reader_returns(30, 200, Technique::kMessageBound, false), plain + 100);
}

TEST(ScheduledProcessor, AnInterruptThatIsHeldOffHidesNoDeadlock) {
  Pair p(4);
  p.b.turn(0, p.in, {});
  p.b.turn(1, p.in, {task("r", 0, {block(1, {read(0, p.s)})}, Technique::kMessageBound)});
  p.b.program.nodes[1].interrupts = {{30, 10}};
  EXPECT_EQ(Trial(p.b.program).run(), MeshCore::Status::kDeadlock);
}

TEST(ScheduledProcessor, AnInterruptBetweenBarrierAndSwitchWaits) {
  for (Cycle at = 90; at < 125; ++at) {
    Pair p(4);
    p.b.program.rules.skew = SkewPolicy::kBarrier;
    p.b.program.rules.barrier_latency = 10;
    p.b.program.rules.suspend_interrupts = at % 2 == 0;  // whatever it says
    p.b.program.extents = {{0, 1}};
    const Index next = p.b.schedule(4, "next");
    for (NodeId n = 0; n < 2; ++n) {
      p.b.turn(n, p.in, {}).not_before = 100;
      p.b.turn(n, next, {});
    }
    p.b.program.nodes[1].interrupts = {{at, 50}};
    Trial run(p.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    // It delays the arrival, or comes after the switch; both nodes switch in one cycle.
    const Cycle switched = at <= 100 ? at + 50 + 10 : 110;
    EXPECT_EQ(run.mesh.processor(0).ended_at(0), switched) << at;
    EXPECT_EQ(run.mesh.processor(1).ended_at(0), switched) << at;
  }
}

/// The cycle in which node 0 leaves its phase after a message of 4 words; reader from 300.
struct Leaving {
  explicit Leaving(Technique technique, Cycle delay = 0) : p(4) {
    const Index next = p.b.schedule(4, "next");
    std::vector<Block> w = {block(4, {write(0, p.s)})};
    if (technique == Technique::kMarker) {
      Step marker = write(0, p.s);
      marker.kind = Step::Kind::kWriteMarker;
      w.push_back(block(1, {marker}));
    }
    for (NodeId n = 0; n < 2; ++n) {
      Task t = n == 0 ? task("w", 0, w, technique)
                      : task("r", 300, {block(4, {read(0, p.s)})}, technique);
      t.delay = delay;
      if (technique == Technique::kMarker) t.markers = {p.s};
      p.b.turn(n, p.in, {t});
      p.b.turn(n, next, {});
    }
    p.b.program.extents = {{0, 1}};
  }
  Pair p;
};

TEST(ScheduledProcessor, TechniquesSayWhenANodeLeaves) {
  {
    Leaving c(Technique::kReturn);
    Trial run(c.p.b.program);
    run.run();
    EXPECT_EQ(run.mesh.processor(0).ended_at(0), 10U);
    EXPECT_EQ(run.stranded(), 2U);
  }
  {
    Leaving c(Technique::kMessageBound, 25);
    Trial run(c.p.b.program);
    run.run();
    EXPECT_EQ(run.mesh.processor(0).ended_at(0), 35U);
  }
  {
    Leaving c(Technique::kBarrier, 5);
    Trial run(c.p.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.mesh.processor(0).ended_at(0), run.returned(1) + 1 + 5);
    EXPECT_EQ(run.mesh.processor(1).ended_at(0), run.returned(1) + 1 + 5);
    EXPECT_EQ(run.stranded(), 0U);
  }
}

TEST(ScheduledProcessor, MarkerVisitsEveryRouterBehindTheData) {
  Leaving c(Technique::kMarker);
  Trial run(c.p.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  // The marker waits behind words that node 1 has no room for until it reads at 300.
  EXPECT_GT(run.mesh.processor(0).ended_at(0), 300U);
  EXPECT_LT(run.mesh.processor(0).ended_at(0), 320U);
  EXPECT_EQ(run.checker.total(), 0U);
  EXPECT_EQ(run.mesh.words_in_network(), 0U);  // absorbed
}

TEST(ScheduledProcessor, SwitchCostsCyclesInWhichNothingRuns) {
  for (const Cycle cost : {0U, 1U, 20U}) {
    Pair p(4);
    p.b.program.rules.switch_cost = cost;
    const Index next = p.b.schedule(4, "next");
    const StreamId s = p.b.stream("later", 0);
    p.b.chain(next, s, {0, 1}, {0});
    p.b.turn(0, p.in, {}).not_before = 100;
    p.b.turn(1, p.in, {}).not_before = 100;
    p.b.turn(0, next, {task("w", 0, {block(1, {write(1, s)})})});
    p.b.turn(1, next, {task("r", 0, {block(1, {read(1, s)})})});
    Trial run(p.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.returned(0, 1), 100 + 1 + cost + 1);
  }
}

/// A node that goes through these schedules, one a turn of 10 cycles.
struct Turns {
  Turns(const std::vector<Index>& schedules, std::uint32_t entries) : b(2) {
    b.program.rules.schedule_memory = entries;
    b.program.extents = {{0}};
    for (const char* name : {"a", "b", "c"}) b.schedule(4, name);
    for (const Index s : schedules) b.turn(0, s, {}).delay = 10;
  }
  Builder b;
};

TEST(ScheduledProcessor, ScheduleThatALaterTurnCountsOnStaysInTheMemory) {
  for (const std::vector<Index>& schedules : {std::vector<Index>{0, 1, 0, 2},
                                              {0, 1, 0, 1, 2},
                                              {0, 1, 0, 1, 2, 0, 2, 0, 1},
                                              {0, 0, 1, 2}}) {
    for (const std::uint32_t entries : {2U, 3U, 4U}) {
      Turns t(schedules, entries);
      Trial run(t.b.program);
      EXPECT_EQ(run.run(), MeshCore::Status::kFinished) << run.waits();
      EXPECT_EQ(run.mesh.finished_at(), run.mesh.processor(0).ended_at(schedules.size() - 1));
    }
  }
}

TEST(ScheduledProcessor, AMemoryWithoutRoomForTheNextScheduleIsNamed) {
  for (const bool barrier : {false, true}) {
    Turns t({0, 1}, 1);
    t.b.program.nodes[0].phases[0].barrier = barrier;  // it opens: no wait for it
    Trial run(t.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
    EXPECT_EQ(run.waits(), "node 0, phase 'p0' waits for schedule 'b' of phase 'p1': the schedule "
                           "memory has no free entry to load it\n");
  }
}

TEST(ScheduledProcessor, TheLastTurnEndsWithTheContinuingTasks) {
  // The last step of the task is compute: nothing but its end can wake the node.
  Turns t({0, 1}, 2);
  t.b.program.nodes[0].phases[0].tasks = {
      task("feed", 0, {block(3, {compute(50)})}, Technique::kContinuing)};
  Trial run(t.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
  EXPECT_EQ(run.mesh.processor(0).returned_at(0, 0), 150U);
  EXPECT_EQ(run.mesh.finished_at(), 150U);
}

TEST(ScheduledProcessor, ANodeMustBeAMemberOfItsExtent) {
  Turns t({0, 1}, 2);
  t.b.program.extents = {{1}};
  t.b.program.nodes[0].phases[0].barrier = true;
  EXPECT_THROW(MeshCore mesh(t.b.program), std::invalid_argument);
  t.b.program.nodes[0].phases[0].barrier = false;
  EXPECT_EQ(Trial(t.b.program).run(), MeshCore::Status::kFinished);
  t.b.program.rules.skew = SkewPolicy::kBarrier;  // every phase has one
  EXPECT_THROW(MeshCore mesh(t.b.program), std::invalid_argument);
  for (NodePhase& phase : t.b.program.nodes[0].phases) phase.extent = kNone;
  EXPECT_EQ(Trial(t.b.program).run(), MeshCore::Status::kFinished);
}

TEST(ScheduledProcessor, ABarrierNamesWhoIsMissing) {
  Leaving c(Technique::kBarrier);
  c.p.b.program.nodes[1].phases[0].tasks[0].blocks[1].repeat = 5;  // one word more than comes
  Trial run(c.p.b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_THAT(run.waits(),
              HasSubstr("node 0, phase 'p0' waits for the barrier of 2 nodes: node 1 is missing"));
}

TEST(ScheduledProcessor, ABarrierNamesTheFirstOfManyWhoAreMissing) {
  Builder b(8);
  const Index in = b.schedule(4);
  b.program.extents = {{0, 1, 2, 3, 4, 5, 6, 7}};
  const StreamId never = b.stream("never", 0);
  for (NodeId n = 0; n < 8; ++n) {
    std::vector<Task> tasks;
    if (n > 1) tasks.push_back(task("r", 0, {block(1, {read(b.input(n), never)})}));
    b.turn(n, in, tasks).barrier = true;
  }
  Trial run(b.program);
  EXPECT_EQ(run.run(), MeshCore::Status::kDeadlock);
  EXPECT_THAT(run.waits(), HasSubstr("node 1, phase 'p0' waits for the barrier of 8 nodes: node 2, "
                                     "node 3, node 4, node 5 and 2 more are missing"));
}

TEST(ScheduledProcessor, SchedulesAreLoadedWhileAnotherRuns) {
  // Loading takes 50 cycles. A node that is ready at 10 waits for it, one that is ready at 100 not.
  for (const Cycle ready : {10U, 100U}) {
    Pair p(4);
    p.b.program.rules.load_cycles = 50;
    const Index next = p.b.schedule(4, "next");
    p.b.turn(0, p.in, {}).not_before = ready;
    p.b.turn(0, next, {});
    Trial run(p.b.program);
    EXPECT_EQ(run.run(), MeshCore::Status::kFinished);
    EXPECT_EQ(run.mesh.processor(0).ended_at(0), std::max<Cycle>(ready, 50));
  }
}

}  // namespace
}  // namespace tessera::scheduled::test
