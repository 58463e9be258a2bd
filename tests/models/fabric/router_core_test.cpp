// RouterCore: latency, throughput, sharing, backpressure, multicast, switch positions, diagnosis.
#include "models/fabric/router_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "models/observe/digest.h"
#include "tests/models/fabric/mesh.h"

namespace tessera::fabric::bench::router_core_test {
namespace {

using ::testing::HasSubstr;

/// RAMP of (0, 0) east along the row to RAMP of (length - 1, 0).
void set_row(Mesh& mesh, unsigned color, int length) {
  for (int x = 0; x < length; ++x) {
    const DirectionSet rx = {x == 0 ? kR : kW};
    const DirectionSet tx = {x == length - 1 ? kR : kE};
    mesh.router({x, 0}).set_route(Color(color), route(rx, tx));
  }
  mesh.endpoint({length - 1, 0}).open(Color(color));
}

void send(Mesh& mesh, TileCoord at, unsigned color, unsigned count) {
  for (unsigned i = 0; i < count; ++i) mesh.endpoint(at).send(wavelet(color, i));
}

class BothPresets : public ::testing::TestWithParam<FabricTiming> {};
INSTANTIATE_TEST_SUITE_P(Hop, BothPresets,
                         ::testing::Values(bench::timing_1_1_2(), bench::timing_2_1_2()),
                         [](const auto& p) {
                           return p.param.hop_latency == 1 ? "OneCycle" : "TwoCycles";
                         });

// wse.md 1.11: per hop 1 cycle (WSE-2) or 2 cycles (WSE-3), at every distance.
TEST_P(BothPresets, ZeroLoadLatencyIsTheSumOfHopsAndRamp) {
  for (int length = 1; length <= 6; ++length) {
    Mesh mesh(length, 1, GetParam());
    set_row(mesh, 3, length);
    mesh.connect();
    send(mesh, {0, 0}, 3, 1);
    mesh.run();
    const std::vector<Delivery>& got = mesh.endpoint({length - 1, 0}).deliveries();
    ASSERT_EQ(got.size(), 1U);
    const Cycle landed_at_first_router = 1;
    const Cycle hops = static_cast<Cycle>(length - 1) * GetParam().hop_latency;
    EXPECT_EQ(got[0].cycle, landed_at_first_router + hops + GetParam().off_ramp_latency);
  }
}

// wse.md 1.11: one wavelet per cycle per direction.
TEST_P(BothPresets, ChainCarriesOneWaveletPerCycle) {
  Mesh mesh(8, 1, GetParam());
  set_row(mesh, 0, 8);
  mesh.connect();
  send(mesh, {0, 0}, 0, 200);
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({7, 0}).deliveries();
  ASSERT_EQ(got.size(), 200U);
  for (std::size_t i = 1; i < got.size(); ++i) {
    EXPECT_EQ(got[i].cycle, got[0].cycle + i);
    EXPECT_EQ(got[i].wavelet.payload, i);
  }
}

TEST_P(BothPresets, IdleFabricHasAllItsCreditsBack) {
  Mesh mesh(4, 1, GetParam());
  set_row(mesh, 0, 4);
  mesh.connect();
  send(mesh, {0, 0}, 0, 50);
  mesh.run(20);
  EXPECT_LT(mesh.router({1, 0}).credits(kE, Color(0)), GetParam().input_room(kW));
  mesh.run();
  EXPECT_EQ(mesh.held(), 0U);
  for (int x = 0; x < 3; ++x) {
    EXPECT_EQ(mesh.router({x, 0}).credits(kE, Color(0)), GetParam().input_room(kW));
  }
  EXPECT_EQ(mesh.router({3, 0}).credits(kR, Color(0)), 16U);
}

// wse.md 1.11 backpressure: a full receiver stops the color hop by hop up to the sender.
TEST_P(BothPresets, PathBehindAClosedSinkFillsEveryBuffer) {
  constexpr unsigned kSinkRoom = 2;
  Mesh mesh(5, 1, GetParam());
  set_row(mesh, 0, 5);
  mesh.endpoint({4, 0}).open(Color(0), kSinkRoom);
  bool closed = true;
  mesh.endpoint({4, 0}).stall([&closed](Cycle) { return closed; });
  mesh.connect();
  send(mesh, {0, 0}, 0, 100);
  mesh.run(500);
  EXPECT_EQ(mesh.held(), GetParam().input_room(kR) + 4U * GetParam().input_room(kW));
  closed = false;
  mesh.run();
  ASSERT_EQ(mesh.endpoint({4, 0}).deliveries().size(), 100U);
  for (unsigned i = 0; i < 100; ++i) {
    EXPECT_EQ(mesh.endpoint({4, 0}).deliveries()[i].wavelet.payload, i);
  }
}

TEST(RouterCore, ShallowBufferLimitsTheRateToDepthPerRoundTrip) {
  FabricTiming timing = bench::timing_2_1_2();
  timing.buffer_depth =
      1;  // with the register of the link: two for a round trip of hop_latency + credit_latency = 3
  Mesh mesh(4, 1, timing);
  set_row(mesh, 0, 4);
  mesh.connect();
  send(mesh, {0, 0}, 0, 100);
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({3, 0}).deliveries();
  ASSERT_EQ(got.size(), 100U);
  EXPECT_EQ(got[80].cycle - got[20].cycle, 60U * 3 / 2);
}

// wse.md 1.2: all colors time-share one channel per link direction.
TEST(RouterCore, RoundRobinGivesTwoColorsHalfALinkEach) {
  Mesh mesh(2, 1, bench::timing_2_1_2());
  set_row(mesh, 4, 2);
  mesh.router({0, 0}).set_route(Color(9), route({kR}, {kE}));
  mesh.router({1, 0}).set_route(Color(9), route({kW}, {kR}));
  mesh.endpoint({1, 0}).open(Color(9));
  mesh.connect();
  send(mesh, {0, 0}, 4, 100);
  send(mesh, {0, 0}, 9, 100);
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({1, 0}).deliveries();
  ASSERT_EQ(got.size(), 200U);
  EXPECT_EQ(got.back().cycle - got.front().cycle, 199U);
  for (std::size_t i = 2; i < got.size(); ++i) {
    EXPECT_EQ(got[i].wavelet.color, got[i - 2].wavelet.color);
    EXPECT_NE(got[i].wavelet.color, got[i - 1].wavelet.color);
  }
}

/// One router whose WEST and SOUTH inputs both want EAST, in two colors, with the inputs kept full.
std::vector<unsigned> colors_granted(Arbitration rule, unsigned west_color, unsigned south_color) {
  FabricTiming timing = bench::timing_1_1_2();
  timing.arbitration = rule;
  RouterCore router({1, 1}, timing, {});
  router.set_route(Color(west_color), route({kW}, {kE}));
  router.set_route(Color(south_color), route({kS}, {kE}));
  router.set_downstream_capacity(kE, Color(west_color), 100);
  router.set_downstream_capacity(kE, Color(south_color), 100);
  for (unsigned i = 0; i < 2; ++i) {
    router.put(kW, wavelet(west_color, i), 0);
    router.put(kS, wavelet(south_color, i), 0);
  }
  std::vector<unsigned> colors;
  for (Cycle now = 0; router.held() > 0; ++now) {
    const RouterCore::Step step = router.step(now);
    EXPECT_EQ(step.sends.size(), 1U);  // one wavelet per cycle per output port
    colors.push_back(step.sends[0].wavelet.color.value());
  }
  return colors;
}

TEST(RouterCore, RoundRobinAlternatesBetweenPairs) {
  EXPECT_THAT(colors_granted(Arbitration::kRoundRobin, 7, 2), ::testing::ElementsAre(2, 7, 2, 7));
}

TEST(RouterCore, FixedArbitrationPrefersTheLowestColor) {
  EXPECT_THAT(colors_granted(Arbitration::kFixed, 7, 2), ::testing::ElementsAre(2, 2, 7, 7));
}

/// A tee at (1, 0): color 5 from WEST goes to RAMP and EAST; EAST ends at a stalled sink.
class Tee : public ::testing::Test {
 protected:
  Tee() : mesh(3, 1, bench::timing_1_1_2()) {
    mesh.router({0, 0}).set_route(Color(5), route({kR}, {kE}));
    mesh.router({1, 0}).set_route(Color(5), route({kW}, {kR, kE}));
    mesh.router({2, 0}).set_route(Color(5), route({kW}, {kR}));
    mesh.endpoint({1, 0}).open(Color(5));
    mesh.endpoint({2, 0}).open(Color(5), 1);
    mesh.endpoint({2, 0}).stall([this](Cycle) { return stalled; });
  }
  Mesh mesh;
  bool stalled = true;
};

// wse.md 1.2, 1.11: copies leave independently, a copy that cannot leave holds the wavelet.
TEST_F(Tee, CopiesLeaveIndependentlyAndTheLastOneFreesTheHead) {
  mesh.connect();
  send(mesh, {0, 0}, 5, 10);
  mesh.run(100);
  // Room on the stalled branch: 1 in the sink, 2 at (2, 0). The next head left to RAMP and waits
  // for EAST.
  EXPECT_EQ(mesh.endpoint({1, 0}).deliveries().size(), 4U);
  stalled = false;
  mesh.run();
  ASSERT_EQ(mesh.endpoint({1, 0}).deliveries().size(), 10U);
  ASSERT_EQ(mesh.endpoint({2, 0}).deliveries().size(), 10U);
  for (unsigned i = 0; i < 10; ++i) {
    EXPECT_EQ(mesh.endpoint({1, 0}).deliveries()[i].wavelet.payload, i);
    EXPECT_EQ(mesh.endpoint({2, 0}).deliveries()[i].wavelet.payload, i);
    EXPECT_EQ(mesh.endpoint({2, 0}).deliveries()[i].wavelet.ident, i);
  }
}

// wse.md 1.2: a stalled color does not stall others.
TEST_F(Tee, StalledBranchHoldsOnlyItsColor) {
  mesh.router({0, 0}).set_route(Color(6), route({kR}, {kE}));
  mesh.router({1, 0}).set_route(Color(6), route({kW}, {kR}));
  mesh.endpoint({1, 0}).open(Color(6));
  mesh.connect();
  send(mesh, {0, 0}, 5, 10);
  mesh.run(100);
  const std::size_t before = mesh.endpoint({1, 0}).deliveries().size();
  for (unsigned i = 0; i < 50; ++i) mesh.endpoint({0, 0}).send(wavelet(6, i));
  mesh.wake_endpoint({0, 0}, 100);
  mesh.run(200);
  EXPECT_EQ(mesh.endpoint({1, 0}).deliveries().size(), before + 50);
  const FabricTiming t = bench::timing_1_1_2();
  EXPECT_EQ(mesh.held(),
            t.input_room(kR) + 2U * t.input_room(kW));  // color 5 still fills its three buffers
}

TEST_F(Tee, UnstalledMulticastRunsAtFullRate) {
  stalled = false;
  mesh.endpoint({2, 0}).open(Color(5));
  mesh.connect();
  send(mesh, {0, 0}, 5, 100);
  mesh.run();
  const std::vector<Delivery>& got = mesh.endpoint({2, 0}).deliveries();
  ASSERT_EQ(got.size(), 100U);
  EXPECT_EQ(got.back().cycle - got.front().cycle, 99U);
}

// wse.md 1.2: rx RAMP with tx RAMP is legal (self-trigger through the router).
TEST(RouterCore, wse_1_2_LoopbackThroughTheRamp) {
  Mesh mesh(1, 1, bench::timing_1_1_2());
  mesh.router({0, 0}).set_route(Color(1), route({kR}, {kR}));
  mesh.endpoint({0, 0}).open(Color(1));
  mesh.connect();
  send(mesh, {0, 0}, 1, 5);
  mesh.run();
  EXPECT_EQ(mesh.endpoint({0, 0}).deliveries().size(), 5U);
}

// wse.md 1.4: four positions, the current one routes; wse.md 1.2 (WSE-3): one receive direction a
// position.
ColorRoute two_positions(unsigned current) {
  ColorRoute r;
  r.positions[0] = {{kW}, {kE}, true};
  r.positions[1] = {{kR}, {kS}, true};
  r.positions[2] = {{kN}, {kN}, false};
  r.current = current;
  return r;
}

TEST(RouterCore, CurrentSwitchPositionRoutes) {
  for (const unsigned current : {0U, 1U}) {
    RouterCore router({0, 0}, bench::timing_1_1_2(), {});
    router.set_route(Color(2), two_positions(current));
    router.set_downstream_capacity(kE, Color(2), 1);
    router.set_downstream_capacity(kS, Color(2), 1);
    router.put(kW, wavelet(2, 10), 3);
    router.put(kR, wavelet(2, 20), 3);
    const RouterCore::Step step = router.step(3);
    ASSERT_EQ(step.sends.size(), 1U);
    EXPECT_EQ(step.sends[0].out, current == 0 ? kE : kS);
    EXPECT_EQ(step.sends[0].wavelet.payload, current == 0 ? 10U : 20U);
    EXPECT_EQ(router.held(), 1U);
  }
}

TEST(RouterCore, BuffersExistForTheInputsOfAllValidPositions) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  router.set_route(Color(2), two_positions(0));
  const FabricTiming t = bench::timing_1_1_2();
  EXPECT_EQ(router.input_capacity(kW, Color(2)),
            t.buffer_depth);  // a link of one cycle has no register
  EXPECT_EQ(router.input_capacity(kR, Color(2)), t.buffer_depth + t.on_ramp_latency - 1);
  EXPECT_EQ(router.input_capacity(kN, Color(2)), 0U);  // only in an invalid position
  EXPECT_EQ(router.input_capacity(kE, Color(2)), 0U);
  EXPECT_EQ(router.input_capacity(kW, Color(3)), 0U);  // no route
}

TEST(RouterCore, BlockedRouterSleepsUntilACreditIsDue) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  router.set_route(Color(0), route({kW}, {kE}));
  router.set_downstream_capacity(kE, Color(0), 1);
  router.put(kW, wavelet(0, 0), 5);
  EXPECT_EQ(router.step(4).next, 5U);
  router.put(kW, wavelet(0, 1), 6);
  EXPECT_EQ(router.step(5).sends.size(), 1U);
  EXPECT_EQ(router.step(6).next, kNever);
  router.credit(kE, Color(0), 9);
  EXPECT_EQ(router.step(8).next, 9U);
  EXPECT_TRUE(router.step(8).sends.empty());
  EXPECT_EQ(router.step(9).sends.size(), 1U);
}

