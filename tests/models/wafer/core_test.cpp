// Routers of a WaferCore: one rule each, against numbers (models/fabric/router_core.h has the
// rules), and against the blocks of the other structure. Random wafers are in
// property_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/models/wafer/both.h"

namespace tessera::wafer::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// --- paths ---

TEST(WaferCore, wse_1_11_AHopTakesItsLatency) {
  for (const unsigned latency : {1U, 2U, 5U, 63U}) {
    PlanBuilder builder = row(4);
    builder.settings().fabric.hop_latency = latency;
    Both both(builder.build());
    both.send(0, data(1, 42));
    both.run();
    EXPECT_THAT(both.cycles(EventKind::kHop, 0), ElementsAre(1));
    EXPECT_THAT(both.cycles(EventKind::kHop, 3), ElementsAre(1 + 3 * latency));
    EXPECT_THAT(both.payloads(), ElementsAre(42));
  }
}

TEST(WaferCore, wse_1_11_AStreamKeepsOneWaveletACycle) {
  Both both(row(6).build());
  for (std::uint32_t n = 0; n < 50; ++n) both.send(0, data(1, n));
  both.run();
  const std::vector<Cycle> last = both.cycles(EventKind::kHop, 5);
  ASSERT_EQ(last.size(), 50U);
  EXPECT_EQ(last.front(), 6U);
  EXPECT_EQ(last.back(), 55U);
}

TEST(WaferCore, AFullReceiverHoldsTheStreamUpToItsRoom) {
  // A router has room for 2, the port for 3: two wavelets stay in each of four routers.
  Both both(row(4).build(), 3);
  both.close_ports();
  for (std::uint32_t n = 0; n < 50; ++n) both.send(0, data(1, n));
  both.run(1000);
  EXPECT_EQ(both.outcome().held, 8U);
  EXPECT_EQ(both.cycles(EventKind::kHop, 3).size(), 3U);
  EXPECT_THAT(both.outcome().waits, HasSubstr("(3, 0) router, color 1 from WEST: room at its EAST "
                                              "output (no credit: 2 wavelets wait)"));
  both.open_ports(1000);
  both.run(2000);
  EXPECT_EQ(both.outcome().held, 0U);
  EXPECT_EQ(both.payloads().size(), 50U);
}

TEST(WaferCore, WhatTheSlotsOfAMergeWaitForIsKnownInEachCycle) {
  // Two colors leave by one output that gets closed: wavelets on their way do not wait yet.
  for (Cycle end = 1; end < 40; ++end) {
    SCOPED_TRACE("stopped before cycle " + std::to_string(end));
    PlanBuilder builder = grid(3, 1);
    builder.settings().fabric.hop_latency = 3;
    for (int x = 0; x < 3; ++x) {
      for (unsigned color : {1U, 2U}) builder.route_of({x, 0}, color, route({kW}, {kE}));
    }
    Both both(builder.port({0, 0}, kW).port({2, 0}, kE).build());
    both.close_ports();
    for (std::uint32_t n = 0; n < 20; ++n) both.send(0, data(1 + n % 2, n));
    both.run(end);
    if (end < 39) continue;
    EXPECT_THAT(both.outcome().waits, HasSubstr("color 1 from WEST: room at its EAST output"));
    EXPECT_THAT(both.outcome().waits, HasSubstr("color 2 from WEST: room at its EAST output"));
  }
}

// --- waits of the oldest wavelets ---

TEST(WaferCoreLinkWaits, AWaveletWaitsForRoomFromItsFirstCycleAtTheFront) {
  Both both(row(4).build(), 3);
  both.close_ports();
  for (std::uint32_t n = 0; n < 50; ++n) both.send(0, data(1, n));
  both.run(1000);
  // The fourth wavelet comes to the front of tile 3 after the third, and still waits in the last cycle.
  const std::vector<Cycle> sent = both.cycles(EventKind::kHop, 3);
  Cycle last = 0;
  for (const observe::Event& e : both.outcome().events) last = std::max(last, e.cycle);
  ASSERT_GT(last, sent.back());
  EXPECT_EQ(both.link_waits(3).credit(kE), last - sent.back());
  both.open_ports(1000);
  both.run(2000);
  const std::vector<Cycle> all = both.cycles(EventKind::kHop, 3);
  EXPECT_GE(both.link_waits(3).credit(kE), all[3] - all[2] - 1);
  EXPECT_EQ(both.link_waits(3).taken[index(kE)], 0U);
}

