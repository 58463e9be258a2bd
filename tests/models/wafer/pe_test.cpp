// PEs of a WaferCore: queues and on-ramps (models/fabric/on_ramp_core.h and the queue cores have the
// rules), engines that sleep.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/models/wafer/both.h"

namespace tessera::wafer::bench {
namespace {

using testing::HasSubstr;

// --- PEs ---

constexpr const char* kSender = R"(data words: u32[20]
queue o output 2 color=1
dsd all mem1d words
dsd out fabout o extent=20
fn main
    lddsr dds1, out
    lddsr s1ds1, all
    mov32 dds1, s1ds1
    ret
)";
constexpr const char* kReceiver = R"(data words: u32[20]
queue i input 2 color=1
dsd all mem1d words
dsd in fabin i extent=20
fn main
    lddsr dds1, all
    lddsr s1ds1, in
    mov32 dds1, s1ds1
    ret
)";

TEST(WaferPe, wse_1_11_FromEngineToEngine) {
  PlanBuilder builder = grid(3, 1);
  builder.route_of({0, 0}, 1, route({kR}, {kE})).route_of({1, 0}, 1, route({kW}, {kE}));
  builder.route_of({2, 0}, 1, route({kW}, {kR}));
  builder.program({0, 0}, kSender).program({2, 0}, kReceiver);
  Both both(builder.build());
  both.launch("main", 3);
  both.run();
  const std::vector<Cycle> written = both.cycles(EventKind::kQueueOut, 0);
  const std::vector<Cycle> readable = both.cycles(EventKind::kQueueIn, 2);
  ASSERT_EQ(written.size(), 20U);
  ASSERT_EQ(readable.size(), 20U);
  // write latency 1, on-ramp 2, two hops, off-ramp 2
  EXPECT_EQ(readable.front() - written.front(), 1U + 2U + 2U + 2U);
  EXPECT_EQ(both.outcome().held, 0U);
}

TEST(WaferPe, FromOwnRampToOwnRamp) {
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kR}, {kR}));
  builder.program({0, 0}, std::string(R"(data words: u32[20]
queue o output 2 color=1
queue i input 3 color=1
dsd all mem1d words
dsd out fabout o extent=20
dsd in fabin i extent=20
fn main
    lddsr dds1, out
    lddsr s1ds1, all
    mov32 dds1, s1ds1 async
    lddsr dds2, all
    lddsr s1ds2, in
    mov32 dds2, s1ds2
    ret
)"));
  Both both(builder.build());
  both.launch("main", 1);
  both.run();
  EXPECT_EQ(both.events(EventKind::kQueueIn, 0).size(), 20U);
  EXPECT_EQ(both.outcome().held, 0U);
}

TEST(WaferPe, SeveralOutputQueuesTakeTurnsOnTheRamp) {
  PlanBuilder builder = grid(1, 1);
  for (unsigned color = 1; color <= 3; ++color) builder.route_of({0, 0}, color, route({kR}, {kE}));
  builder.port({0, 0}, kE);
  builder.program({0, 0}, R"(data words: u32[20]
queue a output 0 color=3
queue b output 2 color=1
queue c output 5 color=1
dsd all mem1d words
dsd out_a fabout a extent=20
dsd out_b fabout b extent=20
dsd out_c fabout c extent=20
dsr dds1 out_a
dsr dds2 out_b
dsr dds3 out_c
dsr s1ds1 all
fn main
    mov32 dds1, s1ds1 async
    mov32 dds2, s1ds1 async
    mov32 dds3, s1ds1 async
    ret
)");
  for (const auto rule : {fabric::Arbitration::kFixed, fabric::Arbitration::kRoundRobin}) {
    builder.settings().fabric.arbitration = rule;
    Both both(builder.build());
    both.launch("main", 1);
    both.run();
    EXPECT_EQ(both.outcome().deliveries.size(), 60U);
    EXPECT_EQ(both.outcome().held, 0U);
  }
}

TEST(WaferPe, AnOutputQueueWithoutARouteSaysSo) {
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kR}));  // not from RAMP
  builder.program({0, 0}, kSender);
  Both both(builder.build());
  both.launch("main", 1);
  both.run();
  EXPECT_THAT(
      both.outcome().waits,
      HasSubstr("on-ramp, output queue 2, color 1: room at the RAMP input of the router (the "
                "router does not receive color 1 from RAMP)"));
}

TEST(WaferPe, AQueueThatNobodyReadsFillsUp) {
  PlanBuilder builder = row(2);
  builder.route_of({1, 0}, 1, route({kW}, {kR}));
  builder.program({1, 0}, "queue i input 2 color=1\nfn main\n    ret\n");
  Both both(builder.build());
  for (std::uint32_t n = 0; n < 20; ++n) both.send(0, data(1, n));
  both.run(500);
  EXPECT_EQ(both.events(EventKind::kQueueIn, 1).size(), 5U);  // length 4, off-ramp 1
  EXPECT_THAT(both.outcome().waits, HasSubstr("input queue 2 (color 1): a reader: 5 of 5"));
}

TEST(WaferPe, TwoInputQueuesOfOneColorAreRefused) {
  PlanBuilder builder = grid(1, 1);
  builder.route_of({0, 0}, 1, route({kW}, {kR}));
  Plan plan = builder.build();
  auto image = std::make_shared<pe::Image>(
      tasm::assemble("queue i input 2 color=1\nfn main\n    ret\n", {"two", plan.generation, {}}));
  image->queues.push_back(image->queues.front());
  image->queues.back().id = QueueId(3);
  plan.images = {image};
  plan.image_of_tile = {0};
  try {
    DenseMachine dense(plan, {}, true);
    FAIL() << "it was built";
  } catch (const std::logic_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("tile (0, 0): two input queues are bound to color 1"));
  }
}

TEST(WaferPe, EnginesSleepLongAndWakeUp) {
  // 50 cycles of a division again and again: further than a unit may be due, with nothing between
  PlanBuilder builder = row(2);
  builder.route_of({1, 0}, 1, route({kW}, {kR}));
  builder.program({1, 0}, R"(queue i input 2 color=1
task work data i
    fdivs d2, d2, 3.0
    fdivs d2, d2, 3.0
    fdivs d2, d2, 3.0
    end
)");
  builder.settings().pe.float_divide_latency = 200;
  Both both(builder.build());
  for (std::uint32_t n = 0; n < 10; ++n) both.send(0, data(1, n));
  both.run();
  EXPECT_EQ(both.events(EventKind::kTaskEnd, 1).size(), 10U);
}

TEST(WaferPe, wse_1_6_ColorSwapOfWhatTheEngineSends) {
  // color 2 takes over what comes on color 3, which the tile itself does not route
  PlanBuilder builder = grid(2, 1);
  builder.settings().generation = Generation::kWse2;
  fabric::ColorRoute swapped = route({kR}, {kE});
  swapped.swap_x = swapped.swap_y = true;
  builder.route_of({0, 0}, 2, swapped).route_of({1, 0}, 2, route({kW}, {kR}));
  std::string sender = kSender;
  sender.replace(sender.find("color=1"), 7, "color=3");
  std::string receiver = kReceiver;
  receiver.replace(receiver.find("color=1"), 7, "color=2");
  builder.program({0, 0}, sender).program({1, 0}, receiver);
  Both both(builder.build());
  both.launch("main", 1);
  both.run();
  EXPECT_EQ(both.events(EventKind::kQueueIn, 1).size(), 20U);
  EXPECT_EQ(both.outcome().held, 0U);
}

}  // namespace
}  // namespace tessera::wafer::bench
