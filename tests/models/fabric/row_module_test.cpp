// Modules of fabric, queue and host bound by sockets: a row of three routers between two host
// edges. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <systemc>
#include <vector>

#include "models/fabric/on_ramp.h"
#include "models/fabric/router.h"
#include "models/host/edge.h"
#include "models/observe/digest.h"
#include "models/queue/input_queue.h"
#include "models/queue/output_queue.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/link/link_kit.h"

namespace tessera {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr int kLength = 3;
constexpr Color kFive{5};
constexpr Color kSeven{7};

fabric::ColorRoute route(DirectionSet rx, DirectionSet tx) {
  fabric::ColorRoute r;
  r.positions[0] = {rx, tx, true};
  return r;
}

std::vector<host::Word> words(std::uint32_t count) {
  std::vector<host::Word> list;
  for (std::uint32_t i = 0; i < count; ++i) list.push_back({i, false});
  return list;
}

/// A compute engine that echoes: it reads input queue 0 and writes what it read to output queue 0
/// in another color.
class Echo : public sc_core::sc_module,
             public timing::Steppable,
             private queue::ReadNotifyIf,
             private queue::WriteNotifyIf {
 public:
  queue::ReadInitiatorSocket in{"in"};
  queue::WriteInitiatorSocket out{"out"};

  Echo(sc_core::sc_module_name name, timing::ClockDomain& domain, Color to)
      : sc_core::sc_module(name), domain_(domain), block_(domain.add(*this)), to_(to) {
    in.bind(static_cast<queue::ReadNotifyIf&>(*this));
    out.bind(static_cast<queue::WriteNotifyIf&>(*this));
  }
  Cycle step(Cycle now) override {
    if (in->ready_at() > now || out->room(now) == 0) return kNever;
    link::Wavelet w = in->front();
    in->pop(now);
    w.color = to_;
    out->push(w, now);
    return now + 1;
  }

 private:
  void arrived(Cycle due) override { domain_.wake(block_, due); }
  void room_made(Cycle due) override { domain_.wake(block_, due); }
  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  const Color to_;
};

/// Three routers in a row; a host edge at WEST of the first and at EAST of the last; stubs at NORTH
/// and SOUTH; a checker on every link between routers and edges.
class Row : public sc_core::sc_module {
 public:
  explicit Row(sc_core::sc_module_name name = "row", bool with_edges = true)
      : sc_core::sc_module(name) {
    for (int x = 0; x < kLength; ++x) {
      const auto place = static_cast<std::uint32_t>(x);
      const std::string router_name = "router_" + std::to_string(x);
      routers.push_back(std::make_unique<fabric::Router>(
          router_name.c_str(), domain, TileCoord{x, 0}, timing, observe::Probe(&digest, place)));
      close(x, Direction::kNorth);
      close(x, Direction::kSouth);
    }
    for (int x = 0; x + 1 < kLength; ++x) {
      link_up(router(x).out[index(Direction::kEast)], router(x + 1).in[index(Direction::kWest)]);
      link_up(router(x + 1).out[index(Direction::kWest)], router(x).in[index(Direction::kEast)]);
    }
    if (with_edges) add_edges();
  }
  void add_edges() {
    west = add_edge(0, Direction::kWest, 1);
    east = add_edge(kLength - 1, Direction::kEast, 2);
  }
  std::unique_ptr<host::Edge> add_edge(int x, Direction side, std::uint32_t first_ident) {
    const std::string edge_name = std::string("edge_") + to_string(side);
    auto edge = std::make_unique<host::Edge>(
        edge_name.c_str(), domain, TileCoord{x, 0}, side, timing, host::IdentRange{first_ident, 2},
        observe::Probe(&digest, static_cast<std::uint32_t>(x)));
    edge->on_complete([this] { domain.request_pause(); });
    link_up(edge->out, router(x).in[index(side)]);
    link_up(router(x).out[index(side)], edge->in);
    return edge;
  }
  void link_up(link::InitiatorSocket& from, link::TargetSocket& to) {
    const std::string checker_name = "checker_" + std::to_string(checkers.size());
    checkers.push_back(
        std::make_unique<link::Checker>(checker_name.c_str(), [this] { return domain.now(); }));
    from.bind(checkers.back()->in);
    checkers.back()->out.bind(to);
  }
  void close(int x, Direction side) {
    const std::string stub_name = "stub_" + std::to_string(stubs.size());
    stubs.push_back(std::make_unique<link::Stub>(stub_name.c_str()));
    stubs.back()->out.bind(router(x).in[index(side)]);
    router(x).out[index(side)].bind(stubs.back()->in);
  }
  fabric::Router& router(int x) { return *routers[static_cast<std::size_t>(x)]; }

