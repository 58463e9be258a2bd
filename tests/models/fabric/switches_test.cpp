// Switches: positions, commands that move them, when a move counts (reference wse.md 1.4).
#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench::switches_test {
namespace {

constexpr unsigned kColor = 2;

/// From WEST to EAST, SOUTH, NORTH, RAMP, as far as `valid` says.
ColorRoute four_ways(std::array<bool, kSwitchPositions> valid = {true, true, true, true}) {
  ColorRoute r;
  const Direction out[] = {kE, kS, kN, kR};
  for (unsigned i = 0; i < kSwitchPositions; ++i) r.positions[i] = {{kW}, {out[i]}, valid[i]};
  return r;
}

/// A data wavelet, then a control wavelet with `command`, and so on; one more data wavelet.
std::string data_between(Alone& router, std::initializer_list<link::CommandEntry> list) {
  std::uint32_t n = 1;
  for (const link::CommandEntry& command : list) {
    router.send(kW, data(kColor, n++));
    router.send(kW, control(kColor, {command}));
  }
  router.send(kW, data(kColor, n));
  return router.run();
}

constexpr const char* kAdvWord = "400000";
constexpr const char* kRstWord = "800000";
std::string adv(const char* direction) {
  return std::string(" ") + direction + "*" + kAdvWord + " ";
}
std::string rst(const char* direction) {
  return std::string(" ") + direction + "*" + kRstWord + " ";
}

TEST(FabricSwitches_wse_1_4, InitialPositionRoutes) {
  const char* expected[] = {"E1", "S1", "N1", "R1"};
  for (unsigned current = 0; current < kSwitchPositions; ++current) {
    Alone router;
    ColorRoute r = four_ways();
    r.current = current;
    router.set(kColor, r);
    EXPECT_EQ(router.core.switch_position(Color(kColor)), current);
    router.send(kW, data(kColor, 1));
    EXPECT_EQ(router.run(), expected[current]);
  }
}

TEST(FabricSwitches_wse_1_4, AdvanceGoesThroughThePositionsAndStaysAtTheLast) {
  Alone router;
  router.set(kColor, four_ways());
  EXPECT_EQ(data_between(router, {kAdv, kAdv, kAdv, kAdv}),
            "E1" + adv("E") + "S2" + adv("S") + "N3" + adv("N") + "R4" + adv("R") + "R5");
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 3U);
}

// wse.md 1.4: what lands where the layout gives no output goes, also for the command that ends that.
TEST(FabricSwitches_wse_1_4, WhatLandsWhereTheRouteHasNoOutputVanishes) {
  Alone router;
  ColorRoute r = four_ways();
  r.positions[0].tx = {};
  router.set(kColor, r);
  EXPECT_EQ(data_between(router, {kNop, kAdv}), "S3");
  EXPECT_EQ(router.core.held(), 0U);
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 1U);
}

TEST(FabricSwitches_wse_1_4, AdvanceSkipsInvalidPositions) {
  Alone router;
  router.set(kColor, four_ways({true, false, true, false}));
  EXPECT_EQ(data_between(router, {kAdv, kAdv}), "E1" + adv("E") + "N2" + adv("N") + "N3");
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 2U);
}

TEST(FabricSwitches_wse_1_4, WithoutOtherPositionsAnAdvanceDoesNothing) {
  for (const bool ring : {false, true}) {
    Alone router;
    ColorRoute r = four_ways({true, false, false, false});
    r.ring = ring;
    router.set(kColor, r);
    EXPECT_EQ(data_between(router, {kAdv}), "E1" + adv("E") + "E2");
    EXPECT_TRUE(router.recorder.of(observe::EventKind::kSwitch).empty());
  }
}

TEST(FabricSwitches_wse_1_4, RingModeStartsAgainAtPositionZero) {
  Alone router;
  ColorRoute r = four_ways({true, true, false, false});
  r.ring = true;
  router.set(kColor, r);
  EXPECT_EQ(data_between(router, {kAdv, kAdv, kAdv}),
            "E1" + adv("E") + "S2" + adv("S") + "E3" + adv("E") + "S4");
}

TEST(FabricSwitches_wse_1_4, ResetGoesToPositionZero) {
  Alone router;
  router.set(kColor, four_ways());
  EXPECT_EQ(data_between(router, {kAdv, kAdv, kRst, kRst}),
            "E1" + adv("E") + "S2" + adv("S") + "N3" + rst("N") + "E4" + rst("E") + "E5");
}

TEST(FabricSwitches_wse_1_4, NopMovesNothing) {
  Alone router;
  router.set(kColor, four_ways());
  EXPECT_EQ(data_between(router, {kNop}), "E1 E*0 E2");
}

TEST(FabricSwitches_wse_1_4, OnlyTheFirstCommandCounts) {
  Alone router;
  router.set(kColor, four_ways());
  router.send(kW, control(kColor, {kNop, kAdv, kAdv, kAdv, kAdv, kAdv, kAdv, kAdv}));
  router.run();
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 0U);
}

