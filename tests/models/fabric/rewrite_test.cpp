// Routes that a program may write at run time and a layout may not have, or not with the same
// buffers: rules of the generations, color swap that is turned on later, outputs behind which
// nobody is (reference wse.md 1.2, 1.4, 1.6, 1.9, 1.10).
#include <gtest/gtest.h>

#include "models/fabric/registers.h"
#include "tests/models/fabric/bench.h"
#include "tlm_ifaces/config/config_space.h"

namespace tessera::fabric::bench::rewrite_test {
namespace {

using config_space::Address;

constexpr unsigned kColor = 3;
constexpr unsigned kPartner = 2;
constexpr unsigned kSwapX = 0x800;
constexpr unsigned kSwapY = 0x400;

constexpr Address color_at(unsigned color) {
  return static_cast<Address>(config_space::kColorBase + color);
}
constexpr Address switch_at(unsigned color) {
  return static_cast<Address>(config_space::kSwitchBase + color);
}
/// Position 0 as the color register has it.
unsigned way(DirectionSet rx, DirectionSet tx) {
  return color_register(route(rx, tx));
}

/// The program of the tile rewrites routes.
struct Rewritable : Alone {
  explicit Rewritable(Generation generation, const FabricTiming& timing = timing_1_1_2())
      : Alone(timing) {
    core.set_reconfigurable(generation);
    show_colors = true;
  }
  void write(Address address, unsigned value) {
    EXPECT_EQ(core.why_illegal(address, static_cast<std::uint16_t>(value)), "");
    ASSERT_TRUE(core.write_register(address, static_cast<std::uint16_t>(value), now));
  }
  std::string only_wait() {
    observe::Waits waits;
    core.describe_waits(waits, now);
    return waits.size() == 1 ? waits[0].who + ": " + waits[0].what
                             : std::to_string(waits.size()) + " waits";
  }
};

std::string problem(Generation generation, Address address, unsigned value) {
  return why_illegal(address, static_cast<std::uint16_t>(value), generation);
}
std::string on_wse2(Address address, unsigned value) {
  return problem(Generation::kWse2, address, value);
}
std::string on_wse3(Address address, unsigned value) {
  return problem(Generation::kWse3, address, value);
}

// --- what a generation does not have

TEST(FabricRewrite_wse_1_2, OneInputOnWse3) {
  const unsigned two = way({kW, kN}, {kE, kR});
  EXPECT_EQ(on_wse2(color_at(7), two), "");
  EXPECT_EQ(on_wse3(color_at(7), two),
            "color 7 receives from WEST+NORTH; a WSE-3 color has exactly one rx direction");
  EXPECT_EQ(on_wse3(color_at(7), way({kN}, {kE, kR, kW})), "");
  EXPECT_EQ(on_wse3(color_at(7), way({}, {})), "");  // reset, not used
}

TEST(FabricRewrite_wse_1_6, NoColorSwapOnWse3) {
  for (const unsigned swap : {kSwapX, kSwapY, kSwapX | kSwapY}) {
    EXPECT_EQ(on_wse2(color_at(7), way({kW}, {kE}) | swap), "");
    EXPECT_EQ(on_wse3(color_at(7), way({kW}, {kE}) | swap),
              "color 7 has no color swap; only a WSE-2 has it");
  }
}

TEST(FabricRewrite_wse_1_4, SwitchesOfWse3) {
  const std::string switchable = "111111111100110011001100";
  for (unsigned color = 0; color < kColorCount; ++color) {
    const bool has = switchable[color] == '1';
    EXPECT_TRUE(is_switchable(Color(color), Generation::kWse2));
    EXPECT_EQ(is_switchable(Color(color), Generation::kWse3), has) << color;
    const std::string none = has ? "" : "color " + std::to_string(color) + " has no switch";
    // pos1 to WEST; pos3 from RAMP; ring mode; position 2
    for (const unsigned value : {0x550U, 0xC55U, 0x1555U, 0x4555U}) {
      EXPECT_EQ(on_wse2(switch_at(color), value), "");
      EXPECT_EQ(on_wse3(switch_at(color), value), none);
    }
    EXPECT_EQ(on_wse3(switch_at(color), 0x555), "");
    EXPECT_EQ(on_wse3(color_at(color), way({kW}, {kE}) | 2U << 12),
              has ? "" : none + ", and no pop mode");
  }
}

TEST(FabricRewrite_wse_1_10, OnlyColorsOfTheLayoutCanBeRewritten) {
  Rewritable router(Generation::kWse3);
  router.set(kColor, route({kW}, {kE}));
  EXPECT_EQ(router.core.why_illegal(color_at(9), 0x21), "color 9 has no route in the layout");
  EXPECT_EQ(router.core.why_illegal(switch_at(9), 0x555), "color 9 has no route in the layout");
  EXPECT_EQ(router.core.why_illegal(color_at(kColor), 0x841),
            "color 3 has no color swap; only a WSE-2 has it");
}

// --- color swap, turned on while the router runs

TEST(FabricRewrite_wse_1_6, ThePartnerHasRoomForASwapToCome) {
  Rewritable router(Generation::kWse2);
  router.set(kColor, route({kW}, {kE}));
  for (Direction in : kAllDirections)
    EXPECT_GT(router.core.input_capacity(in, Color(kPartner)), 0U) << to_string(in);
  EXPECT_EQ(router.core.input_capacity(kW, Color(kColor + 1)), 0U);
  Rewritable wse3(Generation::kWse3);
  wse3.set(kColor, route({kW}, {kE}));
  EXPECT_EQ(wse3.core.input_capacity(kW, Color(kPartner)), 0U);
}

TEST(FabricRewrite_wse_1_6, ArrivalsOfThePartnerLeaveOnceItIsOn) {
  Rewritable router(Generation::kWse2);
  router.set(kColor, route({kW}, {kE}));
  router.send(kW, data(kPartner, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.only_wait(),
            "router, color 2 from WEST: a route: its color has none on this tile");
  router.write(color_at(kColor), way({kW}, {kE}) | kSwapX);
  EXPECT_EQ(router.run(), "3:E1");
  router.send(kW, data(kPartner, 2));
  EXPECT_EQ(router.run(), "3:E2");
  router.write(color_at(kColor), way({kW}, {kE}));
  router.send(kW, data(kPartner, 3));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.core.held(), 1U);
}

TEST(FabricRewrite_wse_1_6, EachAxisIsTurnedOnByItself) {
  for (const unsigned swap : {kSwapX, kSwapY}) {
    Rewritable router(Generation::kWse2);
    router.set(kColor, route({kW, kN}, {kE}));
    router.write(color_at(kColor), way({kW, kN}, {kE}) | swap);
    router.send(kW, data(kPartner, 1));
    router.run();
    router.send(kN, data(kPartner, 2));
    router.run();
    EXPECT_EQ((router.returned[{kW, kPartner}]), swap == kSwapX ? 1U : 0U);
    EXPECT_EQ((router.returned[{kN, kPartner}]), swap == kSwapY ? 1U : 0U);
  }
}

TEST(FabricRewrite_wse_1_6, TheOnRampSwapsOnceBothAxesAreOn) {
  Rewritable router(Generation::kWse2);
  router.set(kColor, route({kR}, {kE}));
  router.send(kR, data(kPartner, 1));
  router.write(color_at(kColor), way({kR}, {kE}) | kSwapX);
  EXPECT_EQ(router.run(), "");
  router.write(color_at(kColor), way({kR}, {kE}) | kSwapX | kSwapY);
  EXPECT_EQ(router.run(), "3:E1");
}

TEST(FabricRewrite_wse_1_6, BothColorsAreExchangedOnceBothAreOn) {
  Rewritable router(Generation::kWse2);
  router.set(kColor, route({kW}, {kE}));
  router.set(kPartner, route({kW}, {kS}));
  const auto send_both = [&router] {
    router.send(kW, data(kPartner, 1));
    router.send(kW, data(kColor, 2));
  };
  send_both();
  EXPECT_EQ(router.run(), "2:S1 3:E2");
  router.write(color_at(kColor), way({kW}, {kE}) | kSwapX);
  send_both();
  EXPECT_EQ(router.run(), "3:E1 2:S1 3:E2");  // arrivals on 2 appear on both
  router.write(color_at(kPartner), way({kW}, {kS}) | kSwapX);
  send_both();
  EXPECT_EQ(router.run(), "3:E1 2:S2");
}

// --- outputs behind which nobody takes the color

TEST(FabricRewrite_wse_1_9, AnOutputWithoutAReceiverWaitsAndSaysSo) {
  Rewritable router(Generation::kWse3);
  router.core.set_route(Color(kColor), route({kW}, {kE}));
  router.open(kColor, kE);
  router.write(color_at(kColor), way({kW}, {kS}));  // the rim, or a neighbour without the color
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.only_wait(), "router, color 3 from WEST: room at its SOUTH output (nobody "
                                "receives color 3 there)");
  router.write(color_at(kColor), way({kW}, {kE}));
  EXPECT_EQ(router.run(), "3:E1");
}

TEST(FabricRewrite_wse_1_9, ARampWithoutAQueueWaitsAndSaysSo) {
  Rewritable router(Generation::kWse3);
  router.core.set_route(Color(kColor), route({kW}, {kE}));
  router.write(color_at(kColor), way({kW}, {kR}));
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.only_wait(), "router, color 3 from WEST: room at its RAMP output (no input "
                                "queue of this PE is bound to color 3)");
}

