// A router and a scheduled mesh take no memory in the steady state (docs/architecture.md#core-and-module). This
// file counts every operator new of its executable.
#include <gtest/gtest.h>

#include "models/fabric/router_core.h"
#include "tests/support/count_allocations.h"
#include "tests/support/scheduled_builder.h"

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

namespace tessera::scheduled::test {
namespace {

TEST(ScheduledAllocation, StreamsDoNotAllocate) {
  Builder b(4);
  const Index in = b.schedule(4, "a"), other = b.schedule(4, "b");
  const StreamId s = b.stream("s", 0, true), t = b.stream("t", 0);
  b.chain(in, s, {0, 1, 2, 3}, {0});
  const std::vector<Index> vfsms = {0, 0, 0, 0};
  b.chain(other, s, {0, 1, 2, 3}, {2}, 0, 0, vfsms);
  b.chain(other, t, {0, 1}, {3});
  constexpr unsigned kMany = 1000000;
  b.turn(0, in, {task("w", 0, {block(kMany, {write(0, s)})}, Technique::kContinuing)}).not_before =
      5000;
  b.turn(1, in, {}).not_before = 5000;
  b.turn(2, in, {}).not_before = 5100;
  b.turn(3, in, {task("r", 0, {block(kMany, {read(0, s, 3)})}, Technique::kContinuing)})
      .not_before = 5200;
  b.turn(0, other, {task("t", 0, {block(2000, {write(1, t)})})});
  b.turn(1, other, {task("t", 0, {block(2000, {read(0, t)})})});
  b.turn(2, other, {});
  b.turn(3, other, {});
  observe::EventStream events(4, 1, false);
  Trial run(b.program, &events);
  run.run(8000);  // both phases have begun, the calendar of the processors has its memory
  const std::size_t before = allocations;
  run.run(20000);
  EXPECT_EQ(allocations, before);
  EXPECT_GT(run.checker.delivered(s, 0), 3000U);
  EXPECT_EQ(run.checker.total(), 0U);
}

}  // namespace
}  // namespace tessera::scheduled::test
