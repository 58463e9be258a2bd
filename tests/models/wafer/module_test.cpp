// The Wafer module: its ports between host edges, stubs, routers and other wafers. One TEST a
// process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "models/fabric/router.h"
#include "models/host/edge.h"
#include "models/observe/event_stream.h"
#include "models/wafer/wafer.h"
#include "tests/models/fabric/choices.h"
#include "tests/models/wafer/bench.h"
#include "tests/models/wafer/plan.h"
#include "tests/support/sc_reports.h"
#include "tests/tlm_ifaces/link_test_sides.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera::wafer {
namespace {

using bench::as_tuple;
using bench::kE;
using bench::kN;
using bench::kR;
using bench::kS;
using bench::kW;
using bench::PlanBuilder;
using bench::route;
using ::testing::HasSubstr;

constexpr Color kFive{5};

std::vector<host::Word> words(std::uint32_t count) {
  std::vector<host::Word> list;
  for (std::uint32_t i = 0; i < count; ++i) list.push_back({i, false});
  return list;
}

void expect_same(const std::vector<host::Received>& expected,
                 const std::vector<host::Received>& found) {
  ASSERT_EQ(expected.size(), found.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(expected[i].cycle, found[i].cycle);
    EXPECT_EQ(expected[i].wavelet.payload, found[i].wavelet.payload);
  }
}

/// Color 5 from the west side of a row to its east side.
PlanBuilder row(int length) {
  PlanBuilder builder(length, 1);
  for (int x = 0; x < length; ++x) builder.route_of({x, 0}, 5, route({kW}, {kE}));
  return builder.port({0, 0}, kW).port({length - 1, 0}, kE);
}

/// A wafer in a clock domain of its own, with a host edge at every port that is not bound otherwise. With one thread
/// its events are recorded.
class Machine : public sc_core::sc_module {
 public:
  Machine(sc_core::sc_module_name name, const Plan& plan, unsigned threads = 1)
      : sc_core::sc_module(name),
        stream(static_cast<unsigned>(plan.width), static_cast<unsigned>(plan.height), true),
        timing(plan.fabric), ports(plan.ports),
        wafer("wafer", domain, traced(plan, threads == 1), &stream, Threads{threads}) {}
  void add_edge(std::size_t port) {
    const PortPlan& at = ports[port];
    const std::string edge_name = std::string(basename()) + "_edge_" + std::to_string(port);
    const auto place = static_cast<std::uint32_t>(at.tile.y * width_ + at.tile.x);
    edges[port] =
        std::make_unique<host::Edge>(edge_name.c_str(), domain, at.tile, at.side, timing,
                                     host::IdentRange{static_cast<std::uint32_t>(port) + 1, 100},
                                     observe::Probe(&stream, place));
    edges[port]->out.bind(wafer.in[port]);
    wafer.out[port].bind(edges[port]->in);
  }
  void add_edges() {
    for (std::size_t port = 0; port < ports.size(); ++port) add_edge(port);
  }
  host::Edge& edge(std::size_t port) { return *edges.at(port); }

  observe::EventStream stream;
  bench::Recorder recorder;
  fabric::FabricTiming timing;
  std::vector<PortPlan> ports;
  timing::ClockDomain domain{"domain", 1000};
  Wafer wafer;
  std::map<std::size_t, std::unique_ptr<host::Edge>> edges;

