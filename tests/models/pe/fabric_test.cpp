// Fabric operands of DSD operations (reference wse.md 1.1, 2.4, 5.5, 5.10): packed elements and
// SIMD modes, half wavelets, index, control, switch advance, cleared sources.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/models/pe/bench.h"

namespace tessera::pe::test {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::uint32_t pair_of(unsigned first, unsigned second) {
  return first | second << 16;
}

/// Sends 16-bit elements 1, 2, .. `extent`; `options` of the fabout.
std::string sender(unsigned extent, const std::string& options, const std::string& of_queue = "") {
  return "data h: u16[8] = 1, 2, 3, 4, 5, 6, 7, 8\nqueue o4 output 4 color=14" + of_queue +
         "\ndsd out fabout o4 " + options + " extent=" + std::to_string(extent) +
         "\ndsd mh mem1d h extent=" + std::to_string(extent) + R"(
task main local 24 active
    lddsr s1ds0, mh
    lddsr dds0, out
    mov16 dds0, s1ds0
    end
)";
}
std::vector<std::uint32_t> sent_by(const std::string& program,
                                   Generation generation = Generation::kWse3) {
  Bench bench(assembled(program, generation));
  bench.run();
  return bench.queues.payloads_sent();
}

/// Receives `extent` 16-bit elements into h.
std::string receiver(unsigned extent, const std::string& options,
                     const std::string& of_queue = "") {
  return "data h: u16[8]\nqueue i1 input 1 color=1" + of_queue + "\ndsd in fabin i1 " + options +
         " extent=" + std::to_string(extent) + "\ndsd mh mem1d h extent=" + std::to_string(extent) +
         R"(
task main local 24 active
    lddsr s1ds0, in
    lddsr dds0, mh
op: mov16 dds0, s1ds0
    end
)";
}

// Packed elements

TEST(PeFabric, TwoSixteenBitElementsTravelInAWavelet) {
  // wse.md 5.10: the default; low half first, an odd last element alone.
  for (const Generation generation : {Generation::kWse2, Generation::kWse3}) {
    const std::string color = generation == Generation::kWse2 ? "color=14" : "";
    EXPECT_THAT(sent_by(sender(4, color), generation), ElementsAre(pair_of(1, 2), pair_of(3, 4)));
    EXPECT_THAT(sent_by(sender(5, color), generation),
                ElementsAre(pair_of(1, 2), pair_of(3, 4), 5));
    EXPECT_THAT(sent_by(sender(1, color), generation), ElementsAre(1));
  }
}

TEST(PeFabric, PackedWaveletsAreTakenApart) {
  Bench bench(assembled(receiver(5, "")));
  for (const unsigned i : {1U, 3U, 5U}) bench.queues.arrive(1, pair_of(i, i + 1), 0);
  bench.run();
  EXPECT_THAT(bench.contents("h"), ElementsAre(1, 2, 3, 4, 5, 0, 0, 0));
  EXPECT_EQ(bench.queues.waiting(1), 0u);
}

TEST(PeFabric, WithoutSimdEachElementHasAWavelet) {
  EXPECT_THAT(sent_by(sender(3, "simd=off")), ElementsAre(1, 2, 3));
  Bench bench(assembled(receiver(2, "simd=off")));
  bench.queues.arrive(1, pair_of(0x1111, 0x2222), 0);
  bench.queues.arrive(1, pair_of(0x3333, 0x4444), 0);
  bench.run();
  EXPECT_EQ(bench.bits("h", 0), 0x1111u);
  EXPECT_EQ(bench.bits("h", 1), 0x3333u);
}

