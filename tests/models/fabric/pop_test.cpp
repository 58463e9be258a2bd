// Pop modes and NOCE: what a control wavelet loses on its way and which copies there are (reference
// wse.md 1.4, 1.5).
#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench::pop_test {
namespace {

constexpr unsigned kColor = 4;

/// From WEST to EAST in position 0, to SOUTH in position 1.
ColorRoute two_ways(PopMode pop, unsigned current) {
  ColorRoute r;
  r.positions[0] = {{kW}, {kE}, true};
  r.positions[1] = {{kW}, {kS}, true};
  r.pop = pop;
  r.current = current;
  return r;
}

/// Whether the list loses its first command at a switch in position `current` of 0 and 1.
bool pops(PopMode mode, const link::CommandEntry& first, unsigned current) {
  Alone router;
  router.set(kColor, two_ways(mode, current));
  const std::uint32_t payload = commands({first, kRst, noce(kNop), kAdv});
  router.send(kW, control(kColor, payload));
  const RouterCore::Step step = router.step();
  EXPECT_EQ(step.sends.size(), 1U);
  if (step.sends.empty()) return false;
  const std::uint32_t sent = step.sends[0].wavelet.payload;
  EXPECT_TRUE(sent == payload || sent == link::pop_command(payload)) << std::hex << sent;
  return sent != payload;
}

TEST(FabricPop_wse_1_4, NoPopLeavesTheListAlone) {
  for (const link::CommandEntry& first : {kNop, kAdv, kRst, kTeardown}) {
    for (const unsigned current : {0U, 1U}) EXPECT_FALSE(pops(PopMode::kNoPop, first, current));
  }
}

TEST(FabricPop_wse_1_4, AlwaysPopTakesEveryCommand) {
  for (const link::CommandEntry& first : {kNop, kAdv, kRst, kTeardown}) {
    for (const unsigned current : {0U, 1U}) EXPECT_TRUE(pops(PopMode::kAlwaysPop, first, current));
  }
}

TEST(FabricPop_wse_1_4, PopOnAdvanceTakesWhatMovesTheSwitch) {
  constexpr PopMode kMode = PopMode::kPopOnAdvance;
  EXPECT_TRUE(pops(kMode, kAdv, 0));
  EXPECT_FALSE(pops(kMode, kAdv, 1));  // the last position, no ring
  EXPECT_FALSE(pops(kMode, kRst, 0));
  EXPECT_TRUE(pops(kMode, kRst, 1));
  EXPECT_FALSE(pops(kMode, kNop, 0));
  EXPECT_FALSE(pops(kMode, kTeardown, 0));
}

TEST(FabricPop_wse_1_4, PopOnAdvanceNopTakesNopsToo) {
  constexpr PopMode kMode = PopMode::kPopOnAdvanceNop;
  EXPECT_TRUE(pops(kMode, kAdv, 0));
  EXPECT_FALSE(pops(kMode, kAdv, 1));
  EXPECT_FALSE(pops(kMode, kRst, 0));
  EXPECT_TRUE(pops(kMode, kRst, 1));
  EXPECT_TRUE(pops(kMode, kNop, 0));
  EXPECT_TRUE(pops(kMode, noce(kNop), 1));
  EXPECT_FALSE(pops(kMode, kTeardown, 0));
}

TEST(FabricPop_wse_1_4, ARingWithOtherPositionsMovesAtTheLastOneToo) {
  Alone router;
  ColorRoute r = two_ways(PopMode::kPopOnAdvance, 1);
  r.ring = true;
  router.set(kColor, r);
  router.send(kW, control(kColor, {kAdv, kRst}));
  EXPECT_EQ(router.run(), "S*808000");
}

TEST(FabricPop_wse_1_4, DataLosesNothing) {
  Alone router;
  router.set(kColor, two_ways(PopMode::kAlwaysPop, 0));
  router.send(kW, data(kColor, 0x09DF9249));
  EXPECT_EQ(router.run(), "E9df9249");
}

TEST(FabricPop_wse_1_4, WorkedTeardownPopped) {
  Alone router;
  router.set(kColor, two_ways(PopMode::kAlwaysPop, 0));
  router.send(kW, control(kColor, 0x09DF9249));
  EXPECT_EQ(router.run(), "E*91f9249");
}

/// From WEST to EAST and the CE.
ColorRoute tee(PopMode pop) {
  ColorRoute r;
  r.positions[0] = {{kW}, {kE, kR}, true};
  r.pop = pop;
  return r;
}

// wse.md 1.5: a payload with one command carries the argument of the task in bits 0..15.
TEST(FabricPop_wse_1_5, TheCeGetsTheListAsItCame) {
  Alone router;
  router.set(kColor, tee(PopMode::kAlwaysPop));
  router.send(kW, control(kColor, link::single_command(kAdv, 40, 0x1234)));
  std::ostringstream popped;
  popped << std::hex << link::pop_command(0x00681234);
  EXPECT_EQ(router.run(), "E*" + popped.str() + " R*681234");
}

TEST(FabricPop_wse_1_5, TheHopEventsSayWhatIsSent) {
  Alone router;
  router.set(kColor, tee(PopMode::kAlwaysPop));
  router.send(kW, control(kColor, {kAdv, kRst}));
  router.run();
  const std::vector<observe::Event> hops = router.recorder.of(observe::EventKind::kHop);
  ASSERT_EQ(hops.size(), 2U);
  EXPECT_EQ(hops[0].b, link::pop_command(commands({kAdv, kRst})));  // EAST
  EXPECT_EQ(hops[1].b, commands({kAdv, kRst}));                     // RAMP
}

TEST(FabricPop_wse_1_5, NoceKeepsTheCopyFromTheCe) {
  Alone router;
  router.set(kColor, tee(PopMode::kNoPop));
  router.send(kW, control(kColor, {noce(kAdv)}));
  router.send(kW, control(kColor, {kAdv}));
  EXPECT_EQ(router.run(), "E*1400000 E*400000 R*400000");
  EXPECT_EQ(router.core.credits(kR, Color(kColor)), 99U);  // one copy for the CE
}

TEST(FabricPop_wse_1_5, NoceOfLaterCommandsDoesNotCountHere) {
  Alone router;
  router.set(kColor, tee(PopMode::kNoPop));
  router.send(kW, control(kColor, {kNop, noce(kNop)}));
  EXPECT_EQ(router.run(), "E*8000000 R*8000000");
}

TEST(FabricPop_wse_1_5, NoceOfADataWaveletIsData) {
  Alone router;
  router.set(kColor, tee(PopMode::kNoPop));
  router.send(kW, data(kColor, 0x01000000));
  EXPECT_EQ(router.run(), "E1000000 R1000000");
}

TEST(FabricPop_wse_1_5, WithTheCeAloneNoceDropsTheWaveletAndActsAllTheSame) {
  Alone router;
  ColorRoute r;
  r.positions[0] = {{kW}, {kR}, true};
  r.positions[1] = {{kW}, {kE}, true};
  router.set(kColor, r, 0);  // no room anywhere: none is needed
  router.send(kW, control(kColor, {noce(kAdv)}));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.core.held(), 0U);
  EXPECT_EQ((router.returned[{kW, kColor}]), 1U);
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 1U);
}

