// Switch positions that move (wse.md 1.4) and the local flip that moves them (wse.md 1.1 "lf").
#include <gtest/gtest.h>

#include "models/fabric/router_core.h"
#include "tests/models/fabric/mesh.h"

namespace tessera::fabric::bench {
namespace {

// wse.md 1.4: advance goes to the next valid position; at the last one the switch stays, or starts
// again in ring mode.
TEST(ColorRoute, AdvanceGoesToTheNextValidPosition) {
  ColorRoute r;
  r.positions[0] = {{kR}, {kE}, true};
  r.positions[2] = {{kR}, {kS}, true};
  EXPECT_EQ(r.advanced(), 2U);
  r.current = 2;
  EXPECT_EQ(r.advanced(), 2U);
  r.ring = true;
  EXPECT_EQ(r.advanced(), 0U);
}

link::Wavelet flipping(unsigned color, std::uint32_t payload) {
  link::Wavelet w = wavelet(color, payload);
  w.local_flip = true;
  return w;
}

/// Color 2 from RAMP: EAST and SOUTH, then WEST.
struct FlipRouter : RouterCore {
  FlipRouter() : RouterCore({0, 0}, bench::timing_1_1_2(), {}) {
    ColorRoute r;
    r.positions[0] = {{kR}, {kE, kS}, true};
    r.positions[1] = {{kR}, {kW}, true};
    set_route(Color(2), r);
    for (const Direction out : {kE, kS, kW}) set_downstream_capacity(out, Color(2), 4);
  }
};

// wse.md 1.1, 1.4: the local router flips its switch after the wavelet.
TEST(RouterCoreLocalFlip, WaveletsBehindTheOneThatFlipsTakeTheNewPosition) {
  FlipRouter router;
  router.put(kR, wavelet(2, 1), 3);
  router.put(kR, flipping(2, 2), 4);
  router.put(kR, wavelet(2, 3), 4);
  EXPECT_EQ(router.step(3).sends.size(), 2U);
  const RouterCore::Step flip = router.step(4);
  ASSERT_EQ(flip.sends.size(), 2U);  // routed with the old position, only one wavelet a cycle
  EXPECT_EQ(flip.sends[0].wavelet.payload, 2U);
  EXPECT_EQ(flip.next, 5U);
  const RouterCore::Step behind = router.step(5);
  ASSERT_EQ(behind.sends.size(), 1U);
  EXPECT_EQ(behind.sends[0].out, kW);
  EXPECT_EQ(behind.sends[0].wavelet.payload, 3U);
}

TEST(RouterCoreLocalFlip, OnlyTheLocalRouterReacts) {
  FlipRouter router;
  router.put(kR, flipping(2, 1), 3);
  for (const RouterCore::Send& send : router.step(3).sends) {
    EXPECT_EQ(send.wavelet, wavelet(2, 1)) << to_string(send.out);  // the flag is gone
  }
}

TEST(RouterCoreLocalFlip, TheSwitchWaitsForTheLastCopy) {
  FlipRouter router;
  router.set_downstream_capacity(kS, Color(2), 0);
  router.put(kR, flipping(2, 1), 3);
  router.put(kR, wavelet(2, 2), 3);
  ASSERT_EQ(router.step(3).sends.size(), 1U);  // EAST
  EXPECT_TRUE(router.step(4).sends.empty());   // SOUTH has no room
  router.set_downstream_capacity(kS, Color(2), 1);
  const RouterCore::Step last = router.step(5);
  ASSERT_EQ(last.sends.size(), 1U);
  EXPECT_EQ(last.sends[0].out, kS);
  ASSERT_EQ(router.step(6).sends.size(), 1U);
  EXPECT_EQ(router.held(), 0U);
}

TEST(RouterCoreLocalFlip, AWaveletFromALinkFlipsNothing) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  ColorRoute r;
  r.positions[0] = {{kW}, {kE}, true};
  r.positions[1] = {{kW}, {kS}, true};
  router.set_route(Color(2), r);
  router.set_downstream_capacity(kE, Color(2), 4);
  router.put(kW, flipping(2, 1), 3);
  router.put(kW, wavelet(2, 2), 3);
  router.step(3);
  const RouterCore::Step step = router.step(4);
  ASSERT_EQ(step.sends.size(), 1U);
  EXPECT_EQ(step.sends[0].out, kE);
}

// A position that receives from another port lets that port's wavelets go on.
TEST(RouterCoreLocalFlip, TheNewPositionMayReceiveFromALink) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  ColorRoute r;
  r.positions[0] = {{kR}, {kE}, true};
  r.positions[1] = {{kW}, {kE}, true};
  router.set_route(Color(2), r);
  router.set_downstream_capacity(kE, Color(2), 4);
  router.put(kW, wavelet(2, 7), 1);
  EXPECT_EQ(router.step(1).next, kNever);  // the switch does not receive from there
  router.put(kR, flipping(2, 1), 3);
  const RouterCore::Step flip = router.step(3);
  EXPECT_EQ(flip.next, 4U);
  const RouterCore::Step step = router.step(4);
  ASSERT_EQ(step.sends.size(), 1U);
  EXPECT_EQ(step.sends[0].wavelet.payload, 7U);
}

}  // namespace
}  // namespace tessera::fabric::bench
