// Tasks on the compute engine (reference wse.md 3): when they start, what they cost, what they find
// in registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

TEST(PeTasks, InitiallyActiveTaskStartsAtOnceAndIssuesThreeCyclesLater) {
  // wse.md 11: completion event to task start 3
  Bench bench(assembled(R"(
task main local 8 active
a:  end
)"));
  bench.run();
  EXPECT_THAT(bench.cycles(EventKind::kTaskStart), ElementsAre(0));
  EXPECT_EQ(bench.issue("a"), 3u);
  EXPECT_THAT(bench.cycles(EventKind::kTaskEnd), ElementsAre(3));
}

TEST(PeTasks, NextTaskIssuesFourCyclesAfterTheEndOfTheLast) {
  // wse.md 11: task end to next task's first issue 4
  Bench bench(assembled(R"(
task one local 8 active
a:  end
task two local 9 active
b:  ret
task three local 10 active
c:  end
)"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 9, 10));
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 4);
  EXPECT_EQ(bench.issue("c"), bench.issue("b") + 4);
}

TEST(PeTasks, StartCostsComeFromTheTiming) {
  PeTiming timing = wse3_timing();
  timing.task_activation = 11;
  timing.task_switch = 17;
  Bench bench(assembled(R"(
task one local 8 active
a:  end
task two local 9 active
b:  end
)"),
              timing);
  bench.run();
  EXPECT_EQ(bench.issue("a"), 11u);
  EXPECT_EQ(bench.issue("b"), 11u + 17u);
}

TEST(PeTasks, TaskActivatedJustAfterAnEndStillWaitsForTheSwitch) {
  // The wavelet comes one cycle after the end: 1 + 3 cycles, not before end + 4.
  PeTiming timing = wse3_timing();
  timing.task_activation = 1;
  timing.task_switch = 6;
  Bench bench(assembled(R"(
queue q input 2 color=1
task one local 8 active
a:  end
task recv data q
b:  end
)"),
              timing);
  bench.queues.arrive(2, 5, 2);  // "a" ends in cycle 1
  bench.run();
  EXPECT_EQ(bench.issue("a"), 1u);
  EXPECT_EQ(bench.issue("b"), 1u + 6u);
}

TEST(PeTasks, EventIdentifiesTaskAndEntry) {
  Bench bench(assembled(R"(
fn unused
    ret
task main local 28 active
entry: end
)"));
  bench.run();
  const auto starts = bench.all(EventKind::kTaskStart);
  ASSERT_EQ(starts.size(), 1u);
  EXPECT_EQ(starts[0].a, 28u);
  EXPECT_EQ(starts[0].b, bench.pc("entry"));
  EXPECT_EQ(starts[0].place, Bench::kPlace);
}

TEST(PeTasks, ActivateBlockAndUnblock) {
  // wse.md 3.2: an active task that is blocked waits; unblocking makes it runnable without a new
  // activation.
  Bench bench(assembled(R"(
task main local 8 active
    actvt second
    actvt second       ; one bit, not two activations
    blk second
    actvt third
    end
task second local 9
    end
task third local 10
    ublk second
    end
)"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 10, 9));
}

TEST(PeTasks, TaskMayActivateItself) {
  Bench bench(assembled(R"(
data rounds: u16[1]
task main local 8 active
    ld16 r0, [rounds]
    add16 r0, r0, 1
    st16 [rounds], r0
    eq16 r0, 3
    jmpt finish
    actvt main
finish:
    end
)"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 8, 8));
  EXPECT_EQ(bench.bits("rounds"), 3u);
}

TEST(PeTasks, TasksRunToCompletion) {
  // wse.md 3.2: no preemption. Task 8 would go first if it could interrupt.
  Bench bench(assembled(R"(
task low local 8
    end
task main local 20 active
    actvt low
    fadds d0, d2, d4
    fadds d0, d0, d4
last: end
)"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(20, 8));
  EXPECT_EQ(bench.cycles(EventKind::kTaskStart)[1], bench.issue("last"));
}

TEST(PeTasks, RegistersSurviveFromTaskToTask) {
  Bench bench(assembled(R"(
data out: u16[1]
task one local 8 active
    movri r9, 77
    end
task two local 9 active
    st16 [out], r9
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out"), 77u);
}

TEST(PeTasks, DataTaskFindsBothHalvesOfItsWavelet) {
  // wse.md 1.1: index in the high half, data in the low half.
  Bench bench(assembled(R"(
data low: u16[1]
data high: u16[1]
queue q input 3 color=5
task recv data q
    st16 [low], r0
    st16 [high], r1
    end
)"));
  bench.queues.arrive(3, 0xAAAA5555, 10);
  bench.run();
  EXPECT_EQ(bench.bits("low"), 0x5555u);
  EXPECT_EQ(bench.bits("high"), 0xAAAAu);
}

TEST(PeTasks, DataTaskStartsThreeCyclesAfterItsWavelet) {
  Bench bench(assembled(R"(
queue q input 3 color=5
task recv data q
a:  end
)"));
  bench.queues.arrive(3, 1, 10);
  bench.run();
  EXPECT_EQ(bench.issue("a"), 13u);
  ASSERT_EQ(bench.queues.taken.size(), 1u);
  EXPECT_EQ(bench.queues.taken[0].cycle,
            10u);  // moved to registers when the task is picked, wse.md 2.3
}

TEST(PeTasks, EachStartOfADataTaskConsumesOneWavelet) {
  Bench bench(assembled(R"(
data sum: u32[1]
queue q input 3 color=5
task recv data q
    ld32 d2, [sum]
    add32 d2, d2, d0
    st32 [sum], d2
    end
)"));
  for (unsigned i = 1; i <= 4; ++i) bench.queues.arrive(3, i, 5);  // all at once
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(3, 3, 3, 3));
  EXPECT_EQ(bench.bits("sum"), 10u);
}

TEST(PeTasks, BlockedDataTaskLeavesItsWaveletsInTheQueue) {
  // wse.md 2.3
  Bench bench(assembled(R"(
data got: u32[1]
queue q input 3 color=5
task recv data q blocked
    st32 [got], d0
    end
task opener local 8
    ublk q
    end
queue other input 4 color=6
task second data other
    actvt opener
    end
)"));
  bench.queues.arrive(3, 42, 5);
  bench.queues.arrive(4, 0, 50);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(4, 8, 3));
  EXPECT_EQ(bench.bits("got"), 42u);
}

TEST(PeTasks, DataTaskOfWse2HasTheIdOfItsColor) {
  // wse.md 3.1
  Bench bench(assembled(R"(
queue q input 3 color=19
task recv data q
    end
)",
                        Generation::kWse2));
  bench.queues.arrive(3, 0, 5);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(19));
}

TEST(PeTasks, LowestIdRunsFirstAmongRunnableTasks) {
  Bench bench(assembled(R"(
queue a input 6 color=1
queue b input 2 color=2
task local_one local 8 active
    end
task recv_a data a
    end
task recv_b data b
    end
)"));
  bench.queues.arrive(6, 0, 0);
  bench.queues.arrive(2, 0, 0);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(2, 6, 8));
}

TEST(PeTasks, LowestIdIsAnOption) {
  PeTiming timing = wse3_timing();
  timing.picker = PickerRule::kLowestId;
  const char* text = R"(
queue a input 2 color=1
task recv data a
    end
task other local 8 active
    end
)";
  Bench fair(assembled(text));
  Bench lowest(assembled(text), timing);
  for (Bench* bench : {&fair, &lowest}) {
    for (int i = 0; i < 3; ++i) bench->queues.arrive(2, 0, 0);
    bench->run();
  }
  EXPECT_THAT(fair.tasks_started(), ElementsAre(2, 8, 2, 2));
  EXPECT_THAT(lowest.tasks_started(), ElementsAre(2, 2, 2, 8));
}

constexpr const char* kLaunchable = R"(
data out: u32[4]
fn host_call
first: st32 [out], d0
    st32 [out + 4], d2
    st32 [out + 8], d4
    st32 [out + 12], d6
    ret
task local_one local 8
    end
)";

TEST(PeTasks, LaunchedFunctionFindsItsArgumentsInPairs) {
  Bench bench(assembled(kLaunchable));
  bench.launch("host_call", {1, 0x80000002, 3, 0xFFFFFFFF}, 20);
  EXPECT_EQ(bench.core.launches_open(), 1u);
  bench.run();
  EXPECT_EQ(bench.issue("first"), 23u);
  EXPECT_EQ(bench.bits("out", 0), 1u);
  EXPECT_EQ(bench.bits("out", 1), 0x80000002u);
  EXPECT_EQ(bench.bits("out", 2), 3u);
  EXPECT_EQ(bench.bits("out", 3), 0xFFFFFFFFu);
  EXPECT_EQ(bench.core.launches_open(), 0u);
  EXPECT_THAT(bench.tasks_started(), ElementsAre(64));
}

TEST(PeTasks, LaunchDoesNotHappenBeforeItsCycle) {
  Bench bench(assembled(kLaunchable));
  bench.launch("host_call", {}, 100);
  bench.run(99);
  EXPECT_TRUE(bench.cycles(EventKind::kTaskStart).empty());
  EXPECT_EQ(bench.core.launches_open(), 1u);
  bench.run();
  EXPECT_THAT(bench.cycles(EventKind::kTaskStart), ElementsAre(100));
}

TEST(PeTasks, LaunchesRunOneAfterTheOther) {
  Bench bench(assembled(kLaunchable));
  bench.launch("host_call", {7}, 0);
  bench.launch("host_call", {8}, 0);
  EXPECT_EQ(bench.core.launches_open(), 2u);
  bench.run();
  EXPECT_EQ(bench.bits("out"), 8u);
  EXPECT_THAT(bench.tasks_started(), ElementsAre(64, 64));
  EXPECT_EQ(bench.core.launches_open(), 0u);
}

TEST(PeTasks, LaunchesRunInTheOrderOfTheirCycles) {
  // Whatever the order in which they were asked for; those of one cycle in that order.
  Bench bench(assembled(R"(
data seen: u32[4]
data next: u16[1]
fn host_call
    ld16 r2, [next]
    movri r3, seen
    add16 r3, r3, r2
    st32 [r3], d0
    add16 r2, r2, 4
    st16 [next], r2
    ret
)"));
  bench.launch("host_call", {3}, 300);
  bench.launch("host_call", {1}, 100);
  bench.launch("host_call", {4}, 300);
  bench.launch("host_call", {2}, 200);
  bench.run();
  EXPECT_THAT(bench.contents("seen"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(bench.cycles(EventKind::kTaskStart), ElementsAre(100, 200, 300, testing::Gt(300)));
}

TEST(PeTasks, ActiveDataTaskWithoutAWaveletDoesNotStart) {
  // The fake queues throw when an empty one is read.
  Builder program;
  program.bind_queue(true, 3, 5);
  program.data_task("recv", 3, 3).active = true;
  program.emit(Opcode::kEnd);
  Bench bench(program.image());
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_TRUE(bench.tasks_started().empty());
  bench.queues.arrive(3, 1, 50);
  bench.run();
  EXPECT_THAT(bench.cycles(EventKind::kTaskStart), ElementsAre(50));
}

TEST(PeTasks, LaunchGoesBeforeRunnableTasks) {
  Bench bench(assembled(R"(
task one local 8 active
    end
fn host_call
    ret
)"));
  bench.launch("host_call", {}, 0);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(64, 8));
}

TEST(PeTasks, LaunchWhileATaskRunsWaitsForItsEnd) {
  Bench bench(assembled(R"(
task one local 8 active
    fadds d0, d2, d4
    fadds d0, d0, d4
    fadds d0, d0, d4
last: end
fn host_call
first: ret
)"));
  bench.launch("host_call", {}, 4);
  bench.run();
  EXPECT_EQ(bench.issue("first"), bench.issue("last") + 4);
}

TEST(PeTasks, LaunchedFunctionStaysOpenUntilItReturns) {
  Bench bench(assembled(R"(
data v: u32[1]
queue q input 1 color=0
dsd in fabin q extent=1
dsd to mem1d v
fn host_call
    lddsr s1ds0, in
    lddsr dds0, to
    mov32 dds0, s1ds0
    ret
)"));
  bench.launch("host_call", {}, 0);
  bench.run();
  EXPECT_EQ(bench.core.launches_open(), 1u);  // it waits for a wavelet
  bench.queues.arrive(1, 9, 500);
  bench.run();
  EXPECT_EQ(bench.core.launches_open(), 0u);
  EXPECT_EQ(bench.bits("v"), 9u);
}

}  // namespace
}  // namespace tessera::pe::test