/// Three tiles; the first sends from its RAMP. In both positions the list goes on eastwards and
/// every CE gets what NOCE lets through.
class Path : public ::testing::Test {
 protected:
  Path() : mesh(3, 1, timing_2_1_2()) {}
  void build(PopMode pop, std::array<PopMode, 3>* each = nullptr) {
    for (int x = 0; x < 3; ++x) {
      ColorRoute r;
      DirectionSet tx = {kR};
      if (x < 2) tx.insert(kE);
      const DirectionSet rx = {x == 0 ? kR : kW};
      r.positions[0] = r.positions[1] = {rx, tx, true};
      r.pop = each == nullptr ? pop : (*each)[static_cast<std::size_t>(x)];
      mesh.router({x, 0}).set_route(Color(kColor), r);
      mesh.endpoint({x, 0}).open(Color(kColor));
    }
    mesh.connect();
  }
  void send(std::initializer_list<link::CommandEntry> list) {
    mesh.endpoint({0, 0}).send(control(kColor, list));
    mesh.wake_endpoint({0, 0}, now_ += 100);
    mesh.run();
    EXPECT_EQ(mesh.missing_credits(), "");
  }
  std::vector<unsigned> positions() {
    std::vector<unsigned> all;
    for (int x = 0; x < 3; ++x) all.push_back(mesh.router({x, 0}).switch_position(Color(kColor)));
    return all;
  }
  std::vector<std::uint32_t> got(int x) {
    std::vector<std::uint32_t> all;
    for (const Delivery& d : mesh.endpoint({x, 0}).deliveries()) all.push_back(d.wavelet.payload);
    return all;
  }
  Mesh mesh;

 private:
  Cycle now_ = 0;
};

using Positions = std::vector<unsigned>;
using Payloads = std::vector<std::uint32_t>;