 private:
  // The stream must have its listeners before the wafer is built.
  const Plan& traced(const Plan& plan, bool records) {
    if (records) stream.add(recorder);
    width_ = plan.width;
    return plan;
  }
  int width_ = 0;
};

TEST(WaferModule, wse_1_11_StreamCrossesFromEdgeToEdge) {
  Machine machine("machine", row(3).build());
  machine.add_edges();
  machine.edge(0).send(kFive, words(50));
  sc_core::sc_start();
  const std::vector<host::Received>& got = machine.edge(1).received(kFive);
  ASSERT_EQ(got.size(), 50U);
  for (std::uint32_t i = 0; i < 50; ++i) {
    EXPECT_EQ(got[i].wavelet.payload, i);
    EXPECT_EQ(got[i].wavelet.ident, 1 + 100 * i);
    EXPECT_EQ(got[i].cycle, (3 + 1) * machine.timing.hop_latency + i);
  }
  EXPECT_TRUE(machine.domain.idle());
  EXPECT_EQ(machine.wafer.core().wavelets_held(), 0U);
}

TEST(WaferModule, ItsSocketsSayWhichPortsTheyAre) {
  Machine machine("machine", row(3).build());
  machine.add_edges();
  EXPECT_STREQ(machine.wafer.in[0].name(), "machine.wafer.in_0");
  EXPECT_STREQ(machine.wafer.out[1].name(), "machine.wafer.out_1");
  EXPECT_EQ(machine.wafer.in.size(), 2U);
}

TEST(WaferModule, AStubClosesAPort) {
  Machine machine("machine", row(3).build());
  machine.add_edge(0);
  link::Stub stub("stub");
  machine.wafer.out[1].bind(stub.in);
  stub.out.bind(machine.wafer.in[1]);
  machine.edge(0).send(kFive, words(50));
  sc_core::sc_start();
  // nothing leaves: room of three routers, hop 2 and depth 2
  EXPECT_EQ(machine.wafer.core().wavelets_held(), 3U * 3U);
  observe::Waits waits;
  machine.wafer.core().describe_waits(waits, machine.domain.now());
  ASSERT_FALSE(waits.empty());
  EXPECT_EQ(waits[waits.size() - 1].what,
            "room at its EAST output (nobody receives color 5 there)");
}

std::string report_of_start() {
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  }
  return "no report";
}

TEST(WaferModule, AnOpenPortIsReportedWithTileAndSide) {
  Machine machine("machine", row(3).build());
  machine.add_edge(0);
  const test::ExpectReport expected(link::kUnboundId);
  EXPECT_THAT(report_of_start(), HasSubstr("tile (2, 0), EAST input is not bound"));
}

TEST(WaferModule, AHalfOpenPortIsReported) {
  Machine machine("machine", row(3).build());
  machine.add_edge(0);
  link::Stub stub("stub");
  stub.out.bind(machine.wafer.in[1]);
  const test::ExpectReport expected(link::kUnboundId);
  EXPECT_THAT(report_of_start(), HasSubstr("tile (2, 0), EAST output is not bound"));
}

TEST(WaferModule, TwoQueuesForOneColorAreReported) {
  Plan plan = row(1).route_of({0, 0}, 5, route({kW}, {kR})).build();
  auto image = std::make_shared<pe::Image>(
      tasm::assemble("queue i input 2 color=5\nfn main\n    ret\n", {"two", plan.generation, {}}));
  image->queues.push_back(image->queues.front());
  image->queues.back().id = QueueId(3);
  plan.images = {image};
  plan.image_of_tile = {0};
  Machine machine("machine", plan);
  machine.add_edges();
  const test::ExpectReport expected(Wafer::kTwoQueuesId);
  EXPECT_THAT(report_of_start(), HasSubstr("tile (0, 0): two input queues are bound to color 5"));
}

TEST(WaferModule, APutWithoutACreditIsReported) {
  Machine machine("machine", row(3).build());
  machine.add_edges();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const test::ExpectReport expected(Wafer::kProtocolId);
  link::ForwardIf& port = machine.wafer.in[0].get_base_interface();
  EXPECT_EQ(port.capacity(kFive), 3U);
  EXPECT_EQ(port.capacity(Color(7)), 0U);
  EXPECT_THROW(port.put({0, Color(7), false, 0}, 10), sc_core::sc_report);
  for (Cycle due = 10; due < 13; ++due) EXPECT_NO_THROW(port.put({0, kFive, false, 0}, due));
  EXPECT_THROW(port.put({0, kFive, false, 0}, 13), sc_core::sc_report);
}

TEST(WaferModule, ACreditForRoomThatWasNotTakenIsReported) {
  Machine machine("machine", row(3).build());
  machine.add_edges();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const test::ExpectReport expected(Wafer::kProtocolId);
  link::BackwardIf& port = machine.wafer.out[1].get_base_interface();
  EXPECT_THROW(port.credit(kFive, 10), sc_core::sc_report);
}

TEST(WaferModule, ALaunchForACycleThatIsOverStartsInTheNextOne) {
  PlanBuilder builder = row(1);
  builder.program({0, 0}, "data x: u32[1]\nfn main\n    st32 [x], d0\n    ret\n");
  Machine machine("machine", builder.build());
  machine.add_edges();
  machine.edge(0).send(kFive, words(100));
  sc_core::sc_start();
  const Cycle end = machine.domain.now();
  EXPECT_GT(end, 100U);
  pe::ComputeEngineCore* engine = machine.wafer.core().engine({0, 0});
  machine.wafer.launch({0, 0}, *engine->image().find_function("main"), {77}, 5);
  sc_core::sc_start();
  EXPECT_EQ(engine->launches_open(), 0U);
  std::vector<Cycle> started;
  for (const observe::Event& e : machine.recorder.events) {
    if (e.kind == observe::EventKind::kIssue) started.push_back(e.cycle);
  }
  ASSERT_FALSE(started.empty());
  EXPECT_EQ(started.front(), end + 1 + pe::PeTiming().task_activation);
}

