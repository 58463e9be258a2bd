// The engine as a Steppable (models/timing/scheduler.h): it sleeps when nothing can happen, misses
// nothing, and steps that nobody needed change nothing. So the events are the same however often it
// is stepped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using Stepping = Bench::Stepping;

constexpr const char* kQueues = R"(
data v: u32[32]
data w: f32[16] = 1.5, 2.5, 3.5, 4.5
data count: u16[1]
queue i1 input 1 color=1
queue i2 input 2 color=2
queue i3 input 3 color=3
queue o4 output 4 color=14
queue o5 output 5 color=15
dsd in1 fabin i1 extent=10
dsd in2 fabin i2 extent=6
dsd out4 fabout o4 extent=10
dsd out5 fabout o5 extent=4
dsd mv mem1d v extent=6
dsd mw mem1d w extent=16
)";

/// Everything at once: microthreads, synchronous operations, data tasks, completions, blocking,
/// loops.
const std::string kBusy = std::string(kQueues) + R"(
task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
    mov32 dds0, s1ds0 async activate=forwarded
    lddsr dds1, out5
    mov32 dds1, 7 async activate=sent
    blk i3
    lddsr s1ds1, in2
    lddsr dds2, mv
    mov32 dds2, s1ds1
    lddsr s1ds2, mw
    fmovs d2, 0.0
    fadds d2, d2, s1ds2
    movri r4, 0
again:
    add16 r4, r4, 1
    eq16 r4, 5
    jmpf again
    ublk i3
    end
task forwarded local 10
    lddsr s1ds3, mw
    lddsr dds3, mw
    fadds dds3, s1ds3, s1ds3
    end
task sent local 11
    call bump
    end
task recv data i3
    fadds d2, d0, d0
    fadds d2, d2, d0
    ld16 r4, [count]
    add16 r4, r4, 1
    st16 [count], r4
    end
fn bump
    ld16 r4, [count]
    add16 r4, r4, 100
    st16 [count], r4
    ret
)";

/// Wavelets at times drawn from `seed`, outputs with little room.
void disturb(Bench& bench, unsigned seed) {
  std::mt19937 random(seed);
  const auto send = [&](unsigned queue, unsigned count) {
    Cycle due = random() % 60;
    for (unsigned i = 0; i < count; ++i) {
      bench.queues.arrive(queue, i, due);
      due += random() % 12;
    }
  };
  send(1, 10);
  send(2, 6);
  send(3, 5);
  bench.queues.sink(4, 1 + random() % 3, random() % 100, 1 + random() % 5);
  bench.queues.sink(5, 1 + random() % 3, random() % 100, 1 + random() % 5);
}

std::unique_ptr<Bench> run_busy(unsigned seed, Stepping stepping) {
  auto bench = std::make_unique<Bench>(assembled(kBusy), wse3_timing(), stepping);
  disturb(*bench, seed);
  bench->run(1000);
  return bench;
}

TEST(PeWakeup, TheBusyProgramRunsToItsEnd) {
  const auto bench = run_busy(1, Stepping::kWhenDue);
  EXPECT_EQ(bench->bits("count"), 105u);  // five wavelets and one call
  EXPECT_EQ(bench->queues.sent.size(), 14u);
  EXPECT_THAT(bench->tasks_started(), testing::SizeIs(8));
}

TEST(PeWakeup, StepsThatNobodyNeededChangeNothing) {
  for (unsigned seed = 0; seed < 50; ++seed) {
    const auto lazy = run_busy(seed, Stepping::kWhenDue);
    const auto eager = run_busy(seed, Stepping::kEveryCycle);
    EXPECT_EQ(lazy->events, eager->events) << "seed " << seed;
    EXPECT_EQ(lazy->queues.payloads_sent(), eager->queues.payloads_sent()) << "seed " << seed;
    EXPECT_EQ(eager->steps, 1001u);
    EXPECT_LT(lazy->steps, eager->steps);
  }
}

TEST(PeWakeup, TwoRunsGiveTheSameEvents) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    EXPECT_EQ(run_busy(seed, Stepping::kWhenDue)->events,
              run_busy(seed, Stepping::kWhenDue)->events);
  }
}

/// FIFOs, packed elements, blocked microthreads, control wavelets, priorities.
const std::string kMixed = R"(
data ring_a: u16[6] align=16
data ring_b: u32[4] align=16
data h: u16[24]
queue i1 input 1 color=1
queue i2 input 2 color=2
queue i3 input 3 color=3
queue o4 output 4 color=14
queue o5 output 5 color=15
fifo fa ring_a dsr=0 xdsr=0 activate_push=filled activate_pop=drained
fifo fb ring_b dsr=1 xdsr=1 empty=terminate full=suspend activate_pop=drained
dsd in1 fabin i1 extent=20
dsd in2 fabin i2 extent=40
dsd upto fabin i3 extent=2
dsd out4 fabout o4 extent=20 priority=high
dsd out5 fabout o5 extent=8
dsd mh mem1d h extent=20
task main local 8 active
    blk ut5
    lddsr s1ds2, in1
    mov16 dds0, s1ds2 async ut=6        ; i1 -> fa
    lddsr dds2, out4
    mov16 dds2, s1ds0 async activate=done     ; fa -> o4
    lddsr s1ds3, in2
    mov32 dds1, s1ds3 async on_control=terminate ut=7   ; i2 -> fb
    lddsr dds3, out5
    mov32 dds3, s1ds1 async             ; fb -> o5
    lddsr s1ds4, upto
    dfilt s1ds4 async ut=3 activate=done
    ublk ut5
    fdivs d8, d10, d10
    mov32 d8, d8
    setmtp 3
    lddsr dds4, mh
    mov16 dds4, 7
    end