TEST(WaferCoreLinkWaits, AWaveletWaitsForALinkThatAnotherColorHas) {
  constexpr std::uint32_t kWavelets = 20;
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kE})).route_of({0, 0}, 2, route({kN}, {kE}));
  builder.port({0, 0}, kW).port({0, 0}, kN).port({0, 0}, kE);
  Both both(builder.build(), 2 * kWavelets);
  for (std::uint32_t n = 0; n < kWavelets; ++n) {
    both.send(0, data(1, n));
    both.send(1, data(2, n));
  }
  both.run();
  // In all cycles but the last one two heads ask for the link.
  EXPECT_EQ(both.link_waits(0).taken[index(kE)], 2 * kWavelets - 1);
  EXPECT_EQ(both.link_waits(0).credit(kE), 0U);
  EXPECT_EQ(both.link_waits(0).route, 0U);
}

TEST(WaferCoreLinkWaits, InTeardownAWaveletWaitsForARoute) {
  Both both(row(2).build());
  both.send(0, control(1, link::Command::kTeardown));
  both.send(0, data(1, 5));
  both.send(0, data(1, 6));
  both.run();
  EXPECT_GT(both.link_waits(0).route, 0U);
  EXPECT_EQ(both.link_waits(0).waited[index(kE)], 0U);
}

// --- flags ---

TEST(WaferCore, FlagsOfAWaveletTravelWithIt) {
  Both both(row(5).build());
  link::Wavelet half = data(1, 7);
  half.half = true;
  link::Wavelet flip = data(1, 8);
  flip.local_flip = true;
  both.send(0, half);
  both.send(0, flip);
  both.send(0, control(1, link::Command::kAdvance, true));
  both.send(0, half);
  both.run();
  const Outcome outcome = both.outcome();
  ASSERT_EQ(outcome.deliveries.size(), 4U);
  EXPECT_EQ(outcome.deliveries[0].wavelet, half);
  EXPECT_FALSE(outcome.deliveries[1].wavelet.local_flip);  // meant for the first router only
  EXPECT_EQ(outcome.deliveries[2].wavelet, control(1, link::Command::kAdvance, true));
  const std::vector<observe::Event> first = both.events(EventKind::kHop, 0);
  EXPECT_TRUE(observe::local_flip_of(first[1]));
  EXPECT_FALSE(observe::local_flip_of(both.events(EventKind::kHop, 1)[1]));
}

TEST(WaferCore, NothingIsDueInAnIdleWafer) {
  Both both(row(3).build());
  both.run();
  EXPECT_TRUE(both.dense.idle());
  EXPECT_EQ(both.dense.core().next_due(both.dense.now()), kNever);
  EXPECT_EQ(both.outcome().events.size(), 0U);
}

TEST(WaferCore, GoesOnAfterALongRest) {
  Both both(row(3).build());
  both.send(0, data(1, 1));
  both.send(0, data(1, 2), 5000);
  both.send(0, data(1, 3), 5063);
  both.send(0, data(1, 4), 99000);
  both.run();
  EXPECT_THAT(both.cycles(EventKind::kHop, 2), ElementsAre(3, 5003, 5066, 99003));
}

TEST(WaferCore, ARouteInACircleKeepsItsWavelets) {
  PlanBuilder builder = grid(2, 2);
  builder.route_of({0, 0}, 1, route({kS}, {kE})).route_of({1, 0}, 1, route({kW}, {kS}));
  builder.route_of({1, 1}, 1, route({kN}, {kW})).route_of({0, 1}, 1, route({kE}, {kN}));
  Both both(builder.build());
  both.run();
  EXPECT_EQ(both.outcome().events.size(), 0U);
}