  /// Color 5 from the WEST edge through all routers to the EAST edge.
  void route_through() {
    for (int x = 0; x < kLength; ++x) {
      router(x).set_route(kFive, route({Direction::kWest}, {Direction::kEast}));
    }
  }
  unsigned outstanding(Color color) const {
    unsigned sum = 0;
    for (const auto& checker : checkers) sum += checker->outstanding(color);
    return sum;
  }

  observe::Digest digest;
  fabric::FabricTiming timing;
  timing::ClockDomain domain{"domain", 1000};
  std::vector<std::unique_ptr<fabric::Router>> routers;
  std::vector<std::unique_ptr<link::Stub>> stubs;
  std::vector<std::unique_ptr<link::Checker>> checkers;
  std::unique_ptr<host::Edge> west;
  std::unique_ptr<host::Edge> east;
};

class FabricRow : public ::testing::Test, public Row {};

// wse.md 1.11: two cycles per hop, one wavelet per cycle; the link checkers watch every rule of the
// protocol.
TEST_F(FabricRow, StreamCrossesFromEdgeToEdge) {
  route_through();
  east->expect(kFive, 50);
  west->send(kFive, words(50));
  while (east->received(kFive).size() < 50 && !domain.idle()) sc_core::sc_start();
  const std::vector<host::Received>& got = east->received(kFive);
  ASSERT_EQ(got.size(), 50U);
  for (std::uint32_t i = 0; i < 50; ++i) {
    EXPECT_EQ(got[i].wavelet.payload, i);
    EXPECT_EQ(got[i].cycle, (kLength + 1) * timing.hop_latency + i);
  }
}

TEST_F(FabricRow, KernelPausesWhenTheExpectationIsComplete) {
  route_through();
  east->expect(kFive, 1);
  west->send(kFive, words(1));
  sc_core::sc_start();  // the send is complete
  EXPECT_EQ(domain.now(), 0U);
  sc_core::sc_start();  // the expectation is complete
  EXPECT_EQ(domain.now(), (kLength + 1) * timing.hop_latency);
  EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
}

TEST_F(FabricRow, SecondSendAfterAPauseArrivesToo) {
  route_through();
  for (int round = 1; round <= 3; ++round) {
    east->expect(kFive, 4);
    west->send(kFive, words(4));
    const std::size_t expected = 4U * static_cast<unsigned>(round);
    while (east->received(kFive).size() < expected && !domain.idle()) sc_core::sc_start();
    ASSERT_EQ(east->received(kFive).size(), expected);
  }
  sc_core::sc_start();
  EXPECT_EQ(outstanding(kFive), 0U);
}

// wse.md 1.4: position 2 of the first router sets its input and keeps the outputs of position 1. Only
// position 0 sends copies back.
TEST_F(FabricRow, SwitchPositionsAddUp) {
  const DirectionSet west_in{Direction::kWest};
  fabric::ColorRoute chain = route(west_in, {Direction::kWest, Direction::kEast});
  chain.positions[1] = {{}, {Direction::kEast}, true, false, true};
  chain.positions[2] = {west_in, {}, true, true, false};
  router(0).set_route(kFive, chain);
  for (const int x : {1, 2}) router(x).set_route(kFive, route(west_in, {Direction::kEast}));
  const std::uint32_t advance = 0x005F0000;
  west->expect(kFive, 2);
  east->expect(kFive, 5);
  west->send(kFive, {{1, false}, {advance, true}, {2, false}, {advance, true}, {3, false}});
  while (east->received(kFive).size() < 5 && !domain.idle()) sc_core::sc_start();
  const auto payloads = [](const host::Edge& edge) {
    std::vector<std::uint32_t> values;
    for (const host::Received& r : edge.received(kFive)) values.push_back(r.wavelet.payload);
    return values;
  };
  EXPECT_THAT(payloads(*east), ElementsAre(1, advance, 2, advance, 3));
  EXPECT_THAT(payloads(*west), ElementsAre(1, advance));
}

class RowWithEcho : public Row {
 public:
  explicit RowWithEcho(sc_core::sc_module_name name = "row") : Row(name) {
    router(0).set_route(kFive, route({Direction::kWest}, {Direction::kEast}));
    router(1).set_route(kFive, route({Direction::kWest}, {Direction::kRamp}));
    router(1).set_route(kSeven, route({Direction::kRamp}, {Direction::kWest, Direction::kEast}));
    router(0).set_route(kSeven, route({Direction::kEast}, {Direction::kWest}));
    router(2).set_route(kSeven, route({Direction::kWest}, {Direction::kEast}));
    router(1).off_ramp.bind(input_queue.in);
    router(1).off_ramp.bind(unused_queue.in);
    echo.in.bind(input_queue.out);
    unused_reader.in.bind(unused_queue.out);
    echo.out.bind(output_queue.in);
    unused_reader.out.bind(unused_output.in);
    on_ramp.queues[0].bind(output_queue.out);
    on_ramp.queues[3].bind(unused_output.out);
    link_up(on_ramp.out, router(1).in[index(Direction::kRamp)]);
  }
  observe::Probe probe{&digest, 1};
  queue::InputQueue input_queue{"iq0", QueueId(0), kFive, 4, probe};
  queue::InputQueue unused_queue{"iq1", QueueId(1), Color(9), 4, probe};
  queue::OutputQueue output_queue{"oq0", QueueId(0), 2, 1, probe};
  queue::OutputQueue unused_output{"oq3", QueueId(3), 2, 1, probe};
  Echo echo{"echo", domain, kSeven};
  Echo unused_reader{"unused_reader", domain, kSeven};
  fabric::OnRamp on_ramp{"on_ramp", domain, TileCoord{1, 0}, timing, 1};
};

class FabricEcho : public ::testing::Test, public RowWithEcho {};

// The way of the data (docs/architecture.md#folders): edge, router, input queue, engine, output queue,
// on-ramp, router.
TEST_F(FabricEcho, WaveletsPassQueuesAndRampsAndComeBackOnAnotherColor) {
  west->expect(kSeven, 20);
  east->expect(kSeven, 20);
  west->send(kFive, words(20));
  const auto complete = [](const host::Edge& edge) { return edge.received(kSeven).size() == 20; };
  while (!(complete(*west) && complete(*east)) && !domain.idle()) sc_core::sc_start();
  ASSERT_EQ(west->received(kSeven).size(), 20U);
  ASSERT_EQ(east->received(kSeven).size(), 20U);
  for (std::uint32_t i = 0; i < 20; ++i) {
    EXPECT_EQ(west->received(kSeven)[i].wavelet.payload, i);
    EXPECT_EQ(east->received(kSeven)[i].wavelet.payload, i);
  }
  const unsigned write_latency = 1;
  EXPECT_EQ(west->received(kSeven)[0].cycle, 4 * timing.hop_latency + timing.off_ramp_latency +
                                                 write_latency + timing.on_ramp_latency);
  sc_core::sc_start();
  EXPECT_EQ(outstanding(kFive) + outstanding(kSeven), 0U);
}

// docs/architecture.md#time: the order in which blocks are stepped inside a cycle cannot matter.
TEST(FabricRowShuffled, GivesTheSameEvents) {
  RowWithEcho in_order("in_order");
  RowWithEcho shuffled("shuffled");
  shuffled.domain.shuffle_step_order(1);
  for (Row* row : {static_cast<Row*>(&in_order), static_cast<Row*>(&shuffled)}) {
    row->west->expect(kSeven, 200);
    row->west->send(kFive, words(200));
  }
  while (!(in_order.domain.idle() && shuffled.domain.idle())) sc_core::sc_start();
  EXPECT_EQ(in_order.west->received(kSeven).size(), 200U);
  EXPECT_EQ(in_order.digest.hex(), shuffled.digest.hex());
}

// ---------------------------------------------------------------------------------------------------------------
// Integration mistakes

std::string report_of_start() {
  try {
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  } catch (const sc_core::sc_report& report) {
    return report.get_msg();
  }
  return "no report";
}

TEST(FabricRowOpen, OpenPortIsReportedWithTileAndDirection) {
  Row row("row", false);
  const test::ExpectReport expected(link::kUnboundId);
  EXPECT_THAT(report_of_start(), HasSubstr("tile (0, 0), WEST input is not bound"));
}

TEST_F(FabricEcho, TwoQueuesForOneColorAreAnError) {
  queue::InputQueue second("iq2", QueueId(2), kFive, 4, {});
  Echo reader("reader", domain, kSeven);
  queue::OutputQueue output("oq1", QueueId(1), 2, 1, {});
  router(1).off_ramp.bind(second.in);
  reader.in.bind(second.out);
  reader.out.bind(output.in);
  on_ramp.queues[1].bind(output.out);
  const test::ExpectReport expected(fabric::Router::kTwoQueuesId);
  EXPECT_THAT(report_of_start(), HasSubstr("tile (1, 0): two input queues are bound to color 5"));
}

TEST_F(FabricRow, QueueWithoutAReaderIsAnError) {
  queue::InputQueue lonely("lonely", QueueId(2), kFive, 4, {});
  router(1).off_ramp.bind(lonely.in);
  const test::ExpectReport expected(queue::InputQueue::kUnboundId);
  EXPECT_THAT(report_of_start(), HasSubstr("lonely: an input queue needs"));
}

TEST_F(FabricRow, PutWithoutACreditIsReportedByTheRouter) {
  route_through();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  const test::ExpectReport expected(fabric::Router::kProtocolId);
  link::ForwardIf& port = router(0).in[index(Direction::kWest)].get_base_interface();
  EXPECT_THROW(port.put({0, kSeven, false, 0}, 10), sc_core::sc_report);
}

}  // namespace
}  // namespace tessera
