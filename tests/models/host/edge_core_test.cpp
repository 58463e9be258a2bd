// EdgeCore: streams in and out of a rim link.
#include "models/host/edge_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace tessera::host {
namespace {

using ::testing::ElementsAre;

constexpr Color kFive{5};
constexpr Color kSix{6};

struct Events : observe::Sink {
  void on_event(const observe::Event& e) override { all.push_back(e); }
  std::vector<observe::Event> all;
};

std::vector<Word> words(unsigned count) {
  std::vector<Word> list;
  for (unsigned i = 0; i < count; ++i) list.push_back({i, false});
  return list;
}

link::Wavelet wavelet(Color color, std::uint32_t payload) {
  return {payload, color, false, false, false, 1};
}

fabric::FabricTiming timing_with_hop(unsigned hop_latency) {
  fabric::FabricTiming timing;
  timing.hop_latency = hop_latency;
  return timing;
}

class HostEdge : public ::testing::Test {
 protected:
  Events events;
  EdgeCore edge{Direction::kEast, timing_with_hop(2), IdentRange{3, 10},
                observe::Probe(&events, 7)};
};

TEST_F(HostEdge, SendsOneWaveletPerCycleThatLandsAHopLater) {
  edge.set_capacity(kFive, 10);
  edge.send(kFive, {{11, false}, {22, true}}, 4);
  EXPECT_EQ(edge.step(3).next, 4U);
  const EdgeCore::Step first = edge.step(4);
  ASSERT_TRUE(first.put);
  EXPECT_EQ(first.put->due, 6U);
  EXPECT_EQ(first.put->wavelet.payload, 11U);
  EXPECT_FALSE(first.completed);
  EXPECT_EQ(first.next, 5U);
  const EdgeCore::Step second = edge.step(5);
  ASSERT_TRUE(second.put);
  EXPECT_TRUE(second.put->wavelet.control);
  EXPECT_TRUE(second.completed);
  EXPECT_EQ(edge.sent(kFive), 2U);
  EXPECT_EQ(second.next, kNever);
}

// wavelet.h: the high half of ident is 0 for the host; numbers of edges with different firsts never
// meet.
TEST_F(HostEdge, SerialNumbersStepByTheStride) {
  edge.set_capacity(kFive, 10);
  edge.send(kFive, words(3), 0);
  std::vector<std::uint64_t> idents;
  for (Cycle now = 0; now < 3; ++now) idents.push_back(edge.step(now).put->wavelet.ident);
  EXPECT_THAT(idents, ElementsAre(3, 13, 23));
}

// csl.md 14: they are taken, so that the stream goes on, but do not count.
TEST_F(HostEdge, MayDropControlWavelets) {
  edge.drop_control();
  edge.expect(kFive, 2);
  link::Wavelet control = wavelet(kFive, 7);
  control.control = true;
  const std::vector<link::Wavelet> wavelets = {wavelet(kFive, 1), control, wavelet(kFive, 2)};
  for (Cycle now = 0; now < 3; ++now) {
    edge.put(wavelets[now], now);
    const EdgeCore::Step step = edge.step(now);
    EXPECT_TRUE(step.credit) << now;
    EXPECT_EQ(step.completed, now == 2) << now;
  }
  ASSERT_EQ(edge.taken(kFive), 2U);
  EXPECT_EQ(edge.received(kFive)[1].wavelet.payload, 2U);
}

TEST_F(HostEdge, ColorsShareTheLinkInRotation) {
  edge.set_capacity(kFive, 10);
  edge.set_capacity(kSix, 10);
  edge.send(kFive, words(3), 0);
  edge.send(kSix, words(3), 0);
  std::vector<unsigned> colors;
  for (Cycle now = 0; now < 6; ++now) colors.push_back(edge.step(now).put->wavelet.color.value());
  EXPECT_THAT(colors, ElementsAre(5, 6, 5, 6, 5, 6));
}

TEST_F(HostEdge, WaitsForCreditsAndLetsOtherColorsPass) {
  edge.set_capacity(kFive, 1);
  edge.set_capacity(kSix, 1);
  edge.send(kFive, words(2), 0);
  edge.send(kSix, words(1), 0);
  EXPECT_EQ(edge.step(0).put->wavelet.color, kFive);
  EXPECT_EQ(edge.step(1).put->wavelet.color, kSix);
  EXPECT_FALSE(edge.step(2).put);
  EXPECT_EQ(edge.step(3).next, kNever);
  edge.credit(kFive, 8);
  EXPECT_EQ(edge.step(4).next, 8U);
  EXPECT_TRUE(edge.step(8).completed);
}

TEST_F(HostEdge, LaterSendOfABlockedEdgeKeepsItsStart) {
  edge.send(kFive, words(1), 0);  // the tile does not receive it
  edge.set_capacity(kSix, 1);
  edge.send(kSix, words(1), 30);
  EXPECT_EQ(edge.step(0).next, 30U);
}

TEST_F(HostEdge, RecordsArrivalsAndReturnsTheCreditACycleLater) {
  edge.put(wavelet(kFive, 42), 9);
  EXPECT_EQ(edge.step(8).next, 9U);
  EXPECT_TRUE(edge.received(kFive).empty());
  const EdgeCore::Step step = edge.step(9);
  ASSERT_TRUE(step.credit);
  EXPECT_EQ(step.credit->color, kFive);
  EXPECT_EQ(step.credit->due, 10U);
  ASSERT_EQ(edge.received(kFive).size(), 1U);
  EXPECT_EQ(edge.received(kFive)[0].cycle, 9U);
  EXPECT_EQ(edge.received(kFive)[0].wavelet.payload, 42U);
}

// The sink never limits a stream: as much room as one wavelet per cycle needs on the way there and
// back.
TEST_F(HostEdge, SinkKeepsUpWithOneWaveletPerCycle) {
  fabric::Credits sender(1);
  sender.set_capacity(0, edge.capacity(kFive));
  for (Cycle now = 0; now < 50; ++now) {
    sender.settle(now);
    ASSERT_GT(sender.usable(0), 0U) << "cycle " << now;
    sender.take(0);
    edge.put(wavelet(kFive, 0), now + 2);
    const EdgeCore::Step step = edge.step(now);
    if (step.credit) {
      ASSERT_TRUE(sender.give_back(0, step.credit->due));
    }
  }
}

TEST_F(HostEdge, ExpectationCompletesWithItsLastWavelet) {
  edge.expect(kFive, 1);
  edge.expect(kFive, 1);
  for (Cycle due : {1U, 2U, 3U}) edge.put(wavelet(kFive, 0), due);
  EXPECT_FALSE(edge.step(1).completed);
  EXPECT_TRUE(edge.step(2).completed);
  EXPECT_FALSE(edge.step(3).completed);
}

TEST_F(HostEdge, EventsNameColorAndSide) {
  edge.set_capacity(kFive, 1);
  edge.send(kFive, {{0xAA, true}}, 1);  // a control wavelet
  edge.put(wavelet(kSix, 0xBB), 1);
  edge.step(1);
  ASSERT_EQ(events.all.size(), 2U);
  EXPECT_EQ(events.all[0].kind, observe::EventKind::kEdgeOut);
  EXPECT_EQ(events.all[0].a, 6U | index(Direction::kEast) << 8);
  EXPECT_EQ(events.all[0].b, 0xBBU);
  EXPECT_EQ(events.all[0].ident, 1U);
  EXPECT_EQ(events.all[1].kind, observe::EventKind::kEdgeIn);
  EXPECT_EQ(events.all[1].a, 5U | index(Direction::kEast) << 8 | 1U << 16);
  EXPECT_EQ(events.all[1].cycle, 1U);
  EXPECT_EQ(events.all[1].place, 7U);
}

TEST_F(HostEdge, SaysWhatIsMissing) {
  edge.set_capacity(kFive, 1);
  edge.send(kFive, words(8), 0);
  edge.send(kSix, words(2), 0);
  edge.expect(kFive, 6);
  edge.step(0);
  observe::Waits waits;
  edge.describe_waits(waits, 1);
  ASSERT_EQ(waits.size(), 3U);
  EXPECT_EQ(waits[0].who, "host stream into the EAST edge, color 5");
  EXPECT_EQ(waits[0].what, "room at the tile: 1 of 8 wavelets sent, no credit");
  EXPECT_EQ(waits[1].who, "host stream out of the EAST edge, color 5");
  EXPECT_EQ(waits[1].what, "a wavelet: 0 of 6 wavelets received");
  EXPECT_EQ(waits[2].what,
            "room at the tile: 0 of 2 wavelets sent, the tile does not receive color 6 from EAST");
}

class RampEdge : public ::testing::Test {
 protected:
  RampEdge() {
    timing.off_ramp_latency = 4;
    timing.on_ramp_latency = 2;
    timing.buffer_depth = 2;
  }
  fabric::FabricTiming timing;
};

TEST_F(RampEdge, SendsWithTheLatencyOfTheOffRamp) {
  EdgeCore edge(Direction::kRamp, timing, {}, {});
  edge.set_capacity(kFive, 1);
  edge.send(kFive, words(1), 10);
  EXPECT_EQ(edge.step(10).put->due, 14U);
}

TEST_F(RampEdge, HoldsWhatTheRouterWouldUntilItIsExpected) {
  EdgeCore edge(Direction::kRamp, timing, {}, {});
  edge.take_only(1U << 5);
  EXPECT_EQ(edge.capacity(kFive), 3U);
  EXPECT_EQ(edge.capacity(kSix), 0U);
  for (Cycle now = 1; now <= 3; ++now) {
    edge.put(wavelet(kFive, static_cast<std::uint32_t>(now)), now);
    EXPECT_FALSE(edge.step(now).credit) << now;
  }
  EXPECT_EQ(edge.taken(kFive), 0U);
  EXPECT_EQ(edge.step(4).next, kNever);
  edge.expect(kFive, 2, 8);
  EXPECT_EQ(edge.step(7).next, 8U);
  const EdgeCore::Step first = edge.step(8);
  ASSERT_TRUE(first.credit);
  EXPECT_EQ(first.credit->due, 9U);
  EXPECT_FALSE(first.completed);
  EXPECT_EQ(first.next, 9U);
  const EdgeCore::Step second = edge.step(9);
  EXPECT_TRUE(second.credit);
  EXPECT_TRUE(second.completed);
  EXPECT_EQ(second.next, kNever);
  EXPECT_EQ(edge.taken(kFive), 2U);
  observe::Waits waits;
  edge.describe_waits(waits, 9);
  EXPECT_TRUE(waits.empty());
}

TEST_F(RampEdge, RefusesALatencyOfZero) {
  timing.off_ramp_latency = 0;
  EXPECT_THROW(EdgeCore(Direction::kRamp, timing, {}, {}), std::invalid_argument);
}

TEST_F(HostEdge, RefusesCreditsItNeverTookAndALatencyOfZero) {
  EXPECT_THROW(edge.credit(kFive, 1), std::logic_error);
  EXPECT_THROW(EdgeCore(Direction::kWest, timing_with_hop(0), {}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace tessera::host