// --- multicast, competition ---

TEST(WaferCore, wse_1_2_CopiesOfAMulticastLeaveIndependently) {
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kE, kS}));
  builder.port({0, 0}, kW).port({0, 0}, kE).port({0, 0}, kS);
  Plan plan = builder.build();
  std::vector<PortScript> scripts = scripts_for(plan);
  scripts[1].room.fill(1);
  scripts[1].credit_latency = 20;  // EAST takes a wavelet every 22 cycles
  DenseMachine dense(plan, scripts, true);
  ReferenceMachine reference(plan, scripts, true);
  for (Machine* machine : {static_cast<Machine*>(&dense), static_cast<Machine*>(&reference)}) {
    for (std::uint32_t n = 0; n < 3; ++n) machine->send(0, data(1, n));
    machine->run();
    std::vector<std::pair<Cycle, Direction>> hops;
    for (const observe::Event& e : machine->outcome().events)
      hops.emplace_back(e.cycle, observe::direction_of(e));
    using Hop = std::pair<Cycle, Direction>;
    EXPECT_THAT(hops, ElementsAre(Hop{1, kE}, Hop{1, kS}, Hop{2, kS}, Hop{22, kE}, Hop{23, kS},
                                  Hop{43, kE}));
    EXPECT_EQ(machine->outcome().held, 0U);
  }
}

/// Colors 2, 9 and 17 from three sides to EAST; the order in which they leave.
std::vector<unsigned> order_of_winners(fabric::Arbitration rule) {
  PlanBuilder builder = grid(1, 1);
  builder.settings().fabric.arbitration = rule;
  builder.route_of({0, 0}, 2, route({kN}, {kE}));
  builder.route_of({0, 0}, 9, route({kW}, {kE}));
  builder.route_of({0, 0}, 17, route({kS}, {kE}));
  builder.port({0, 0}, kN).port({0, 0}, kW).port({0, 0}, kS).port({0, 0}, kE);
  Both both(builder.build(), 100);
  for (std::uint32_t n = 0; n < 2; ++n) {
    both.send(0, data(2, n));
    both.send(1, data(9, n));
    both.send(2, data(17, n));
  }
  both.run();
  std::vector<unsigned> colors;
  for (const observe::Event& e : both.events(EventKind::kHop, 0))
    colors.push_back(observe::color_of(e));
  return colors;
}

TEST(WaferCore, wse_1_11_OneOutputGrantsOneACycleByTheRule) {
  EXPECT_THAT(order_of_winners(fabric::Arbitration::kFixed), ElementsAre(2, 2, 9, 9, 17, 17));
  EXPECT_THAT(order_of_winners(fabric::Arbitration::kRoundRobin), ElementsAre(2, 9, 17, 2, 9, 17));
}

TEST(WaferCore, AColorWithoutRoomDoesNotHoldUpOthers) {
  // both go to EAST; the port has no room for color 2
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 2, route({kN}, {kE})).route_of({0, 0}, 9, route({kW}, {kE}));
  builder.port({0, 0}, kN).port({0, 0}, kW).port({0, 0}, kE);
  Plan plan = builder.build();
  std::vector<PortScript> scripts = scripts_for(plan);
  scripts[2].room[2] = 0;
  DenseMachine dense(plan, scripts, true);
  for (std::uint32_t n = 0; n < 5; ++n) {
    dense.send(0, data(2, n));
    dense.send(1, data(9, n));
  }
  dense.run();
  const Outcome outcome = dense.outcome();
  EXPECT_EQ(outcome.deliveries.size(), 5U);
  EXPECT_THAT(outcome.waits, HasSubstr("(0, 0) router, color 2 from NORTH: room at its EAST output "
                                       "(nobody receives color 2 there)"));
}

// --- control wavelets ---

