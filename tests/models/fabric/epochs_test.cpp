// Route epochs (reference numesh.md 7.4, S24; wse.md 1.9): what the checker counts as an epoch, and
// what it reports. epochs_silent_test.cpp has what it must not report.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/fabric/illegal.h"
#include "models/observe/event_fields.h"
#include "tests/models/fabric/epochs_bench.h"

namespace tessera::fabric::bench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class FabricEpochs_numesh_7_4 : public EpochsTest {};

// --- what an epoch is

TEST_F(FabricEpochs_numesh_7_4, WriteThatChangesSomethingBeginsOne) {
  set_row();
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 0U);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 10);
  mesh.write(kX, kSwitchAt, 0x1555, 20);  // ring mode
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 30);
  EXPECT_EQ(run(15), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 2U);  // the last write has changed nothing
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor + 1)), 0U);
  EXPECT_EQ(epochs.epoch(place(kB), Color(kColor)), 0U);
  EXPECT_TRUE(epochs.is_reconfigured(place(kX)));
  EXPECT_FALSE(epochs.is_reconfigured(place(kB)));
}

TEST_F(FabricEpochs_numesh_7_4, TeardownIsOneFromItsEntryToItsExit) {
  set_row();
  handle(kX, {way({kN}, {kS}) | kTeardownBit, way({kS}, {kN}) | kTeardownBit, way({kW}, {kR})});
  send_marker(kA);
  EXPECT_EQ(run(6), "");
  EXPECT_TRUE(mesh.router(kX).in_teardown(Color(kColor)));
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
  EXPECT_EQ(run(), "");
  EXPECT_FALSE(mesh.router(kX).in_teardown(Color(kColor)));
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
}

TEST_F(FabricEpochs_numesh_7_4, TeardownBitThatTheProgramSetsBeginsOneToo) {
  set_row();
  mesh.write(kX, kRouteAt, way({kW}, {kE}) | kTeardownBit, 10);
  mesh.write(kX, kRouteAt, way({kN}, {kE}) | kTeardownBit, 20);
  mesh.write(kX, kRouteAt, way({kW}, {kE}), 30);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 1U);
}

TEST_F(FabricEpochs_numesh_7_4, TeardownFromTheStartIsEpoch0AndWhatWaitsIsNotCaught) {
  ColorRoute r = route({kW}, {kE});
  r.suspended = true;
  set_row(r);
  send(kA, 20);
  mesh.write(kX, kRouteAt, way({kW}, {kE, kR}) | kTeardownBit, 50);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 60);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 0U);
  EXPECT_EQ(delivered(kX), 20U);
}

TEST_F(FabricEpochs_numesh_7_4, SwitchAdvancesAreNone) {
  set_row(switched({kW}, {kE}, {kR}));
  send(kA, 5);
  mesh.endpoint(kA).send(from(kA, control(kColor, {kAdv})));
  send(kA, 5);
  EXPECT_EQ(run(), "");
  EXPECT_EQ(epochs.epoch(place(kX), Color(kColor)), 0U);
  EXPECT_EQ(delivered(kX), 5U);
}

// --- caught under way

TEST_F(FabricEpochs_numesh_7_4, LateDataThatTakesTheNewRouteIsMisrouted) {
  set_row();
  send(kA, 20);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 10);
  EXPECT_EQ(
      run(),
      "tile (1, 0), color 5: a wavelet from tile (0, 0), sent in epoch 0 there, goes from WEST "
      "to RAMP in epoch 1 here; it was sent for epoch 0, to go to EAST; the route was changed in "
      "cycle 10 by a write of its registers [/tessera/fabric/epoch_misrouted]");
  EXPECT_EQ(id, kEpochMisroutedId);
}

TEST_F(FabricEpochs_numesh_7_4, LateDataThatTheNewRouteDoesNotReceiveIsStranded) {
  set_row();
  send(kA, 20);
  mesh.write(kX, kRouteAt, way({kE}, {kR}), 10);
  EXPECT_THAT(run(), AllOf(HasSubstr("tile (1, 0), color 5: a wavelet from tile (0, 0)"),
                           HasSubstr("is stranded at WEST, which no switch position receives in "
                                     "epoch 1 here; it was sent for epoch 0, to go to EAST")));
  EXPECT_EQ(id, kEpochStrandedId);
}

TEST_F(FabricEpochs_numesh_7_4, SwitchMovedByHandIsARewrite) {
  set_row(switched({kW}, {kE}, {kR}));
  send(kA, 20);
  mesh.write(kX, kSwitchAt, 0x554 | 1U << 13, 10);
  EXPECT_THAT(run(), HasSubstr("to go to EAST"));
  EXPECT_EQ(id, kEpochMisroutedId);
}

