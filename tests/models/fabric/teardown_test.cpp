// Teardown of a color (reference wse.md 1.9): how it begins, and that nothing of it moves.
#include <gtest/gtest.h>

#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench::teardown_test {
namespace {

constexpr unsigned kColor = 9;

TEST(FabricTeardown_wse_1_9, TheCommandLeavesAndNothingBehindItMoves) {
  Alone router;
  router.set(kColor, route({kW}, {kE}));
  router.send(kW, data(kColor, 1));
  router.send(kW, control(kColor, 0x01DF0000));
  router.send(kW, data(kColor, 2));
  router.send(kW, data(kColor, 3));
  EXPECT_EQ(router.run(), "E1 E*1df0000");
  EXPECT_TRUE(router.core.in_teardown(Color(kColor)));
  EXPECT_EQ(router.core.held(), 2U);
  EXPECT_EQ((router.returned[{kW, kColor}]), 2U);
}

TEST(FabricTeardown_wse_1_9, ItIsReportedOnceAndAfterTheCycle) {
  Alone router;
  ColorRoute r = route({kW, kN}, {kE, kS});
  router.set(kColor, r);
  router.open(kColor, kS, 0);
  router.send(kW, control(kColor, {kTeardown}));
  router.run(5);
  EXPECT_TRUE(router.teardowns.empty());  // a copy has still to leave
  router.open(kColor, kS, 9);
  router.run();
  ASSERT_EQ(router.teardowns.size(), 1U);
  EXPECT_EQ(router.teardowns[0].color, Color(kColor));
  EXPECT_EQ(router.teardowns[0].due, 7U);  // it left in cycle 6
  const std::vector<observe::Event> events = router.recorder.of(observe::EventKind::kTeardown);
  ASSERT_EQ(events.size(), 1U);
  EXPECT_EQ(events[0].cycle, 6U);
  EXPECT_EQ(events[0].place, 7U);
  EXPECT_EQ(events[0].a, kColor);
  EXPECT_EQ(events[0].b, 1U);
}

TEST(FabricTeardown_wse_1_9, OtherColorsGoOn) {
  Alone router;
  router.set(kColor, route({kW}, {kE}));
  router.set(kColor - 1, route({kW}, {kE}));
  router.send(kW, control(kColor, {kTeardown}));
  router.send(kW, data(kColor, 1));
  for (std::uint32_t n = 2; n <= 6; ++n) router.send(kW, data(kColor - 1, n));
  EXPECT_EQ(router.run(8), "E*c00000 E2 E3 E4 E5 E6");
}

TEST(FabricTeardown_wse_1_9, AllInputsOfTheColorStop) {
  Alone router;
  router.set(kColor, route({kW, kN, kR}, {kE}));
  router.send(kW, control(kColor, {kTeardown}));
  router.run(3);
  router.send(kN, data(kColor, 1));
  router.run(3);
  router.send(kR, data(kColor, 2));
  EXPECT_EQ(router.run(), "");
  EXPECT_EQ(router.core.held(), 2U);
}

TEST(FabricTeardown_wse_1_9, AColorMayStartSuspended) {
  Alone router;
  ColorRoute r = route({kW}, {kE});
  r.suspended = true;
  router.set(kColor, r);
  router.send(kW, data(kColor, 1));
  router.send(kW, control(kColor, {kAdv}));
  EXPECT_EQ(router.run(), "");
  EXPECT_TRUE(router.core.in_teardown(Color(kColor)));
  EXPECT_TRUE(router.teardowns.empty());  // nobody entered it
  EXPECT_EQ(router.core.credits(kE, Color(kColor)), 100U);
}

TEST(FabricTeardown_wse_1_9, AHeldBackColorLetsTheRouterSleep) {
  RouterCore core({0, 0}, timing_1_1_2(), {});
  ColorRoute r = route({kW}, {kE});
  r.suspended = true;
  core.set_route(Color(kColor), r);
  core.set_downstream_capacity(kE, Color(kColor), 1);
  core.put(kW, data(kColor, 1), 3);
  EXPECT_EQ(core.step(3).next, kNever);
}

TEST(FabricTeardown_wse_1_9, AFilterIsNotAskedMeanwhile) {
  Alone router;
  ColorRoute r = route({kW}, {kR});
  r.suspended = true;
  r.filter = FilterConfig();
  r.filter->kind = FilterKind::kRange;
  r.filter->min_idx = 1;
  r.filter->max_idx = 0;
  router.set(kColor, r);
  router.send(kW, data(kColor, 1));
  router.run();
  EXPECT_EQ(router.core.held(), 1U);  // not even dropped
}

// A multicast that has begun stops where it is.
TEST(FabricTeardown_wse_1_9, CopiesThatAreLeftStay) {
  FabricTiming timing = timing_1_1_2();
  timing.coincidence = Coincidence::kMerge;
  Alone router(timing);
  ColorRoute r = route({kW, kN}, {kE, kS});
  router.set(kColor, r);
  router.open(kColor, kS, 1);
  router.send(kW, data(kColor, 1));
  router.send(kW, data(kColor, 2));
  EXPECT_EQ(router.run(5), "E1 S1 E2");
  router.open(kColor, kS, 1);
  router.send(kN, control(kColor, {kTeardown}));
  EXPECT_EQ(router.run(), "E*c00000 S*c00000");  // round robin: NORTH is next at SOUTH
  router.open(kColor, kS, 1);
  EXPECT_EQ(router.run(), "");  // the second copy of the second wavelet
  EXPECT_EQ(router.core.held(), 1U);
}

TEST(FabricTeardown_wse_1_9, NoceAndTheCeAloneActAllTheSame) {
  Alone router;
  router.set(kColor, route({kW}, {kR}));
  router.send(kW, control(kColor, {noce(kTeardown)}));
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "");
  EXPECT_TRUE(router.core.in_teardown(Color(kColor)));
  EXPECT_EQ(router.core.held(), 1U);
  EXPECT_EQ(router.teardowns.size(), 1U);
}

