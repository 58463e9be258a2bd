// What an engine knows of its tile (reference wse.md 6.1, 6.2, 7.6): cycle counter, random numbers,
// calls; and memory errors that are reported instead of ending the run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "models/pe/prng.h"
#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(PeTile, TscIsTheCycleOfItsIssue) {
  Bench bench(assembled(R"(
data low: u32[2]
data high: u16[2]
task main local 8 active
a:  tsc d0, r4
    st32 [low], d0
    st16 [high], r4
b:  tsc d0, r4
    st32 [low + 4], d0
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("low", 0), bench.issue("a"));
  EXPECT_EQ(bench.bits("low", 1), bench.issue("b"));
  EXPECT_EQ(bench.bits("high", 0), 0u);
}

TEST(PeTile, TscHas48Bits) {
  Bench bench(assembled(R"(
data low: u32[1]
data high: u16[1]
fn f
a:  tsc d0, r4
    st32 [low], d0
    st16 [high], r4
    ret
)"));
  const Cycle when = 0xBEEF'12345678ULL;
  bench.launch("f", {}, when);
  bench.run(when + 100);
  EXPECT_EQ(bench.bits("low"), 0x12345678u + bench.timing.task_activation);
  EXPECT_EQ(bench.bits("high"), 0xBEEFu);
}

TEST(PeTile, RandomNumbersAreThoseOfTheActiveGenerator) {
  Bench bench(assembled(R"(
data out: u16[6]
task main local 8 active
    rand16 r0
    st16 [out], r0
    rand16 r0
    st16 [out + 2], r0
    setprng 5
    movri d2, 0x1234
    seedprng d2
    rand16 r0
    st16 [out + 4], r0
    setprng 0
    rand16 r0
    st16 [out + 6], r0
    movri r5, 1
    setprng r5
    rand16 r0
    st16 [out + 8], r0
    end
)"));
  bench.run();
  Prng expected;
  EXPECT_EQ(bench.bits("out", 0), expected.draw16());
  EXPECT_EQ(bench.bits("out", 1), expected.draw16());
  EXPECT_NE(bench.bits("out", 0), bench.bits("out", 1));
  expected.select(5);
  expected.seed(0x1234);
  EXPECT_EQ(bench.bits("out", 2), expected.draw16());
  expected.select(0);
  EXPECT_EQ(bench.bits("out", 3), expected.draw16());
  expected.select(1);
  EXPECT_EQ(bench.bits("out", 4), expected.draw16());
}

TEST(PeTile, AddWithCarryGoesThroughTheFlag) {
  // addc16 takes and leaves the flag: 0x0001FFFF + 0x00010001, half by half.
  Bench bench(assembled(R"(
data out: u16[3]
task main local 8 active
    movri r0, 0xFFFF
    movri r1, 1
    movri r2, 1
    ltu16 r0, 0          ; clears the flag
    addc16 r4, r0, r2
    addc16 r5, r1, r2
    st16 [out], r4
    st16 [out + 2], r5
    jmpt wrong
    movri r6, 1
    st16 [out + 4], r6
wrong:
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("out"), ElementsAre(0, 3, 1));
}

TEST(PeTile, AddWithCarryGoesThroughTheElementsOfAVector) {
  // A number of four words; the last carry is in the flag after it.
  Bench bench(assembled(R"(
data a: u16[4] = 0xFFFF, 0xFFFF, 0x0001, 0xFFFF
data b: u16[4] = 0x0001, 0x0000, 0x0002, 0x0001
data c: u16[5]
dsd da mem1d a
dsd db mem1d b
dsd dc mem1d c extent=4
task main local 8 active
    lddsr s0ds0, da
    lddsr s1ds0, db
    lddsr dds0, dc
    ltu16 r0, 0
    addc16 dds0, s0ds0, s1ds0
    addc16 r0, r0, 0
    st16 [c + 8], r0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("c"), ElementsAre(0, 0, 4, 0, 1));
}

TEST(PeTile, FunctionThatCallsAnotherOneMustSaveR15) {
  // It does not: its `ret` goes where the inner call said, to itself, for ever.
  Bench bench(assembled(R"(
task main local 8 active
    call outer
    end
fn outer
    call inner
back: ret
fn inner
    ret
)"));
  bench.run(500);
  EXPECT_TRUE(bench.cycles(EventKind::kTaskEnd).empty());
  EXPECT_GT(bench.issues("back").size(), 50u);
}

// PeTiming::memory_errors = report (wse.md 6.2)

PeTiming reporting() {
  PeTiming timing = wse3_timing();
  timing.memory_errors = MemoryErrors::kReport;
  return timing;
}

TEST(PeTile, ReportedMemoryErrorsReadZeroAndLoseWrites) {
  Bench bench(assembled(R"(
data out: u32[3]
task main local 8 active
    movri r0, 49150
    movri d2, 7
    movri d4, 7
    ld32 d2, [r0]
    st32 [out], d2
    st32 [r0], d4
    ld16 r4, [r0]
    st16 [out + 4], r4
    movri r0, 3001
    st16 [r0], r4
    movri r4, 9
    ld16 r4, [r0]
    st16 [out + 8], r4
    end
)"),
              reporting());
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_THAT(bench.contents("out"), ElementsAre(0, 0, 0));
  EXPECT_EQ(bench.cycles(EventKind::kTaskEnd).size(), 1u);
  ASSERT_EQ(bench.diagnoses.size(), 4u);
  EXPECT_THAT(bench.diagnoses[0].text,
              HasSubstr("PE (3, 2), test.tasm:7 (task main): read of 4 bytes at address 49150"));
  EXPECT_THAT(bench.diagnoses[1].text, HasSubstr("write of 4 bytes at address 49150"));
  EXPECT_THAT(bench.diagnoses[2].text, HasSubstr("write of 2 bytes at address 3001, which is odd"));
  EXPECT_THAT(bench.diagnoses[3].text, HasSubstr("read of 2 bytes at address 3001"));
  for (const observe::Diagnosis& d : bench.diagnoses) {
    EXPECT_EQ(d.id, "/tessera/pe/memory_access");
    EXPECT_EQ(d.place, Bench::kPlace);
  }
}

TEST(PeTile, ReportedMemoryErrorsOfAnOperation) {
  Builder program;
  program.symbol(ElementType::kU32, 49152 - 8, {11, 12});
  program.task("main", 8);
  program.load(src1(0), program.mem1d(49152 - 8, 4));
  program.load(dest(0), program.mem1d(2048, 4));
  for (int i = 0; i < 4; ++i) {
    program.emit(Opcode::kSt16, {at_address(2048 + 4 * i), reg16(0)});
  }
  const std::uint32_t op = program.emit(Opcode::kMov32, {dest(0), src1(0)});
  program.emit(Opcode::kEnd);
  Bench bench(program.image(), reporting());
  EXPECT_THAT(rule_broken_by(bench), BreaksNothing());
  EXPECT_EQ(bench.core.sram().read(2048, 4), 11u);
  EXPECT_EQ(bench.core.sram().read(2052, 4), 12u);
  EXPECT_EQ(bench.core.sram().read(2056, 4), 0u);
  EXPECT_THAT(bench.elements_done(), ElementsAre(4));
  ASSERT_EQ(bench.diagnoses.size(), 2u);
  EXPECT_THAT(bench.diagnoses[1].text, HasSubstr("test.tasm:" + std::to_string(op + 1)));
  EXPECT_EQ(bench.diagnoses[1].cycle, bench.cycles(EventKind::kCompute).at(0));
}

TEST(PeTile, CodeIsNotChangedEvenWhenErrorsAreReported) {
  Bench bench(assembled("task main local 8 active\n    st16 [16], r0\n    end\n"), reporting());
  EXPECT_THAT(rule_broken_by(bench), Breaks(Illegal::kCodeStore));
}

}  // namespace
}  // namespace tessera::pe::test
