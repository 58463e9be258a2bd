// Ports of a WaferCore, broken rules of the link protocol, limits of the structure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
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

// --- a hole: ports in the middle of the grid ---

TEST(WaferPorts, APortInTheMiddleTakesTheLinkFromTheNeighbour) {
  PlanBuilder builder = grid(3, 1);
  for (int x = 0; x < 3; ++x) builder.route_of({x, 0}, 1, route({kW}, {kE}));
  builder.port({0, 0}, kW).port({0, 0}, kE).port({2, 0}, kW).port({2, 0}, kE);
  Both both(builder.build());
  both.send(0, data(1, 1));
  both.send(2, data(1, 2));
  both.run();
  const Outcome outcome = both.outcome();
  ASSERT_EQ(outcome.deliveries.size(), 2U);
  EXPECT_EQ(outcome.deliveries[0].port, 1U);
  EXPECT_EQ(outcome.deliveries[1].port, 3U);
  EXPECT_THAT(both.cycles(EventKind::kHop, 1), IsEmpty());
}

TEST(WaferPorts, APortMayGiveSeveralCreditsBackInOneCycle) {
  // the link protocol has a rate for wavelets, not for credits
  Plan plan = row(2).build();
  std::vector<PortScript> scripts = scripts_for(plan, 4);
  scripts[1].per_cycle = 4;
  scripts[1].stall_percent = 80;
  DenseMachine dense(plan, scripts, true);
  ReferenceMachine reference(plan, scripts, true);
  for (Machine* machine : {static_cast<Machine*>(&dense), static_cast<Machine*>(&reference)}) {
    for (std::uint32_t n = 0; n < 200; ++n) machine->send(0, data(1, n));
    machine->run();
    EXPECT_EQ(machine->outcome().deliveries.size(), 200U);
  }
  EXPECT_EQ(dense.outcome().digest, reference.outcome().digest);
}

TEST(WaferPorts, WhatStandsAtAPortMayTakeItsTime) {
  // longer than the latencies of the wafer itself may be
  Plan plan = row(2).build();
  std::vector<PortScript> scripts = scripts_for(plan, 2);
  scripts[0].latency = 500;
  scripts[1].credit_latency = 300;
  DenseMachine dense(plan, scripts, true);
  ReferenceMachine reference(plan, scripts, true);
  for (Machine* machine : {static_cast<Machine*>(&dense), static_cast<Machine*>(&reference)}) {
    for (std::uint32_t n = 0; n < 20; ++n) machine->send(0, data(1, n));
    machine->run();
    const Outcome outcome = machine->outcome();
    ASSERT_EQ(outcome.deliveries.size(), 20U);
    EXPECT_EQ(outcome.deliveries[0].cycle, 502U);
    EXPECT_EQ(outcome.deliveries[2].cycle, 1003U);  // the first two took all room
  }
  EXPECT_EQ(dense.outcome().digest, reference.outcome().digest);
}

// --- limits, broken rules ---

