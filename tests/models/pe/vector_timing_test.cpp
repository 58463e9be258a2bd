// DSD operations on memory (reference wse.md 6.4, 6.5): in which cycles they do it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

/// A two-source operation on n elements at the rate of wse.md 6.4: groups of 8 every 2 cycles.
class TwoSourceOp : public testing::TestWithParam<unsigned> {
 protected:
  unsigned n() const { return GetParam(); }
  Cycle groups() const { return (n() + 7) / 8; }
  std::string program() const {
    // The sources begin in banks that do not collide (wse.md 6.2).
    return "data v: u16[130]\ndsd d mem1d v extent=" + std::to_string(n()) +
           "\ndsd e mem1d v offset=2 extent=" + std::to_string(n()) + R"(
task main local 8 active
first: lddsr dds0, d
    lddsr s0ds0, d
    lddsr s1ds0, e
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

TEST(PeVectorTiming, MultiplyAddTakesTwoCyclesAnElement) {
  // wse.md 6.4: FMA fp32 0.5 elements per cycle
  Bench bench(assembled(R"(
data v: f32[9]
dsd d mem1d v extent=8
dsd e mem1d v offset=1 extent=8
task main local 8 active
    lddsr dds0, d
    lddsr s0ds0, d
    lddsr s1ds0, e
    fmacs dds0, s0ds0, s1ds0, 2.0
    end
)"));
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(groups.size(), 8u);
  EXPECT_EQ(groups.back() - groups.front(), 14u);
}

/// Cycles of the groups of `add16` on 16 elements; the second source begins `offset` words after
/// the first.
std::vector<Cycle> groups_with_offset(unsigned offset, const PeTiming& timing) {
  Bench bench(
      assembled("data v: u16[64]\ndsd d mem1d v extent=16\ndsd e mem1d v extent=16 offset=" +
                std::to_string(offset) + R"(
task main local 8 active
    lddsr dds0, d
    lddsr s0ds0, d
    lddsr s1ds0, e
op: add16 dds0, s0ds0, s1ds0
next: end
)"),
      timing);
  bench.run();
  std::vector<Cycle> cycles = bench.cycles(EventKind::kCompute);
  cycles.push_back(bench.issue("next"));
  for (Cycle& c : cycles) c -= bench.issue("op");
  return cycles;
}

TEST(PeVectorTiming, SourcesInBanksThatCollideTakeTwiceTheTime) {
  // wse.md 6.2: banks are words mod 8; equal modulo 4 collides.
  const PeTiming timing = wse3_timing();
  for (const unsigned offset : {1U, 2U, 3U, 5U, 6U, 7U, 9U}) {
    EXPECT_THAT(groups_with_offset(offset, timing), ElementsAre(3, 5, 10)) << offset;
  }
  for (const unsigned offset : {0U, 4U, 8U, 12U}) {
    EXPECT_THAT(groups_with_offset(offset, timing), ElementsAre(3, 7, 14)) << offset;
  }
}

TEST(PeVectorTiming, BankConflictsAreAChoiceOfTheConfig) {
  PeTiming timing = wse3_timing();
  timing.bank_conflicts = false;
  EXPECT_THAT(groups_with_offset(0, timing), ElementsAre(3, 5, 10));
  timing.bank_conflicts = true;
  timing.read_conflict_factor = 5;
  EXPECT_THAT(groups_with_offset(0, timing), ElementsAre(3, 13, 26));
}

/// Cycles from the first to the last group of an addition of 16 f32 whose second source begins `offset` f32 after the first.
Cycle addition_of_f32(unsigned offset, unsigned width, unsigned interval) {
  Bench bench(
      assembled("data v: f32[64]\ndsd d mem1d v extent=16\ndsd e mem1d v extent=16 offset=" +
                std::to_string(offset) +
                "\ntask main local 8 active\n    lddsr dds0, d\n    lddsr s0ds0, d\n"
                "    lddsr s1ds0, e\n    fadds dds0, s0ds0, s1ds0\n    end\n"),
      with_rate(Opcode::kFadds, width, interval));
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  return groups.back() - groups.front();
}

TEST(PeVectorTiming, AUnitThatIsSlowerThanItsReadsHidesCollisions) {
  // wse_timing_3.md C9: additions of f32 take a cycle an element on WSE-2, wherever their sources lie.
  for (const unsigned offset : {1U, 3U, 8U, 16U}) EXPECT_EQ(addition_of_f32(offset, 2, 2), 14u);
  EXPECT_EQ(addition_of_f32(1, 2, 1), 7u);
  EXPECT_EQ(addition_of_f32(8, 2, 1),
            14u);  // 64 bits of a source in a cycle: a second read takes another one
  // And two elements a cycle on WSE-3: four of a source fill both ports, so that the sources take turns anyway.
  for (const unsigned offset : {1U, 3U, 8U, 16U}) EXPECT_EQ(addition_of_f32(offset, 4, 2), 6u);
}

/// Sizes of the groups of an addition of f32 over three rows of `row` elements.
std::vector<unsigned> groups_of_rows(unsigned row, bool cross, Bench::Stepping how = {}) {
  PeTiming timing = with_rate(Opcode::kFadds, 4, 2);
  timing.groups_cross_rows = cross;
  const std::string extents =
      "mem4d v extent=3," + std::to_string(row) + " step=" + std::to_string(row + 3) + ",1";
  Bench bench(
      assembled("data v: f32[128]\ndsd d " + extents + "\ndsd e " + extents +
                " offset=1\ntask main local 8 active\n    lddsr dds0, d\n"
                "    lddsr s0ds0, d\n    lddsr s1ds0, e\n    fadds dds0, s0ds0, s1ds0\n    end\n"),
      timing, how);
  bench.run();
  const std::vector<Cycle> cycles = bench.cycles(EventKind::kCompute);
  EXPECT_EQ(cycles.back() - cycles.front(), 2 * (cycles.size() - 1)) << row;
  return bench.group_sizes();
}

TEST(PeVectorTiming, ARowBeginsWithAGroupOfItsOwn) {
  // wse_timing_3.md C9: WSE-3 takes four cycles for each row of 5 to 8 elements, WSE-2 goes on in the next row.
  for (const auto how : {Bench::Stepping{}, Bench::Stepping::kEveryGroup}) {
    EXPECT_THAT(groups_of_rows(6, false, how), ElementsAre(4, 2, 4, 2, 4, 2));
    EXPECT_THAT(groups_of_rows(3, false, how), ElementsAre(3, 3, 3));
    EXPECT_THAT(groups_of_rows(8, false, how), ElementsAre(4, 4, 4, 4, 4, 4));
    EXPECT_THAT(groups_of_rows(6, true, how), ElementsAre(4, 4, 4, 4, 2));
  }
}

/// Elements of the groups of a 16-bit copy of 16 elements with these strides.
std::vector<unsigned> copy_groups(int source_stride, int dest_stride) {
  Bench bench(
      assembled("data v: u16[512]\ndsd s mem1d v extent=16 offset=256 stride=" +
                std::to_string(source_stride) +
                "\ndsd d mem1d v extent=16 offset=256 stride=" + std::to_string(dest_stride) + R"(
task main local 8 active
    lddsr dds0, d
    lddsr s1ds0, s
    mov16 dds0, s1ds0
    end
)"));
  bench.run();
  return bench.group_sizes();
}

/// Groups of a copy of 16 or 32 bits, and the cycles between them, if memory moves so many bytes a cycle.
std::pair<std::vector<unsigned>, Cycle> limited(unsigned memory_bytes, const std::string& type,
                                                const std::string& op) {
  PeTiming timing = wse3_timing();
  timing.memory_bytes = memory_bytes;
  Bench bench(assembled("data v: " + type +
                        "[64]\ndsd d mem1d v extent=20\ndsd s mem1d v extent=20 offset=21\n"
                        "task main local 8 active\n    lddsr dds0, d\n    lddsr s1ds0, s\n    " +
                        op + " dds0, s1ds0\n    end\n"),
              timing);
  bench.run();
  const std::vector<Cycle> cycles = bench.cycles(EventKind::kCompute);
  return {bench.group_sizes(), cycles.at(1) - cycles.at(0)};
}

TEST(PeVectorTiming, MemoryLimitsTheElementsOfAGroup) {
  using Groups = std::pair<std::vector<unsigned>, Cycle>;
  EXPECT_EQ(limited(0, "u16", "mov16"), (Groups{{8, 8, 4}, 1}));
  EXPECT_EQ(limited(32, "u16", "mov16"), (Groups{{8, 8, 4}, 1}));
  EXPECT_EQ(limited(20, "u16", "mov16"), (Groups{{5, 5, 5, 5}, 1}));  // 10 bytes each way
  EXPECT_EQ(limited(20, "f32", "fmovs"), (Groups{{5, 5, 5, 5}, 2}));  // 2.5 a cycle
  EXPECT_EQ(limited(2, "f32", "fmovs"),
            (Groups{std::vector<unsigned>(20, 1), 2}));  // the least there is
}

TEST(PeVectorTiming, StridesLimitTheElementsOfAGroup) {
  // wse.md 6.2: the narrower operand counts, source or destination.
  EXPECT_THAT(copy_groups(1, 1), ElementsAre(8, 8));
  EXPECT_THAT(copy_groups(3, 2), ElementsAre(8, 8));
  EXPECT_THAT(copy_groups(4, 1), testing::AllOf(testing::SizeIs(8), testing::Each(2)));
  EXPECT_THAT(copy_groups(1, -1), testing::AllOf(testing::SizeIs(8), testing::Each(2)));
  EXPECT_THAT(copy_groups(1, 8), testing::AllOf(testing::SizeIs(16), testing::Each(1)));
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

TEST(PeVectorTiming, AReadingOfTheCounterFollowsTheLastGroupAsALoadDoes) {
  // wse_timing.md A3, roofline suite: 8 and 9 cycles for the loads of two and three DSRs and the rest of an operation
  const auto issue_behind_copy = [](const char* next) {
    Bench bench(assembled(std::string(R"(data v: f16[8] = 1.0
dsd d mem1d v
task main local 8 active
    lddsr dds0, d
    fmovh dds0, 2.0
next: )") + next + "\n    end\n"));
    bench.run();
    return bench.issue("next") - bench.cycles(EventKind::kOpEnd).at(0);
  };
  EXPECT_EQ(issue_behind_copy("tsc d2, r4"), 1u);
  EXPECT_EQ(issue_behind_copy("ld16 r4, [60]"), 1u);
}

TEST(PeVectorTiming, PackedWaveletsMakeNoRegisterFaster) {
  // Two elements in a wavelet, still one after the other (wse.md 6.4).
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
op: mov16 r2, s1ds0
    end
)")));
  bench.queues.fill(1, 4);
  bench.run();
  EXPECT_THAT(bench.cycles(EventKind::kOpEnd), ElementsAre(bench.issue("op") + 3 + 8 - 1));
}

TEST(PeVectorTiming, DependentSumsOfPackedWaveletsWaitForEachOther) {
  PeTiming timing = wse3_timing();
  timing.rate[static_cast<unsigned>(Opcode::kFaddh)] = {8, 2};
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr s1ds0, in1
    faddh r2, r2, s1ds0
    end
)")),
              timing);
  bench.queues.fill(1, 4);
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  ASSERT_EQ(groups.size(), 4u);
  for (unsigned i = 1; i < 4; ++i) EXPECT_EQ(groups[i], groups[i - 1] + 4);  // 2 an element
}

TEST(PeVectorTiming, PackedWaveletsMakeNoStrideFaster) {
  Bench bench(assembled(R"(data v: u16[64]
queue q input 1 color=1
dsd in fabin q extent=8
dsd d mem1d v stride=8 extent=8
task main local 8 active
    lddsr s1ds0, in
    lddsr dds0, d
    mov16 dds0, s1ds0
    end
)"));
  bench.queues.fill(1, 4);
  bench.run();
  const std::vector<Cycle> groups = bench.cycles(EventKind::kCompute);
  EXPECT_THAT(bench.group_sizes(), ElementsAre(2, 2, 2, 2));
  EXPECT_EQ(groups.back() - groups.front(), 6u);  // one element a cycle
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
