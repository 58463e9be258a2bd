// Control wavelets at a compute engine (reference wse.md 1.5, 2.3, 3.1, 5.7, 5.9, 6.7): control
// tasks, their tables, rotation, on_control, control transforms, dfilt.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

void control(Bench& bench, unsigned queue, std::uint32_t payload, Cycle due) {
  bench.queues.arrive(queue, control_wavelet(payload), due);
}

// Control tasks

constexpr const char* kOpenQueue = "data out: u16[4]\nqueue q input 3 color=5 unblocked\n";

TEST(PeControl, TaskFindsArgumentAndIndex) {
  Bench bench(assembled(std::string(kOpenQueue) + R"(
task ctl control 40
    st16 [out], r0
    st16 [out + 2], r1
    end
)"));
  control(bench, 3, 0x0F000000U | entry_payload(40, 0x1234), 10);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(40));
  EXPECT_EQ(bench.bits("out", 0), 0x1234u);
  EXPECT_EQ(bench.bits("out", 1), 0x0F00u | 40u);
  EXPECT_THAT(bench.cycles(EventKind::kTaskStart), ElementsAre(10));
  EXPECT_EQ(bench.queues.waiting(3), 0u);
}

TEST(PeControl, BlockingAChannelHoldsDataAndControlTasks) {
  // wse.md 3.2
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Bench bench(assembled(R"(queue q input 3 color=5
task main local 24 active
    blk q
    end
task recv data q
    end
task ctl control 40
    end
)",
                          generation));
    control(bench, 3, entry_payload(40), 10);
    bench.queues.arrive(3, 0, 20);
    bench.run();
    EXPECT_THAT(bench.tasks_started(), ElementsAre(24));
    EXPECT_EQ(bench.queues.waiting(3), 2u);
  }
}

TEST(PeControl, TasksStartInTheOrderOfTheirWavelets) {
  // A control wavelet after data waits for its turn, and data after it too.
  Bench bench(assembled(R"(queue q input 3 color=5
task recv data q
    end
task ctl control 40
    end
)"));
  bench.queues.arrive(3, 0, 10);
  control(bench, 3, entry_payload(40), 10);
  control(bench, 3, entry_payload(31), 10);
  bench.queues.arrive(3, 0, 10);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(3, 40, 3));
}

TEST(PeControl, TableOfTheirOwnHasASubTableForEachQueue) {
  // wse.md 3.1: sub-table 2 begins two strides of 4 entries in.
  Bench bench(assembled(R"(control_table stride=4
queue q input 3 color=5 unblocked
queue r input 4 color=6 unblocked control_table=2
task first control 1
    end
task second control 9
    end
)"));
  control(bench, 3, entry_payload(1), 10);
  control(bench, 4, entry_payload(1), 20);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(Image::kOwnTable + 1, Image::kOwnTable + 9));
}

TEST(PeControl, RotationRunsTheAlternativeWithTheWaveletOfTheMainTask) {
  Bench bench(assembled(R"(data seen: u32[1]
queue q input 3 color=5
task main_task data q
    end
task other control 0
    st32 [seen], d0
    end
rotate main_task other limit=2
)"));
  for (unsigned i = 0; i < 4; ++i) bench.queues.arrive(3, 100 + i, 10);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(3, 3, 0, 3));
  EXPECT_EQ(bench.bits("seen"), 102u);
}

// on_control (wse.md 5.7)

/// `option` on an asynchronous receive of up to 8 wavelets; tasks "control" (9) and "done" (10).
Bench& receive(Bench& bench) {
  bench.queues.fill(1, 3, 50);
  control(bench, 1, entry_payload(40), 60);
  bench.queues.arrive(1, 7, 70);
  return bench.run();
}
std::string receiver(const std::string& option) {
  return with_queues("task main local 8 active\n    lddsr s1ds0, in1\n    lddsr dds0, mv\n"
                     "    mov32 dds0, s1ds0 " +
                     option +
                     "\n    end\ntask control local 9\n    end\ntask done local 10\n    end\n"
                     "task shut local 11 active blocked\n    end\n");
}

TEST(PeControl, OnControlEndsTheOperation) {
  Bench bench(assembled(receiver("async on_control=terminate activate=done")));
  receive(bench);
  EXPECT_THAT(bench.elements_done(), ElementsAre(3));
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(60));
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 10));
  EXPECT_EQ(bench.queues.waiting(1), 1u);  // the control wavelet is taken, what follows it is not
  EXPECT_EQ(bench.bits("v", 3), 0u);
}

TEST(PeControl, OnControlMayActivateBesidesTheCompletion) {
  Bench bench(assembled(receiver("async on_control_activate=control activate=done")));
  receive(bench);
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 9, 10));
}

TEST(PeControl, OnControlMayUnblock) {
  Bench bench(assembled(receiver("async on_control_unblock=shut")));
  receive(bench);
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 11));
}

TEST(PeControl, OnControlOfASynchronousOperation) {
  Bench bench(assembled(receiver("on_control_activate=control")));
  receive(bench);
  EXPECT_THAT(bench.elements_done(), ElementsAre(3));
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 9));
}

TEST(PeControl, OnControlGoesBeforeTheControlTaskOfAnOpenChannel) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    ublk i1
    mov32 dds0, s1ds0 async on_control=terminate
    end
