// Color swap (reference wse.md 1.6; wse.md 10 row 6 for the two wordings).
#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench {
namespace {

FabricTiming wording(ColorSwap rule) {
  FabricTiming timing = timing_1_1_2();
  timing.color_swap = rule;
  return timing;
}
ColorRoute swapping(DirectionSet rx, DirectionSet tx, bool x, bool y) {
  ColorRoute r = route(rx, tx);
  r.swap_x = x;
  r.swap_y = y;
  return r;
}

constexpr DirectionSet kAnywhere = {kW, kE, kS, kN, kR};

/// Color 2 goes to EAST, color 3 to SOUTH. One wavelet of `color` from `in`.
std::string outputs(ColorSwap rule, ColorRoute two, ColorRoute three, Direction in,
                    unsigned color) {
  FabricTiming timing = wording(rule);
  timing.coincidence = Coincidence::kMerge;
  Alone router(timing);
  router.show_colors = true;
  two.positions[0] = {kAnywhere, {kE}, true};
  three.positions[0] = {kAnywhere, {kS}, true};
  router.set(2, two);
  router.set(3, three);
  router.send(in, data(color, 1));
  const std::string text = router.run();
  EXPECT_EQ((router.returned[{in, color}]), 1U) << "the credit belongs to the color that came";
  EXPECT_EQ(router.core.held(), 0U);
  return text;
}

ColorRoute plain() {
  return swapping({}, {}, false, false);
}
ColorRoute on_x() {
  return swapping({}, {}, true, false);
}
ColorRoute on_y() {
  return swapping({}, {}, false, true);
}
ColorRoute on_both() {
  return swapping({}, {}, true, true);
}

constexpr ColorSwap kBoth = ColorSwap::kBoth;

TEST(FabricColorSwap_wse_1_6, EnabledOnOneSideArrivalsOfThePartnerAppearOnBoth) {
  for (const Direction in : {kW, kE}) {
    EXPECT_EQ(outputs(kBoth, plain(), on_x(), in, 2), "2:E1 3:S1");
    EXPECT_EQ(outputs(kBoth, on_x(), plain(), in, 3), "2:E1 3:S1");
  }
  for (const Direction in : {kN, kS}) {
    EXPECT_EQ(outputs(kBoth, plain(), on_y(), in, 2), "2:E1 3:S1");
  }
}

TEST(FabricColorSwap_wse_1_6, TheEnabledColorItselfStays) {
  for (const ColorSwap rule : {kBoth, ColorSwap::kPartner}) {
    EXPECT_EQ(outputs(rule, plain(), on_x(), kW, 3), "3:S1");
    EXPECT_EQ(outputs(rule, on_both(), plain(), kN, 2), "2:E1");
  }
}

TEST(FabricColorSwap_wse_10_6, InTheOldWordingArrivalsOfThePartnerLeaveOnTheEnabledColorOnly) {
  EXPECT_EQ(outputs(ColorSwap::kPartner, plain(), on_x(), kW, 2), "3:S1");
  EXPECT_EQ(outputs(ColorSwap::kPartner, on_y(), plain(), kN, 3), "2:E1");
}

TEST(FabricColorSwap_wse_1_6, EnabledOnBothSidesTheyAreExchanged) {
  for (const ColorSwap rule : {kBoth, ColorSwap::kPartner}) {
    EXPECT_EQ(outputs(rule, on_x(), on_x(), kE, 2), "3:S1");
    EXPECT_EQ(outputs(rule, on_x(), on_x(), kE, 3), "2:E1");
    EXPECT_EQ(outputs(rule, on_y(), on_y(), kS, 2), "3:S1");
  }
}

TEST(FabricColorSwap_wse_1_6, AnAxisDoesNotTouchTheOther) {
  EXPECT_EQ(outputs(kBoth, plain(), on_x(), kN, 2), "2:E1");
  EXPECT_EQ(outputs(kBoth, plain(), on_y(), kW, 2), "2:E1");
  EXPECT_EQ(outputs(kBoth, on_y(), on_x(), kW, 2), "2:E1 3:S1");  // 3 swaps x, 2 does not
  EXPECT_EQ(outputs(kBoth, on_y(), on_x(), kW, 3), "3:S1");
}

TEST(FabricColorSwap_wse_1_6, TheOnRampSwapsWithBothAxes) {
  EXPECT_EQ(outputs(kBoth, plain(), on_both(), kR, 2), "2:E1 3:S1");
  EXPECT_EQ(outputs(kBoth, on_both(), on_both(), kR, 2), "3:S1");
  EXPECT_EQ(outputs(kBoth, plain(), on_x(), kR, 2), "2:E1");
  EXPECT_EQ(outputs(kBoth, plain(), on_y(), kR, 2), "2:E1");
}

TEST(FabricColorSwap_wse_1_6, OnlyColorsThatDifferInBitZeroSwap) {
  Alone router;
  router.show_colors = true;
  router.set(3, swapping({kW}, {kE}, true, true));
  router.set(4, route({kW}, {kE}));
  router.set(1, route({kW}, {kE}));
  router.send(kW, data(4, 1));
  router.send(kW, data(1, 2));
  EXPECT_EQ(router.run(), "4:E1 1:E2");
}

TEST(FabricColorSwap_wse_1_6, TheMasksOfEachColorHold) {
  // Color 3 does not receive from WEST in its position; 2 goes there alone.
  Alone router;
  router.show_colors = true;
  ColorRoute three = swapping({kN}, {kS}, true, true);
  three.positions[1] = {{kW}, {kR}, true};
  router.set(2, route({kW}, {kE}));
  router.set(3, three);
  router.send(kW, data(2, 1));
  EXPECT_EQ(router.run(), "2:E1");
  router.send(kN, control(3, {kAdv}));
  router.send(kW, data(2, 2));
  EXPECT_EQ(router.run(), "2:E2 3:S*400000");  // they land together: still the old position
  router.send(kW, data(2, 3));
  EXPECT_EQ(router.run(), "2:E3 3:R3");
}

TEST(FabricColorSwap_wse_1_6, ThePartnerMayBeTheOnlyOneThatReceives) {
  Alone router;
  router.show_colors = true;
  router.set(2, route({kN}, {kE}));
  router.set(3, swapping({kW}, {kS}, true, false));
  EXPECT_GT(router.core.input_capacity(kW, Color(2)), 0U);
  router.send(kW, data(2, 1));
  EXPECT_EQ(router.run(), "3:S1");
}

TEST(FabricColorSwap_wse_1_6, AColorWithoutARouteArrivesAsItsPartner) {
  for (const ColorSwap rule : {kBoth, ColorSwap::kPartner}) {
    Alone router(wording(rule));
    router.show_colors = true;
    router.set(3, swapping({kW}, {kS, kR}, true, false));
    EXPECT_EQ(router.core.input_capacity(kW, Color(2)), router.core.input_capacity(kW, Color(3)));
    EXPECT_EQ(router.core.input_capacity(kN, Color(2)), 0U);
    for (std::uint32_t n = 1; n <= 3; ++n) router.send(kW, data(2, n));
    EXPECT_EQ(router.run(), "3:S1 3:R1 3:S2 3:R2 3:S3 3:R3");
    EXPECT_EQ((router.returned[{kW, 2}]), 3U);
    EXPECT_EQ((router.returned[{kW, 3}]), 0U);
    EXPECT_EQ(router.core.credits(kS, Color(3)), 97U);
  }
}

TEST(FabricColorSwap_wse_1_6, EveryCopyTakesACreditOfItsOwnColor) {
  Alone router;
  router.set(2, route({kW}, {kE}));
  router.set(3, swapping({kW}, {kE}, true, false));
  router.send(kW, data(2, 1));
  router.run();
  EXPECT_EQ(router.core.credits(kE, Color(2)), 99U);
  EXPECT_EQ(router.core.credits(kE, Color(3)), 99U);
}

TEST(FabricColorSwap_wse_1_6, CopiesForOneOutputGoOneAfterTheOther) {
  Alone router;
  router.show_colors = true;
  router.set(2, route({kW}, {kE}));
  router.set(3, swapping({kW}, {kE}, true, false));
  router.send(kW, data(2, 1));
  router.send(kW, data(2, 2));
  EXPECT_EQ(router.run(1), "2:E1");
  EXPECT_EQ(router.run(1), "3:E1");
  EXPECT_EQ(router.run(), "2:E2 3:E2");
}

TEST(FabricColorSwap_wse_1_6, ACopyWithoutRoomHoldsTheWavelet) {
  for (const unsigned blocked : {2U, 3U}) {
    Alone router;
    router.set(2, route({kW}, {kE}));
    router.set(3, swapping({kW}, {kE}, true, false));
    router.open(blocked, kE, 0);
    router.send(kW, data(2, 1));
    EXPECT_EQ(router.run(), "E1");
    EXPECT_EQ(router.core.held(), 1U);
    EXPECT_EQ((router.returned[{kW, 2}]), 0U);
    router.open(blocked, kE, 1);
    EXPECT_EQ(router.run(), "E1");
    EXPECT_EQ(router.core.held(), 0U);
  }
}

TEST(FabricColorSwap_wse_1_6, AControlWaveletActsOnEveryColorItAppearsOn) {
  Alone router;
  ColorRoute two = route({kW}, {kE});
  two.positions[1] = {{kW}, {kN}, true};
  ColorRoute three = swapping({kW}, {kS}, true, false);
  three.positions[1] = {{kW}, {kR}, true};
  three.pop = PopMode::kAlwaysPop;
  router.set(2, two);
  router.set(3, three);
  router.show_colors = true;
  router.send(kW, control(2, {kAdv}));
  router.send(kW, data(2, 7));
  // pop mode of each color; the list is NOP that the CE ignores after the popped one
  EXPECT_EQ(router.run(), "2:E*400000 3:S*8000 2:N7 3:R7");
  router.send(kW, control(3, {kRst}));
  router.run();
  EXPECT_EQ(router.core.switch_position(Color(2)), 1U);
  EXPECT_EQ(router.core.switch_position(Color(3)), 0U);
}

TEST(FabricColorSwap_wse_1_6, EachColorHasItsFilter) {
  Alone router;
  router.show_colors = true;
  ColorRoute three = swapping({kW}, {kR}, true, false);
  three.filter = FilterConfig();
  three.filter->kind = FilterKind::kRange;
  three.filter->min_idx = 1;
  three.filter->max_idx = 1;
  router.set(2, route({kW}, {kE}));
  router.set(3, three);
  router.send(kW, data(2, 0x10000));
  router.send(kW, data(2, 0x20000));
  EXPECT_EQ(router.run(), "2:E10000 3:R10000 2:E20000");
  EXPECT_EQ(router.core.held(), 0U);
}

// Two neighbours exchange colors: what a tile sends on 2 lands next door on 3 and the other way
// round.
TEST(FabricColorSwap_wse_1_6, ARowOfTwoExchangesItsColors) {
  Mesh mesh(2, 1, timing_2_1_2());
  for (const unsigned color : {2U, 3U}) {
    mesh.router({0, 0}).set_route(Color(color), route({kR}, {kE}));
    mesh.router({1, 0}).set_route(Color(color), swapping({kW}, {kR}, true, false));
    mesh.endpoint({1, 0}).open(Color(color), 4);
  }
  mesh.connect();
  for (std::uint32_t n = 0; n < 50; ++n) {
    mesh.endpoint({0, 0}).send(data(2, n));
    mesh.endpoint({0, 0}).send(data(3, 100 + n));
  }
  mesh.run();
  std::uint32_t next[] = {100, 0};
  for (const Delivery& d : mesh.endpoint({1, 0}).deliveries()) {
    EXPECT_EQ(d.wavelet.payload, next[d.wavelet.color.value() - 2]++);
  }
  EXPECT_EQ(next[0], 150U);
  EXPECT_EQ(next[1], 50U);
  EXPECT_EQ(mesh.missing_credits(), "");
}

}  // namespace
}  // namespace tessera::fabric::bench
