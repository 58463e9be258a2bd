// Route epochs (reference numesh.md 7.4, S24; wse.md 1.9): what the checker must not report,
// sources that have moved on or come ahead, and that the order of steps does not matter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/fabric/illegal.h"
#include "tests/models/fabric/epochs_bench.h"

namespace tessera::fabric::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FabricEpochsSilent_numesh_7_4 : public EpochsTest {};

// --- not caught

TEST_F(FabricEpochsSilent_numesh_7_4, WhatIsSentBehindTheChangeIsMeantForIt) {
  set_row();
  send(kA, 20);
  ASSERT_EQ(run(200), "");  // all of them are there
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 210);
  send_at(211, kA, 20);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(delivered(kX), 20U);
  EXPECT_EQ(delivered(kB), 20U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, WhatFollowsTheMarkerIsMeantForTheNewRoute) {
  set_row();
  handle(kA, {way({kR}, {kE})});
  handle(kX, {way({kW}, {kR}) | kTeardownBit, way({kW}, {kR})});
  send(kA, 20);
  send_marker(kA);
  send(kA, 20);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(delivered(kX), 20U);
  EXPECT_EQ(delivered(kB), 21U);
  EXPECT_EQ(epochs.epoch(place(kA), Color(kColor)), 1U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, MarkerMayBeForOneTileAmongMany) {
  ColorRoute a = route({kR}, {kE});
  a.pop = PopMode::kAlwaysPop;
  set(kA, a);
  set(kX, route({kW}, {kE}));
  set(kB, route({kW}, {kR}));
  mesh.connect();
  handle(kX, {way({kW}, {kR})}, 30);
  mesh.endpoint(kA).send(from(kA, control(kColor, {kNop, kTeardown})));
  send(kA, 20);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kA), Color(kColor)), 0U);
  EXPECT_EQ(delivered(kX), 20U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, SecondMarkerThroughTheSameInput) {
  set_row();
  handle(kA, {way({kR}, {kE})});
  handle(kX, {way({kW}, {kR})});
  for (unsigned i = 0; i < 3; ++i) {
    send(kA, 9);
    send_marker(kA);
  }
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 3U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, RouteThatTakesThemTheSameWayDoesNotMatter) {
  set_row();
  send(kA, 40);
  mesh.write(kX, kRouteAt, way({kW, kN}, {kE}), 10);
  mesh.write(kX, kSwitchAt, 0x1555, 15);
  mesh.write(kX, kRouteAt, way({kW}, {kE}), 20);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(delivered(kB), 40U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, OtherRulesOfTheSwitchDoNotMatter) {
  const ColorRoute x = switched({kW}, {kE}, {kR});
  set_row(x);
  send(kA, 10);
  mesh.endpoint(kA).send(from(kA, control(kColor, {kAdv})));
  send(kA, 10);
  mesh.write(kX, kRouteAt, color_register(x) | 0x2000U, 8);  // pop mode
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
  EXPECT_EQ(delivered(kX), 10U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, WhatWaitsForAnotherPositionOfTheNewRouteIsNotStranded) {
  set_row();
  send(kA, 20);
  mesh.write(kX, kSwitchAt, 0x558, 6);  // position 1: from WEST
  mesh.write(kX, kRouteAt, way({kN}, {kE}), 10);
  EXPECT_EQ(run(), "");
  EXPECT_GT(mesh.held(), 0U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, WhatTheOldRouteDidNotReceiveWaitsForTheNewOne) {
  set_row(route({kS}, {kE}));
  send(kA, 20);
  mesh.write(kX, kRouteAt, way({kW}, {kE}), 50);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(delivered(kB), 20U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, MulticastThatHasBegunKeepsItsRoute) {
  set_row(route({kW}, {kE, kR}));
  mesh.router(kX).set_downstream_capacity(kR, Color(kColor), 0);
  send(kA, 1);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 20);
  EXPECT_EQ(run(), "");
}

TEST_F(FabricEpochsSilent_numesh_7_4, WhatHasNotLeftItsSourceIsSentLater) {
  set_row();
  block(kA, kE);
  send(kA, 1);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 10);
  ASSERT_EQ(run(20), "");
  open(kA, kE, 20);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(delivered(kX), 1U);
}

TEST_F(FabricEpochsSilent_numesh_7_4, OtherColorsAreNotConcerned) {
  set_row();
  set(kX, route({kN}, {kS}), kColor + 1);
  mesh.connect();
  send(kA, 20);
  mesh.write(kX, kColorBase + kColor + 1, way({kN}, {kE}), 10);
  EXPECT_EQ(run(), "");
}

TEST_F(FabricEpochsSilent_numesh_7_4, TilesThatAreNotReconfiguredAreSilent) {
  set_row();
  handle(kA, {way({kR}, {kE})});
  send(kA, 20);
  send_marker(kA);
  send(kA, 20);
  EXPECT_EQ(run(), "");
}

// --- sources that have moved on, and wavelets that come ahead

/// C sends north to X, which receives from A and from C; B is the end. A's marker passes X.
class FabricEpochsOfTwo_numesh_7_4 : public EpochsTest {
 protected:
  FabricEpochsOfTwo_numesh_7_4() {
    set(kA, route({kR}, {kE}));
    set(kC, route({kR}, {kN}));
    set(kX, route({kW, kS}, {kE}));
    set(kB, route({kW}, {kR}));
    mesh.connect();
  }
};

TEST_F(FabricEpochsOfTwo_numesh_7_4, SourceInAnOlderEpochIsCaught) {
  handle(kX, {way({kS}, {kR})}, 30);
  send_at(4, kA, 0);
  send_marker(kA);
  mesh.wake_endpoint(kA, 4);
  send(kC, 20);
  mesh.wake_endpoint(kC, 4);
  EXPECT_THAT(run(), HasSubstr("a wavelet from tile (1, 1), sent in epoch 0 there"));
  EXPECT_EQ(id, kEpochMisroutedId);
}

TEST_F(FabricEpochsOfTwo_numesh_7_4, SourceInAsLateAnEpochIsNot) {
  handle(kX, {way({kS}, {kR})}, 30);
  mesh.write(kC, kRouteAt, way({kR, kE}, {kN}), 2);  // epoch 1 of C
  send_at(4, kA, 0);
  send_marker(kA);
  mesh.wake_endpoint(kA, 4);
  send(kC, 20);
  mesh.wake_endpoint(kC, 4);
  EXPECT_EQ(run(), "");
  EXPECT_GT(delivered(kX), 15U);
}

/// A's marker goes over D to C at once, and to X late. C then sends north to X.
class FabricEpochsEarly_numesh_7_4 : public EpochsTest {
 protected:
  static constexpr TileCoord kD{0, 1};
  void set_up(const ColorRoute& x, unsigned new_route_of_x,
              const ColorRoute& b = route({kW}, {kR})) {
    set(kA, route({kR}, {kE, kS}));
    set(kD, route({kN}, {kE}));
    set(kC, route({kW}, {kR}));
    set(kX, x);
    set(kB, b);
    mesh.connect();
    block(kA, kE);
    handle(kC, {way({kR}, {kN})});
    handle(kX, {new_route_of_x});
  }
  void run_with_3_words_ahead() {
    send_marker(kA);
    send_at(60, kC, 3);
    ASSERT_EQ(run(100), "");
    ASSERT_EQ(epochs.epoch(place(kC), Color(kColor)), 1U);
    open(kA, kE, 101);
  }
};

TEST_F(FabricEpochsEarly_numesh_7_4, WaveletThatWaitedThereIsSentForTheNewRoute) {
  ColorRoute x = route({kW}, {kE});
  x.positions[1] = {{kS}, {kE}, true, true, false};
  set_up(x, way({kS}, {kR}));
  mesh.write(kX, kSwitchAt, switch_register(x) | 0x1000U, 10);  // one epoch more than C
  run_with_3_words_ahead();
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 2U);
  EXPECT_EQ(delivered(kX), 3U);
}

TEST_F(FabricEpochsEarly_numesh_7_4, WaveletSentBehindATeardownThatComesAheadOfItIsEarly) {
  set_up(route({kW, kS}, {kE}), way({kS}, {kR}));
  run_with_3_words_ahead();
  EXPECT_THAT(run(), AllOf(HasSubstr("tile (1, 0), color 5: a wavelet from tile (1, 1), sent in "
                                     "epoch 1 there, went from SOUTH to EAST in cycle 6"),
                           HasSubstr("by the route of epoch 0 here")));
  EXPECT_EQ(id, kEpochEarlyId);
}

TEST_F(FabricEpochsEarly_numesh_7_4, IfTheNewRouteTakesItTheSameWayItDoesNotMatter) {
  set_up(route({kW, kS}, {kE}), way({kS}, {kE}));
  run_with_3_words_ahead();
  EXPECT_EQ(delivered(kB), 3U);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
}

TEST_F(FabricEpochsEarly_numesh_7_4, AnotherMarkerSaysNothing) {
  set_up(route({kW, kS, kE}, {kR}), way({kS}, {kE}), route({kR}, {kW}));
  send_marker(kA);
  send_at(60, kC, 3);
  ASSERT_EQ(run(100), "");
  ASSERT_EQ(delivered(kX), 3U);
  send_marker(kB);
  mesh.wake_endpoint(kB, 101);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
}

TEST_F(FabricEpochsEarly_numesh_7_4, WhatFollowsAnotherMarkerDoesNotHideIt) {
  const unsigned all_to_ramp = way({kW, kS, kE}, {kR});
  set_up(route({kW, kS, kE}, {kR}), all_to_ramp, route({kR}, {kW}));
  handle(kB, {way({kR}, {kW})});
  send_marker(kA);
  send_marker(kB);
  send_at(60, kC, 3);
  send_at(80, kB, 3);
  ASSERT_EQ(run(100), "");
  ASSERT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);  // by B's marker
  ASSERT_EQ(delivered(kX), 7U);
  handle(kX, {way({kS}, {kE})});
  open(kA, kE, 101);
  EXPECT_THAT(run(),
              HasSubstr("a wavelet from tile (1, 1), sent in epoch 1 there, went from SOUTH"));
  EXPECT_EQ(id, kEpochEarlyId);
}

