// How the slots of a wafer are laid out: which tiles are plain, pipes and slots along the paths,
// who competes with whom.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "models/wafer/plan/slot_graph.h"
#include "tests/models/fabric/choices.h"
#include "tests/models/wafer/plan.h"

namespace tessera::wafer::slot_graph_test {
namespace {

using bench::kE;
using bench::kN;
using bench::kR;
using bench::kS;
using bench::kW;
using bench::PlanBuilder;
using bench::route;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

/// A grid whose buffers and latencies let every input with one output be a pipe.
PlanBuilder grid(int width, int height) {
  PlanBuilder builder(width, height);
  builder.settings().fabric.buffer_depth = 2;
  builder.settings().fabric.hop_latency = 2;
  builder.settings().fabric.on_ramp_latency = 2;
  return builder;
}

SlotGraph laid_out(const Plan& plan) {
  return lay_out_slots(Strip(plan));
}

/// Tiles of the pipes, in their order.
std::vector<std::uint32_t> places(const std::vector<Pipe>& pipes) {
  std::vector<std::uint32_t> places;
  for (const Pipe& pipe : pipes) places.push_back(pipe.place);
  return places;
}

std::vector<std::uint32_t> places(const std::vector<Slot>& slots) {
  std::vector<std::uint32_t> places;
  for (const Slot& slot : slots) places.push_back(slot.place);
  return places;
}

Ref receiver_of(const Plan& plan, const SlotGraph& graph, TileCoord at, unsigned color) {
  return graph.receivers[find_route(plan, plan.place_of(at), Color(color))];
}

// --- plain tiles ---

bool is_plain(const fabric::ColorRoute& drawn, const std::string& program = "") {
  PlanBuilder builder(1, 1);
  builder.route_of({0, 0}, 3, drawn).route_of({0, 0}, 4, route({kN}, {kS}));
  if (!program.empty()) builder.program({0, 0}, program);
  return laid_out(builder.build()).plain[0];
}

TEST(WaferPlainTiles, OneInputAndOneRoute) {
  EXPECT_TRUE(is_plain(route({kW}, {kE})));
  EXPECT_TRUE(is_plain(route({kR}, {kR})));
  EXPECT_TRUE(is_plain(route({kW}, {kW, kE, kS, kN, kR})));
  EXPECT_FALSE(is_plain(route({kW, kR}, {kE})));
  EXPECT_FALSE(is_plain(route({}, {kE})));
  EXPECT_FALSE(is_plain(route({kW}, {})));
  EXPECT_FALSE(is_plain(fabric::ColorRoute()));
}

TEST(WaferPlainTiles, SwitchesWithOneInputAtATime) {
  const fabric::ColorRoute simple = route({kW}, {kE, kR});
  fabric::ColorRoute drawn = simple;
  for (unsigned p = 1; p < fabric::kSwitchPositions; ++p) {
    drawn = simple;
    drawn.positions[p] = simple.positions[0];
    EXPECT_TRUE(is_plain(drawn)) << "position " << p;
    drawn.positions[p].rx = {kR};
    drawn.current = p;
    EXPECT_TRUE(is_plain(drawn)) << "position " << p;
    drawn.positions[p].rx = {kR, kW};
    EXPECT_FALSE(is_plain(drawn)) << "position " << p;
    drawn.positions[p].rx = {};
    EXPECT_FALSE(is_plain(drawn)) << "position " << p;
    drawn.positions[p] = {{kR}, {}, true};  // what it receives vanishes
    EXPECT_FALSE(is_plain(drawn)) << "position " << p;
  }
  drawn = simple;
  drawn.positions[1] = {{kR}, {}, true, true, false};  // sends as position 0
  EXPECT_TRUE(is_plain(drawn));
  drawn = simple;
  drawn.current = 1;  // no such position
  EXPECT_FALSE(is_plain(drawn));
  drawn = simple;
  drawn.ring = true;  // there is no second position to go to
  EXPECT_TRUE(is_plain(drawn));
  drawn = simple;
  drawn.pop = fabric::PopMode::kAlwaysPop;
  EXPECT_TRUE(is_plain(drawn));
}

TEST(WaferPlainTiles, NoMoreInputsThanAGroupHasSlots) {
  for (const unsigned colors : {6U, 7U}) {
    PlanBuilder builder(1, 1);
    for (unsigned c = 0; c < colors; ++c) {
      fabric::ColorRoute drawn;
      const std::array<Direction, 4> sides = {kW, kN, kS, kR};
      for (unsigned p = 0; p < 4; ++p) drawn.positions[p] = {{sides[p]}, {kE}, true};
      builder.route_of({0, 0}, c, drawn).route_of({0, 0}, c + 7, route({kW}, {kE}));
    }
    const SlotGraph graph = laid_out(builder.build());
    EXPECT_EQ(graph.plain[0], colors == 6) << colors;  // 30 or 35 inputs
    EXPECT_EQ(graph.slots.size(), colors == 6 ? 30U : 0U);
  }
}

TEST(WaferPlainTiles, NothingThatSwapsOrFilters) {
  const fabric::ColorRoute simple = route({kW}, {kE, kR});
  fabric::ColorRoute drawn = simple;
  drawn.messages = true;
  EXPECT_FALSE(is_plain(drawn));
  drawn = simple;
  drawn.injection = fabric::Injection::kLow;
  EXPECT_FALSE(is_plain(drawn));
  drawn = simple;
  drawn.swap_x = true;
  EXPECT_FALSE(is_plain(drawn));
  drawn = simple;
  drawn.swap_y = true;
  EXPECT_FALSE(is_plain(drawn));
  drawn = simple;
  drawn.suspended = true;
  EXPECT_FALSE(is_plain(drawn));
  drawn = simple;
  drawn.filter = fabric::FilterConfig();
  EXPECT_FALSE(is_plain(drawn));
}

TEST(WaferPlainTiles, NoProgramThatTouchesTheRegisters) {
  EXPECT_TRUE(is_plain(route({kW}, {kE}), "fn main\n    ret\n"));
  EXPECT_FALSE(is_plain(route({kW}, {kE}), "fn main\n    ldcfg r0, 0x7f23\n    ret\n"));
  EXPECT_FALSE(is_plain(route({kW}, {kE}), "fn main\n    stcfg 0x7f23, 0x42\n    ret\n"));
}

TEST(WaferPlainTiles, EveryTileIsLookedAtByItself) {
  const Plan plan = PlanBuilder(3, 1)
                        .route_of({0, 0}, 1, route({kR}, {kE}))
                        .route_of({1, 0}, 1, route({kW, kR}, {kE}))
                        .build();
  EXPECT_THAT(laid_out(plan).plain,
              ElementsAre(true, false, true));  // the last has no route at all
}

// --- find_route ---

TEST(WaferSlotGraph, FindsTheRouteOfAColor) {
  const Plan plan = PlanBuilder(2, 1)
                        .route_of({0, 0}, 23, route({kW}, {kE}))
                        .route_of({0, 0}, 2, route({kW}, {kE}))
                        .route_of({1, 0}, 5, route({kW}, {kE}))
                        .build();
  EXPECT_EQ(find_route(plan, 0, Color(2)), 0U);
  EXPECT_EQ(find_route(plan, 0, Color(23)), 1U);
  EXPECT_EQ(find_route(plan, 1, Color(5)), 2U);
  EXPECT_EQ(find_route(plan, 0, Color(5)), kNoIndex);
  EXPECT_EQ(find_route(plan, 1, Color(2)), kNoIndex);
}

// --- paths ---

Plan row(int length, Direction first_in = kR) {
  PlanBuilder builder = grid(length, 1);
  builder.route_of({0, 0}, 1, route({first_in}, {kE}));
  for (int x = 1; x + 1 < length; ++x) builder.route_of({x, 0}, 1, route({kW}, {kE}));
  return builder.route_of({length - 1, 0}, 1, route({kW}, {kR})).build();
}

TEST(WaferSlotGraph, ARowIsAChainOfPipes) {
  const SlotGraph graph = laid_out(row(5));
  EXPECT_THAT(places(graph.pipes), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(graph.slots, IsEmpty());
  EXPECT_EQ(graph.pipes[0].direction(), kE);
  EXPECT_EQ(graph.pipes[4].direction(), kR);
  EXPECT_EQ(graph.pipes[2].color, 1U);
}

TEST(WaferSlotGraph, APathIsNumberedTheWayItRuns) {
  // up a column: against the order of the tiles
  PlanBuilder column = grid(1, 4);
  column.route_of({0, 3}, 2, route({kR}, {kN}));
  column.route_of({0, 2}, 2, route({kS}, {kN})).route_of({0, 1}, 2, route({kS}, {kN}));
  column.route_of({0, 0}, 2, route({kS}, {kR}));
  EXPECT_THAT(places(laid_out(column.build()).pipes), ElementsAre(3, 2, 1, 0));
}

TEST(WaferSlotGraph, ASnakeIsOneChain) {
  PlanBuilder snake = grid(3, 2);
  snake.route_of({0, 0}, 2, route({kW}, {kE})).route_of({1, 0}, 2, route({kW}, {kE}));
  snake.route_of({2, 0}, 2, route({kW}, {kS})).route_of({2, 1}, 2, route({kN}, {kW}));
  snake.route_of({1, 1}, 2, route({kE}, {kW})).route_of({0, 1}, 2, route({kE}, {kR}));
  EXPECT_THAT(places(laid_out(snake.build()).pipes), ElementsAre(0, 1, 2, 5, 4, 3));
}

TEST(WaferSlotGraph, TwoColorsAreTwoChains) {
  PlanBuilder two = grid(2, 1);
  two.route_of({0, 0}, 1, route({kR}, {kE})).route_of({1, 0}, 1, route({kW}, {kR}));
  two.route_of({1, 0}, 2, route({kR}, {kW})).route_of({0, 0}, 2, route({kE}, {kR}));
  const SlotGraph graph = laid_out(two.build());
  EXPECT_THAT(places(graph.pipes), ElementsAre(0, 1, 1, 0));
  EXPECT_THAT(graph.groups, IsEmpty());
}

TEST(WaferSlotGraph, ARingHasEveryPipeOnce) {
  PlanBuilder ring = grid(2, 2);
  ring.route_of({0, 0}, 1, route({kS}, {kE})).route_of({1, 0}, 1, route({kW}, {kS}));
  ring.route_of({1, 1}, 1, route({kN}, {kW})).route_of({0, 1}, 1, route({kE}, {kN}));
  EXPECT_THAT(places(laid_out(ring.build()).pipes), ElementsAre(0, 1, 3, 2));
}

TEST(WaferSlotGraph, RoutesThatDoNotMeetBeginPathsOfTheirOwn) {
  // (1, 0) receives from the north, not from where (0, 0) sends
  const Plan plan = grid(2, 1)
                        .route_of({0, 0}, 1, route({kR}, {kE}))
                        .route_of({1, 0}, 1, route({kN}, {kE}))
                        .build();
  const SlotGraph graph = laid_out(plan);
  EXPECT_THAT(places(graph.pipes), ElementsAre(0, 1));
}

TEST(WaferSlotGraph, AWholeRouterEndsAPath) {
  PlanBuilder builder = grid(3, 1);
  builder.route_of({0, 0}, 1, route({kR}, {kE}));
  builder.route_of({1, 0}, 1, route({kW, kR}, {kE}));
  builder.route_of({2, 0}, 1, route({kW}, {kR}));
  const Plan plan = builder.build();
  const SlotGraph graph = laid_out(plan);
  EXPECT_THAT(places(graph.pipes), ElementsAre(0, 2));
  EXPECT_EQ(receiver_of(plan, graph, {1, 0}, 1).kind(), Ref::Kind::kNone);
  EXPECT_EQ(receiver_of(plan, graph, {2, 0}, 1).kind(), Ref::Kind::kPipe);
}

// --- slots ---

TEST(WaferSlotGraph, MulticastTakesASlotWithALinkEach) {
  PlanBuilder builder = grid(2, 2);
  builder.route_of({0, 0}, 1, route({kR}, {kE, kS, kR}));
  builder.route_of({1, 0}, 1, route({kW}, {kR})).route_of({0, 1}, 1, route({kN}, {kR}));
  const SlotGraph graph = laid_out(builder.build());
  ASSERT_EQ(graph.slots.size(), 1U);
  EXPECT_EQ(graph.slots[0].links, 3U);
  EXPECT_EQ(graph.slots[0].group, kNoIndex);
  ASSERT_EQ(graph.links.size(), 3U);
  EXPECT_EQ(graph.links[0].out, kE);
  EXPECT_EQ(graph.links[1].out, kS);
  EXPECT_EQ(graph.links[2].out, kR);
  EXPECT_THAT(places(graph.pipes), ElementsAre(1, 2));
}

TEST(WaferSlotGraph, DeepBuffersTakeSlots) {
  PlanBuilder builder = grid(3, 1);
  builder.settings().fabric.buffer_depth = kPipeRoom;
  builder.settings().fabric.hop_latency = 1;      // room: as much as a pipe has
  builder.settings().fabric.on_ramp_latency = 2;  // room: one more
  builder.route_of({0, 0}, 1, route({kR}, {kE})).route_of({1, 0}, 1, route({kW}, {kE}));
  builder.route_of({2, 0}, 1, route({kW}, {kR}));
  const SlotGraph graph = laid_out(builder.build());
  EXPECT_THAT(places(graph.slots), ElementsAre(0));
  EXPECT_THAT(places(graph.pipes), ElementsAre(1, 2));
}

std::size_t pipes_with(unsigned hop, unsigned credit, unsigned on_ramp, unsigned queue) {
  PlanBuilder builder = grid(2, 1);
  builder.settings().fabric.buffer_depth = 1;
  builder.settings().fabric.hop_latency = hop;
  builder.settings().fabric.credit_latency = credit;
  builder.settings().fabric.on_ramp_latency = on_ramp;
  builder.settings().fabric.off_ramp_latency = 1;
  builder.settings().input_queue_lengths[3] = queue;
  builder.route_of({0, 0}, 1, route({kW}, {kE})).route_of({1, 0}, 1, route({kW}, {kR}));
  return laid_out(builder.build()).pipes.size();
}

TEST(WaferSlotGraph, LongLatenciesAndQueuesTakeSlots) {
  EXPECT_EQ(pipes_with(1, 1, 1, 4), 2U);
  EXPECT_EQ(pipes_with(1, kPipeLatency, kPipeLatency, kPipeCredits), 2U);
  EXPECT_EQ(pipes_with(1, kPipeLatency + 1, 1, 4), 0U);
  EXPECT_EQ(pipes_with(1, 1, kPipeLatency + 1, 4), 0U);
  EXPECT_EQ(pipes_with(1, 1, 1, kPipeCredits + 1), 0U);
}

TEST(WaferSlotGraph, PortsTakeSlots) {
  // what is behind a port may take longer than a pipe can tell
  PlanBuilder builder = grid(4, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kE})).route_of({1, 0}, 1, route({kW}, {kE}));
  builder.route_of({2, 0}, 1, route({kW}, {kE})).route_of({3, 0}, 1, route({kW}, {kE}));
  builder.port({0, 0}, kW).port({3, 0}, kE).port({2, 0}, kN);
  const SlotGraph graph = laid_out(builder.build());
  EXPECT_THAT(places(graph.slots), ElementsAre(0, 3));
  EXPECT_THAT(places(graph.pipes), ElementsAre(1, 2));
}

// --- groups ---

TEST(WaferSlotGraph, RoutesThatShareAnOutputAreAGroup) {
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kE}));
  builder.route_of({0, 0}, 2, route({kN}, {kR}));
  builder.route_of({0, 0}, 7, route({kS}, {kE}));
  const Plan plan = builder.build();
  const SlotGraph graph = laid_out(plan);
  ASSERT_EQ(graph.groups.size(), 1U);
  EXPECT_EQ(graph.groups[0].first, 0U);
  EXPECT_EQ(graph.groups[0].slots, 2U);
  ASSERT_EQ(graph.slots.size(), 2U);
  EXPECT_EQ(graph.slots[0].color, Color(1));
  EXPECT_EQ(graph.slots[1].color, Color(7));
  EXPECT_EQ(graph.slots[0].group, 0U);
  EXPECT_EQ(graph.slots[1].group, 0U);
  EXPECT_EQ(receiver_of(plan, graph, {0, 0}, 2).kind(), Ref::Kind::kPipe);
  EXPECT_EQ(receiver_of(plan, graph, {0, 0}, 7).index(), 1U);
}