TEST_F(Path, wse_1_4_AlwaysPopGivesEachRouterItsOwnCommand) {
  build(PopMode::kAlwaysPop);
  send({kAdv, kNop, kAdv});
  EXPECT_EQ(positions(), (Positions{1, 0, 1}));
  const std::uint32_t first = commands({kAdv, kNop, kAdv});
  EXPECT_EQ(got(0), Payloads{first});
  EXPECT_EQ(got(1), Payloads{link::pop_command(first)});
  EXPECT_EQ(got(2), Payloads{link::pop_command(link::pop_command(first))});
}

TEST_F(Path, wse_1_4_NoPopGivesAllTheFirstCommand) {
  build(PopMode::kNoPop);
  send({kAdv, kNop, kNop});
  EXPECT_EQ(positions(), (Positions{1, 1, 1}));
  for (int x = 0; x < 3; ++x) EXPECT_EQ(got(x), Payloads{commands({kAdv})}) << x;
}

TEST_F(Path, wse_1_4_PopOnAdvanceLeavesACommandToTheFirstWhoMoves) {
  build(PopMode::kPopOnAdvance);
  send({kAdv});
  EXPECT_EQ(positions(), (Positions{1, 0, 0}));
  send({kAdv});  // the first is at its last position
  EXPECT_EQ(positions(), (Positions{1, 1, 0}));
  send({kAdv});
  EXPECT_EQ(positions(), (Positions{1, 1, 1}));
}

TEST_F(Path, wse_1_4_ModesMayDifferAlongThePath) {
  std::array<PopMode, 3> modes = {PopMode::kPopOnAdvanceNop, PopMode::kNoPop, PopMode::kAlwaysPop};
  build(PopMode::kNoPop, &modes);
  send({kNop, kAdv, kNop});
  EXPECT_EQ(positions(), (Positions{0, 1, 1}));
}

TEST_F(Path, wse_1_5_NoceBelongsToTheCommandOfTheRouter) {
  build(PopMode::kAlwaysPop);
  send({noce(kAdv), kAdv, noce(kNop)});
  EXPECT_EQ(positions(), (Positions{1, 1, 0}));
  EXPECT_EQ(got(0).size(), 0U);
  EXPECT_EQ(got(1).size(), 1U);
  EXPECT_EQ(got(2).size(), 0U);
}

// Each of eight routers takes out its own command; the ninth finds NOP, ignored at the CE.
TEST(FabricPop_wse_1_5, EightCommandsForEightRouters) {
  constexpr int kRouters = 9;
  const std::uint32_t list =
      commands({kAdv, noce(kNop), kTeardown, noce(kRst), noce(kAdv), kNop, noce(kTeardown), kAdv});
  const unsigned position[kRouters] = {1, 0, 0, 0, 1, 0, 0, 1, 0};
  const std::string teardown = "..1...1..";
  const std::string to_ce = "1.1..1.1.";
  Mesh mesh(kRouters, 1, timing_2_1_2());
  for (int x = 0; x < kRouters; ++x) {
    ColorRoute r;
    r.positions[0] = r.positions[1] = {
        {x == 0 ? kR : kW}, x + 1 < kRouters ? DirectionSet{kR, kE} : DirectionSet{kR}, true};
    r.pop = PopMode::kAlwaysPop;
    mesh.router({x, 0}).set_route(Color(kColor), r);
    mesh.endpoint({x, 0}).open(Color(kColor));
  }
  mesh.connect();
  mesh.endpoint({0, 0}).send(control(kColor, list));
  mesh.run();
  for (int x = 0; x < kRouters; ++x) {
    const RouterCore& router = mesh.router({x, 0});
    const auto at = static_cast<std::size_t>(x);
    EXPECT_EQ(router.switch_position(Color(kColor)), position[x]) << x;
    EXPECT_EQ(router.in_teardown(Color(kColor)), teardown[at] == '1') << x;
    EXPECT_EQ(mesh.endpoint({x, 0}).deliveries().size(), to_ce[at] == '1' ? 1U : 0U) << x;
  }
}

// wse.md 1.5: entry 31, ADV, NOCE.
TEST(FabricPop_wse_1_5, WorkedAdvanceActs) {
  Alone router;
  ColorRoute r = route({kW}, {kE, kR});
  r.positions[1] = {{kW}, {kS, kR}, true};
  router.set(kColor, r);
  router.send(kW, control(kColor, 0x015F0000));
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "E*15f0000 S1 R1");
  EXPECT_EQ(router.core.switch_position(Color(kColor)), 1U);
}

}  // namespace
}  // namespace tessera::fabric::bench::pop_test