TEST_F(FabricEpochs_numesh_7_4, WhatWaitsForAnotherSwitchPositionIsCaught) {
  ColorRoute r = route({kN}, {kE});
  r.positions[1] = {{kW}, {kE}, true, true, false};
  set_row(r);
  send(kA, 2);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 10);
  EXPECT_THAT(run(), HasSubstr("to go to EAST"));
  EXPECT_EQ(id, kEpochMisroutedId);
}

TEST_F(FabricEpochs_numesh_7_4, InstructionThatWroteIsNamed) {
  set_row();
  epochs.set_instruction_names([](std::uint32_t place, std::uint32_t pc) {
    return "x.tasm:" + std::to_string(pc) + " on " + std::to_string(place);
  });
  send(kA, 20);
  constexpr std::uint32_t kStcfg = 1;
  const auto issue = [&](Cycle cycle, std::uint32_t thread, std::uint32_t pc) {
    epochs.on_event({cycle, place(kX), observe::EventKind::kIssue, kStcfg | thread << 8, pc});
  };
  issue(8, observe::kMainThread, 41);
  issue(9, observe::kMainThread, 42);
  issue(10, 3, 43);  // the slot of the next cycle goes to a microthread
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 10);
  EXPECT_THAT(run(), HasSubstr("changed in cycle 10 by stcfg at x.tasm:42 on 1 ["));
}

TEST_F(FabricEpochs_numesh_7_4, WriteThatChangedTheRouteIsNamedNotTheExit) {
  set_row();
  send(kA, 20);
  mesh.write(kX, kRouteAt, way({kW}, {kE}) | kTeardownBit, 10);
  mesh.write(kX, kRouteAt, way({kW}, {kR}) | kTeardownBit, 20);
  mesh.write(kX, kRouteAt, way({kW}, {kR}), 30);
  EXPECT_THAT(run(), HasSubstr("changed in cycle 20"));
}

TEST_F(FabricEpochs_numesh_7_4, WordsInTheOwnOutputQueueAreCaught) {
  set_row();
  for (unsigned i = 0; i < 4; ++i) {
    const link::Wavelet w = from(kA, data(kColor, i));
    epochs.on_event({2 + i, place(kA), observe::EventKind::kQueueOut, 4, 0, w.ident});
    mesh.endpoint(kA).send(w);
  }
  mesh.write(kA, kRouteAt, way({kR}, {kS}), 4);
  mesh.router(kA).set_downstream_capacity(kS, Color(kColor), 8);
  EXPECT_THAT(run(),
              AllOf(HasSubstr("tile (0, 0), color 5: a wavelet from tile (0, 0), sent in epoch 0"),
                    HasSubstr("goes from RAMP to SOUTH in epoch 1 here")));
  EXPECT_EQ(id, kEpochMisroutedId);
}

TEST_F(FabricEpochs_numesh_7_4, HostStreamIsSentThroughItsRimTile) {
  set_row();
  epochs.set_host_links(3);
  set(kC, route({kS}, {kE}));
  mesh.connect();
  link::Wavelet w = data(kColor, 7);
  w.ident = 5;
  epochs.on_event({8, place(kC), observe::EventKind::kEdgeIn, kColor | index(kS) << 8, 7, w.ident});
  mesh.put_to_router(kC, kS, w, 9);
  mesh.write(kC, kRouteAt, way({kS}, {kR}), 9);
  EXPECT_THAT(run(),
              HasSubstr("tile (1, 1), color 5: a wavelet of the host, sent through tile (1, 1) "
                        "in epoch 0 there, goes from SOUTH to RAMP"));
}

TEST_F(FabricEpochs_numesh_7_4, ColorSwapOnTheWayDoesNotHideTheSource) {
  constexpr unsigned kPartner = kColor ^ 1;
  set(kA, route({kR}, {kE}));
  ColorRoute x = route({kW}, {kE});
  x.swap_x = true;
  set(kX, x, kPartner);
  set(kB, route({kW}, {kR}), kPartner);
  mesh.connect();
  send(kA, 20);
  mesh.write(kB, kColorBase + kPartner, way({kE}, {kR}), 12);
  EXPECT_THAT(run(), HasSubstr("tile (2, 0), color 4: a wavelet from tile (0, 0)"));
}

}  // namespace
}  // namespace tessera::fabric::bench
