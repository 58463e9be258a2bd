// Routes as configuration registers, and rewriting them while the router runs (reference wse.md
// 1.9, 1.10; numesh.md S24).
#include <gtest/gtest.h>

#include "models/fabric/registers.h"
#include "tests/models/fabric/bench.h"
#include "tlm_ifaces/config/config_space.h"

namespace tessera::fabric::bench::route_registers_test {
namespace {

using config_space::Address;
using config_space::kColorBase;
using config_space::kSwitchBase;

constexpr unsigned kColor = 2;
constexpr Address kRouteAt = kColorBase + kColor;
constexpr Address kSwitchAt = kSwitchBase + kColor;

RoutePosition input(Direction rx, const RoutePosition& base) {
  return {{rx}, base.tx, true, true, false};
}
RoutePosition output(Direction tx, const RoutePosition& base) {
  return {base.rx, {tx}, true, false, true};
}

// --- encoding, as WSE-2 has it

TEST(RouteRegisters_wse_1_10, MasksHaveTheDirectionsInTheOrderOfTheReference) {
  const Direction order[] = {kW, kE, kS, kN, kR};
  for (unsigned bit = 0; bit < kDirectionCount; ++bit) {
    EXPECT_EQ(color_register(route({}, {order[bit]})), 1U << bit);
    EXPECT_EQ(color_register(route({order[bit]}, {})), 1U << (5 + bit));
    ColorRoute r;
    set_color_register(r, static_cast<std::uint16_t>(1U << bit));
    EXPECT_EQ(r.positions[0].tx, DirectionSet{order[bit]});
    EXPECT_TRUE(r.positions[0].rx.empty());
    set_color_register(r, static_cast<std::uint16_t>(1U << (5 + bit)));
    EXPECT_EQ(r.positions[0].rx, DirectionSet{order[bit]});
    EXPECT_TRUE(r.positions[0].tx.empty());
  }
}

TEST(RouteRegisters_wse_1_10, EachFlagOfTheColorRegisterHasItsBit) {
  ColorRoute r;
  EXPECT_EQ(color_register(r), 0U);
  r.swap_y = true;
  EXPECT_EQ(color_register(r), 1U << 10);
  r = ColorRoute();
  r.swap_x = true;
  EXPECT_EQ(color_register(r), 1U << 11);
  r = ColorRoute();
  r.pop = PopMode::kAlwaysPop;
  EXPECT_EQ(color_register(r), 1U << 12);
  r.pop = PopMode::kPopOnAdvance;
  EXPECT_EQ(color_register(r), 2U << 12);
  r.pop = PopMode::kPopOnAdvanceNop;
  EXPECT_EQ(color_register(r), 3U << 12);
  r = ColorRoute();
  r.suspended = true;
  EXPECT_EQ(color_register(r), 1U << 14);
}

TEST(RouteRegisters_wse_1_10, EveryValueOfTheColorRegisterReadsBackButPointToPoint) {
  for (unsigned value = 0; value < 0x8000; ++value) {
    ColorRoute r;
    set_color_register(r, static_cast<std::uint16_t>(value));
    ASSERT_EQ(color_register(r), value);
    set_color_register(r, static_cast<std::uint16_t>(value | 0x8000));  // not modelled: reads 0
    ASSERT_EQ(color_register(r), value);
  }
}

TEST(RouteRegisters_wse_1_10, EachPositionHasDirectionAndSelect) {
  const Direction order[] = {kW, kE, kS, kN, kR};
  for (unsigned p = 1; p < kSwitchPositions; ++p) {
    for (unsigned code = 0; code < kDirectionCount; ++code) {
      ColorRoute r = route({kW}, {kE});
      const unsigned others = 0x555U & ~(0xFU << 4 * (p - 1));  // invalid
      r.positions[p] = output(order[code], r.positions[0]);
      EXPECT_EQ(switch_register(r), others | code << 4 * (p - 1)) << p;
      r.positions[p] = input(order[code], r.positions[0]);
      EXPECT_EQ(switch_register(r), others | (code | 8U) << 4 * (p - 1)) << p;
    }
  }
}

TEST(RouteRegisters_wse_1_10, RingAndCurrentPosition) {
  ColorRoute r = route({kW}, {kE});
  r.ring = true;
  EXPECT_EQ(switch_register(r), 0x1555U);
  for (unsigned current = 0; current < kSwitchPositions; ++current) {
    r.current = current;
    EXPECT_EQ(switch_register(r), 0x1555U | current << 13);
  }
}

TEST(RouteRegisters_wse_1_10, EveryValueOfTheSwitchRegisterReadsBack) {
  // A position is one of ten; the codes 5 to 7 are all invalid and read as 5, with their select bit.
  const unsigned halves[] = {0, 1, 2, 3, 4, 8, 9, 10, 11, 12, 5, 13};
  for (unsigned p1 : halves) {
    for (unsigned p2 : halves) {
      for (unsigned p3 : halves) {
        for (unsigned rest = 0; rest < 8; ++rest) {
          const unsigned value = p1 | p2 << 4 | p3 << 8 | rest << 12;
          ColorRoute r = route({kW}, {kE});
          set_switch_register(r, static_cast<std::uint16_t>(value));
          ASSERT_EQ(switch_register(r), value);
        }
      }
    }
  }
}

TEST(RouteRegisters_wse_1_10, DirectionCodesFrom5OnMakeAPositionInvalid) {
  for (unsigned code : {5U, 6U, 7U, 13U, 15U}) {
    ColorRoute r = route({kW}, {kE});
    set_switch_register(r, static_cast<std::uint16_t>(code | 0x21U << 4));
    EXPECT_FALSE(r.positions[1].valid) << code;
    EXPECT_TRUE(r.positions[2].valid);
    EXPECT_EQ(switch_register(r), 0x215U | (code & 8U)) << "a select bit stays";
  }
}

// wse.md 1.4: the sides of all positions once the router has taken a written register over.
class FilledIn : public ::testing::TestWithParam<SwitchPositions> {
 protected:
  FilledIn() : routes_(timing(), {}) { routes_.configure(Color(kColor), route({kW}, {kE, kR})); }

