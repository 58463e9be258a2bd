// Who waits for what, for a deadlock report (docs/architecture.md#errors).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

TEST(PeWaits, NothingWaitsAfterAProgramThatEnded) {
  Bench bench(assembled(with_queues("task main local 8 active\n    end\n")));
  bench.run();
  EXPECT_THAT(bench.waits(), SizeIs(0));
}

TEST(PeWaits, SynchronousOperationWithoutWavelets) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0
    end
)")));
  for (unsigned i = 0; i < 3; ++i) bench.queues.arrive(1, i, 0);
  bench.run();
  const observe::Waits waits = bench.waits();
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits[0].place, Bench::kPlace);
  EXPECT_EQ(waits[0].who, "main thread, mov32 at " + place_of(4));
  EXPECT_EQ(waits[0].what, "a wavelet on input queue 1 (color 1); 3 of 8 elements done");
  EXPECT_TRUE(waits[0].blocks);
}

TEST(PeWaits, MicrothreadWithoutRoom) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr dds0, out4
    mov32 dds0, 1 async ut=3
    end
)")));
  bench.queues.sink(4, 5, kNever);
  bench.run();
  const observe::Waits waits = bench.waits();
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits[0].who, "microthread 3, mov32 at " + place_of(3));
  EXPECT_EQ(waits[0].what, "room in output queue 4 (color 14); 5 of 8 elements done");
  EXPECT_TRUE(waits[0].blocks);
}

TEST(PeWaits, MissingWaveletGoesBeforeMissingRoom) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async
    end
)")));
  bench.run();
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_THAT(bench.waits()[0].what, HasSubstr("a wavelet on input queue 1 (color 1)"));
}

TEST(PeWaits, ActiveTaskThatIsBlocked) {
  Bench bench(assembled(with_queues("task stuck local 9 active blocked\n    end\n")));
  bench.run();
  const observe::Waits waits = bench.waits();
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits[0].who, "task stuck (id 9)");
  EXPECT_EQ(waits[0].what, "being unblocked: it is active but blocked");
  EXPECT_TRUE(waits[0].blocks);
}

TEST(PeWaits, InactiveTasksDoNotWait) {
  Bench bench(assembled(with_queues("task quiet local 9 blocked\n    end\n")));
  bench.run();
  EXPECT_THAT(bench.waits(), SizeIs(0));
}

TEST(PeWaits, DataTasksAreMentionedButBlockNothing) {
  Bench bench(assembled(with_queues("task recv data i1\n    end\n")));
  bench.run();
  const observe::Waits waits = bench.waits();
  ASSERT_THAT(waits, SizeIs(1));
  EXPECT_EQ(waits[0].who, "data task recv (id 1)");
  EXPECT_EQ(waits[0].what, "a wavelet on input queue 1");
  EXPECT_FALSE(waits[0].blocks);
}

TEST(PeWaits, BlockedDataTaskSaysSo) {
  Bench bench(assembled(with_queues("task recv data i1 blocked\n    end\n")));
  bench.run();
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_EQ(bench.waits()[0].what, "being unblocked, with wavelets expected on input queue 1");
}

TEST(PeWaits, BlockedDataTaskWithAWaveletIsStuck) {
  Bench bench(assembled(with_queues("task recv data i1 blocked\n    end\n")));
  bench.queues.arrive(1, 7, 1);
  bench.run();
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_EQ(bench.waits()[0].what,
            "being unblocked: it is blocked, with a wavelet on input queue 1");
  EXPECT_TRUE(bench.waits()[0].blocks);
}

TEST(PeWaits, HalfOfAPackedPairIsOneMoreWavelet) {
  // wse.md 5.10: simd 64 waits for two wavelets.
  Bench bench(assembled(R"(data h: u16[8]
queue i1 input 1 color=1
dsd in fabin i1 extent=8 simd=64
dsd mh mem1d h
task main local 24 active
    lddsr s1ds0, in
    lddsr dds0, mh
    mov16 dds0, s1ds0
    end
)",
                        Generation::kWse2));
  bench.queues.fill(1, 3);
  bench.run();
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_EQ(bench.waits()[0].what,
            "one more wavelet on input queue 1 (color 1); 4 of 8 elements done");
}

