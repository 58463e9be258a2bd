// Latency and throughput of a path through the fabric equal the closed forms of the preset exactly
// (wse.md 1.11, 11): one wavelet over d hops is read queue_write + on_ramp + d * hop + off_ramp
// cycles after the sender's engine wrote it, and a stream moves one wavelet per cycle.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/sc_wse_run.h"

namespace tessera::test {
namespace {

constexpr const char* kStream = "tests/platforms/wse/programs/stream/layout.json";

class ClosedForm : public ::testing::TestWithParam<std::tuple<const char*, int>> {
 protected:
  std::string preset() const { return std::get<0>(GetParam()); }
  int hops() const { return std::get<1>(GetParam()); }
  static Cycle path_latency(const wse::WseConfig& config, int hops) {
    return config.queue_write_latency + config.fabric.on_ramp_latency +
           static_cast<Cycle>(hops) * config.fabric.hop_latency + config.fabric.off_ramp_latency;
  }
};

TEST_P(ClosedForm, ZeroLoadLatencyOfOneWavelet) {
  const WseRun run = run_wse(kStream, preset(), {{"W", hops() + 1}, {"B", 1}});
  const auto written = run.cycles_of(observe::EventKind::kQueueOut, 0);
  const auto read = run.cycles_of(observe::EventKind::kCompute, static_cast<std::uint32_t>(hops()));
  ASSERT_EQ(written.size(), 1U);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0] - written[0], path_latency(run.config, hops()));
  EXPECT_TRUE(run.checks.at(0).passed) << run.checks.at(0).detail;
}

TEST_P(ClosedForm, ThroughputOf4096WaveletsIsOnePerCycle) {
  const WseRun run = run_wse(kStream, preset(), {{"W", hops() + 1}, {"B", 4096}});
  const auto written = run.cycles_of(observe::EventKind::kQueueOut, 0);
  const auto read = run.cycles_of(observe::EventKind::kCompute, static_cast<std::uint32_t>(hops()));
  ASSERT_EQ(written.size(), 4096U);
  ASSERT_EQ(read.size(), 4096U);
  EXPECT_EQ(written.back() - written.front(), 4095U);
  EXPECT_EQ(read.back() - written.front(), 4095U + path_latency(run.config, hops()));
  EXPECT_TRUE(run.checks.at(0).passed) << run.checks.at(0).detail;
  EXPECT_EQ(run.wavelets_held, 0U);
}

INSTANTIATE_TEST_SUITE_P(Presets, ClosedForm,
                         ::testing::Combine(::testing::Values("wse2", "wse3"),
                                            ::testing::Values(1, 8, 64)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param)) + "_hops";
                         });

// wse.md 1.11: 1 cycle a hop on WSE-2, 2 on WSE-3; the sums are those of the shipped presets.
TEST(ClosedFormValues, Wse2PathOfOneHop) {
  const WseRun run = run_wse(kStream, "wse2", {{"W", 2}, {"B", 1}});
  EXPECT_EQ(run.cycles_of(observe::EventKind::kCompute, 1).at(0) -
                run.cycles_of(observe::EventKind::kQueueOut, 0).at(0),
            6U);
}

TEST(ClosedFormValues, Wse3PathOfOneHop) {
  const WseRun run = run_wse(kStream, "wse3", {{"W", 2}, {"B", 1}});
  EXPECT_EQ(run.cycles_of(observe::EventKind::kCompute, 1).at(0) -
                run.cycles_of(observe::EventKind::kQueueOut, 0).at(0),
            9U);
}

// A buffer of one and the register of the link cannot cover a round trip of three cycles: two
// wavelets in three cycles (fabric_timing.h).
TEST(ClosedFormValues, ShallowBuffersLimitAStreamToDepthPerRoundTrip) {
  const WseRun run = run_wse(kStream, "wse3", {{"W", 9}, {"B", 300}}, {"fabric.buffer_depth=1"});
  const auto read = run.cycles_of(observe::EventKind::kCompute, 8);
  ASSERT_EQ(read.size(), 300U);
  EXPECT_EQ(read[298] - read[0], 149U * 3U);
}

// Idle hardware costs nothing: the 62 tiles between two PEs are routers that are stepped only for
// what passes.
TEST(ClosedFormValues, IdleRoutersAreNotStepped) {
  const WseRun run = run_wse(kStream, "wse3", {{"W", 64}, {"B", 1}});
  EXPECT_LT(run.steps, 64U * 4U);
}

}  // namespace
}  // namespace tessera::test