std::string error_of(const Plan& plan) {
  try {
    DenseMachine dense(plan, scripts_for(plan), false);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

TEST(WaferPorts, LatenciesHaveALimit) {
  const std::vector<std::pair<const char*, unsigned fabric::FabricTiming::*>> latencies = {
      {"hop_latency", &fabric::FabricTiming::hop_latency},
      {"credit_latency", &fabric::FabricTiming::credit_latency},
      {"on_ramp_latency", &fabric::FabricTiming::on_ramp_latency},
      {"off_ramp_latency", &fabric::FabricTiming::off_ramp_latency},
  };
  for (const auto& [name, latency] : latencies) {
    PlanBuilder builder = row(2);
    builder.settings().fabric.*latency = 63;
    EXPECT_EQ(error_of(builder.build()), "");
    builder.settings().fabric.*latency = 64;
    EXPECT_EQ(error_of(builder.build()), std::string("config: fabric.") + name +
                                             ": structure 'dense' takes at most 63, found 64; "
                                             "structure 'modules' takes more");
  }
  PlanBuilder builder = row(2);
  builder.settings().queue_write_latency = 64;
  EXPECT_THAT(error_of(builder.build()), HasSubstr("queues.write_latency"));
}

TEST(WaferPorts, BuffersHaveALimit) {
  PlanBuilder builder = row(2);
  builder.settings().fabric.buffer_depth = 254;  // on_ramp_latency 2: room 255 at RAMP
  EXPECT_EQ(error_of(builder.build()), "");
  builder.settings().fabric.buffer_depth = 255;
  EXPECT_THAT(error_of(builder.build()),
              HasSubstr("fabric.buffer_depth: structure 'dense' takes at most 254, found 255"));
}

TEST(WaferPorts, DeepBuffersHoldWhatTheySay) {
  PlanBuilder builder = row(2);
  builder.settings().fabric.buffer_depth = 254;
  Both both(builder.build(), 1);
  both.close_ports();
  for (std::uint32_t n = 0; n < 700; ++n) both.send(0, data(1, n));
  both.run(5000);
  EXPECT_EQ(both.outcome().held, 2U * 254U);
  both.open_ports(5000);
  both.run(20000);
  EXPECT_EQ(both.payloads().size(), 700U);
}

class WaferPortRules : public testing::Test, private Outside {
 protected:
  WaferPortRules() : plan_(plain_and_whole()), core_(Strip(plan_), *this, nullptr) { core_.start(); }

  /// Row of two: color 1 through a plain tile to a whole router, ports at both ends.
  static Plan plain_and_whole() {
    PlanBuilder builder = grid(2, 1);
    builder.route_of({0, 0}, 1, route({kW}, {kE}));
    builder.route_of({1, 0}, 1, route({kW, kR}, {kE}));
    builder.route_of({1, 0}, 3, route({kE}, {kW})).route_of({0, 0}, 3, route({kE}, {kW}));
    return builder.port({0, 0}, kW).port({1, 0}, kE).build();
  }
  template <class Call>
  static std::string broken_rule(Call&& call) {
    try {
      call();
    } catch (const std::logic_error& e) {
      return e.what();
    }
    return "";
  }

 private:
  unsigned capacity(std::uint32_t, Color) const override { return 2; }
  void put(std::uint32_t, const link::Wavelet& w, Cycle) override { taken_.push_back(w.payload); }
  void credit(std::uint32_t, Color, Cycle) override { ++credits_; }

 protected:
  const Plan plan_;
  WaferCore core_;
  std::vector<std::uint32_t> taken_;
  unsigned credits_ = 0;
};

TEST_F(WaferPortRules, CapacityIsThatOfTheInput) {
  EXPECT_EQ(core_.ports().capacity(0, Color(1)), 2U);
  EXPECT_EQ(core_.ports().capacity(0, Color(3)), 0U);  // goes out there
  EXPECT_EQ(core_.ports().capacity(0, Color(2)), 0U);
  EXPECT_EQ(core_.ports().capacity(1, Color(3)), 2U);
  EXPECT_EQ(core_.ports().capacity(1, Color(1)), 0U);
}

TEST_F(WaferPortRules, APutWithoutACreditIsRefused) {
  core_.ports().put(0, data(1, 1), 1);
  core_.ports().put(0, data(1, 2), 2);
  EXPECT_EQ(broken_rule([&] { core_.ports().put(0, data(1, 3), 3); }),
            "tile (0, 0), WEST input: a wavelet of color 1 was handed over without a credit");
  EXPECT_THAT(broken_rule([&] { core_.ports().put(0, data(3, 3), 3); }), HasSubstr("color 3"));
  EXPECT_THAT(broken_rule([&] { core_.ports().put(0, data(30, 3), 3); }), HasSubstr("color 30"));
  EXPECT_THAT(broken_rule([&] { core_.ports().put(1, data(1, 3), 3); }), Not(IsEmpty()));
}

TEST_F(WaferPortRules, ACreditThatNobodyTookIsRefused) {
  EXPECT_THAT(broken_rule([&] { core_.ports().credit(0, Color(3), 5); }),  // plain, sends there
              HasSubstr("tile (0, 0), WEST output: a credit of color 3 came back for room that was "
                        "never taken"));
  EXPECT_THAT(broken_rule([&] { core_.ports().credit(0, Color(1), 5); }), Not(IsEmpty()));
  EXPECT_THAT(broken_rule([&] { core_.ports().credit(0, Color(31), 5); }), Not(IsEmpty()));
  EXPECT_THAT(broken_rule([&] { core_.ports().credit(1, Color(1), 5); }), Not(IsEmpty()));
}

TEST_F(WaferPortRules, CreditsAreNeverMoreThanTheRoom) {
  // two wavelets of color 3 leave through the west port, whose room is 2
  core_.ports().put(1, data(3, 1), 1);
  core_.ports().put(1, data(3, 2), 2);
  for (Cycle now = 1; now < 10; ++now) core_.step(now);
  EXPECT_THAT(taken_, ElementsAre(1, 2));
  EXPECT_EQ(broken_rule([&] { core_.ports().credit(0, Color(3), 12); }), "");
  EXPECT_EQ(broken_rule([&] { core_.ports().credit(0, Color(3), 12); }), "");
  EXPECT_THAT(broken_rule([&] { core_.ports().credit(0, Color(3), 12); }), Not(IsEmpty()));
  core_.step(12);
  EXPECT_THAT(broken_rule([&] { core_.ports().credit(0, Color(3), 500); }), Not(IsEmpty()));
}

TEST_F(WaferPortRules, StepsGoFromDueToDue) {
  core_.ports().put(0, data(1, 7), 10);
  EXPECT_EQ(core_.next_due(9), 10U);
  Cycle now = 10;
  std::vector<Cycle> stepped;
  for (; now != kNever && stepped.size() < 20; now = core_.step(now)) stepped.push_back(now);
  EXPECT_THAT(taken_, ElementsAre(7));
  EXPECT_EQ(credits_, 1U);
  EXPECT_EQ(core_.wavelets_held(), 0U);
  EXPECT_LE(stepped.size(), 5U);
}

}  // namespace
}  // namespace tessera::wafer::bench