TEST(PeWaits, FifosSayWhatTheyLack) {
  for (const bool pops : {false, true}) {
    Builder program;
    program.bind_queue(true, 1, 1);
    program.fifo(2048, 16);
    program.task("main", 8);
    program.load(src1(1), program.fabin(1, 8));
    program.load(dest(1), program.fabout(4, 3, 8));
    if (pops) program.emit(Opcode::kMov32, {dest(1), src1(0)}, async());
    if (!pops) program.emit(Opcode::kMov32, {dest(0), src1(1)}, async());
    program.emit(Opcode::kEnd);
    Bench bench(program.image());
    bench.queues.fill(1, 8);
    bench.run();
    ASSERT_THAT(bench.waits(), SizeIs(1));
    EXPECT_EQ(bench.waits()[0].what, pops ? "data in FIFO fifo0; 0 of 8 elements done"
                                          : "room in FIFO fifo0; 4 of 8 elements done");
  }
}

TEST(PeWaits, BlockedMicrothreadSaysSo) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr dds0, out4
    blk ut3
    mov32 dds0, 1 async ut=3
    end
)")));
  bench.run();
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_EQ(bench.waits()[0].what, "its microthread being unblocked; 0 of 8 elements done");
}

constexpr const char* kEndless = R"(data v: u32[1]
queue i1 input 1 color=11
dsd in fabin i1 extent=0x7FFF
dsd mv mem1d v stride=0
)";

TEST(PeWaits, EndlessMicrothreadIsNotStuck) {
  // It serves; nobody waits for its end (wse.md 5.8).
  Bench bench(assembled(std::string(kEndless) + R"(task main local 8 active
    lddsr s1ds0, in
    lddsr dds0, mv
    mov32 dds0, s1ds0 async
    end
)"));
  bench.run();
  EXPECT_THAT(bench.waits(), SizeIs(0));
}

TEST(PeWaits, EndlessMicrothreadWithoutRoomIsStuck) {
  Bench bench(assembled(std::string(kEndless) + R"(data store: u32[4]
fifo pipe store dsr=3 xdsr=1
task main local 8 active
    lddsr s1ds0, in
    mov32 dds3, s1ds0 async
    end
)"));
  bench.queues.fill(1, 6);
  bench.run();
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_EQ(bench.waits()[0].what, "room in FIFO pipe; 4 elements done");
  EXPECT_TRUE(bench.waits()[0].blocks);
}

TEST(PeWaits, EndlessSynchronousOperationHoldsTheMainThread) {
  // The launched function never ends, so the report must say where it hangs.
  Bench bench(assembled(std::string(kEndless) + R"(fn host_call
    lddsr s1ds0, in
    lddsr dds0, mv
    mov32 dds0, s1ds0
    ret
)"));
  bench.launch("host_call", {}, 0);
  bench.run();
  ASSERT_EQ(bench.core.launches_open(), 1u);
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_THAT(bench.waits()[0].who, HasSubstr("main thread, mov32"));
  EXPECT_THAT(bench.waits()[0].what, HasSubstr("a wavelet on input queue 1"));
}

TEST(PeWaits, MainThreadBetweenTwoInstructions) {
  // At the end of a bounded run the program is simply not done.
  Bench bench(assembled(with_queues("task main local 8 active\n    jmp main_again\nmain_again:\n"
                                    "    end\n")));
  bench.run(4);
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_EQ(bench.waits()[0].who, "main thread at " + place_of(4));
  EXPECT_EQ(bench.waits()[0].what, "its next instruction, in cycle 9");
}

TEST(PeWaits, RunningMemoryOperationWaitsForNoQueue) {
  // At the end of a bounded run an operation on memory is under way: no queue is to blame.
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr dds0, mv
    mov32 dds0, 1
    end
)")));
  bench.run(8);  // dispatched, first group ahead
  ASSERT_EQ(bench.cycles(EventKind::kOpStart).size(), 1u);
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_THAT(bench.waits()[0].what,
              AllOf(testing::Not(HasSubstr("queue")), HasSubstr("0 of 8 elements done")));
}

TEST(PeWaits, OperationWhoseWaveletIsThereDoesNotBlameTheOutput) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, mv
    mov32 dds0, s1ds0
    end
)")));
  bench.queues.arrive(1, 0, 0);
  bench.run(9);  // dispatched, first group ahead
  ASSERT_EQ(bench.cycles(EventKind::kOpStart).size(), 1u);
  ASSERT_THAT(bench.waits(), SizeIs(1));
  EXPECT_THAT(bench.waits()[0].what, testing::Not(HasSubstr("output queue")));
}

}  // namespace
}  // namespace tessera::pe::test