TEST(RouterCore, SendsAndCreditsCarryTheConfiguredLatencies) {
  FabricTiming timing;
  timing.hop_latency = 4;
  timing.off_ramp_latency = 7;
  timing.credit_latency = 2;
  RouterCore router({0, 0}, timing, {});
  router.set_route(Color(0), route({kW}, {kR, kE}));
  router.set_downstream_capacity(kE, Color(0), 1);
  router.set_downstream_capacity(kR, Color(0), 1);
  router.put(kW, wavelet(0, 0), 10);
  const RouterCore::Step step = router.step(10);
  ASSERT_EQ(step.sends.size(), 2U);
  EXPECT_EQ(step.sends[0].due, 14U);
  EXPECT_EQ(step.sends[1].due, 17U);
  ASSERT_EQ(step.credits.size(), 1U);
  EXPECT_EQ(step.credits[0].in, kW);
  EXPECT_EQ(step.credits[0].due, 12U);
}

TEST(RouterCore, HopEventNamesColorDirectionAndControl) {
  struct Last : observe::Sink {
    void on_event(const observe::Event& e) override { event = e; }
    observe::Event event;
  } last;
  RouterCore router({0, 0}, bench::timing_1_1_2(), observe::Probe(&last, 77));
  router.set_route(Color(9), route({kW}, {kS}));
  router.set_downstream_capacity(kS, Color(9), 1);
  router.put(kW, {0xABCD, Color(9), true, false, false, 1}, 2);
  router.step(2);
  EXPECT_EQ(last.event.cycle, 2U);
  EXPECT_EQ(last.event.place, 77U);
  EXPECT_EQ(last.event.kind, observe::EventKind::kHop);
  EXPECT_EQ(last.event.a, 9U | index(kS) << 8 | 1U << 16);
  EXPECT_EQ(last.event.b, 0xABCDU);
  EXPECT_EQ(last.event.ident, 1U);
}