// --- a router in the place of a tile ---

constexpr int kSide = 3;
constexpr unsigned kColors = 6;

/// Colors cross the grid of kSide x kSide tiles as rows and columns, with a switch here and there.
PlanBuilder crossing(std::uint64_t seed) {
  fabric::bench::Choices choices(seed);
  PlanBuilder builder(kSide, kSide);
  builder.settings().fabric.buffer_depth = choices.pick(1, 3);
  for (unsigned color = 0; color < kColors; ++color) {
    const Direction to = kAllDirections[choices.below(4)];
    const DirectionSet branches = choices.one_in(2) ? DirectionSet{to, kR} : DirectionSet{to};
    for (int y = 0; y < kSide; ++y) {
      for (int x = 0; x < kSide; ++x) {
        // at the RAMP nobody takes anything: only control wavelets that are not for it may come
        const bool to_ramp = choices.one_in(6) && color == 0;
        fabric::ColorRoute drawn = route({opposite(to)}, to_ramp ? branches : DirectionSet{to});
        if (choices.one_in(4)) drawn = bench::with_switch(drawn);
        builder.route_of({x, y}, color, drawn);
      }
    }
  }
  for (int i = 0; i < kSide; ++i) {
    builder.port({0, i}, kW).port({kSide - 1, i}, kE);
    builder.port({i, 0}, kN).port({i, kSide - 1}, kS);
  }
  return builder;
}

/// The same wafer without the tile `hole`, and a router in its place.
class WithHole {
 public:
  WithHole(const std::string& name, const Plan& full, TileCoord hole)
      : machine(name.c_str(), without(full, hole)) {
    router = std::make_unique<fabric::Router>((name + "_router").c_str(), machine.domain, hole,
                                              full.fabric,
                                              observe::Probe(&machine.stream, full.place_of(hole)));
    const std::uint32_t place = full.place_of(hole);
    for (std::uint32_t r = full.tile_routes_begin[place]; r < full.tile_routes_begin[place + 1];
         ++r)
      router->set_route(full.tile_routes[r].color, full.routes[full.tile_routes[r].route]);
    for (std::size_t port = 0; port < machine.ports.size(); ++port) {
      const PortPlan& at = machine.ports[port];
      if (!(neighbour(at.tile, at.side) == hole)) {
        machine.add_edge(port);
        continue;
      }
      const unsigned side = index(opposite(at.side));
      machine.wafer.out[port].bind(router->in[side]);
      router->out[side].bind(machine.wafer.in[port]);
    }
  }
  Machine machine;
  std::unique_ptr<fabric::Router> router;

 private:
  static Plan without(const Plan& full, TileCoord hole) {
    Plan plan = full;
    const std::uint32_t place = plan.place_of(hole);
    const std::uint32_t first = plan.tile_routes_begin[place];
    const std::uint32_t count = plan.tile_routes_begin[place + 1] - first;
    plan.tile_routes.erase(plan.tile_routes.begin() + first,
                           plan.tile_routes.begin() + first + count);
    for (std::size_t i = place + 1; i < plan.tile_routes_begin.size(); ++i)
      plan.tile_routes_begin[i] -= count;
    for (Direction side : kCardinalDirections)
      plan.ports.push_back({neighbour(hole, side), opposite(side)});
    return plan;
  }
};

void send_everything(Machine& machine, std::uint64_t seed) {
  fabric::bench::Choices choices(seed);
  for (std::size_t port = 0; port < 4U * kSide; ++port) {  // rim ports come first in both
    for (unsigned color = 0; color < kColors; ++color) {
      std::vector<host::Word> list;
      for (unsigned n = choices.pick(0, 40); n > 0; --n)
        list.push_back({choices.below(1U << 31), false});
      if (color == 0) {
        for (host::Word& word : list) word = {0x015F0000, true};  // advance, not for the CE
      }
      machine.edge(port).send(Color(color), list);
    }
  }
}

