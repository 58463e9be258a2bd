// DSD operations on memory (reference wse.md 5.2, 5.8, 5.11, 6.4, 6.7): what they compute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::ElementsAre;

TEST(PeVector, AddsTwoVectors) {
  Bench bench(assembled(R"(
data a: u16[10] = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10
data b: u16[10] = 10, 20, 30, 40, 50, 60, 70, 80, 90, 100
data c: u16[10]
dsd da mem1d a
dsd db mem1d b
dsd dc mem1d c
task main local 8 active
    lddsr s0ds0, da
    lddsr s1ds0, db
    lddsr dds0, dc
    add16 dds0, s0ds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("c"), ElementsAre(11, 22, 33, 44, 55, 66, 77, 88, 99, 110));
}

TEST(PeVector, SourcesKeepTheirOrder) {
  // wse.md 6.7: sub16 is src1 - src2; fmacs is src1 + src2 * v.
  Bench bench(assembled(R"(
data a: i16[2] = 10, 20
data b: i16[2] = 1, 2
data y: f32[2] = 1.0, 2.0
data x: f32[2] = 10.0, 20.0
dsd da mem1d a
dsd db mem1d b
dsd dy mem1d y
dsd dx mem1d x
task main local 8 active
    lddsr s0ds0, da
    lddsr s1ds0, db
    lddsr dds0, da
    sub16 dds0, s0ds0, s1ds0
    lddsr s0ds0, dy
    lddsr s1ds0, dx
    lddsr dds0, dy
    fmacs dds0, s0ds0, s1ds0, 0.5
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("a"), ElementsAre(9, 18));
  EXPECT_THAT(bench.contents("y"), ElementsAre(bits_of(6.0F), bits_of(12.0F)));
}

TEST(PeVector, ScalarSourcesAreRegistersAndImmediates) {
  Bench bench(assembled(R"(
data a: u16[3] = 1, 2, 3
data b: u16[3]
dsd da mem1d a
dsd db mem1d b
task main local 8 active
    movri r3, 100
    lddsr s0ds0, da
    lddsr dds0, db
    add16 dds0, r3, s0ds0
    lddsr dds0, da
    lddsr s1ds0, da
    add16 dds0, s1ds0, -1
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("b"), ElementsAre(101, 102, 103));
  EXPECT_THAT(bench.contents("a"), ElementsAre(0, 1, 2));
}

TEST(PeVector, ScalarSourceFillsTheDestination) {
  Bench bench(assembled(R"(
data v: u32[5]
dsd dv mem1d v extent=4
task main local 8 active
    lddsr dds0, dv
    mov32 dds0, 0xABCD1234
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("v"), ElementsAre(0xABCD1234, 0xABCD1234, 0xABCD1234, 0xABCD1234, 0));
}

TEST(PeVector, StridesMayBePositiveNegativeAndZero) {
  // wse.md 5.2: in elements; 0 reads or writes one element repeatedly, the last value wins.
  Bench bench(assembled(R"(
data a: u16[6] = 1, 2, 3, 4, 5, 6
data even: u16[3]
data back: u16[6]
data same: u16[4]
data last: u16[2]
dsd every_second mem1d a stride=2
dsd backwards mem1d a offset=5 stride=-1
dsd third mem1d a offset=2 stride=0 extent=4
dsd all mem1d a
dsd to_even mem1d even
dsd to_back mem1d back
dsd to_same mem1d same
dsd to_last mem1d last stride=0
task main local 8 active
    lddsr s1ds0, every_second
    lddsr dds0, to_even
    mov16 dds0, s1ds0
    lddsr s1ds0, backwards
    lddsr dds0, to_back
    mov16 dds0, s1ds0
    lddsr s1ds0, third
    lddsr dds0, to_same
    mov16 dds0, s1ds0
    lddsr s1ds0, all
    lddsr dds0, to_last
    mov16 dds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("even"), ElementsAre(1, 3, 5));
  EXPECT_THAT(bench.contents("back"), ElementsAre(6, 5, 4, 3, 2, 1));
  EXPECT_THAT(bench.contents("same"), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(bench.contents("last"), ElementsAre(6, 0));
}

TEST(PeVector, ElementsAreDoneInOrder) {
  // An overlapping copy one element up repeats the first element, as a loop would.
  Bench bench(assembled(R"(
data a: u32[5] = 7, 1, 2, 3, 4
dsd from mem1d a extent=4
dsd to mem1d a offset=1
task main local 8 active
    lddsr s1ds0, from
    lddsr dds0, to
    mov32 dds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("a"), ElementsAre(7, 7, 7, 7, 7));
}

/// Elements done by `mov32 dds0, s1ds0` or `fadds dds0, s0ds0, s1ds0` with the given extents.
unsigned length_of(const std::string& instruction, unsigned dest_extent, unsigned src0_extent,
                   unsigned src1_extent) {
  Bench bench(assembled("data v: u32[64]\n"
                        "dsd d mem1d v extent=" +
                        std::to_string(dest_extent) +
                        "\ndsd a mem1d v extent=" + std::to_string(src0_extent) +
                        "\ndsd b mem1d v extent=" + std::to_string(src1_extent) +
                        "\ntask main local 8 active\n"
                        "lddsr dds0, d\nlddsr s0ds0, a\nlddsr s1ds0, b\n" +
                        instruction + "\nend\n"));
  bench.run();
  return bench.all(EventKind::kOpEnd).at(0).b;
}

TEST(PeVector, LengthIsThatOfTheFirstSourceThenTheSecondThenTheDestination) {
  // wse.md 5.8
  EXPECT_EQ(length_of("fadds dds0, s0ds0, s1ds0", 9, 5, 7), 5u);
  EXPECT_EQ(length_of("fadds dds0, s0ds0, s1ds0", 9, 0, 7), 7u);
  EXPECT_EQ(length_of("fadds dds0, s0ds0, s1ds0", 9, 0, 0), 9u);
  EXPECT_EQ(length_of("fadds dds0, s0ds0, s1ds0", 0, 0, 0), 1u);
  EXPECT_EQ(length_of("mov32 dds0, s1ds0", 9, 5, 7), 7u);
  EXPECT_EQ(length_of("mov32 dds0, s1ds0", 9, 5, 0), 9u);
  EXPECT_EQ(length_of("mov32 dds0, 1", 9, 5, 7), 9u);
  EXPECT_EQ(length_of("mov32 dds0, 1", 0, 5, 7), 1u);
  EXPECT_EQ(length_of("mov32 d0, s1ds0", 9, 5, 7), 7u);
}

TEST(PeVector, LengthCanBeSetAtRunTime) {
  EXPECT_EQ(length_of("setdsl s1ds0, 3\nmov32 dds0, s1ds0", 9, 5, 7), 3u);
  EXPECT_EQ(length_of("setdsl s1ds0, 0\nmov32 dds0, s1ds0", 9, 5, 7), 9u);
}

TEST(PeVector, AddressCanBeSetAtRunTime) {
  Bench bench(assembled(R"(
data v: u32[4]
dsd d mem1d v extent=1
task main local 8 active
    lddsr dds0, d
    movri r0, v
    add16 r0, r0, 8
    setdsa dds0, r0
    mov32 dds0, 5
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("v"), ElementsAre(0, 0, 5, 0));
}

TEST(PeVector, WithoutSaveAddressTheNextOperationStartsAgain) {
  Bench bench(assembled(R"(
data v: u32[4]
dsd d mem1d v extent=2
task main local 8 active
    lddsr dds0, d
    mov32 dds0, 5
    mov32 dds0, 6
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("v"), ElementsAre(6, 6, 0, 0));
}

TEST(PeVector, WithSaveAddressTheNextOperationGoesOn) {
  // wse.md 5.11
  Bench bench(assembled(R"(
data v: u32[7]
data w: u32[6] = 1, 2, 3, 4, 5, 6
dsd d mem1d v offset=5 stride=-1 extent=2
dsd s mem1d w extent=2
task main local 8 active
    lddsr dds0, d save_address
    lddsr s1ds0, s save_address
    mov32 dds0, s1ds0
    mov32 dds0, s1ds0
    lddsr s1ds0, s                 ; loaded again without it
    mov32 dds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("v"), ElementsAre(2, 1, 4, 3, 2, 1, 0));
}

TEST(PeVector, SavedAddressAfterFewerElementsThanTheExtent) {
  // "One past the range" of what was done: the length came from the source.
  Bench bench(assembled(R"(
data v: u32[6]
data w: u32[2] = 1, 2
dsd d mem1d v extent=6
dsd s mem1d w
task main local 8 active
    lddsr dds0, d save_address
    lddsr s1ds0, s
    mov32 dds0, s1ds0
    mov32 dds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("v"), ElementsAre(1, 2, 1, 2, 0, 0));
}

TEST(PeVector, Source0DsrMayBeTheDestination) {
  // wse.md 5.11, 6.5: one src0 DSR serves both roles.
  Bench bench(assembled(R"(
data y: f32[2] = 1.0, 2.0
dsd dy mem1d y
task main local 8 active
    lddsr s0ds2, dy
    lddsr s1ds2, dy
    fadds s0ds2, s0ds2, s1ds2
    end
)"));
  bench.run();
  EXPECT_THAT(bench.contents("y"), ElementsAre(bits_of(2.0F), bits_of(4.0F)));
}

TEST(PeVector, RegisterDestinationKeepsTheLastValue) {
  Bench bench(assembled(R"(
data a: u32[3] = 4, 5, 6
data out: u32[1]
dsd da mem1d a
task main local 8 active
    lddsr s1ds0, da
    mov32 d4, s1ds0
    st32 [out], d4
    end
)"));
  bench.run();
  EXPECT_EQ(bench.bits("out"), 6u);
}

TEST(PeVector, RegisterThatIsDestinationAndSourceAccumulates) {
  // wse.md 6.4: reduction into a scalar
  Bench bench(assembled(R"(
data a: f32[5] = 1.0, 2.0, 3.0, 4.0, 5.0
data sum: f32[1]
data most: f32[1]
data product: f32[1]
dsd da mem1d a
task main local 8 active
    lddsr s1ds0, da
    fmovs d2, 100.0
    fadds d2, d2, s1ds0
    st32 [sum], d2
    fmovs d2, 3.5
    fmaxs d2, d2, s1ds0
    st32 [most], d2
    fmovs d2, 1.0
    fmuls d2, d2, s1ds0
    st32 [product], d2
    end
)"));
  bench.run();
  EXPECT_EQ(bench.f32("sum"), 115.0F);
  EXPECT_EQ(bench.f32("most"), 5.0F);
  EXPECT_EQ(bench.f32("product"), 120.0F);
}

TEST(PeVector, AnotherRegisterAsSourceDoesNotAccumulate) {
  Bench bench(assembled(R"(
data a: f32[3] = 1.0, 2.0, 3.0
data out: f32[1]
dsd da mem1d a
task main local 8 active
    lddsr s1ds0, da
    fmovs d2, 100.0
    fmovs d4, 10.0
    fadds d2, d4, s1ds0
    st32 [out], d2
    end
)"));
  bench.run();
  EXPECT_EQ(bench.f32("out"), 13.0F);  // the last element only
}

TEST(PeVector, MemoryDestinationKeepsTheLastValue) {
  // wse.md 5.2, 6.7: a pointer to a scalar
  Bench bench(assembled(R"(
data a: f32[3] = 4.0, 5.0, 6.0
data out: f32[2]
dsd da mem1d a
task main local 8 active
    lddsr s1ds0, da
    fmovs [out], s1ds0
    movri r0, out
    fadds [r0 + 4], 10.0, s1ds0
    movri r0, 0
    end
)"));
  bench.run();
  EXPECT_EQ(bench.f32("out", 0), 6.0F);
  EXPECT_EQ(bench.f32("out", 1), 16.0F);
}

TEST(PeVector, RegisterOfAnotherWidthDoesNotAccumulate) {
  // faddhs d2, r2, S: r2 is an fp16 and half of the destination; it is read once.
  Bench bench(assembled(R"(
data a: f32[3] = 1.0, 2.0, 4.0
data out: f32[1]
dsd da mem1d a
task main local 8 active
    lddsr s1ds0, da
    movri d2, 0
    fmovh r2, 1.0
    faddhs d2, r2, s1ds0
    st32 [out], d2
    end
)"));
  bench.run();
  EXPECT_EQ(bench.f32("out"), 5.0F);
}

TEST(PeVector, CompletionActivatesOrUnblocksATask) {
  // wse.md 5.7
  Bench bench(assembled(R"(
data a: u32[3]
dsd da mem1d a
task main local 8 active
    lddsr dds0, da
    mov32 dds0, 1 activate=second
    mov32 dds0, 2 unblock=third
    end
task second local 9
    end
task third local 10 active blocked
    end
)"));
  bench.run();
  EXPECT_THAT(bench.tasks_started(), ElementsAre(8, 9, 10));
}

TEST(PeVector, EventsSayOperationThreadAndElements) {
  Bench bench(assembled(R"(
data a: u16[20]
dsd da mem1d a
task main local 8 active
    lddsr dds0, da
op: mov16 dds0, 1
    end
)"));
  bench.run();
  const std::uint32_t what = static_cast<unsigned>(Opcode::kMov16) | 8U << 8;
  const auto starts = bench.all(EventKind::kOpStart);
  const auto groups = bench.all(EventKind::kCompute);
  const auto ends = bench.all(EventKind::kOpEnd);
  ASSERT_EQ(starts.size(), 1u);
  ASSERT_EQ(groups.size(), 3u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(starts[0].a, what);
  EXPECT_EQ(starts[0].b, 20u);
  EXPECT_EQ(starts[0].cycle, bench.issue("op"));
  for (const observe::Event& e : groups) EXPECT_EQ(e.a, what);
  EXPECT_EQ(groups[0].b, 8u);
  EXPECT_EQ(groups[2].b, 4u);
  EXPECT_EQ(ends[0].a, what);
  EXPECT_EQ(ends[0].b, 20u);
}

}  // namespace
}  // namespace tessera::pe::test
