// Asynchronous DSD operations on microthreads (reference wse.md 4, 5.7): ids, issue slots, fabric
// operands, completion.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr const char* kForward = R"(
task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
op: mov32 dds0, s1ds0 async
next: movri r0, 1
    end
)";

TEST(PeMicrothread, ForwardsOneWaveletACycle) {
  Bench bench(assembled(with_queues(kForward)));
  bench.queues.fill(1, 8, 50);
  bench.run();
  ASSERT_EQ(bench.queues.sent.size(), 8u);
  const Cycle first = 50;
  for (unsigned i = 0; i < 8; ++i) {
    EXPECT_EQ(bench.queues.sent[i].cycle, first + i);
    EXPECT_EQ(bench.queues.taken[i].cycle, first + i);
    EXPECT_EQ(bench.queues.sent[i].queue, 4u);
    EXPECT_EQ(bench.queues.sent[i].wavelet.payload, 100 + i);
    EXPECT_EQ(bench.queues.sent[i].wavelet.color, Color(14));
    EXPECT_FALSE(bench.queues.sent[i].wavelet.control);
  }
}

TEST(PeMicrothread, FirstGroupFollowsTheDispatchAsOnTheMainThread) {
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr s1ds0, in1
    lddsr dds0, out4
op: mov32 dds0, s1ds0 async
    end
)")));
  bench.queues.fill(1, 8);
  bench.run();
  EXPECT_EQ(bench.queues.sent.at(0).cycle, bench.issue("op") + bench.timing.vector_start);
}

TEST(PeMicrothread, WideOpcodesStillTakeOneWaveletACycle) {
  Bench bench(assembled(with_queues(kForward)), wse3_timing());  // mov32: 4 elements a cycle
  bench.queues.fill(1, 8);
  bench.run();
  for (const observe::Event& e : bench.all(EventKind::kCompute)) EXPECT_EQ(e.b, 1u);
}

TEST(PeMicrothread, WaveletsAreTakenWhenTheyArrive) {
  Bench bench(assembled(with_queues(kForward)));
  for (const Cycle due : {30, 31, 40, 100, 101, 102, 103, 200}) bench.queues.arrive(1, 0, due);
  bench.run();
  EXPECT_EQ(bench.groups_of(4), (std::vector<Cycle>{30, 31, 40, 100, 101, 102, 103, 200}));
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(200));
}

TEST(PeMicrothread, FullOutputQueueHoldsItBack) {
  Bench bench(assembled(with_queues(kForward)));
  bench.queues.fill(1, 8, 20);
  bench.queues.sink(4, 2, 50, 10);  // two places; one leaves in 50, 60, ...
  bench.run();
  EXPECT_THAT(bench.queues.cycles_sent(), ElementsAre(20, 21, 51, 61, 71, 81, 91, 101));
}

TEST(PeMicrothread, CompletesWhenItsDataIsInTheOutputQueue) {
  // wse.md 2.3: not when it has left.
  Bench bench(assembled(with_queues(kForward)));
  bench.queues.fill(1, 8);
  bench.queues.sink(4, 8, kNever);
  bench.run();
  EXPECT_EQ(bench.cycles(EventKind::kOpEnd).size(), 1u);
}

TEST(PeMicrothread, IdsFollowTheFirstFabricOperand) {
  // wse.md 4, WSE-3: destination, source 0, source 1.
  const char* code = R"(
task main local 8 active
    lddsr dds0, mv
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async
    lddsr dds0, out4
    lddsr s0ds0, in2
    lddsr s1ds0, mw
    fadds dds0, s0ds0, s1ds0 async
    lddsr dds0, out5
    mov32 dds0, s1ds0 async
    end
)";
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    Bench bench(assembled(with_queues(code), generation));
    bench.run();
    EXPECT_THAT(bench.threads_of_operations(), ElementsAre(1, 4, 5));
  }
}

TEST(PeMicrothread, ExplicitIdWins) {
  // wse.md 4: `.ut_id`, WSE-3
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, out4
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async ut=7
    end
)")));
  bench.run();
  EXPECT_THAT(bench.threads_of_operations(), ElementsAre(7));
}

TEST(PeMicrothread, SynchronousOperationsRunOnTheMainThread) {
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, out4
    mov32 dds0, 5
    end
)")));
  bench.run();
  EXPECT_THAT(bench.threads_of_operations(), ElementsAre(8));
  EXPECT_THAT(bench.queues.payloads_sent(), Each(5u));
}

