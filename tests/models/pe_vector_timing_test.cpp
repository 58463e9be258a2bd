// DSD operations on memory (reference wse.md 6.4, 6.5): in which cycles they do it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/models/pe_bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

/// A two-source operation on n elements at the rate of wse.md 6.4: groups of 8 every 2 cycles.
class TwoSourceOp : public testing::TestWithParam<unsigned> {
 protected:
  unsigned n() const { return GetParam(); }
  Cycle groups() const { return (n() + 7) / 8; }
  std::string program() const {
    return "data v: u16[128]\ndsd d mem1d v extent=" + std::to_string(n()) + R"(
task main local 8 active
first: lddsr dds0, d
    lddsr s0ds0, d
    lddsr s1ds0, d
op: add16 dds0, s0ds0, s1ds0
next: end
)";
  }
};

TEST_P(TwoSourceOp, NextInstructionIssues6Plus2PerGroupLater) {
  Bench bench(assembled(program()));
  bench.run();
  EXPECT_EQ(bench.issue("next"), bench.issue("op") + 6 + 2 * groups());
}

TEST_P(TwoSourceOp, Completes2Plus2PerGroupAfterItsDispatch) {
  Bench bench(assembled(program()));
  bench.run();
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(bench.issue("op") + 2 + 2 * groups()));
}

TEST_P(TwoSourceOp, WithThreeDsrLoadsItTakes9Plus2PerGroup) {
  // First dispatch to last execute, both counted: 11, 13, 25 for 8, 16, 64 elements.
  Bench bench(assembled(program()));
  bench.run();
  const Cycle cycles = bench.cycles(EventKind::kOpEnd).at(0) - bench.issue("first") + 1;
  EXPECT_EQ(cycles, 9 + 2 * groups());
}

INSTANTIATE_TEST_SUITE_P(Lengths, TwoSourceOp, testing::Values(1, 7, 8, 9, 16, 64, 128));

std::string fill(unsigned n) {
  return "data v: u32[64]\ndsd d mem1d v extent=" + std::to_string(n) + R"(
task main local 8 active
    lddsr dds0, d
op: mov32 dds0, 1
next: end
)";
}

PeTiming with_rate(Opcode op, unsigned width, unsigned interval) {
  PeTiming timing = wse3_timing();
  timing.rate[static_cast<unsigned>(op)] = {width, interval};
  return timing;
}

TEST(PeVectorTiming, GroupsFollowAtTheIntervalOfTheirOpcode) {
  Bench bench(assembled(fill(10)), with_rate(Opcode::kMov32, 4, 3));
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0], bench.issue("op") + bench.timing.vector_start);
  EXPECT_EQ(groups[1], groups[0] + 3);
  EXPECT_EQ(groups[2], groups[1] + 3);
}

TEST(PeVectorTiming, RatesOfOtherOpcodesDoNotMatter) {
  Bench bench(assembled(fill(16)), with_rate(Opcode::kMov16, 1, 9));
  bench.run();
  EXPECT_EQ(bench.cycles(EventKind::kCompute).size(), 4u);  // 4 a cycle
}

TEST(PeVectorTiming, CopyTakesOneGroupACycle) {
  // wse.md 6.4: copy fp32 4 elements per cycle
  Bench bench(assembled(fill(64)));
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(groups.size(), 16u);
  EXPECT_EQ(groups.back() - groups.front(), 15u);
}

TEST(PeVectorTiming, StartAndDrainComeFromTheTiming) {
  PeTiming timing = wse3_timing();
  timing.vector_start = 10;
  timing.vector_drain = 20;
  Bench bench(assembled(fill(4)), timing);
  bench.run();
  EXPECT_EQ(bench.cycles(EventKind::kCompute).at(0), bench.issue("op") + 10);
  EXPECT_EQ(bench.issue("next"), bench.cycles(EventKind::kOpEnd).at(0) + 1 + 20);
}

TEST(PeVectorTiming, SynchronousOperationsNeverOverlap) {
  // wse.md 4 rule 5
  Bench bench(assembled(R"(
data v: u32[64]
dsd d mem1d v
task main local 8 active
    lddsr dds0, d
    lddsr dds1, d
    mov32 dds0, 1
second: mov32 dds1, 2
    end
)"));
  bench.run();
  const std::vector<Cycle> ends = bench.cycles(EventKind::kOpEnd);
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_GT(bench.issue("second"), ends[0]);
  EXPECT_EQ(ends[1] - bench.issue("second"), ends[0] - bench.cycles(EventKind::kOpStart)[0]);
}

TEST(PeVectorTiming, MultiplyAddTakesTwoCyclesAnElement) {
  // wse.md 6.4: FMA fp32 0.5 elements per cycle
  Bench bench(assembled(R"(
data v: f32[8]
dsd d mem1d v
task main local 8 active
    lddsr dds0, d
    lddsr s0ds0, d
    lddsr s1ds0, d
    fmacs dds0, s0ds0, s1ds0, 2.0
    end
)"));
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups.back() - groups.front(), 14u);
}

/// `instruction` reads the 8 elements of s1ds0 into register d2.
std::string reduction(const std::string& instruction) {
  return R"(
data v: f32[8]
data out: f32[1]
dsd d mem1d v
task main local 8 active
    lddsr s1ds0, d
op: )" + instruction +
         R"(
use: st32 [out], d2
    end
)";
}

TEST(PeVectorTiming, ReductionTakesTwoCyclesAnElement) {
  // wse.md 6.4, 6.5: each element waits for the sum of the one before.
  Bench bench(assembled(reduction("fadds d2, d2, s1ds0")));
  bench.run();
  const std::vector<Cycle> elements = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(elements.size(), 8u);
  for (std::size_t i = 1; i < 8; ++i) EXPECT_EQ(elements[i], elements[i - 1] + 2);
}

TEST(PeVectorTiming, ReductionOf8HasElementsFrom3OnAndCompletesAt17) {
  // wse.md 6.5: elements at +3, +5, ...; complete at +17
  Bench bench(assembled(reduction("fadds d2, d2, s1ds0")));
  bench.run();
  EXPECT_EQ(bench.cycles(EventKind::kCompute).at(0), bench.issue("op") + 3);
  EXPECT_EQ(bench.cycles(EventKind::kCompute).at(7), bench.issue("op") + 17);
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(bench.issue("op") + 17));
}

TEST(PeVectorTiming, MoveIntoARegisterTakesOneElementACycle) {
  // wse.md 6.4: move into a scalar register 1 element per cycle, whatever the width of the opcode
  Bench bench(assembled(reduction("fmovs d2, s1ds0")));
  bench.run();
  const std::vector<Cycle> elements = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(elements.size(), 8u);
  EXPECT_EQ(elements.back() - elements.front(), 7u);
}

TEST(PeVectorTiming, ResultInARegisterIsThereForTheNextInstruction) {
  Bench bench(assembled(reduction("fadds d2, d2, s1ds0")));
  bench.run();
  EXPECT_EQ(bench.issue("use"),
            bench.cycles(EventKind::kOpEnd).at(0) + 1 + bench.timing.vector_drain);
}

TEST(PeVectorTiming, OperationWaitsForItsScalarSource) {
  Bench bench(assembled(R"(
data v: f32[4]
dsd d mem1d v
task main local 8 active
    lddsr dds0, d
    lddsr s0ds0, d
    fadds d8, d8, d8
    fadds d8, d8, d8
    fadds d8, d8, d8
last: fadds d8, d8, d8
op: fadds dds0, s0ds0, d8
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("op"), bench.issue("last") + 2);
}

}  // namespace
}  // namespace tessera::pe::test