// ---------------------------------------------------------------------------------------------------------------
// Who waits for what

observe::Wait only_wait(const RouterCore& router, Cycle now) {
  observe::Waits waits;
  router.describe_waits(waits, now);
  EXPECT_EQ(waits.size(), 1U);
  return waits.empty() ? observe::Wait() : waits[0];
}

TEST(RouterCoreWaits, NeighbourThatDoesNotReceiveTheColor) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), observe::Probe(nullptr, 12));
  router.set_route(Color(5), route({kW}, {kE}));
  router.put(kW, wavelet(5, 0), 1);
  router.step(1);
  const observe::Wait wait = only_wait(router, 9);
  EXPECT_EQ(wait.place, 12U);
  EXPECT_EQ(wait.who, "router, color 5 from WEST");
  EXPECT_EQ(wait.what, "room at its EAST output (nobody receives color 5 there)");
}

TEST(RouterCoreWaits, NoCreditAndNoInputQueue) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  router.set_route(Color(5), route({kW}, {kE, kR}));
  router.set_downstream_capacity(kE, Color(5), 1);
  router.put(kW, wavelet(5, 0), 1);
  router.step(1);
  EXPECT_EQ(only_wait(router, 2).what,
            "room at its RAMP output (no input queue of this PE is bound to color 5)");
}