TEST(WaferModule, ARouterMayTakeThePlaceOfATile) {
  std::vector<std::unique_ptr<Machine>> full;
  std::vector<std::unique_ptr<WithHole>> with_hole;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Plan plan = crossing(seed).build();
    const std::string number = std::to_string(seed);
    full.push_back(std::make_unique<Machine>(("full_" + number).c_str(), plan));
    full.back()->add_edges();
    send_everything(*full.back(), seed);
    with_hole.push_back(std::make_unique<WithHole>("with_hole_" + number, plan, TileCoord{1, 1}));
    send_everything(with_hole.back()->machine, seed);
    with_hole.back()->machine.domain.shuffle_step_order(seed);
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < full.size(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i + 1));
    const std::vector<observe::Event> expected = full[i]->recorder.sorted();
    const std::vector<observe::Event> found = with_hole[i]->machine.recorder.sorted();
    ASSERT_GT(expected.size(), 1000U);
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t e = 0; e < expected.size(); ++e)
      ASSERT_EQ(as_tuple(expected[e]), as_tuple(found[e])) << "event " << e;
    EXPECT_EQ(full[i]->wafer.core().wavelets_held(),
              with_hole[i]->machine.wafer.core().wavelets_held() +
                  with_hole[i]->router->core().held());
  }
}

// --- wafers side by side ---

TEST(WaferModule, TwoWafersAreBoundPortToPort) {
  Machine whole("whole", row(6).build());
  whole.add_edges();
  whole.edge(0).send(kFive, words(100));
  Machine west("west", row(2).build());
  // one clock domain for both halves
  Wafer east("east", west.domain, row(4).build(), nullptr);
  west.add_edge(0);
  host::Edge sink("sink", west.domain, {3, 0}, kE, west.timing, host::IdentRange{2, 100}, {});
  west.wafer.out[1].bind(east.in[0]);
  east.out[0].bind(west.wafer.in[1]);
  east.out[1].bind(sink.in);
  sink.out.bind(east.in[1]);
  west.edge(0).send(kFive, words(100));
  sc_core::sc_start();
  const std::vector<host::Received>& expected = whole.edge(1).received(kFive);
  const std::vector<host::Received>& found = sink.received(kFive);
  ASSERT_EQ(expected.size(), 100U);
  ASSERT_EQ(found.size(), 100U);
  expect_same(expected, found);
}

// --- several threads ---

// Grids of crossing(): rows and columns cross the strips, ports stand at all of them.
void expect_equal(Machine& expected, Machine& found) {
  EXPECT_EQ(expected.stream.digest().value(), found.stream.digest().value());
  for (std::uint32_t place = 0; place < unsigned{kSide * kSide}; ++place) {
    for (unsigned counter = 0; counter < observe::kTileCounterCount; ++counter) {
      const auto kind = static_cast<observe::Counter>(counter);
      EXPECT_EQ(expected.stream.counters().tile(place, kind),
                found.stream.counters().tile(place, kind));
    }
  }
  for (std::size_t port = 0; port < expected.ports.size(); ++port) {
    for (unsigned color = 0; color < kColors; ++color) {
      expect_same(expected.edge(port).received(Color(color)),
                  found.edge(port).received(Color(color)));
    }
  }
  EXPECT_EQ(expected.wafer.core().wavelets_held(), found.wafer.core().wavelets_held());
}

TEST(WaferModule, EdgesAreSteppedBesideTheThreadsOfTheTiles) {
  std::vector<std::unique_ptr<Machine>> one;
  std::vector<std::unique_ptr<Machine>> several;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Plan plan = crossing(seed).build();
    const std::string number = std::to_string(seed);
    one.push_back(std::make_unique<Machine>(("one_" + number).c_str(), plan));
    several.push_back(std::make_unique<Machine>(("several_" + number).c_str(), plan, 3));
    for (Machine* machine : {one.back().get(), several.back().get()}) {
      machine->add_edges();
      send_everything(*machine, seed);
    }
    if (seed % 2 == 0) several.back()->domain.shuffle_step_order(seed);
  }
  sc_core::sc_start();
  for (std::size_t i = 0; i < one.size(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i + 1));
    expect_equal(*one[i], *several[i]);
  }
}

/// Stands beside a wafer and looks at it in each cycle.
class Beside : public timing::Steppable {
 public:
  Beside(timing::ClockDomain& domain, std::function<bool(Cycle)> look)
      : domain_(domain), block_(domain.add(*this)), look_(std::move(look)) {
    domain_.wake(block_, 0);
  }
  Cycle step(Cycle now) override { return look_(now) ? now + 1 : kNever; }

 private:
  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  std::function<bool(Cycle)> look_;
};