TEST(PeFabric, ThirtyTwoBitElementsAreNeverPacked) {
  Bench bench(assembled(with_queues(R"(task main local 8 active
    lddsr dds0, out4
    mov32 dds0, 0x12345678
    end
)")));
  bench.run();
  EXPECT_THAT(bench.queues.payloads_sent(), testing::AllOf(testing::SizeIs(8), Each(0x12345678u)));
}

/// Elements of the groups of a receive of 8 elements: two wavelets in cycle 50, one in 60, one in
/// 70; none while the operation waits for more.
std::vector<unsigned> groups_with(const std::string& simd, Generation generation) {
  Bench bench(assembled(receiver(8, simd), generation));
  for (const Cycle due : {50, 50, 60, 70}) bench.queues.arrive(1, 0, due);
  bench.run();
  return bench.group_sizes();
}

TEST(PeFabric, SimdModesSayHowManyWaveletsAGroupTakes) {
  EXPECT_THAT(groups_with("simd=32", Generation::kWse2), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(groups_with("simd=64", Generation::kWse2), ElementsAre(4, 4));
  EXPECT_THAT(groups_with("simd=32_or_64", Generation::kWse2), ElementsAre(4, 2, 2));
  EXPECT_THAT(groups_with("", Generation::kWse2), ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(groups_with("simd=max", Generation::kWse3), ElementsAre(4, 2, 2));
  EXPECT_THAT(groups_with("", Generation::kWse3), ElementsAre(4, 2, 2));
}

TEST(PeFabric, ModeOfTheSendsWaitsForRoom) {
  for (const bool both : {false, true}) {
    Bench bench(assembled(sender(8, both ? "color=14 simd=64" : "color=14 simd=32_or_64"),
                          Generation::kWse2));
    bench.queues.sink(4, 2, 100, 10);  // two places; one leaves in 100, 110, ...
    bench.run();
    EXPECT_THAT(bench.group_sizes(),
                both ? testing::Matcher<std::vector<unsigned>>(ElementsAre(4, 4))
                     : ElementsAre(4, 2, 2));
  }
}

TEST(PeFabric, LastGroupTakesWhatIsLeft) {
  // simd=64 does not wait for wavelets that its length does not need.
  Bench bench(assembled(receiver(6, "simd=64"), Generation::kWse2));
  bench.queues.fill(1, 3);
  bench.run();
  EXPECT_THAT(bench.group_sizes(), ElementsAre(4, 2));
}

// Half wavelets (wse.md 2.2, 2.4)

TEST(PeFabric, DenseQueueSendsSixteenBitElementsAsHalfWavelets) {
  Bench bench(assembled(sender(3, "", " dense")));
  bench.run();
  EXPECT_THAT(bench.queues.payloads_sent(), ElementsAre(1, 2, 3));
  for (const auto& s : bench.queues.sent) EXPECT_TRUE(s.wavelet.half);
}

TEST(PeFabric, DenseQueueTakesHalfWavelets) {
  Bench bench(assembled(receiver(2, "", " dense")));
  bench.queues.arrive(1, half_wavelet(5), 0);
  bench.queues.arrive(1, half_wavelet(6), 0);
  bench.run();
  EXPECT_THAT(bench.contents("h"), ElementsAre(5, 6, 0, 0, 0, 0, 0, 0));
}

TEST(PeFabric, OtherWaveletsAreNotHalf) {
  Bench bench(assembled(sender(3, "")));
  bench.run();
  for (const auto& s : bench.queues.sent) EXPECT_FALSE(s.wavelet.half);
}

// Fields of fabout (wse.md 5.5)

TEST(PeFabric, IndexTakesTheUpperHalf) {
  std::string program = sender(2, "wavelet_index_offset");
  program.replace(program.find("mov16 dds0, s1ds0"), 17,
                  "movri r3, 0xBEEF\n    mov16 dds0, s1ds0 index=r3");
  EXPECT_THAT(sent_by(program), ElementsAre(pair_of(1, 0xBEEF), pair_of(2, 0xBEEF)));
}

TEST(PeFabric, AllWaveletsOfAControlDescriptorAreControlWavelets) {
  Bench bench(assembled(sender(4, "control")));
  bench.run();
  ASSERT_EQ(bench.queues.sent.size(), 2u);
  for (const auto& s : bench.queues.sent) EXPECT_TRUE(s.wavelet.control);
}

TEST(PeFabric, SwitchAdvancesBehindTheLastWavelet) {
  for (const unsigned extent : {3U, 4U}) {
    Bench bench(assembled(sender(extent, "advance_switch")));
    bench.run();
    ASSERT_EQ(bench.queues.sent.size(), 2u) << extent;
    EXPECT_FALSE(bench.queues.sent[0].wavelet.local_flip) << extent;
    EXPECT_TRUE(bench.queues.sent[1].wavelet.local_flip) << extent;
  }
  Bench without(assembled(sender(4, "")));
  without.run();
  EXPECT_FALSE(without.queues.sent.at(1).wavelet.local_flip);
}

/// Contents of both sources after a send of four sums whose fabout has `zero`.
std::vector<std::uint32_t> sources_behind(const std::string& zero) {
  Bench bench(assembled("data a: u16[5] = 1, 2, 3, 4, 5\ndata b: u16[5] = 6, 7, 8, 9, 10\n"
                        "queue o4 output 4 color=14\ndsd out fabout o4 extent=4 " +
                        zero + R"(
dsd da mem1d a extent=4
dsd db mem1d b offset=1 extent=4
task main local 8 active
    lddsr s0ds0, da
    lddsr s1ds0, db
    lddsr dds0, out
    add16 dds0, s0ds0, s1ds0
    end
)"));
  bench.run();
  EXPECT_THAT(bench.queues.payloads_sent(), ElementsAre(pair_of(8, 10), pair_of(12, 14)));
  std::vector<std::uint32_t> all = bench.contents("a");
  for (const std::uint32_t element : bench.contents("b")) all.push_back(element);
  return all;
}

TEST(PeFabric, ZeroClearsASourceWhenTheOperationHasEnded) {
  EXPECT_THAT(sources_behind(""), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(sources_behind("zero=first"), ElementsAre(0, 0, 0, 0, 5, 6, 7, 8, 9, 10));
  EXPECT_THAT(sources_behind("zero=second"), ElementsAre(1, 2, 3, 4, 5, 6, 0, 0, 0, 0));
}

TEST(PeFabric, ZeroOfTheOnlySource) {
  Bench bench(assembled(sender(3, "zero=second")));
  bench.run();
  EXPECT_THAT(bench.queues.payloads_sent(), ElementsAre(pair_of(1, 2), 3));
  EXPECT_THAT(bench.contents("h"), ElementsAre(0, 0, 0, 4, 5, 6, 7, 8));
}

}  // namespace
}  // namespace tessera::pe::test