TEST(RouterCoreWaits, ReceiverThatIsFull) {
  RouterCore router({0, 0}, bench::timing_2_1_2(), {});
  router.set_route(Color(5), route({kW}, {kE}));
  router.set_downstream_capacity(kE, Color(5), 1);
  for (unsigned i = 0; i < 3; ++i) router.put(kW, wavelet(5, i), 1);
  router.step(1);
  EXPECT_EQ(only_wait(router, 2).what, "room at its EAST output (no credit: 2 wavelets wait)");
}

TEST(RouterCoreWaits, SwitchPositionThatReceivesFromElsewhere) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  router.set_route(Color(2), two_positions(0));
  router.put(kR, wavelet(2, 0), 1);
  router.step(1);
  EXPECT_EQ(only_wait(router, 2).what,
            "a switch position that receives from RAMP (switch position 0 receives from WEST): "
            "1 wavelet waits");
}

TEST(RouterCoreWaits, NobodyWaitsWhileWaveletsMove) {
  RouterCore router({0, 0}, bench::timing_1_1_2(), {});
  router.set_route(Color(2), route({kW}, {kE}));
  router.set_downstream_capacity(kE, Color(2), 2);
  router.put(kW, wavelet(2, 0), 8);
  observe::Waits waits;
  router.describe_waits(waits, 7);  // on its way
  router.describe_waits(waits, 8);  // may leave
  EXPECT_TRUE(waits.empty());
}