task filled local 9
    settp done, 1
    movri r5, 1
    end
task drained local 10
    setmtp 0
    end
task done local 11 priority=high
    mov16 dds4, 9
    end
)";

std::unique_ptr<Bench> run_mixed(unsigned seed, Stepping stepping) {
  auto bench = std::make_unique<Bench>(assembled(kMixed), wse3_timing(), stepping);
  std::mt19937 random(seed);
  const auto send = [&](unsigned queue, unsigned count, unsigned control_at) {
    Cycle due = random() % 60;
    for (unsigned i = 0; i < count; ++i) {
      bench->queues.arrive(
          queue, i % control_at == control_at - 1 ? control_wavelet(i) : data_wavelet(i), due);
      due += random() % 12;
    }
  };
  send(1, 10, 100);
  send(2, 8 + random() % 4, 8);
  send(3, 8, 3);
  bench->queues.sink(4, 1 + random() % 3, random() % 100, 1 + random() % 5);
  bench->queues.sink(5, 1 + random() % 3, random() % 100, 1 + random() % 5);
  bench->run(1000);
  return bench;
}

TEST(PeWakeup, FifosAndBlockedMicrothreadsMissNothingEither) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const auto lazy = run_mixed(seed, Stepping::kWhenDue);
    const auto eager = run_mixed(seed, Stepping::kEveryCycle);
    ASSERT_EQ(lazy->events, eager->events) << "seed " << seed;
    ASSERT_EQ(lazy->queues.payloads_sent(), eager->queues.payloads_sent()) << "seed " << seed;
    ASSERT_LT(lazy->steps, eager->steps);
    ASSERT_GE(lazy->queues.sent.size(), 10u) << "seed " << seed;
  }
}

TEST(PeWakeup, UnblockedOperationMeetsItsEmptyFifoAtOnce) {
  // Nothing else happens for the 50 cycles of the division.
  for (const Stepping stepping : {Stepping::kWhenDue, Stepping::kEveryCycle}) {
    Bench bench(assembled(R"(
data ring: u32[4] align=16
queue o4 output 4 color=14
fifo f ring dsr=0 xdsr=0 empty=terminate
dsd out4 fabout o4 extent=4
task main local 8 active
    blk ut4
    lddsr dds2, out4
    mov32 dds2, s1ds0 async
    fdivs d4, d6, d6
    mov32 d4, d4
    fdivs d4, d6, d6
open: ublk ut4
use: mov32 d4, d4
    end
)"),
                wse3_timing(), stepping);
    bench.run(1000);
    EXPECT_THAT(bench.cycles(EventKind::kOpEnd), testing::ElementsAre(bench.issue("open") + 1));
    EXPECT_GT(bench.issue("use"), bench.issue("open") + 40);
  }
}

TEST(PeWakeup, EventsComeInOrderOfCycles) {
  const auto bench = run_busy(3, Stepping::kWhenDue);
  for (std::size_t i = 1; i < bench->events.size(); ++i) {
    EXPECT_LE(bench->events[i - 1].cycle, bench->events[i].cycle);
  }
}

TEST(PeWakeup, IdleEngineSleepsForEver) {
  Bench bench(assembled("fn f\n    ret\n"));
  EXPECT_EQ(bench.core.step(0), kNever);
  EXPECT_EQ(bench.core.step(1), kNever);
}

TEST(PeWakeup, EngineThatWaitsForAWaveletSleeps) {
  Bench bench(assembled(std::string(kQueues) + R"(
task main local 8 active
    lddsr s1ds1, in2
    lddsr dds2, mv
op: mov32 dds2, s1ds1
    end
)"));
  bench.run();
  EXPECT_LT(bench.now(), bench.issue("op") + 5);  // nothing more was due
  EXPECT_EQ(bench.core.step(3000), kNever);
  EXPECT_EQ(bench.core.step(3001), kNever);
}

TEST(PeWakeup, EngineThatWaitsForRoomSleeps) {
  Bench bench(assembled(std::string(kQueues) + R"(
task main local 8 active
    lddsr dds0, out4
    mov32 dds0, 1
    end
)"));
  bench.queues.sink(4, 1, kNever);
  bench.run();
  EXPECT_EQ(bench.queues.sent.size(), 1u);
  EXPECT_EQ(bench.core.step(3000), kNever);
}

TEST(PeWakeup, LongStallIsSleptThrough) {
  PeTiming timing = wse3_timing();
  timing.branch_taken = 1000;
  Bench bench(assembled(R"(
task main local 8 active
a:  jmp over
over:
b:  end
)"),
              timing);
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 1000);
  EXPECT_LE(bench.steps, 4u);
}

TEST(PeWakeup, LaunchInTheFutureIsAskedFor) {
  // From an idle engine: step() answers the cycle of the launch.
  Bench bench(assembled("fn f\n    ret\n"));
  bench.core.launch(bench.core.image().functions[0], {}, 700);
  EXPECT_EQ(bench.core.step(0), 700u);
}

TEST(PeWakeup, EveryStepAsksForALaterCycle) {
  // The bench throws otherwise; here with every disturbance.
  for (unsigned seed = 100; seed < 120; ++seed) EXPECT_NO_THROW(run_busy(seed, Stepping::kWhenDue));
}

}  // namespace
}  // namespace tessera::pe::test
