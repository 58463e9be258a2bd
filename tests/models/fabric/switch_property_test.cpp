// Random fabrics with switches, control wavelets, filters and stalls (random.h) against a
// walk that knows no time: nothing is lost, doubled or reordered, every switch stands where it
// should, all credits come back, and the step order does not matter. A million wavelets in a run of
// all tests.
//
// TESSERA_FABRIC_WAVELETS: wavelets of each test instead (soak).
// TESSERA_FABRIC_CASE: only this fabric of each test.
#include <gtest/gtest.h>

#include <string>

#include "tests/models/fabric/trial.h"
#include "tests/support/number_from.h"

namespace tessera::fabric::bench {
namespace {

constexpr unsigned kTests = 8;
constexpr unsigned kWavelets = 1'000'000 / kTests;
constexpr unsigned kPerColor = 250;

RandomFabric fabric_of(std::uint64_t seed, unsigned per_color) {
  return {Choices(seed), RandomFabric::kMaxColors, per_color};
}

class FabricSwitchProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FabricSwitchProperty, wse_1_4_AgreesWithAWalk) {
  const unsigned long wanted = tessera::test::number_from("TESSERA_FABRIC_WAVELETS", kWavelets);
  constexpr unsigned long kAll = ~0UL;
  const unsigned long only = tessera::test::number_from("TESSERA_FABRIC_CASE", kAll);
  unsigned long sent = 0;
  for (unsigned long number = only == kAll ? 0 : only; sent < wanted; ++number) {
    SCOPED_TRACE("TESSERA_FABRIC_CASE=" + std::to_string(number));
    RandomFabric fabric = fabric_of(GetParam() * 0x9E3779B97F4A7C15 + number, kPerColor);
    WalkCounts counts;
    const RandomFabric::Arrivals expected = fabric.walk(counts);
    sent += counts.sent;
    const Trial trial = run_trial(fabric, expected, 0);
    EXPECT_EQ(trial.problem, "");
    if (number % 5 == 0) {
      const Trial shuffled = run_trial(fabric, expected, number + 1);
      EXPECT_EQ(shuffled.problem, "");
      EXPECT_EQ(shuffled.digest, trial.digest) << "step order";
    }
    if (HasFailure() || only != kAll) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FabricSwitchProperty,
                         ::testing::Range<std::uint64_t>(1, kTests + 1));

TEST(FabricSwitchPropertyTraffic, DrawsEverything) {
  WalkCounts counts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) fabric_of(seed, 100).walk(counts);
  EXPECT_EQ(counts.sent, 20U * 100 * RandomFabric::kMaxColors);
  EXPECT_GT(counts.arrived, counts.sent);
  EXPECT_GT(counts.moves, counts.sent / 10);
  EXPECT_GT(counts.pops, counts.sent / 10);
  EXPECT_GT(counts.rejected, counts.sent / 10);
  EXPECT_GT(counts.ignored, counts.sent / 50);
  EXPECT_GT(counts.flips, counts.sent / 50);
}

TEST(FabricSwitchPropertyTraffic, OtherSeedsAreOtherRuns) {
  WalkCounts counts;
  RandomFabric one = fabric_of(1, 20);
  RandomFabric two = fabric_of(2, 20);
  EXPECT_NE(run_trial(one, one.walk(counts), 0).digest, run_trial(two, two.walk(counts), 0).digest);
}

}  // namespace
}  // namespace tessera::fabric::bench
