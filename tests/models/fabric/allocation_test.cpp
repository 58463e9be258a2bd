// RouterCore takes no memory in the steady state (docs/architecture.md#core-and-module). This file counts every
// operator new.
#include <gtest/gtest.h>

#include "models/fabric/router_core.h"
#include "tests/support/count_allocations.h"

namespace tessera::fabric {
namespace {

TEST(RouterCoreAllocation, SteadyStreamDoesNotAllocate) {
  ColorRoute tee;
  tee.positions[0] = {{Direction::kWest}, {Direction::kEast, Direction::kRamp}, true};
  RouterCore router({0, 0}, FabricTiming(), {});
  router.set_route(Color(0), tee);
  router.set_downstream_capacity(Direction::kEast, Color(0), 3);
  router.set_downstream_capacity(Direction::kRamp, Color(0), 3);
  std::size_t before = 0;
  std::size_t sends = 0;
  for (Cycle now = 0; now < 1000; ++now) {
    if (now == 100) before = allocations;
    router.put(Direction::kWest,
               {static_cast<std::uint32_t>(now), Color(0), false, false, false, now}, now + 1);
    const RouterCore::Step step = router.step(now);
    sends += step.sends.size();
    for (const RouterCore::Send& s : step.sends) router.credit(s.out, s.wavelet.color, now + 3);
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GE(sends, 1990U);
}

}  // namespace
}  // namespace tessera::fabric