TEST(FabricTeardown_wse_1_9, ManyColorsMayEnterItInOneCycle) {
  Alone router;
  for (unsigned c = 0; c < kColorCount; ++c) {
    router.set(c, route({kW}, {kR}));
    router.core.put(kW, control(c, {noce(kTeardown)}), 1);
  }
  const RouterCore::Step step = router.step();
  EXPECT_EQ(step.teardowns.size(), kColorCount);
  EXPECT_EQ(step.credits.size(), kColorCount);
}

TEST(FabricTeardown_wse_1_9, TwoCommandsInOneCycleAreOneTeardown) {
  FabricTiming timing = timing_1_1_2();
  timing.coincidence = Coincidence::kMerge;
  Alone router(timing);
  router.set(kColor, route({kW, kN}, {kR}));
  router.core.put(kW, control(kColor, {noce(kTeardown)}), 1);
  router.core.put(kN, control(kColor, {noce(kTeardown)}), 1);
  EXPECT_EQ(router.step().teardowns.size(), 1U);
  EXPECT_EQ(router.recorder.of(observe::EventKind::kTeardown).size(), 1U);
}

TEST(FabricTeardown_wse_1_9, TheWordPopsAlongAPath) {
  Mesh mesh(3, 1, timing_2_1_2());
  for (int x = 0; x < 3; ++x) {
    ColorRoute r = route({x == 0 ? kR : kW}, {x == 2 ? kR : kE});
    r.pop = PopMode::kAlwaysPop;
    mesh.router({x, 0}).set_route(Color(kColor), r);
  }
  mesh.endpoint({2, 0}).open(Color(kColor));
  mesh.connect();
  mesh.endpoint({0, 0}).send(control(kColor, 0x09DF9249));
  mesh.endpoint({0, 0}).send(data(kColor, 1));
  mesh.run();
  EXPECT_TRUE(mesh.router({0, 0}).in_teardown(Color(kColor)));
  EXPECT_FALSE(mesh.router({1, 0}).in_teardown(Color(kColor)));
  EXPECT_FALSE(mesh.router({2, 0}).in_teardown(Color(kColor)));
  EXPECT_EQ(mesh.held(), 1U);
  EXPECT_TRUE(mesh.endpoint({2, 0}).deliveries().empty());  // NOCE at every router
  ASSERT_EQ(mesh.waits(100).size(), 1U);
  EXPECT_EQ(mesh.waits(100)[0].what, "the end of the teardown of its color: 1 wavelet waits");
}

}  // namespace
}  // namespace tessera::fabric::bench::teardown_test
