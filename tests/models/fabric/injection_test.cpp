// CE injection (reference wse.md 1.8): position 0 serves the fabric, position 1 the output queue.
#include <gtest/gtest.h>

#include "models/observe/digest.h"
#include "tests/models/fabric/bench.h"

namespace tessera::fabric::bench::injection_test {
namespace {

constexpr unsigned kColor = 8;

ColorRoute injecting(Injection injection, Direction fabric = kW) {
  ColorRoute r;
  r.positions[0] = {{fabric}, {kE}, true};
  r.positions[1] = {{kR}, {kE}, true};
  r.injection = injection;
  return r;
}

TEST(FabricInjection_wse_1_8, WithoutTrafficOneOfTheOtherEachIsServed) {
  for (const Injection injection : {Injection::kLow, Injection::kHigh}) {
    Alone router;
    router.set(kColor, injecting(injection));
    router.send(kW, data(kColor, 1));
    EXPECT_EQ(router.run(), "E1");
    router.send(kR, data(kColor, 2));
    EXPECT_EQ(router.run(), "E2");
    EXPECT_TRUE(router.recorder.of(observe::EventKind::kSwitch).empty());
  }
}

TEST(FabricInjection_wse_1_8, LowPriorityWaitsForEmptyFabricBuffers) {
  Alone router;
  router.set(kColor, injecting(Injection::kLow));
  for (std::uint32_t n = 1; n <= 3; ++n) {
    router.send(kW, data(kColor, n));
    router.send(kR, data(kColor, 0xA0 + n));
  }
  EXPECT_EQ(router.run(), "E1 E2 E3 Ea1 Ea2 Ea3");
}

TEST(FabricInjection_wse_1_8, LowPriorityGoesBackToTheFabricBetweenTwoWavelets) {
  Alone router;
  router.set(kColor, injecting(Injection::kLow));
  for (std::uint32_t n = 1; n <= 4; ++n) router.send(kR, data(kColor, 0xA0 + n));
  EXPECT_EQ(router.run(2), "Ea1 Ea2");
  router.send(kW, data(kColor, 1));
  EXPECT_EQ(router.run(), "E1 Ea3 Ea4");
}

TEST(FabricInjection_wse_1_8, HighPriorityStaysWhileTheQueueHasData) {
  Alone router;
  router.set(kColor, injecting(Injection::kHigh));
  for (std::uint32_t n = 1; n <= 3; ++n) {
    router.send(kW, data(kColor, n));
    router.send(kR, data(kColor, 0xA0 + n));
  }
  EXPECT_EQ(router.run(), "Ea1 Ea2 Ea3 E1 E2 E3");
}

TEST(FabricInjection_wse_1_8, HighPriorityInterruptsTheFabric) {
  Alone router;
  router.set(kColor, injecting(Injection::kHigh));
  for (std::uint32_t n = 1; n <= 4; ++n) router.send(kW, data(kColor, n));
  EXPECT_EQ(router.run(2), "E1 E2");
  router.send(kR, data(kColor, 0xA1));
  EXPECT_EQ(router.run(), "Ea1 E3 E4");
}

TEST(FabricInjection_wse_1_8, AnyFabricInputKeepsLowPriorityBack) {
  Alone router;
  router.set(kColor, injecting(Injection::kLow, kN));
  router.open(kColor, kE, 0);
  router.send(kN, data(kColor, 1));
  router.send(kR, data(kColor, 0xA1));
  router.run();
  router.open(kColor, kE, 100);
  EXPECT_EQ(router.run(), "E1 Ea1");
}

TEST(FabricInjection_wse_1_8, AWaveletOnItsWayIsNotInTheBufferYet) {
  for (const Injection injection : {Injection::kLow, Injection::kHigh}) {
    RouterCore core({0, 0}, timing_1_1_2(), {});
    core.set_route(Color(kColor), injecting(injection));
    core.set_downstream_capacity(kE, Color(kColor), 9);
    const bool low = injection == Injection::kLow;
    core.put(low ? kR : kW, data(kColor, 1), 5);
    core.put(low ? kW : kR, data(kColor, 2), 6);  // lands a cycle later
    const RouterCore::Step step = core.step(5);
    ASSERT_EQ(step.sends.size(), 1U);
    EXPECT_EQ(step.sends[0].wavelet.payload, 1U);
    EXPECT_EQ(core.step(6).sends.size(), 1U);
  }
}

TEST(FabricInjection_wse_1_8, ControlWaveletsMoveNothing) {
  for (const Injection injection : {Injection::kLow, Injection::kHigh}) {
    Alone router;
    router.set(kColor, injecting(injection));
    for (const link::CommandEntry& command : {kAdv, kRst, kTeardown}) {
      router.send(kW, control(kColor, {command}));
    }
    router.send(kW, data(kColor, 1));
    EXPECT_EQ(router.run(), "E*400000 E*800000 E*c00000 E1");
    EXPECT_TRUE(router.recorder.of(observe::EventKind::kSwitch).empty());
    EXPECT_TRUE(router.recorder.of(observe::EventKind::kTeardown).empty());
    EXPECT_FALSE(router.core.in_teardown(Color(kColor)));
    EXPECT_TRUE(router.teardowns.empty());
  }
}

// wse.md 1.4: pop_on_advance takes a command only if it moved the switch.
TEST(FabricInjection_wse_1_8, PopOnAdvanceTakesNothingBecauseNothingMoves) {
  Alone router;
  ColorRoute r = injecting(Injection::kLow);
  r.pop = PopMode::kPopOnAdvance;
  router.set(kColor, r);
  router.send(kW, control(kColor, {kAdv, kRst}));
  EXPECT_EQ(router.run(), "E*4400000");
}

TEST(FabricInjection_wse_1_8, ALocalFlipMovesNothing) {
  Alone router;
  router.set(kColor, injecting(Injection::kHigh));
  link::Wavelet w = data(kColor, 1);
  w.local_flip = true;
  router.send(kR, w);
  router.send(kR, data(kColor, 2));
  EXPECT_EQ(router.run(), "E1 E2");
  EXPECT_TRUE(router.recorder.of(observe::EventKind::kSwitch).empty());
}

/// A row whose middle tiles inject into the stream of the first.
std::uint64_t row_digest(Injection injection, std::uint64_t shuffle) {
  constexpr int kTiles = 5;
  observe::Digest digest;
  Mesh mesh(kTiles, 1, timing_2_1_2(), &digest);
  mesh.router({0, 0}).set_route(Color(kColor), route({kR}, {kE}));
  for (int x = 1; x + 1 < kTiles; ++x) {
    mesh.router({x, 0}).set_route(Color(kColor), injecting(injection));
  }
  mesh.router({kTiles - 1, 0}).set_route(Color(kColor), route({kW}, {kR}));
  mesh.endpoint({kTiles - 1, 0}).open(Color(kColor), 2);
  mesh.endpoint({kTiles - 1, 0}).stall([](Cycle now) { return now * 37 % 11 < 4; });
  mesh.connect();
  for (int x = 0; x + 1 < kTiles; ++x) {
    const auto tile = static_cast<std::uint32_t>(x) << 16;
    for (std::uint32_t n = 0; n < 40; ++n) mesh.endpoint({x, 0}).send(data(kColor, tile | n));
  }
  if (shuffle > 0) mesh.scheduler().shuffle_step_order(shuffle);
  mesh.run();
  EXPECT_EQ(mesh.endpoint({kTiles - 1, 0}).deliveries().size(), 40U * (kTiles - 1));
  EXPECT_EQ(mesh.missing_credits(), "");
  return digest.value();
}

TEST(FabricInjection_wse_1_8, StepOrderDoesNotMatter) {
  for (const Injection injection : {Injection::kLow, Injection::kHigh}) {
    const std::uint64_t expected = row_digest(injection, 0);
    for (std::uint64_t shuffle = 1; shuffle <= 10; ++shuffle) {
      EXPECT_EQ(row_digest(injection, shuffle), expected) << shuffle;
    }
  }
}

}  // namespace
}  // namespace tessera::fabric::bench::injection_test
