// OnRampCore: latency, round robin over output queues, no head-of-line blocking between queues
// (wse.md 1.11).
#include "models/fabric/on_ramp_core.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

namespace tessera::fabric {
namespace {

class OnRamp : public ::testing::Test {
 protected:
  static FabricTiming timing() {
    FabricTiming t;
    t.on_ramp_latency = 5;
    return t;
  }
  /// Output queue `q` has a wavelet of `color` that may be read from `ready_at` on.
  void fill(unsigned q, unsigned color, Cycle ready_at = 0) {
    wavelets[q] = {100 + q, Color(color), false, false, false, q};
    heads[q] = {ready_at, &wavelets[q]};
  }
  std::vector<unsigned> queues_served(Cycle from, unsigned cycles) {
    std::vector<unsigned> served;
    for (Cycle now = from; now < from + cycles; ++now) {
      const OnRampCore::Step step = core.step(now, heads);
      if (step.grant) served.push_back(step.grant->queue.value());
    }
    return served;
  }
  std::array<link::Wavelet, kMaxQueues> wavelets;
  OnRampCore::Heads heads;
  OnRampCore core{{2, 1}, timing(), 9};
};

TEST_F(OnRamp, WaveletLandsAfterTheOnRampLatency) {
  core.set_capacity(Color(4), 3);
  fill(6, 4);
  const OnRampCore::Step step = core.step(10, heads);
  ASSERT_TRUE(step.grant);
  EXPECT_EQ(step.grant->queue, QueueId(6));
  EXPECT_EQ(step.grant->wavelet.payload, 106U);
  EXPECT_EQ(step.grant->due, 15U);
  EXPECT_EQ(step.next, 11U);
}

TEST_F(OnRamp, ServesOneQueuePerCycleInRotation) {
  for (unsigned q : {0U, 3U, 7U}) {
    core.set_capacity(Color(q), 10);
    fill(q, q);
  }
  EXPECT_EQ(queues_served(0, 6), (std::vector<unsigned>{0, 3, 7, 0, 3, 7}));
}

TEST_F(OnRamp, FixedRuleServesTheLowestQueue) {
  FabricTiming fixed = timing();
  fixed.arbitration = Arbitration::kFixed;
  core = OnRampCore({2, 1}, fixed, 9);
  for (unsigned q : {3U, 7U}) {
    core.set_capacity(Color(q), 2);
    fill(q, q);
  }
  EXPECT_EQ(queues_served(0, 5), (std::vector<unsigned>{3, 3, 7, 7}));
}

TEST_F(OnRamp, PausesInOneCycleAfterItsRun) {
  FabricTiming paced = timing();
  paced.ramp_run = 8;
  core = OnRampCore({2, 1}, paced, 9);
  core.set_capacity(Color(0), 100);
  fill(0, 0);
  EXPECT_EQ(queues_served(0, 90).size(), 80U);
  const OnRampCore::Step step = core.step(98, heads);  // 98 = 10 * 9 + 8
  EXPECT_FALSE(step.grant);
  EXPECT_EQ(step.next, 99U);
}

TEST_F(OnRamp, QueueWithoutCreditDoesNotHoldUpTheOthers) {
  core.set_capacity(Color(1), 1);
  core.set_capacity(Color(2), 10);
  fill(0, 1);
  fill(1, 2);
  EXPECT_EQ(queues_served(0, 5), (std::vector<unsigned>{0, 1, 1, 1, 1}));
}

TEST_F(OnRamp, SleepsUntilAWaveletOrACreditIsDue) {
  core.set_capacity(Color(1), 1);
  EXPECT_EQ(core.step(0, heads).next, kNever);
  fill(0, 1, 7);
  EXPECT_EQ(core.step(3, heads).next, 7U);
  EXPECT_TRUE(core.step(7, heads).grant);
  EXPECT_EQ(core.step(8, heads).next, kNever);
  core.credit(Color(1), 20);
  EXPECT_EQ(core.step(9, heads).next, 20U);
  EXPECT_FALSE(core.step(19, heads).grant);
  EXPECT_TRUE(core.step(20, heads).grant);
  EXPECT_EQ(core.credits(Color(1)), 0U);
}

TEST_F(OnRamp, SaysWhyAQueueWaits) {
  core.set_capacity(Color(1), 1);
  fill(0, 1);
  fill(5, 8);
  core.step(0, heads);
  observe::Waits waits;
  core.describe_waits(waits, 1, heads);
  ASSERT_EQ(waits.size(), 2U);
  EXPECT_EQ(waits[0].place, 9U);
  EXPECT_EQ(waits[0].who, "on-ramp, output queue 0, color 1");
  EXPECT_EQ(waits[0].what, "room at the RAMP input of the router (no credit)");
  EXPECT_EQ(waits[1].what,
            "room at the RAMP input of the router (the router does not receive color 8 from RAMP)");
}

TEST_F(OnRamp, RefusesCreditsItNeverTookAndALatencyOfZero) {
  core.set_capacity(Color(1), 1);
  EXPECT_THROW(core.credit(Color(1), 1), std::logic_error);
  FabricTiming zero;
  zero.on_ramp_latency = 0;
  EXPECT_THROW(OnRampCore({0, 0}, zero, 0), std::invalid_argument);
}

}  // namespace
}  // namespace tessera::fabric