// ---------------------------------------------------------------------------------------------------------------
// Broken rules

template <class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const std::logic_error& e) {
    return e.what();
  }
  return "nothing thrown";
}

TEST(RouterCoreRules, PutWithoutCredit) {
  RouterCore router({3, 4}, bench::timing_1_1_2(), {});
  router.set_route(Color(5), route({kW}, {kE}));
  router.put(kW, wavelet(5, 0), 1);
  router.put(kW, wavelet(5, 1), 2);
  EXPECT_EQ(message_of([&] { router.put(kW, wavelet(5, 2), 3); }),
            "router of tile (3, 4): a wavelet of color 5 was handed over at WEST without a credit");
  EXPECT_THAT(message_of([&] { router.put(kN, wavelet(5, 2), 3); }), HasSubstr("at NORTH"));
  EXPECT_THAT(message_of([&] { router.put(kW, wavelet(30, 2), 3); }), HasSubstr("color 30"));
}

TEST(RouterCoreRules, CreditForNothing) {
  RouterCore router({3, 4}, bench::timing_1_1_2(), {});
  router.set_route(Color(5), route({kW}, {kE}));
  router.set_downstream_capacity(kE, Color(5), 2);
  EXPECT_EQ(message_of([&] { router.credit(kE, Color(5), 3); }),
            "router of tile (3, 4): a credit of color 5 came back at EAST for room that was never "
            "taken");
}

TEST(RouterCoreRules, ColorConfiguredTwice) {
  RouterCore router({3, 4}, bench::timing_1_1_2(), {});
  router.set_route(Color(5), route({kW}, {kE}));
  EXPECT_THAT(message_of([&] { router.set_route(Color(5), route({kW}, {kE})); }),
              HasSubstr("color 5 is configured twice"));
}

TEST(RouterCoreRules, LatencyOfZero) {
  FabricTiming timing;
  timing.credit_latency = 0;
  EXPECT_THROW(RouterCore({0, 0}, timing, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tessera::fabric::bench::router_core_test