TEST(PeMicrothread, ScalarCodeKeepsItsTimingAndTheMicrothreadTakesTheGaps) {
  // wse.md 4: one issue slot; the main thread's default priority lies above the microthreads'.
  const std::string scalar = R"(
a:  fadds d2, d4, d6
b:  fadds d2, d2, d6
c:  movri r0, 1
d:  movri r0, 2
e:  eq16 r0, 3
    jmpt never
f:  movri r0, 4
g:  end
never:
    end
)";
  Bench alone(assembled("task main local 8 active\nop: movri r1, 0\n" + scalar));
  Bench both(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, out4
    lddsr s1ds0, in1
op: mov32 dds0, s1ds0 async
)" + scalar)));
  both.queues.fill(1, 8);
  alone.run();
  both.run();
  for (const char* label : {"a", "b", "c", "d", "e", "f", "g"}) {
    EXPECT_EQ(both.issue(label) - both.issue("op"), alone.issue(label) - alone.issue("op"))
        << label;
  }
  // a at +1, b at +3, c, d, e, jmpt at +4 .. +7, f at +10, g at +11.
  std::vector<Cycle> groups = both.groups_of(4);
  for (Cycle& g : groups) g -= both.issue("op");
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_THAT(groups, testing::Not(testing::Contains(testing::AnyOf(1, 3, 4, 5, 6, 7, 10, 11))));
  EXPECT_LE(groups.front(), 8u);  // in a gap, before the scalar code is done
}

TEST(PeMicrothread, OneIssueSlotACycle) {
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, out4
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async
    lddsr dds1, out5
    lddsr s1ds1, in2
    mov32 dds1, s1ds1 async
    lddsr dds2, mv
    mov32 dds2, 3
    movri r0, 0
    fadds d2, d4, d4
    fadds d2, d2, d4
    end
)")));
  bench.queues.fill(1, 8);
  bench.queues.fill(2, 8, 5);
  bench.run();
  std::vector<Cycle> used = bench.cycles(EventKind::kIssue);
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  used.insert(used.end(), groups.begin(), groups.end());
  std::sort(used.begin(), used.end());
  EXPECT_TRUE(std::adjacent_find(used.begin(), used.end()) == used.end());
  EXPECT_EQ(groups.size(), 8u + 8u + 2u);
}

constexpr const char* kTwoForwarders = R"(
task main local 8 active
    lddsr dds0, out4
    lddsr dds1, out5
    lddsr s1ds0, in1
    lddsr s1ds1, in2
    mov32 dds0, s1ds0 async
    mov32 dds1, s1ds1 async
    end
)";

TEST(PeMicrothread, LowestThreadGoesFirstIfTheConfigSaysSo) {
  PeTiming timing = wse3_timing();
  timing.issue = IssueRule::kLowestThread;
  Bench bench(assembled(with_queues(kTwoForwarders)), timing);
  bench.queues.fill(1, 8, 50);
  bench.queues.fill(2, 8, 50);
  bench.run();
  EXPECT_EQ(bench.groups_of(4).back(), 57u);
  EXPECT_EQ(bench.groups_of(5).front(), 58u);
}

TEST(PeMicrothread, EqualPrioritiesTakeTurns) {
  // wse.md 4 rule 2
  Bench bench(assembled(with_queues(kTwoForwarders)));
  bench.queues.fill(1, 8, 50);
  bench.queues.fill(2, 8, 50);
  bench.run();
  const std::vector<Cycle> first = bench.groups_of(4);
  const std::vector<Cycle> second = bench.groups_of(5);
  ASSERT_EQ(first.size(), 8u);
  ASSERT_EQ(second.size(), 8u);
  EXPECT_EQ(std::min(first[0], second[0]), 50u);
  for (unsigned i = 1; i < 8; ++i) {
    EXPECT_EQ(first[i], first[i - 1] + 2);
    EXPECT_EQ(second[i], second[i - 1] + 2);
  }
}

TEST(PeMicrothread, SynchronousOperationThatWaitsLeavesTheSlots) {
  // wse.md 4 rule 3: it holds the main thread but microthreads use the slots.
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, out4
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async
    lddsr dds1, mv
    lddsr s1ds1, in2
    mov32 dds1, s1ds1
next: end
)")));
  bench.queues.fill(1, 8, 30);
  bench.queues.fill(2, 8, 100);
  bench.run();
  EXPECT_EQ(bench.groups_of(4), (std::vector<Cycle>{30, 31, 32, 33, 34, 35, 36, 37}));
  EXPECT_EQ(bench.groups_of(8), (std::vector<Cycle>{100, 101, 102, 103, 104, 105, 106, 107}));
  EXPECT_EQ(bench.issue("next"), 107u + 1 + bench.timing.vector_drain);
}