TEST(WaferSlotGraph, OutputsJoinGroupsThroughOthers) {
  // 1 and 3 have nothing in common; 2 meets both, and is looked at last by rising color
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kE}));
  builder.route_of({0, 0}, 3, route({kW}, {kS}));
  builder.route_of({0, 0}, 5, route({kE}, {kW}));
  builder.route_of({0, 0}, 9, route({kN}, {kE, kS}));
  const SlotGraph graph = laid_out(builder.build());
  ASSERT_EQ(graph.groups.size(), 1U);
  EXPECT_EQ(graph.groups[0].slots, 3U);
  EXPECT_THAT(places(graph.pipes), ElementsAre(0));
  EXPECT_EQ(graph.pipes[0].color, 5U);
  std::vector<unsigned> colors;
  for (const Slot& slot : graph.slots) colors.push_back(slot.color.value());
  EXPECT_THAT(colors, ElementsAre(1, 3, 9));
}

TEST(WaferSlotGraph, AChainOfFourOutputsIsOneGroup) {
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 20, route({kR}, {kW, kE}));
  builder.route_of({0, 0}, 10, route({kR}, {kE, kS}));
  builder.route_of({0, 0}, 0, route({kR}, {kS, kN}));
  builder.route_of({0, 0}, 5, route({kW}, {kN, kR}));
  const SlotGraph graph = laid_out(builder.build());
  ASSERT_EQ(graph.groups.size(), 1U);
  EXPECT_EQ(graph.groups[0].slots, 4U);
  EXPECT_EQ(graph.links.size(), 8U);
}

