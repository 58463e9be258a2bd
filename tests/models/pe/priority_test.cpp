// Priorities of tasks, microthreads and the main thread, blocked microthreads (reference wse.md
// 3.3, 4): initial levels, changes at run time and when they count.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test::priority_test {
namespace {

using testing::ElementsAre;

// Tasks

/// Tasks that run when "main" does `instructions` and activates "a" (8) and "b" (9).
std::vector<unsigned> tasks_after(const std::string& instructions) {
  Bench bench(assembled("task a local 8\n    end\ntask b local 9\n    end\n"
                        "task main local 20 active\n    actvt a\n    actvt b\n" +
                        instructions + "    end\n"));
  bench.run();
  return bench.tasks_started();
}

TEST(PePriority, TasksOfHighPriorityGoFirst) {
  Bench bench(
      assembled("task a local 8 active\n    end\ntask b local 9 active priority=high\n    end\n"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(9, 8));
}

TEST(PePriority, TaskLevelSetAtRunTimeCountsFourCyclesLater) {
  // wse.md 11. The picker looks when the task ends.
  EXPECT_THAT(tasks_after("    settp b, 1\n"), ElementsAre(20, 8, 9));
  EXPECT_THAT(tasks_after("    settp b, 1\n    movri r0, 1\n    movri r0, 1\n"),
              ElementsAre(20, 8, 9));
  EXPECT_THAT(tasks_after("    settp b, 1\n    movri r0, 1\n    movri r0, 1\n    movri r0, 1\n"),
              ElementsAre(20, 9, 8));
}

TEST(PePriority, TaskLevelMayComeFromARegister) {
  EXPECT_THAT(tasks_after("    movri r1, 1\n    settp b, r1\n    fdivs d2, d4, d4\n"
                          "    mov32 d2, d2\n"),
              ElementsAre(20, 9, 8));
}

TEST(PePriority, ChangeThatDoesNotCountYetIsReplaced) {
  EXPECT_THAT(tasks_after("    settp b, 1\n    settp b, 0\n    movri r0, 1\n"),
              ElementsAre(20, 8, 9));
}

TEST(PePriority, DataTasksHaveALevelToo) {
  Bench bench(assembled(R"(
queue q input 6 color=1
task recv data q priority=high
    end
task one local 8 active
    end
task two local 9 active
    end
)"));
  bench.queues.arrive(6, 0, 0);
  bench.queues.arrive(6, 0, 4);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(6, 8, 6, 9));
}

// Microthreads

/// Forwarders on microthreads 4 and 5; all wavelets are there in cycle 50.
std::string two_forwarders(const std::string& first, const std::string& second,
                           const std::string& queues = "") {
  return "queue i1 input 1 color=1" + queues + R"(
queue i2 input 2 color=2
queue o4 output 4 color=14
queue o5 output 5 color=15
dsd in1 fabin i1 extent=8
dsd in2 fabin i2 extent=8
)" + "dsd out4 fabout o4 extent=8 " +
         first + "\ndsd out5 fabout o5 extent=8 " + second + R"(
task main local 24 active
    lddsr s1ds0, in1
    lddsr s1ds1, in2
    lddsr dds0, out4
    lddsr dds1, out5
)";
}
constexpr const char* kForward =
    "    mov32 dds0, s1ds0 async\n    mov32 dds1, s1ds1 async\n    end\n";

void run_forwarders(Bench& bench) {
  bench.queues.fill(1, 8, 50);
  bench.queues.fill(2, 8, 50);
  bench.run();
}

TEST(PePriority, MicrothreadLevelsComeFromTheDescriptors) {
  // wse.md 4, WSE-3
  Bench high_second(assembled(two_forwarders("priority=medium", "priority=high") + kForward));
  run_forwarders(high_second);
  EXPECT_EQ(high_second.groups_of(5).back(), 57u);
  EXPECT_EQ(high_second.groups_of(4).front(), 58u);
  Bench low_second(assembled(two_forwarders("priority=medium", "priority=low") + kForward));
  run_forwarders(low_second);
  EXPECT_EQ(low_second.groups_of(4).back(), 57u);
}

TEST(PePriority, MicrothreadLevelsOfWse2ComeFromTheOperationOrTheQueue) {
  const std::string queues = " priority=medium";
  Bench from_queue(
      assembled(two_forwarders("color=14", "color=15", queues) + kForward, Generation::kWse2));
  run_forwarders(from_queue);
  EXPECT_EQ(from_queue.groups_of(4).back(), 57u);
  Bench from_operation(assembled(two_forwarders("color=14", "color=15", queues) +
                                     "    mov32 dds0, s1ds0 async\n"
                                     "    mov32 dds1, s1ds1 async priority=high\n    end\n",
                                 Generation::kWse2));
  run_forwarders(from_operation);
  EXPECT_EQ(from_operation.groups_of(5).back(), 57u);
}

TEST(PePriority, LevelOfOtherMicrothreadsComesFromTheTiming) {
  PeTiming timing = wse3_timing();
  timing.microthread_priority = Priority::kHigh;
  Bench bench(assembled(two_forwarders("priority=medium", "") + kForward), timing);
  run_forwarders(bench);
  EXPECT_EQ(bench.groups_of(5).back(), 57u);
}