  void write(Address address, unsigned value) {
    ColorRoute after = channel().route;
    (address == kRouteAt ? set_color_register
                         : set_switch_register)(after, static_cast<std::uint16_t>(value));
    routes_.rewrite(channel(), after, 1);
  }
  const RoutePosition& position(unsigned p) { return channel().route.positions[p]; }
  static bool adds_up() { return GetParam() == SwitchPositions::kCumulative; }

 private:
  static FabricTiming timing() {
    FabricTiming timing;
    timing.switch_positions = GetParam();
    return timing;
  }
  RouteTable::Channel& channel() { return routes_.at(Color(kColor)); }

  RouteTable routes_;
};
INSTANTIATE_TEST_SUITE_P(Rules, FilledIn,
                         ::testing::Values(SwitchPositions::kCumulative,
                                           SwitchPositions::kFromZero),
                         [](const auto& test) {
                           return test.param == SwitchPositions::kCumulative ? "cumulative"
                                                                             : "from_zero";
                         });

TEST_P(FilledIn, wse_1_10_FromTheSwitchRegister) {
  write(kSwitchAt, 0x3 | 0xA << 4 | 0x4 << 8);  // pos1 tx NORTH, pos2 rx SOUTH, pos3 tx RAMP
  EXPECT_EQ(position(1).rx, DirectionSet{kW});
  EXPECT_EQ(position(1).tx, DirectionSet{kN});
  EXPECT_EQ(position(2).rx, DirectionSet{kS});
  EXPECT_EQ(position(2).tx, adds_up() ? DirectionSet{kN} : (DirectionSet{kE, kR}));
  EXPECT_EQ(position(3).rx, DirectionSet{adds_up() ? kS : kW});
  EXPECT_EQ(position(3).tx, DirectionSet{kR});
}

TEST_P(FilledIn, wse_1_10_FollowsTheColorRegister) {
  write(kSwitchAt, 0xA | 0x9 << 4 | 0x3 << 8);  // pos1 rx SOUTH, pos2 rx EAST, pos3 tx NORTH
  write(kRouteAt, 1U << 4 | 1U << (5 + 1));     // position 0: from EAST to RAMP
  EXPECT_EQ(position(1).rx, DirectionSet{kS});
  EXPECT_EQ(position(1).tx, DirectionSet{kR});
  EXPECT_EQ(position(2).rx, DirectionSet{kE});
  EXPECT_EQ(position(2).tx, DirectionSet{kR});
  EXPECT_EQ(position(3).rx, DirectionSet{kE});
  EXPECT_EQ(position(3).tx, DirectionSet{kN});
}

TEST_P(FilledIn, wse_1_4_InvalidPositionsSetNothing) {
  write(kSwitchAt, 0x3 | 0xA << 4 | 0x5 << 8);
  write(kSwitchAt, 0x3 | 0x5 << 4 | 0xA << 8);  // pos1 tx NORTH, pos2 invalid, pos3 rx SOUTH
  EXPECT_FALSE(position(2).valid);
  EXPECT_EQ(position(3).rx, DirectionSet{kS});
  EXPECT_EQ(position(3).tx, adds_up() ? DirectionSet{kN} : (DirectionSet{kE, kR}));
}

TEST(RouteRegisters_wse_1_10, PositionWithBothSidesOrSeveralOutputsReadsAsItsFirstOutput) {
  ColorRoute r = route({kW}, {kE});
  r.positions[1] = {{kN}, {kS, kR}, true, true, true};
  EXPECT_EQ(switch_register(r) & 0xFU, 2U);
}

// --- while the router runs

/// WEST to EAST; every color has buffers at all inputs.
struct Rewritable : Alone {
  explicit Rewritable(ColorRoute r = route({kW}, {kE})) {
    core.set_reconfigurable(Generation::kWse2);
    set(kColor, r);
  }
  void write(Address address, unsigned value) {
    ASSERT_TRUE(core.write_register(address, static_cast<std::uint16_t>(value), now));
  }
  void leave_teardown() { write(kRouteAt, core.read_register(kRouteAt, now) & ~0x4000U); }
};
/// Position 0 as the color register has it.
unsigned way(Direction rx, Direction tx) {
  return color_register(route({rx}, {tx}));
}

TEST(RouterRegisters_wse_1_10, WriteCountsFromItsCycleOn) {
  Rewritable router;
  const Cycle due = router.now + 3;
  router.core.write_register(kRouteAt, static_cast<std::uint16_t>(way(kW, kS)), due);
  for (unsigned i = 1; i <= 6; ++i) router.send(kW, data(kColor, i));
  // Sent in cycles 1.. of the bench: the first three go the old way.
  EXPECT_EQ(router.run(), "E1 E2 E3 S4 S5 S6");
}

TEST(RouterRegisters_wse_1_10, IdleRouterWantsToBeSteppedForItsWrites) {
  Rewritable router;
  router.core.write_register(kRouteAt, 0, 9);
  EXPECT_EQ(router.core.step(1).next, 9U);
  EXPECT_EQ(router.core.step(9).next, kNever);
  EXPECT_EQ(router.core.read_register(kRouteAt, 10), 0U);
}

TEST(RouterRegisters_wse_1_10, ReadInTheCycleOfAWriteGivesTheOldValueInAnyStepOrder) {
  Rewritable router;
  const unsigned before = way(kW, kE), after = way(kN, kS);
  router.core.write_register(kRouteAt, static_cast<std::uint16_t>(after), 5);
  router.core.write_register(kSwitchAt, 0x2551, 5);
  const unsigned switch_before = 0x555;
  EXPECT_EQ(router.core.read_register(kRouteAt, 5), before);
  EXPECT_EQ(router.core.read_register(kSwitchAt, 5), switch_before);
  router.core.step(5);
  EXPECT_EQ(router.core.read_register(kRouteAt, 5), before);
  EXPECT_EQ(router.core.read_register(kSwitchAt, 5), switch_before);
  EXPECT_EQ(router.core.read_register(kRouteAt, 6), after);
  EXPECT_EQ(router.core.read_register(kSwitchAt, 6), 0x2551U);
}

TEST(RouterRegisters_wse_1_10, ReadInTheCycleOfASwitchOrTeardownGivesTheOldValue) {
  for (const link::CommandEntry& command : {kAdv, kTeardown}) {
    ColorRoute r = route({kW}, {kE});
    r.positions[1] = output(kS, r.positions[0]);
    Rewritable router(r);
    router.send(kW, control(kColor, {command}));
    const std::uint16_t route_before = router.core.read_register(kRouteAt, 0);
    const std::uint16_t switch_before = router.core.read_register(kSwitchAt, 0);
    while (router.step().sends.empty()) ASSERT_LT(router.now, 20U);
    const Cycle changed = router.now - 1;
    EXPECT_EQ(router.core.read_register(kRouteAt, changed), route_before);
    EXPECT_EQ(router.core.read_register(kSwitchAt, changed), switch_before);
    const bool torn = command.command == link::Command::kTeardown;
    EXPECT_EQ(router.core.read_register(kRouteAt, changed + 1),
              route_before | (torn ? 0x4000U : 0U));
    EXPECT_EQ(router.core.read_register(kSwitchAt, changed + 1),
              switch_before | (torn ? 0U : 1U << 13));
  }
}

TEST(RouterRegisters_wse_1_10, ColorWithoutARouteReads0AndCannotBeWritten) {
  Rewritable router;
  EXPECT_EQ(router.core.read_register(kColorBase + 7, 1), 0U);
  EXPECT_EQ(router.core.read_register(kSwitchBase + 7, 1), 0U);
  EXPECT_FALSE(router.core.write_register(kColorBase + 7, 0x21, 1));
  EXPECT_EQ(router.core.step(1).next, kNever);
}

TEST(RouterRegisters_wse_1_10, WrittenPositionCountsAndIsToldAsAnEvent) {
  Rewritable router;
  router.write(kSwitchAt, 1U << 13 | 0x552);  // position 1: to SOUTH
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "S1");
  const auto switches = router.recorder.of(observe::EventKind::kSwitch);
  ASSERT_EQ(switches.size(), 1U);
  EXPECT_EQ(switches[0].b, 1U);
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 1U);
}