// --- the order of steps

// A wavelet leaves its source in the very cycle of a reconfiguration elsewhere.
TEST(FabricEpochsOrder_numesh_7_4, DoesNotMatter) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Mesh mesh(8, 1, timing_1_1_2());
    for (int x = 0; x < 8; ++x) {
      mesh.router({x, 0}).set_reconfigurable(Generation::kWse2);
      mesh.router({x, 0}).set_route(Color(kColor), route({x == 0 ? kR : kW}, {x == 7 ? kR : kE}));
      mesh.endpoint({x, 0}).open(Color(kColor));
    }
    mesh.connect();
    if (seed != 0) mesh.scheduler().shuffle_step_order(seed);
    mesh.write({5, 0}, kRouteAt, way({kW}, {kE, kR}), 12);
    mesh.write({3, 0}, kRouteAt, way({kW, kN}, {kE}), 16);
    mesh.write({4, 0}, kRouteAt, way({kW}, {kE, kR}), 18);
    for (const Cycle leaves : {5U, 16U, 18U}) {
      mesh.run(leaves - 1);
      link::Wavelet w = data(kColor, 0);
      w.ident = std::uint64_t{1} << 32 | leaves;
      mesh.endpoint({0, 0}).send(w);
      mesh.wake_endpoint({0, 0}, leaves - 1);
    }
    std::string text;
    try {
      mesh.run();
    } catch (const IllegalBehaviour& e) {
      text = e.what();
    }
    // The one of cycle 16 meets the change of cycle 18; that of 12 lies behind it.
    EXPECT_THAT(text, HasSubstr("tile (4, 0), color 5: a wavelet from tile (0, 0)")) << seed;
    EXPECT_TRUE(mesh.endpoint({5, 0}).deliveries().empty());
  }
}

TEST(FabricEpochsOrder_numesh_7_4, WhatLeavesInTheCycleOfTheChangeIsSentBeforeIt) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const Cycle leaves : {16U, 17U}) {
      Mesh mesh(4, 1, timing_1_1_2());
      for (int x = 0; x < 4; ++x) {
        mesh.router({x, 0}).set_reconfigurable(Generation::kWse2);
        mesh.router({x, 0}).set_route(Color(kColor), route({x == 0 ? kR : kW}, {x == 3 ? kR : kE}));
        mesh.endpoint({x, 0}).open(Color(kColor));
      }
      mesh.connect();
      if (seed != 0) mesh.scheduler().shuffle_step_order(seed);
      mesh.write({2, 0}, kRouteAt, way({kW}, {kR}), 16);
      mesh.run(leaves - 1);
      link::Wavelet w = data(kColor, 0);
      w.ident = std::uint64_t{1} << 32;
      mesh.endpoint({0, 0}).send(w);
      mesh.wake_endpoint({0, 0}, leaves - 1);
      if (leaves == 16) {
        EXPECT_THROW(mesh.run(), IllegalBehaviour) << seed;
      } else {
        EXPECT_NO_THROW(mesh.run()) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::fabric::bench