TEST(WaferSlotGraph, TilesDoNotCompete) {
  PlanBuilder builder = grid(2, 1);
  for (int x = 0; x < 2; ++x) {
    builder.route_of({x, 0}, 1, route({kN}, {kS})).route_of({x, 0}, 2, route({kE}, {kS}));
  }
  const SlotGraph graph = laid_out(builder.build());
  ASSERT_EQ(graph.groups.size(), 2U);
  EXPECT_EQ(graph.groups[0].slots, 2U);
  EXPECT_EQ(graph.groups[1].first, 2U);
}

TEST(WaferSlotGraph, AllColorsOfATileMayShareOneOutput) {
  PlanBuilder builder = grid(1, 1);
  for (unsigned c = 0; c < kColorCount; ++c) builder.route_of({0, 0}, c, route({kN}, {kS}));
  const SlotGraph graph = laid_out(builder.build());
  ASSERT_EQ(graph.groups.size(), 1U);
  EXPECT_EQ(graph.groups[0].slots, kColorCount);
}

TEST(WaferSlotGraph, ASwitchHasASlotForEachInputAndOneLinkForEachOutput) {
  PlanBuilder builder = grid(3, 1);
  fabric::ColorRoute drawn = route({kW}, {kR});
  drawn.positions[1] = {{}, {kE}, true, false, true};
  drawn.positions[2] = {{kR}, {}, true, true, false};
  builder.route_of({0, 0}, 1, route({kR}, {kE})).route_of({1, 0}, 1, drawn);
  builder.route_of({1, 0}, 0, route({kN}, {kR})).route_of({1, 0}, 2, route({kN}, {kS}));
  builder.route_of({2, 0}, 1, route({kW}, {kR}));
  const Plan plan = builder.build();
  const SlotGraph graph = laid_out(plan);
  EXPECT_THAT(places(graph.pipes), ElementsAre(0, 2, 1));
  ASSERT_EQ(graph.groups.size(), 1U);
  EXPECT_EQ(graph.groups[0].kind, Group::Kind::kSwitches);
  EXPECT_EQ(graph.groups[0].slots, 3U);  // that of color 0, and two
  ASSERT_EQ(graph.switches.size(), 1U);
  const Switch& at = graph.switches[0];
  EXPECT_EQ(receiver_of(plan, graph, {1, 0}, 1).index(), at.first_slot);
  ASSERT_EQ(at.slots, 2U);
  EXPECT_EQ(graph.slots[at.first_slot].in, kW);
  EXPECT_EQ(graph.slots[at.first_slot + 1].in, kR);
  EXPECT_EQ(graph.slots[at.first_slot + 1].first_link, graph.slots[at.first_slot].first_link);
  EXPECT_THAT(at.links, ElementsAre(2, 1, 1, 0));  // EAST is the first link, RAMP the second one
}