TEST(RouterRegisters_wse_1_10, ReconfigurableRouterHasRoomAtEveryInput) {
  Alone fixed;
  fixed.set(kColor, route({kW}, {kE}));
  Rewritable router;
  for (Direction in : kAllDirections) {
    EXPECT_GT(router.core.input_capacity(in, Color(kColor)), 0U) << to_string(in);
    EXPECT_EQ(fixed.core.input_capacity(in, Color(kColor)) > 0, in == kW) << to_string(in);
  }
  router.write(kRouteAt, way(kN, kR));
  router.step();
  router.send(kN, data(kColor, 1));
  EXPECT_EQ(router.run(), "R1");
}

// --- S24: the route of a color is rewritten

TEST(RouterRegisters_numesh_S24, RewrittenInTeardownLateDataTakesTheNewRouteOnlyAfterTheExit) {
  Rewritable router;
  router.send(kW, data(kColor, 1));
  router.send(kW, data(kColor, 2));
  router.send(kW, control(kColor, {kTeardown}));
  router.send(kW, data(kColor, 3));
  router.send(kW, data(kColor, 4));
  EXPECT_EQ(router.run(), "E1 E2 E*c00000");
  ASSERT_EQ(router.teardowns.size(), 1U);
  EXPECT_EQ(router.teardowns[0].color, Color(kColor));
  EXPECT_TRUE(router.core.in_teardown(Color(kColor)));

  router.write(kRouteAt, way(kW, kS) | 0x4000U);
  EXPECT_EQ(router.run(), "");
  router.leave_teardown();
  EXPECT_EQ(router.run(), "S3 S4");
  const auto events = router.recorder.of(observe::EventKind::kTeardown);
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].b, 1U);
  EXPECT_EQ(events[1].b, 0U);
}

