// Scalar instructions on the compute engine (reference wse.md 6.1, 6.5): what they do and when the
// next one issues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

TEST(PeScalar, InstructionsWithoutDependenceIssueEveryCycle) {
  Bench bench(assembled(R"(
task main local 8 active
a:  movri r0, 1
b:  movri r1, 2
c:  add16 r2, r3, r4
d:  fadds d6, d8, d10
e:  st16 [40000], r5
f:  end
)"));
  bench.run();
  const Cycle first = bench.issue("a");
  EXPECT_EQ(bench.issue("b"), first + 1);
  EXPECT_EQ(bench.issue("c"), first + 2);
  EXPECT_EQ(bench.issue("d"), first + 3);
  EXPECT_EQ(bench.issue("e"), first + 4);
  EXPECT_EQ(bench.issue("f"), first + 5);
}

TEST(PeScalar, DependentIntegerAndMoveDoNotStall) {
  Bench bench(assembled(R"(
task main local 8 active
a:  movri r0, 1
b:  add16 r1, r0, r0
c:  imul16 r2, r1, r1
d:  sll16 r3, r2, r1
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 1);
  EXPECT_EQ(bench.issue("c"), bench.issue("b") + 1);
  EXPECT_EQ(bench.issue("d"), bench.issue("c") + 1);
}

TEST(PeScalar, DependentFloatIssuesEverySecondCycle) {
  // wse.md 6.5: independent FP issues every cycle, dependent FP every 2 cycles.
  Bench bench(assembled(R"(
task main local 8 active
a:  fadds d0, d2, d4
b:  fmuls d2, d0, d4
c:  fmuls d6, d8, d4
d:  fsubs d8, d2, d4
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 2);
  EXPECT_EQ(bench.issue("c"), bench.issue("b") + 1);
  EXPECT_EQ(bench.issue("d"), bench.issue("b") + 2);
}

TEST(PeScalar, EitherHalfOfAPairIsWaitedFor) {
  Bench bench(assembled(R"(
task main local 8 active
a:  fadds d0, d2, d4
b:  mov16 r6, r1
c:  fadds d0, d2, d4
d:  st16 [40000], r0
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 2);
  EXPECT_EQ(bench.issue("d"), bench.issue("c") + 2);
}

TEST(PeScalar, ARegisterIsNotOverwrittenBeforeItsWriterIsDone) {
  Bench bench(assembled(R"(
data out: u32[1]
task main local 8 active
a:  fadds d0, d2, d4
b:  movri d0, 7
    st32 [out], d0
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 2);
  EXPECT_EQ(bench.bits("out"), 7u);
}

TEST(PeScalar, LoadToUseDoesNotStall) {
  // wse.md 6.5. The scalar statement c = a + b: load, load, add, store issue back to back.
  Bench bench(assembled(R"(
data a: u16[1] = 40
data b: u16[1] = 2
data c: u16[1]
task main local 8 active
one:   ld16 r0, [a]
two:   ld16 r1, [b]
three: add16 r2, r0, r1
four:  st16 [c], r2
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("four"), bench.issue("one") + 3);
  EXPECT_EQ(bench.bits("c"), 42u);
}

TEST(PeScalar, BranchCostsSixCyclesTakenAndThreeNotTaken) {
  // wse.md 6.5
  Bench bench(assembled(R"(
task main local 8 active
    eq16 r0, 0
a:  jmpf wrong
b:  jmpt right
wrong:
    end
right:
c:  jmp last
    end
last:
d:  end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 3);
  EXPECT_EQ(bench.issue("c"), bench.issue("b") + 6);
  EXPECT_EQ(bench.issue("d"), bench.issue("c") + 6);
  EXPECT_TRUE(bench.issues("wrong").empty());
}

TEST(PeScalar, TakenAndNotTakenDoNotDependOnHistory) {
  // wse.md 6.5: history-independent. A loop of four rounds: add, compare, branch.
  Bench bench(assembled(R"(
task main local 8 active
    movri r0, 0
loop:
    add16 r0, r0, 1
    eq16 r0, 4
back: jmpf loop
done: end
)"));
  bench.run();
  const Cycle first = bench.issues("loop").front();
  EXPECT_THAT(bench.issues("loop"), ElementsAre(first, first + 8, first + 16, first + 24));
  EXPECT_EQ(bench.issue("done"), bench.issues("back").back() + 3);
}

TEST(PeScalar, DsrLoadsIssueEveryCycleAndTheLastOneCounts) {
  Bench bench(assembled(R"(
data v: u32[4]
dsd d mem1d v
task main local 8 active
one:   lddsr dds0, d
two:   lddsr s0ds0, d
three: lddsr s1ds0, d
other: movri r0, 1
use:   fadds dds0, s0ds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("three"), bench.issue("one") + 2);
  EXPECT_EQ(bench.issue("other"), bench.issue("three") + 1);  // issues in the shadow of the loads
  EXPECT_EQ(bench.issue("use"), bench.issue("three") + 4);
}

TEST(PeScalar, ChangedDescriptorIsWaitedForAsWell) {
  Bench bench(assembled(R"(
data v: u32[4]
dsd d mem1d v
task main local 8 active
    lddsr dds0, d
len: setdsl dds0, 2
adr: setdsa dds0, 2048
use: mov32 dds0, 5
    end
)"));
  bench.run();
  EXPECT_EQ(bench.issue("adr"), bench.issue("len") + 4);
  EXPECT_EQ(bench.issue("use"), bench.issue("adr") + 4);
}

TEST(PeScalar, EveryLatencyComesFromTheTiming) {
  PeTiming slow = wse3_timing();
  slow.move_latency = 3;
  slow.integer_latency = 4;
  slow.float_latency = 5;
  slow.load_latency = 6;
  slow.dsr_latency = 7;
  slow.branch_taken = 8;
  slow.branch_not_taken = 9;
  Bench bench(assembled(R"(
data v: u32[4]
dsd m mem1d v
task main local 8 active
a:  movri d0, 1
b:  add16 r0, r0, 1
c:  fadds d2, d0, d0
d:  mov32 d4, d2
e:  mov32 d6, d4
f:  ld32 d8, [v]
g:  eq32 d8, 0
h:  jmpf no
no:
i:  jmpt yes
yes:
j:  lddsr dds0, m
k:  mov32 dds0, d8
    end
)"),
              slow);
  bench.run();
  EXPECT_EQ(bench.issue("b"), bench.issue("a") + 3);
  EXPECT_EQ(bench.issue("c"), bench.issue("b") + 4);
  EXPECT_EQ(bench.issue("d"), bench.issue("c") + 5);
  EXPECT_EQ(bench.issue("e"), bench.issue("d") + 3);
  EXPECT_EQ(bench.issue("g"), bench.issue("f") + 6);
  EXPECT_EQ(bench.issue("h"), bench.issue("g") + 4);  // the flag
  EXPECT_EQ(bench.issue("i"), bench.issue("h") + 9);
  EXPECT_EQ(bench.issue("j"), bench.issue("i") + 8);
  EXPECT_EQ(bench.issue("k"), bench.issue("j") + 7);
}

TEST(PeScalar, ReturnWaitsForItsRegister) {
  PeTiming slow = wse3_timing();
  slow.load_latency = 20;
  Bench bench(assembled(R"(
data back: u16[1] = 0xFFFF
task main local 8 active
load: ld16 r15, [back]
use:  ret
)"),
              slow);
  bench.run();
  EXPECT_EQ(bench.issue("use"), bench.issue("load") + 20);
}

TEST(PeScalar, PairsAliasRegistersLowHalfFirst) {
  // wse.md 6.1
  Bench bench(assembled(R"(
data out: u16[4]
data pair: u32[1]
task main local 8 active
    movri d0, 0x12345678
    st16 [out], r0
    st16 [out + 2], r1
    movri r2, 0xBEEF
    movri r3, 0xDEAD
    st32 [pair], d2
    movri r4, -2
    st16 [out + 4], r4
    st16 [out + 6], r5
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out", 0), 0x5678u);
  EXPECT_EQ(bench.bits("out", 1), 0x1234u);
  EXPECT_EQ(bench.bits("pair"), 0xDEADBEEFu);
  EXPECT_EQ(bench.bits("out", 2), 0xFFFEu);
  EXPECT_EQ(bench.bits("out", 3), 0u);  // a 16-bit write leaves the other half alone
}

TEST(PeScalar, LoadsAndStoresAddressBytesFromARegister) {
  Bench bench(assembled(R"(
data v: u16[4] = 10, 11, 12, 13
data out: u32[2]
task main local 8 active
    movri r0, v
    ld16 r1, [r0 + 6]
    add16 r0, r0, 4
    ld16 r2, [r0 - 2]
    ld32 d4, [r0]
    st16 [out], r1
    st16 [out + 2], r2
    st32 [out + 4], d4
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out", 0), 11u << 16 | 13u);
  EXPECT_EQ(bench.bits("out", 1), 13u << 16 | 12u);  // little endian
}

TEST(PeScalar, DataStandsInMemoryBeforeTheFirstCycle) {
  const Bench bench(assembled(R"(
data a: u16[3] = 1, 0xFFFF
data b: i32[2] = -5, 6
data c: f32[1] = 1.5
fn main
    ret
)"));
  EXPECT_EQ(bench.bits("a", 0), 1u);
  EXPECT_EQ(bench.bits("a", 1), 0xFFFFu);
  EXPECT_EQ(bench.bits("a", 2), 0u);
  EXPECT_EQ(bench.bits("b", 0), 0xFFFFFFFBu);
  EXPECT_EQ(bench.bits("b", 1), 6u);
  EXPECT_EQ(bench.f32("c"), 1.5F);
}

TEST(PeScalar, CoordAnswersThePlaceOfTheTile) {
  Bench bench(assembled(R"(
data x: u16[1]
data y: u16[1]
task main local 8 active
    coord r0, r1
    st16 [x], r0
    st16 [y], r1
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("x"), 3u);
  EXPECT_EQ(bench.bits("y"), 2u);
}

TEST(PeScalar, ComparesSetTheFlag) {
  Bench bench(assembled(R"(
data out: u16[2]
task main local 8 active
    movri r0, -1
    lt16 r0, 0
    jmpf unsigned
    movri r1, 1
    st16 [out], r1
unsigned:
    ltu16 r0, 0
    jmpt finish
    movri r1, 2
    st16 [out + 2], r1
finish:
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out", 0), 1u);
  EXPECT_EQ(bench.bits("out", 1), 2u);
}

TEST(PeScalar, CallReturnsBehindItself) {
  Bench bench(assembled(R"(
data out: u16[2]
task main local 8 active
call:  call double
after: call double
    st16 [out], r0
    end
fn double
body: add16 r0, r0, 1
back: ret
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out"), 2u);
  EXPECT_EQ(bench.issues("body").front(), bench.issue("call") + 6);  // a taken branch
  EXPECT_EQ(bench.issue("after"), bench.issues("back").front() + 6);
}

TEST(PeScalar, NestedCallKeepsR15Itself) {
  Bench bench(assembled(R"(
data out: u16[1]
task main local 8 active
    call outer
    st16 [out], r0
    end
fn outer
    mov16 r14, r15
    call inner
    add16 r0, r0, 10
    mov16 r15, r14
    ret
fn inner
    movri r0, 5
    ret
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out"), 15u);
}

TEST(PeScalar, RetEndsTheTaskWhenNothingWasCalled) {
  Bench bench(assembled(R"(
task main local 8 active
    ret
)"));
  bench.run();
  EXPECT_EQ(bench.cycles(EventKind::kTaskEnd).size(), 1u);
  EXPECT_EQ(bench.cycles(EventKind::kIssue).size(), 1u);
}

TEST(PeScalar, RetEndsTheNextTaskToo) {
  // r15 of an earlier task must not leak into the next one.
  Bench bench(assembled(R"(
task first local 8 active
    call f
    end
task second local 9 active
    ret
fn f
    ret
)"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 9));
  EXPECT_EQ(bench.cycles(EventKind::kTaskEnd).size(), 2u);
}

}  // namespace
}  // namespace tessera::pe::test