task ctl control 40
    end
)")));
  control(bench, 1, entry_payload(40), 50);
  control(bench, 1, entry_payload(40), 60);
  bench.run();
  EXPECT_THAT(bench.elements_done(), ElementsAre(0));
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 40));  // the second one is nobody's
}

TEST(PeControl, OnControlNeedsNoRoomForTheResult) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async on_control=terminate
    end
)")));
  bench.queues.sink(4, 1, kNever);
  bench.queues.arrive(1, 5, 20);
  control(bench, 1, 0, 30);
  bench.run();
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(30));
}

TEST(PeControl, HalfFilledWaveletGoesOutWhenControlEndsTheOperation) {
  Bench bench(assembled(R"(queue i1 input 1 color=1
queue o4 output 4 color=14
dsd in fabin i1 extent=8 simd=off
dsd out fabout o4 extent=8
task main local 8 active
    lddsr s1ds0, in
    lddsr dds0, out
    mov16 dds0, s1ds0 async on_control=terminate
    end
)"));
  for (const unsigned value : {1U, 2U, 3U}) bench.queues.arrive(1, value, 20);
  control(bench, 1, 0, 30);
  bench.run();
  EXPECT_THAT(bench.elements_done(), ElementsAre(testing::AnyOf(2u, 3u)));
  EXPECT_EQ(bench.queues.payloads_sent().at(0), 1u | 2u << 16);
}

TEST(PeControl, WithoutOnControlTheWaveletIsData) {
  Bench bench(assembled(receiver("async")));
  receive(bench);
  EXPECT_TRUE(bench.cycles(EventKind::kOpEnd).empty());
  EXPECT_EQ(bench.bits("v", 3), entry_payload(40));
  EXPECT_EQ(bench.bits("v", 4), 7u);
}

TEST(PeControl, OnControlOfTheLoadCountsForEveryOperation) {
  // wse.md 5.11
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1 async on_control=terminate activate=done
    lddsr dds0, mv
    mov32 dds0, s1ds0
    end
task done local 10
    end
)")));
  control(bench, 1, 0, 50);
  bench.run();
  EXPECT_THAT(bench.threads_of_operations(), ElementsAre(1));
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 10));
}

// Control transform (wse.md 5.9)

std::string transform(const std::string& code) {
  return R"(data v: u32[4]
queue i1 input 1 color=1
queue o4 output 4 color=14
dsd in fabin i1 extent=2 control_transform
dsd out fabout o4 extent=2 control_transform
dsd mv mem1d v extent=2
)" + code;
}

TEST(PeControl, TransformMarksControlWaveletsAndTurnsThemBack) {
  Bench bench(assembled(transform(R"(task main local 8 active
    lddsr s1ds0, in
    lddsr dds0, mv
    mov32 dds0, s1ds0
    lddsr s1ds0, mv
    lddsr dds0, out
    mov32 dds0, s1ds0
    end
)")));
  bench.queues.arrive(1, 0x12345678, 0);
  control(bench, 1, 0x12345678, 0);
  bench.run();
  EXPECT_EQ(bench.bits("v", 0), 0x12345678u);
  EXPECT_EQ(bench.bits("v", 1), 0xD2345678u);
  ASSERT_EQ(bench.queues.sent.size(), 2u);
  EXPECT_FALSE(bench.queues.sent[0].wavelet.control);
  EXPECT_TRUE(bench.queues.sent[1].wavelet.control);
  EXPECT_THAT(bench.queues.payloads_sent(), ElementsAre(0x12345678, 0x12345678));
}

TEST(PeControl, TransformMaskChangesTheEntryPoint) {
  // Six low bits of the index, at the start or at run time.
  Bench bench(assembled(transform(R"(task main local 8 active
    lddsr s1ds0, in
    lddsr dds0, mv
    movri r0, 0xFFC5
    setctm r0            ; six bits: 5
    mov32 dds0, s1ds0
    end
)")));
  bench.queues.arrive(1, 0x003A0000, 0);
  control(bench, 1, 0x003A0001, 0);
  bench.run();
  EXPECT_EQ(bench.bits("v", 0), 0x003A0000u);
  EXPECT_EQ(bench.bits("v", 1), 0xC03F0001u);
}

// dfilt (wse.md 6.7)

TEST(PeControl, FilterDropsDataUntilEnoughControlWaveletsCame) {
  Bench bench(assembled(with_queues(R"(dsd upto fabin i1 extent=2
task main local 8 active
    lddsr s1ds0, upto
    dfilt s1ds0 async activate=done
    end
task done local 10
    end
)")));
  bench.queues.fill(1, 3, 20);
  control(bench, 1, entry_payload(40), 30);
  bench.queues.fill(1, 2, 40);
  control(bench, 1, entry_payload(40), 50);
  bench.queues.arrive(1, 7, 60);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 10));
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(50));
  EXPECT_EQ(bench.queues.waiting(1), 1u);
  EXPECT_THAT(bench.groups_of(1), ElementsAre(20, 21, 22, 30, 40, 41, 50));
}

TEST(PeControl, FilterKeepsControlWaveletsFromTheirTasks) {
  Bench bench(assembled(with_queues(R"(dsd upto fabin i1 extent=1
task main local 8 active
    lddsr s1ds0, upto
    ublk i1
    dfilt s1ds0 async
    end
)")));
  control(bench, 1, entry_payload(40), 30);  // bound to nothing
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_THAT(bench.elements_done(), ElementsAre(1));
}

}  // namespace
}  // namespace tessera::pe::test