TEST(RouterRegisters_numesh_S24, RewrittenBeforeTheMarkerLateDataIsMisrouted) {
  Rewritable router;
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "E1");
  router.write(kRouteAt, way(kW, kS));
  router.send(kW, data(kColor, 2));  // still meant for EAST
  router.send(kW, control(kColor, {kTeardown}));
  EXPECT_EQ(router.run(), "S2 S*c00000");
}

TEST(RouterRegisters_wse_1_9, SwitchIsRewrittenInTeardownToo) {
  ColorRoute r = route({kW}, {kE});
  r.positions[1] = output(kN, r.positions[0]);
  r.current = 1;
  Rewritable router(r);
  router.send(kW, control(kColor, {kTeardown}));
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "N*c00000");
  router.write(kSwitchAt, 0x555);  // position 0, the others invalid
  EXPECT_EQ(router.run(), "");
  router.leave_teardown();
  EXPECT_EQ(router.run(), "E1");
}

TEST(RouterRegisters_wse_1_9, TeardownBitThatAProgramSetsSuspendsWithoutANotice) {
  Rewritable router;
  router.write(kRouteAt, way(kW, kE) | 0x4000U);
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_TRUE(router.core.in_teardown(Color(kColor)));
  EXPECT_TRUE(router.teardowns.empty());
  router.leave_teardown();
  EXPECT_EQ(router.run(), "E1");
}

TEST(RouterRegisters_wse_1_9, MulticastWhoseFirstCopyHasLeftKeepsItsOutputs) {
  Rewritable router(route({kW}, {kE, kS}));
  router.open(kColor, kS, 0);
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "E1");
  router.write(kRouteAt, way(kW, kN));
  EXPECT_EQ(router.run(), "");
  router.open(kColor, kS, 9);
  router.send(kW, data(kColor, 2));
  EXPECT_EQ(router.run(), "S1 N2");
}

TEST(RouterRegisters_wse_1_9, ColorThatStartsInTeardownWaitsForTheExit) {
  ColorRoute r = route({kW}, {kE});
  r.suspended = true;
  Rewritable router(r);
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  router.leave_teardown();
  EXPECT_EQ(router.run(), "E1");
  EXPECT_TRUE(router.teardowns.empty());
}

}  // namespace
}  // namespace tessera::fabric::bench::route_registers_test