// --- what holds of every layout ---

Direction only_input(const Plan& plan, std::uint32_t r) {
  const DirectionSet rx = plan.routes[plan.tile_routes[r].route].positions[0].rx;
  return *std::find_if(kAllDirections.begin(), kAllDirections.end(),
                       [rx](Direction d) { return rx.contains(d); });
}

void expect_consistent(const Plan& plan) {
  const SlotGraph graph = lay_out_slots(Strip(plan));
  const std::vector<bool>& plain = graph.plain;
  std::set<std::pair<Ref::Kind, std::uint32_t>> used;
  for (std::uint32_t place = 0; place < plan.tile_count(); ++place) {
    for (std::uint32_t r = plan.tile_routes_begin[place]; r < plan.tile_routes_begin[place + 1];
         ++r) {
      const Ref ref = graph.receivers[r];
      ASSERT_EQ(ref.kind() != Ref::Kind::kNone, plain[place]);
      if (!plain[place]) continue;
      ASSERT_TRUE(used.insert({ref.kind(), ref.index()}).second) << "two routes, one slot";
      const bool pipe = ref.kind() == Ref::Kind::kPipe;
      ASSERT_EQ(pipe ? graph.pipes[ref.index()].place : graph.slots[ref.index()].place, place);
      ASSERT_EQ(pipe ? graph.pipes[ref.index()].color : graph.slots[ref.index()].color.value(),
                plan.tile_routes[r].color.value());
      ASSERT_EQ(input_of_route(plan, r), only_input(plan, r));
    }
  }
  std::size_t more = 0;  // slots beyond one a route
  for (const Switch& at : graph.switches) more += at.slots - 1U;
  EXPECT_EQ(used.size() + more, graph.pipes.size() + graph.slots.size());
  std::uint32_t link = 0;
  for (std::uint32_t s = 0; s < graph.slots.size(); ++s) {
    const Slot& slot = graph.slots[s];
    if (slot.first_link < link) {  // those of the slot before it
      ASSERT_EQ(slot.first_link, graph.slots[s - 1].first_link);
      ASSERT_EQ(slot.color, graph.slots[s - 1].color);
      ASSERT_TRUE(graph.links[slot.first_link].is_shared);
      continue;
    }
    ASSERT_EQ(slot.first_link, link);
    for (unsigned i = 0; i < slot.links; ++i) ASSERT_EQ(graph.links[link++].slot, s);
  }
  EXPECT_EQ(link, graph.links.size());
  for (std::uint32_t g = 0; g < graph.groups.size(); ++g) {
    ASSERT_GE(graph.groups[g].slots, graph.groups[g].kind == Group::Kind::kSwitches ? 1U : 2U);
    for (unsigned i = 0; i < graph.groups[g].slots; ++i)
      ASSERT_EQ(graph.slots[graph.groups[g].first + i].group, g);
  }
}

TEST(WaferSlotGraph, EveryRouteHasItsSlot) {
  fabric::bench::Choices choices(7);
  for (int n = 0; n < 200; ++n) {
    SCOPED_TRACE(n);
    PlanBuilder builder = grid(5, 4);
    builder.settings().fabric.buffer_depth = choices.pick(1, 6);
    for (unsigned i = choices.pick(0, 60); i > 0; --i) {
      const TileCoord at{static_cast<int>(choices.below(5)), static_cast<int>(choices.below(4))};
      const DirectionSet rx = choices.one_in(9) ? DirectionSet{kW, kE}
                                                : DirectionSet::from_bits(1U << choices.below(5));
      fabric::ColorRoute drawn = route(rx, DirectionSet::from_bits(choices.pick(1, 31)));
      if (choices.one_in(3)) {
        drawn.positions[choices.pick(1, 3)] = {DirectionSet::from_bits(1U << choices.below(5)),
                                               DirectionSet::from_bits(choices.pick(1, 31)), true};
      }
      builder.route_of(at, choices.below(kColorCount), drawn);
    }
    expect_consistent(builder.build());
  }
}

}  // namespace
}  // namespace tessera::wafer::slot_graph_test