TEST(FabricSwitches_wse_1_4, DataWithTheBitsOfACommandMovesNothing) {
  Alone router;
  router.set(kColor, four_ways());
  router.send(kW, data(kColor, commands({kAdv})));
  router.send(kW, data(kColor, commands({kTeardown})));
  router.send(kW, data(kColor, 3));
  EXPECT_EQ(router.run(), "E400000 Ec00000 E3");
}

TEST(FabricSwitches_wse_1_4, AColorMovesNoOtherColor) {
  Alone router;
  router.set(kColor, four_ways());
  router.set(5, four_ways());
  router.send(kW, control(kColor, {kAdv}));
  router.run();
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 1U);
  EXPECT_EQ(router.core.switch_position(Color(5)), 0U);
}

// Step 1 and 2 of the processing order (wse.md 1.5): old position for itself, new one after it, in
// the very next cycle.
TEST(FabricSwitches_wse_1_4, TheMoveCostsNoCycle) {
  Alone router;
  router.set(kColor, four_ways());
  router.send(kW, control(kColor, {kAdv}));
  router.send(kW, control(kColor, {kAdv}));
  router.send(kW, data(kColor, 3));
  EXPECT_EQ(router.run(1), "E*400000");
  EXPECT_EQ(router.run(1), "S*400000");
  EXPECT_EQ(router.run(1), "N3");
}

TEST(FabricSwitches_wse_1_4, APositionMayChangeTheInput) {
  Alone router;
  ColorRoute r;
  r.positions[0] = {{kW}, {kE}, true};
  r.positions[1] = {{kN}, {kE}, true};
  router.set(kColor, r);
  router.send(kN, data(kColor, 7));
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "E1");  // NORTH waits
  router.send(kW, control(kColor, {kAdv}));
  router.send(kW, data(kColor, 2));
  EXPECT_EQ(router.run(), "E*400000 E7");  // now WEST waits
  router.send(kN, control(kColor, {kRst}));
  EXPECT_EQ(router.run(), "E*800000 E2");
}

TEST(FabricSwitches_wse_1_4, EveryMoveIsAnEventAndNothingElseIs) {
  Alone router;
  ColorRoute r = four_ways({true, false, false, true});
  router.set(kColor, r);
  for (const link::CommandEntry& command : {kNop, kAdv, kAdv, kRst, kRst}) {
    router.send(kW, control(kColor, {command}));
  }
  router.run();
  const std::vector<observe::Event> moves = router.recorder.of(observe::EventKind::kSwitch);
  ASSERT_EQ(moves.size(), 2U);
  EXPECT_EQ(moves[0].cycle, 2U);  // the first lands in cycle 1
  EXPECT_EQ(moves[0].place, 7U);
  EXPECT_EQ(moves[0].a, kColor);
  EXPECT_EQ(moves[0].b, 3U);
  EXPECT_EQ(moves[1].cycle, 4U);
  EXPECT_EQ(moves[1].b, 0U);
}

/// WEST to EAST and SOUTH; position 1: NORTH. SOUTH has no room yet.
void set_blocked_tee(Alone& router, PopMode pop = PopMode::kNoPop) {
  ColorRoute r;
  r.positions[0] = {{kW}, {kE, kS}, true};
  r.positions[1] = {{kW}, {kN}, true};
  r.pop = pop;
  router.set(kColor, r);
  router.open(kColor, kS, 0);
}

TEST(FabricSwitches_wse_1_4, TheSwitchMovesWhenTheLastCopyHasLeft) {
  Alone router;
  set_blocked_tee(router);
  router.send(kW, control(kColor, {kAdv}));
  router.send(kW, data(kColor, 2));
  EXPECT_EQ(router.run(), "E*400000");
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 0U);
  EXPECT_TRUE(router.recorder.of(observe::EventKind::kSwitch).empty());
  router.open(kColor, kS, 1);
  EXPECT_EQ(router.run(), "S*400000 N2");
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 1U);
}

TEST(FabricSwitches_wse_1_4, ALateCopyHasThePayloadOfTheFirst) {
  Alone router;
  set_blocked_tee(router, PopMode::kPopOnAdvance);
  router.send(kW, control(kColor, {kAdv, kRst}));
  EXPECT_EQ(router.run(), "E*808000");  // RST; at the end NOP that the CE ignores
  router.open(kColor, kS, 1);
  EXPECT_EQ(router.run(), "S*808000");
}

TEST(FabricSwitches_wse_1_1, LocalFlipAdvancesLikeACommandAndIsAnEvent) {
  Alone router;
  ColorRoute r;
  r.positions[0] = {{kR}, {kE}, true};
  r.positions[2] = {{kR}, {kS}, true};
  r.ring = true;
  router.set(kColor, r);
  for (std::uint32_t n = 1; n <= 4; ++n) {
    link::Wavelet w = data(kColor, n);
    w.local_flip = n != 3;
    router.send(kR, w);
  }
  EXPECT_EQ(router.run(), "E1 S2 E3 E4");
  const std::vector<observe::Event> moves = router.recorder.of(observe::EventKind::kSwitch);
  ASSERT_EQ(moves.size(), 3U);
  EXPECT_EQ(moves[0].b, 2U);
  EXPECT_EQ(moves[1].b, 0U);
  EXPECT_EQ(moves[2].b, 2U);
}

}  // namespace
}  // namespace tessera::fabric::bench::switches_test