// The main thread among them

/// Cycle, counted from the dispatch, in which a microthread of level `priority` has sent its two
/// wavelets while the main thread of level `main` issues ten instructions from cycle 1 on.
Cycle last_group(const std::string& main, const std::string& priority) {
  std::string code = "queue o4 output 4 color=14\ndsd out fabout o4 extent=2 priority=" + priority +
                     "\nmain_thread priority=" + main +
                     "\ntask main local 8 active\n    lddsr dds0, out\nop: mov32 dds0, 1 async\n";
  for (int i = 0; i < 10; ++i) code += "    movri r0, 1\n";
  Bench bench(assembled(code + "    end\n"));
  bench.run();
  return bench.groups_of(4).back() - bench.issue("op");
}

TEST(PePriority, MainThreadStandsBetweenTheLevels) {
  // wse.md 4. The first group is due in cycle 3; the main thread's last instruction in 11. Above:
  // 3, 4. Equal: turns, the microthread first. Below: 12, 13.
  const Cycle above = 4;
  const Cycle below = 13;
  EXPECT_EQ(last_group("medium_low", "low"), below);
  EXPECT_EQ(last_group("medium_low", "medium"), above);
  EXPECT_EQ(last_group("medium_low", "high"), above);
  EXPECT_EQ(last_group("medium", "low"), below);
  EXPECT_EQ(last_group("medium", "medium"), 5u);
  EXPECT_EQ(last_group("medium", "high"), above);
  EXPECT_EQ(last_group("medium_high", "medium"), below);
  EXPECT_EQ(last_group("medium_high", "high"), above);
  EXPECT_EQ(last_group("high", "medium"), below);
  EXPECT_EQ(last_group("high", "high"), 5u);
}

TEST(PePriority, MainThreadLevelSetAtRunTimeCountsFourCyclesLater) {
  // The microthread is medium; the main thread rises above it.
  Bench bench(assembled(R"(
queue o4 output 4 color=14
dsd out fabout o4 extent=20 priority=medium
task main local 8 active
    lddsr dds0, out
    mov32 dds0, 1 async
set: setmtp 3
a:  movri r0, 1
b:  movri r0, 1
c:  movri r0, 1
    end
)"));
  bench.queues.sink(4, 30);
  bench.run();
  // a issues before the first group; then the microthread has the slots until the level counts.
  EXPECT_EQ(bench.issue("a"), bench.issue("set") + 1);
  EXPECT_EQ(bench.issue("b"), bench.issue("set") + 4);
  EXPECT_EQ(bench.issue("c"), bench.issue("set") + 5);
  const Cycle set = bench.issue("set");
  EXPECT_EQ(bench.groups_of(4).at(0), set + 2);
  EXPECT_EQ(bench.groups_of(4).at(1), set + 3);
  EXPECT_EQ(bench.groups_of(4).at(2), set + 7);  // after b, c and end
}

// Blocked microthreads

constexpr const char* kSender = R"(
queue o4 output 4 color=14
dsd out fabout o4 extent=4
task main local 8 active
    lddsr dds0, out
)";

TEST(PePriority, BlockedMicrothreadExecutesNothingUntilItIsUnblocked) {
  Bench bench(assembled(std::string(kSender) + R"(
    blk ut3
    mov32 dds0, 1 async ut=3
    fdivs d2, d4, d4
    mov32 d2, d2
open: ublk ut3
    end
)"));
  bench.run();
  EXPECT_EQ(bench.groups_of(3).size(), 4u);
  EXPECT_GT(bench.groups_of(3).front(), bench.issue("open"));
}

TEST(PePriority, BlockingStopsAMicrothreadBetweenTwoGroups) {
  Bench bench(assembled(std::string(kSender) + R"(
    mov32 dds0, 1 async ut=3
    movri r0, 1
    movri r0, 1
    movri r0, 1
    jmp on             ; the slots in its shadow are the microthread's
on:
shut: blk ut3
    end
)"));
  bench.queues.sink(4, 1, 0, 4);
  bench.run();
  EXPECT_LT(bench.queues.sent.size(), 4u);
  EXPECT_GT(bench.queues.sent.size(), 0u);
  EXPECT_LT(bench.queues.cycles_sent().back(), bench.issue("shut"));
}

TEST(PePriority, MicrothreadsMayStartBlocked) {
  Bench bench(assembled("microthread 3 blocked\n" + std::string(kSender) + R"(
    mov32 dds0, 1 async ut=3
    end
)"));
  bench.run();
  EXPECT_TRUE(bench.queues.sent.empty());
}

TEST(PePriority, OtherMicrothreadsAreNotBlocked) {
  Bench bench(assembled("microthread 2 blocked\n" + std::string(kSender) + R"(
    mov32 dds0, 1 async ut=3
    end
)"));
  bench.run();
  EXPECT_EQ(bench.queues.sent.size(), 4u);
}

}  // namespace
}  // namespace tessera::pe::test::priority_test