TEST(PeMicrothread, CompletionTaskIssuesThreeCyclesAfterTheLastWavelet) {
  // wse.md 3.4
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, mv
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async activate=done
    end
task done local 9
first: end
)")));
  bench.queues.fill(1, 7);
  bench.queues.arrive(1, 0, 300);
  bench.run();
  EXPECT_EQ(bench.issue("first"), 303u);
}

TEST(PeMicrothread, CompletionUnblocksAChannel) {
  // wse.md 5.7, 2.3: the data task of the queue was blocked while the operation read from it.
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, mv
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async unblock=i1
    end
task rest data i1 blocked
    end
)")));
  bench.queues.fill(1, 10);
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 1, 1));
}

TEST(PeMicrothread, ScalarOperandsAreReadAtDispatch) {
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, out4
    movri d2, 5
    mov32 dds0, d2 async
    movri d2, 6
    end
)")));
  bench.run();
  ASSERT_EQ(bench.queues.sent.size(), 8u);
  EXPECT_THAT(bench.queues.payloads_sent(), Each(5u));
}

TEST(PeMicrothread, RunningOperationDoesNotSeeItsDsrLoadedAgain) {
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, mv
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async
    lddsr dds0, mw
    lddsr s1ds0, in2
    mov32 dds0, s1ds0 async
    end
)")));
  bench.queues.fill(1, 8, 50);
  bench.queues.fill(2, 8, 100);
  bench.run();
  EXPECT_EQ(bench.bits("v", 7), 107u);
  EXPECT_EQ(bench.bits("w", 7), 207u);
}

TEST(PeMicrothread, SavedAddressDoesNotOverwriteADescriptorLoadedLater) {
  // The operation on v completes after the DSR was loaded for w; the address it saves belongs to v.
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, mv save_address
    lddsr s1ds0, in1
    mov32 dds0, s1ds0 async activate=second
    lddsr dds0, mw save_address
    end
task second local 9
    mov32 dds0, 77
    end
)")));
  bench.queues.fill(1, 8, 50);
  bench.run();
  EXPECT_EQ(bench.bits("w", 0), 77u);
  EXPECT_EQ(bench.bits("v", 8), 0u);
}

TEST(PeMicrothread, EndlessOperationNeverCompletes) {
  // wse.md 5.8: length 0x7FFF
  Bench bench(assembled(R"(
queue i1 input 1 color=1
queue o4 output 4 color=14
dsd in fabin i1 extent=0x7FFF
dsd out fabout o4 extent=0x7FFF
task main local 8 active
    lddsr s1ds0, in
    lddsr dds0, out
    mov32 dds0, s1ds0 async
    end
)"));
  for (unsigned i = 0; i < 40'000; ++i) bench.queues.arrive(1, i, 0);
  bench.run(100'000);
  EXPECT_EQ(bench.queues.sent.size(), 40'000u);
  EXPECT_TRUE(bench.cycles(EventKind::kOpEnd).empty());
}

TEST(PeMicrothread, EveryWaveletHasANumberOfItsOwn) {
  // wavelet.h: high half place + 1, low half count there.
  Bench bench(assembled(with_queues(kForward)));
  bench.queues.fill(1, 8);
  bench.run();
  std::set<std::uint64_t> idents;
  for (const auto& s : bench.queues.sent) {
    idents.insert(s.wavelet.ident);
    EXPECT_EQ(s.wavelet.ident >> 32, Bench::kPlace + 1);
  }
  EXPECT_EQ(idents.size(), 8u);
}

/// Cycles between the first and the last of 8 elements of fmacs fed by the fabric.
Cycle fmacs_from_fabric(unsigned width, unsigned interval) {
  PeTiming timing = wse3_timing();
  timing.rate[static_cast<unsigned>(Opcode::kFmacs)] = {width, interval};
  Bench bench(assembled(with_queues(R"(
task main local 8 active
    lddsr dds0, mv
    lddsr s0ds0, mv
    lddsr s1ds0, in1
    fmacs dds0, s0ds0, s1ds0, 2.0
    end
)")),
              timing);
  bench.queues.fill(1, 8);
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  return groups.size() == 8 ? groups.back() - groups.front() : kNever;
}

TEST(PeMicrothread, FabricOperandDoesNotMakeASlowOpcodeFaster) {
  // wse.md 6.4: fmacs 0.5 elements per cycle, "16 cycles per 8 elements". Both ways to write the
  // rate mean the same.
  EXPECT_EQ(fmacs_from_fabric(1, 2), 14u);
  EXPECT_EQ(fmacs_from_fabric(8, 16), 14u);
}

}  // namespace
}  // namespace tessera::pe::test