// What is not for the CE needs no queue.
TEST(FabricRewrite_wse_1_5, ARampWithoutAQueueDropsWhatTheCeIgnores) {
  Rewritable router(Generation::kWse3);
  router.core.set_route(Color(kColor), route({kW}, {kE}));
  router.write(color_at(kColor), way({kW}, {kR}));
  router.send(kW, control(kColor, {noce(kTeardown)}));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.core.held(), 0U);
  EXPECT_TRUE(router.core.in_teardown(Color(kColor)));
}

TEST(FabricRewrite_wse_1_9, ARouteWithoutInputsOrOutputsWaitsAndSaysSo) {
  Rewritable router(Generation::kWse3);
  router.set(kColor, route({kW}, {kE}));
  router.write(color_at(kColor), way({}, {kE}));
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.only_wait(),
            "router, color 3 from WEST: a switch position that receives from WEST (switch position "
            "0 receives from none): 1 wavelet waits");
  router.write(color_at(kColor), way({kW}, {}));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.only_wait(), "router, color 3 from WEST: a switch position that transmits "
                                "somewhere (switch position 0 transmits to none)");
}

TEST(FabricRewrite_wse_1_4, APositionThatIsNotSetWaitsAndSaysSo) {
  Rewritable router(Generation::kWse3);
  router.set(kColor, route({kW}, {kE}));
  router.write(switch_at(kColor), 2U << 13 | 0x555);
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.only_wait(), "router, color 3 from WEST: a valid switch position (switch "
                                "position 2 is invalid)");
  router.write(switch_at(kColor), 0x555);
  EXPECT_EQ(router.run(), "3:E1");
}

}  // namespace
}  // namespace tessera::fabric::bench::rewrite_test