TEST(WaferModule, WhoLooksAtATileInACycleFindsItStepped) {
  const Plan plan = crossing(7).build();
  Machine one("one", plan);
  Machine several("several", plan, 3);
  for (Machine* machine : {&one, &several}) {
    machine->add_edges();
    send_everything(*machine, 7);
  }
  unsigned begun = 0;
  const Wafer& wafer = several.wafer;
  Beside beside(several.domain, [&](Cycle now) {
    if (!wafer.has_begun()) return now < 60;
    ++begun;
    several.wafer.core();
    EXPECT_FALSE(wafer.has_begun());
    return now < 60;
  });
  sc_core::sc_start();
  EXPECT_GT(begun, 20U);
  expect_equal(one, several);
}

TEST(WaferModule, APortMayLeadToAnotherOneOfTheSameWafer) {
  // color 5 leaves the first row, and comes back into the last one, which belongs to another thread
  PlanBuilder builder(3, 4);
  for (int y : {0, 3}) {
    for (int x = 0; x < 3; ++x) builder.route_of({x, y}, 5, route({kW}, {kE}));
  }
  const Plan plan =
      builder.port({0, 0}, kW).port({2, 0}, kE).port({0, 3}, kW).port({2, 3}, kE).build();
  Machine one("one", plan);
  Machine several("several", plan, 4);
  for (Machine* machine : {&one, &several}) {
    machine->add_edge(0);
    machine->add_edge(3);
    machine->wafer.out[1].bind(machine->wafer.in[2]);
    machine->wafer.out[2].bind(machine->wafer.in[1]);
    machine->edge(0).send(kFive, words(100));
  }
  sc_core::sc_start();
  const std::vector<host::Received>& expected = one.edge(3).received(kFive);
  const std::vector<host::Received>& found = several.edge(3).received(kFive);
  ASSERT_EQ(expected.size(), 100U);
  ASSERT_EQ(found.size(), 100U);
  expect_same(expected, found);
  EXPECT_EQ(one.stream.digest().value(), several.stream.digest().value());
}

TEST(WaferModule, APutWithoutACreditIsReportedToo) {
  // the tile belongs to another thread, which steps it at this time
  const Plan plan = crossing(7).build();
  Machine machine("machine", plan, 3);
  machine.add_edges();
  send_everything(machine, 7);
  const std::size_t port = 4 * (kSide - 1);  // of the last row
  ASSERT_EQ(machine.ports[port].tile.y, kSide - 1);
  Beside beside(machine.domain, [&](Cycle now) {
    if (now == 20) machine.wafer.in[port].get_base_interface().put({0, Color(9), false, 0}, 25);
    return now < 20;
  });
  const test::ExpectReport expected(Wafer::kProtocolId);
  EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

// In cycle 23 a tile of the second strip fails, and a neighbour of the third one breaks the link protocol.
std::string failure_with(unsigned threads) {
  PlanBuilder builder = crossing(7);
  builder.program({1, 1}, "fn main\n    brk\n");
  Machine machine("machine", builder.build(), threads);
  machine.add_edges();
  send_everything(machine, 7);
  machine.wafer.launch({1, 1}, *machine.wafer.core().engine({1, 1})->image().find_function("main"),
                       {}, 20);
  bool begun = false;
  Beside beside(machine.domain, [&](Cycle now) {
    begun = machine.wafer.has_begun();
    if (now == 23)
      machine.wafer.in[4 * (kSide - 1)].get_base_interface().put({0, Color(9), false, 0}, 25);
    return now < 23;
  });
  const test::ExpectReport broken_rule(Wafer::kProtocolId);
  const test::ExpectReport failure(timing::kIllegalBehaviourId);
  std::string heard;
  try {
    sc_core::sc_start();
  } catch (const sc_core::sc_report& report) {
    heard = report.get_msg();
  }
  EXPECT_EQ(machine.domain.now(), 23U);
  EXPECT_EQ(begun, threads > 1);
  return heard;
}

constexpr const char* kBrokenTile = "cycle 23: PE (1, 1)";

TEST(WaferModule, ATileThatFailsComesBeforeABrokenPort) {
  EXPECT_THAT(failure_with(1), HasSubstr(kBrokenTile));
}

TEST(WaferModule, ATileThatFailsComesBeforeABrokenPortOfAnotherThread) {
  EXPECT_THAT(failure_with(3), HasSubstr(kBrokenTile));
}

}  // namespace
}  // namespace tessera::wafer
