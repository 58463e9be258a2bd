// Wavelets of one color from two enabled directions in one cycle (reference wse.md 1.2).
#include <gtest/gtest.h>

#include <vector>

#include "models/fabric/router_core.h"
#include "tests/models/fabric/mesh.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::fabric {
namespace {

constexpr Color kColor(3);

link::Wavelet wavelet(std::uint32_t payload) {
  link::Wavelet w;
  w.payload = payload;
  w.color = kColor;
  return w;
}

FabricTiming timing_of(Coincidence coincidence) {
  FabricTiming timing = bench::timing_1_1_2();
  timing.coincidence = coincidence;
  return timing;
}

/// Receives from WEST and NORTH, sends EAST; position 1 receives from WEST only.
struct TwoInputs : RouterCore {
  explicit TwoInputs(Coincidence coincidence, unsigned position = 0)
      : RouterCore({4, 5}, timing_of(coincidence), {}) {
    ColorRoute route;
    const DirectionSet east{Direction::kEast};
    route.positions[0] = {{Direction::kWest, Direction::kNorth}, east, true};
    route.positions[1] = {{Direction::kWest}, east, true};
    route.current = position;
    set_route(kColor, route);
    set_downstream_capacity(Direction::kEast, kColor, 8);
  }
};

TEST(FabricCoincidence_wse_1_2, TwoDirectionsInOneCycleAreIllegal) {
  TwoInputs core(Coincidence::kIllegal);
  core.put(Direction::kWest, wavelet(1), 7);
  core.put(Direction::kNorth, wavelet(2), 7);
  try {
    core.step(7);
    FAIL() << "nothing was reported";
  } catch (const IllegalBehaviour& e) {
    EXPECT_EQ(e.id(), "/tessera/fabric/coincidence");
    const std::string text = e.what();
    for (const char* part : {"(4, 5)", "color 3", "WEST", "NORTH"}) {
      EXPECT_NE(text.find(part), std::string::npos) << text;
    }
  }
}

TEST(FabricCoincidence_wse_1_2, OneAfterTheOtherIsFine) {
  TwoInputs core(Coincidence::kIllegal);
  core.put(Direction::kWest, wavelet(1), 7);
  core.put(Direction::kNorth, wavelet(2), 8);
  EXPECT_EQ(core.step(7).sends.size(), 1U);
  EXPECT_EQ(core.step(8).sends.size(), 1U);
}

// The first still waits for a credit when the second lands: they do not arrive together.
TEST(FabricCoincidence_wse_1_2, AWaveletThatWaitsDoesNotCount) {
  TwoInputs core(Coincidence::kIllegal);
  core.set_downstream_capacity(Direction::kEast, kColor, 0);
  core.put(Direction::kWest, wavelet(1), 7);
  core.step(7);
  core.put(Direction::kNorth, wavelet(2), 9);
  EXPECT_NO_THROW(core.step(9));
}

TEST(FabricCoincidence_wse_1_2, ADirectionThatIsNotEnabledDoesNotCount) {
  TwoInputs core(Coincidence::kIllegal, 1);
  core.put(Direction::kWest, wavelet(1), 7);
  core.put(Direction::kNorth, wavelet(2), 7);
  EXPECT_EQ(core.step(7).sends.size(), 1U);
}

TEST(FabricCoincidence_wse_1_2, MergeTakesOneAfterTheOther) {
  TwoInputs core(Coincidence::kMerge);
  core.put(Direction::kWest, wavelet(1), 7);
  core.put(Direction::kNorth, wavelet(2), 7);
  EXPECT_EQ(core.step(7).sends.size(), 1U);
  EXPECT_EQ(core.step(8).sends.size(), 1U);
  EXPECT_EQ(core.held(), 0U);
}

/// Keeps what it hears.
struct Heard : observe::Diagnoses {
  void on_diagnosis(const observe::Diagnosis& diagnosis) override { all.push_back(diagnosis); }
  std::vector<observe::Diagnosis> all;
};

TEST(FabricCoincidence_wse_1_2, MergeSaysWhereAndWhen) {
  TwoInputs core(Coincidence::kMerge);
  Heard heard;
  core.set_diagnoses(&heard);
  for (const Cycle now : {7, 9}) {
    core.put(Direction::kWest, wavelet(1), now);
    core.put(Direction::kNorth, wavelet(2), now);
    core.step(now);
    core.step(now + 1);
  }
  ASSERT_EQ(heard.all.size(), 2U);
  EXPECT_EQ(heard.all[0].cycle, 7U);
  EXPECT_EQ(heard.all[1].cycle, 9U);
  EXPECT_EQ(heard.all[0].id, kCoincidenceId);
  EXPECT_TRUE(heard.all[0].once);
  for (const char* part : {"(4, 5)", "color 3", "WEST", "NORTH"})
    EXPECT_NE(heard.all[0].text.find(part), std::string::npos) << heard.all[0].text;
}

/// Payloads of what leaves when two wavelets land together, and two more after them.
std::vector<std::uint32_t> merged(Arbitration arbitration, Direction first) {
  FabricTiming timing = bench::timing_1_1_2();
  timing.coincidence = Coincidence::kMerge;
  timing.arbitration = arbitration;
  RouterCore core({0, 0}, timing, {});
  core.set_route(kColor, bench::route({Direction::kWest, Direction::kNorth}, {Direction::kEast}));
  core.set_downstream_capacity(Direction::kEast, kColor, 8);
  core.put(first, wavelet(0), 6);
  std::vector<std::uint32_t> order;
  for (Cycle now = 6; now < 12; ++now) {
    if (now == 7) {
      for (std::uint32_t n = 0; n < 2; ++n) {
        core.put(Direction::kWest, wavelet(10 + n), now + n);
        core.put(Direction::kNorth, wavelet(20 + n), now + n);
      }
    }
    for (const RouterCore::Send& s : core.step(now).sends) order.push_back(s.wavelet.payload);
  }
  return order;
}

// The rule of the output decides (sender.h): round robin goes on after who went last.
TEST(FabricCoincidence_wse_1_2, MergeOrderIsThatOfTheArbitration) {
  using Order = std::vector<std::uint32_t>;
  EXPECT_EQ(merged(Arbitration::kRoundRobin, Direction::kWest), (Order{0, 20, 10, 21, 11}));
  EXPECT_EQ(merged(Arbitration::kRoundRobin, Direction::kNorth), (Order{0, 10, 20, 11, 21}));
  EXPECT_EQ(merged(Arbitration::kFixed, Direction::kWest), (Order{0, 10, 11, 20, 21}));
  EXPECT_EQ(merged(Arbitration::kFixed, Direction::kNorth), (Order{0, 10, 11, 20, 21}));
}

}  // namespace
}  // namespace tessera::fabric
