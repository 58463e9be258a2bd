// Random fabrics with switches, control wavelets, filters and stalls (fabric_random.h) against a
// walk that knows no time: nothing is lost, doubled or reordered, every switch stands where it
// should, all credits come back, and the step order does not matter. A million wavelets in a run of
// all tests.
//
// TESSERA_FABRIC_WAVELETS: wavelets of each test instead (soak).
// TESSERA_FABRIC_CASE: only this fabric of each test.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "models/observe/digest.h"
#include "tests/models/fabric_random.h"

namespace tessera::fabric::bench {
namespace {

constexpr unsigned kTests = 8;
constexpr unsigned kWavelets = 1'000'000 / kTests;
constexpr unsigned kPerColor = 250;

unsigned long number_from(const char* variable, unsigned long otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoul(text, nullptr, 10);
}

std::string place_text(const RandomFabric::Place& place) {
  return "tile " + to_string(RandomFabric::at(place.first)) + ", color " +
         std::to_string(place.second);
}

RandomFabric::Arrivals arrivals_in(Mesh& mesh) {
  RandomFabric::Arrivals arrivals;
  mesh.for_each_tile([&](TileCoord tile) {
    for (const Delivery& d : mesh.endpoint(tile).deliveries()) {
      arrivals[{RandomFabric::number(tile), d.wavelet.color.value()}].push_back(d.wavelet);
    }
  });
  return arrivals;
}

/// The first difference between what came and what the walk says.
std::string difference(const RandomFabric::Arrivals& got, const RandomFabric::Arrivals& expected) {
  for (const auto& [place, wavelets] : expected) {
    const auto found = got.find(place);
    const std::size_t count = found == got.end() ? 0 : found->second.size();
    for (std::size_t i = 0; i < std::min(count, wavelets.size()); ++i) {
      if (!(found->second[i] == wavelets[i])) {
        return place_text(place) + ": wavelet " + std::to_string(i) + " differs";
      }
    }
    if (count != wavelets.size()) {
      return place_text(place) + ": " + std::to_string(count) + " wavelets of " +
             std::to_string(wavelets.size());
    }
  }
  return got.size() == expected.size() ? "" : "wavelets where none should be";
}

/// Runs one fabric; the digest of its events.
std::uint64_t run(RandomFabric& fabric, const RandomFabric::Arrivals& expected,
                  std::uint64_t shuffle) {
  observe::Digest digest;
  Mesh mesh(RandomFabric::kSide, RandomFabric::kSide, fabric.timing, &digest);
  fabric.build(mesh);
  if (shuffle != 0) mesh.scheduler().shuffle_step_order(shuffle);
  mesh.run();
  EXPECT_EQ(mesh.held(), 0U);
  EXPECT_EQ(difference(arrivals_in(mesh), expected), "");
  EXPECT_EQ(mesh.missing_credits(), "");
  for (const auto& [place, route] : fabric.routes()) {
    EXPECT_EQ(mesh.router(RandomFabric::at(place.first)).switch_position(Color(place.second)),
              fabric.position_after_walk(place))
        << place_text(place);
  }
  return digest.value();
}

class FabricSwitchProperty : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(FabricSwitchProperty, wse_1_4_AgreesWithAWalk) {
  const unsigned long wanted = number_from("TESSERA_FABRIC_WAVELETS", kWavelets);
  constexpr unsigned long kAll = ~0UL;
  const unsigned long only = number_from("TESSERA_FABRIC_CASE", kAll);
  unsigned long sent = 0;
  for (unsigned long number = only == kAll ? 0 : only; sent < wanted; ++number) {
    SCOPED_TRACE("TESSERA_FABRIC_CASE=" + std::to_string(number));
    RandomFabric fabric(GetParam() * 0x9E3779B97F4A7C15 + number, kPerColor);
    WalkCounts counts;
    const RandomFabric::Arrivals expected = fabric.walk(counts);
    sent += counts.sent;
    const std::uint64_t digest = run(fabric, expected, 0);
    if (number % 5 == 0) {
      EXPECT_EQ(run(fabric, expected, number + 1), digest) << "step order";
    }
    if (HasFailure() || only != kAll) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FabricSwitchProperty,
                         ::testing::Range<std::uint64_t>(1, kTests + 1));

TEST(FabricSwitchPropertyTraffic, DrawsEverything) {
  WalkCounts counts;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) RandomFabric(seed, 100).walk(counts);
  EXPECT_EQ(counts.sent, 20U * 100 * RandomFabric::kColors);
  EXPECT_GT(counts.arrived, counts.sent);
  EXPECT_GT(counts.moves, counts.sent / 10);
  EXPECT_GT(counts.pops, counts.sent / 10);
  EXPECT_GT(counts.rejected, counts.sent / 10);
  EXPECT_GT(counts.ignored, counts.sent / 50);
  EXPECT_GT(counts.flips, counts.sent / 50);
}

TEST(FabricSwitchPropertyTraffic, OtherSeedsAreOtherRuns) {
  WalkCounts counts;
  RandomFabric one(1, 20);
  RandomFabric two(2, 20);
  EXPECT_NE(run(one, one.walk(counts), 0), run(two, two.walk(counts), 0));
}

}  // namespace
}  // namespace tessera::fabric::bench