TEST(WaferCore, wse_1_5_NotForComputeEngines) {
  for (const bool multicast : {false, true}) {
    PlanBuilder builder = grid(1, 1);
    builder.route_of({0, 0}, 1, route({kW}, multicast ? DirectionSet{kE, kR} : DirectionSet{kR}));
    builder.port({0, 0}, kW).port({0, 0}, kE);
    builder.program({0, 0}, "queue i input 2 color=1\nfn main\n    ret\n");
    Both both(builder.build());
    both.send(0, control(1, link::Command::kNop, true));
    both.send(0, control(1, link::Command::kNop, false));
    both.send(0, data(1, 5));
    both.run();
    EXPECT_EQ(both.events(EventKind::kQueueIn, 0).size(), 2U);
    EXPECT_EQ(both.outcome().deliveries.size(), multicast ? 3U : 0U);
    EXPECT_EQ(both.outcome().held, 2U);
  }
}

TEST(WaferCore, wse_1_9_TeardownSuspendsTheColorBehindTheCommand) {
  for (const bool multicast : {false, true}) {
    PlanBuilder builder = row(3);
    if (multicast) builder.route_of({1, 0}, 1, route({kW}, {kE, kS})).port({1, 0}, kS);
    builder.route_of({1, 0}, 2, route({kN}, {kR})).port({1, 0}, kN);
    builder.program({1, 0}, "queue i input 2 color=2\ntask on_teardown local 29\n    end\n"
                            "task t data i\n    end\n");
    Both both(builder.build());
    both.send(0, data(1, 1));
    both.send(0, control(1, link::Command::kTeardown));
    both.send(0, data(1, 2));
    both.send(multicast ? 3 : 2, data(2, 3), 50);
    both.run();
    // every router on the way is suspended once the command has left; the first keeps what follows
    EXPECT_THAT(both.cycles(EventKind::kTeardown, 0), ElementsAre(2));
    EXPECT_THAT(both.cycles(EventKind::kTeardown, 2), ElementsAre(4));
    EXPECT_EQ(both.outcome().held, 1U);
    EXPECT_THAT(both.outcome().waits,
                HasSubstr("(0, 0) router, color 1 from WEST: the end of the teardown of its color: "
                          "1 wavelet waits"));
    // task 29 runs where there is a program; color 2 is not concerned
    EXPECT_EQ(both.events(EventKind::kTaskStart, 1).size(), 2U);
    EXPECT_EQ(both.events(EventKind::kQueueIn, 1).size(), 1U);
  }
}

// --- whole routers ---

TEST(WaferCore, wse_1_2_CoincidenceFailsWhenTheCycleIsComplete) {
  PlanBuilder builder = row(3);
  builder.route_of({1, 0}, 1, route({kW, kN}, {kE})).port({1, 0}, kN);
  builder.settings().fabric.coincidence = fabric::Coincidence::kIllegal;
  Both both(builder.build());
  both.send(0, data(1, 1));
  both.send(2, data(1, 2), 1);
  both.send(0, data(1, 3));
  both.run();
  EXPECT_THAT(both.outcome().failure, HasSubstr("cycle 2: router of tile (1, 0): wavelets of color "
                                                "1 land from WEST and from NORTH in one cycle"));
  EXPECT_THAT(both.cycles(EventKind::kHop, 0), ElementsAre(1, 2));
}

TEST(WaferCore, OfTwoFailuresTheFirstTileIsHeard) {
  // in one cycle an engine breaks in the east and a router in the west of it, and the other way round
  for (const bool router_first : {true, false}) {
    PlanBuilder builder = grid(2, 1);
    const TileCoord router{router_first ? 0 : 1, 0};
    const TileCoord engine{router_first ? 1 : 0, 0};
    builder.route_of(router, 1, route({kS, kN}, {kR})).port(router, kN).port(router, kS);
    builder.program(engine, "fn main\n    brk\n");
    builder.settings().fabric.coincidence = fabric::Coincidence::kIllegal;
    for (Cycle when = 1; when < 20; ++when) {
      Both both(builder.build());
      both.send(0, data(1, 1), 9);
      both.send(1, data(1, 2), 9);
      both.launch("main", when);
      both.run();
      EXPECT_THAT(both.outcome().failure, Not(IsEmpty()));
    }
  }
}

}  // namespace
}  // namespace tessera::wafer::bench
