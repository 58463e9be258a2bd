// The closed forms of latency, throughput and buffering hold for any numbers in the config, not for
// those of the presets alone (wse.md 1.11, 11; docs/architecture.md "Time").
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/sc_wse_run.h"

namespace tessera::test::closed_forms_varied_test {
namespace {

constexpr const char* kStream = "tests/platforms/wse/programs/stream/layout.json";
constexpr const char* kFullPath = "tests/platforms/wse/programs/full_path/layout.json";
constexpr const char* kSharedLink = "tests/platforms/wse/programs/shared_link/layout.json";
constexpr unsigned kQueue = 2;  // input queue and output queue of the programs

/// Numbers of a path: cycles, and wavelets of a buffer.
struct Path {
  unsigned write, on_ramp, hop, off_ramp, credit, depth;

  std::vector<std::string> sets() const {
    return {"queues.write_latency=" + std::to_string(write),
            "fabric.on_ramp_latency=" + std::to_string(on_ramp),
            "fabric.hop_latency=" + std::to_string(hop),
            "fabric.off_ramp_latency=" + std::to_string(off_ramp),
            "fabric.credit_latency=" + std::to_string(credit),
            "fabric.buffer_depth=" + std::to_string(depth)};
  }
};

constexpr unsigned kHops = 5;

class ClosedFormOfConfig : public ::testing::TestWithParam<Path> {};

TEST_P(ClosedFormOfConfig, wse_1_11_LatencyIsTheSumOfTheParts) {
  const Path path = GetParam();
  const WseRun run = run_wse(kStream, "wse3", {{"W", kHops + 1}, {"B", 1}}, path.sets());
  const auto written = run.cycles_of(observe::EventKind::kQueueOut, 0);
  const auto read = run.cycles_of(observe::EventKind::kCompute, kHops);
  ASSERT_EQ(written.size(), 1U);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0] - written[0], path.write + path.on_ramp + kHops * path.hop + path.off_ramp);
}

// The sender of a link has as many credits as the receiver has room: its buffer and the registers of
// the link. A credit is back after the latency and its own way. So many wavelets pass in that time,
// but one a cycle at most. A stream is as fast as the slowest of its links and the on-ramp.
TEST_P(ClosedFormOfConfig, wse_1_11_ThroughputIsRoomPerRoundTrip) {
  const Path path = GetParam();
  const WseRun run = run_wse(kStream, "wse3", {{"W", kHops + 1}, {"B", 600}}, path.sets());
  const auto read = run.cycles_of(observe::EventKind::kCompute, kHops);
  ASSERT_EQ(read.size(), 600U);
  const auto passes = [&](unsigned latency) {  // wavelets, and cycles for them
    const unsigned trip = latency + path.credit;
    return std::pair{std::min(path.depth + latency - 1, trip), trip};
  };
  const auto link = passes(path.hop);
  const auto ramp = passes(path.on_ramp);
  const auto slow = ramp.first * link.second < link.first * ramp.second ? ramp : link;
  EXPECT_EQ(read[200 + 10 * slow.first] - read[200], 10 * slow.second);
}

TEST_P(ClosedFormOfConfig, wse_1_11_APathHoldsQueuesBuffersAndRegisters) {
  const Path path = GetParam();
  const WseRun run = run_wse(kFullPath, "wse3", {{"W", kHops + 1}}, path.sets());
  const unsigned expected = run.config.output_queue_lengths.at(kQueue) +
                            run.config.input_queue_lengths.at(kQueue) + (kHops + 1) * path.depth +
                            path.on_ramp - 1 + path.off_ramp - 1 + kHops * (path.hop - 1);
  EXPECT_EQ(run.cycles_of(observe::EventKind::kQueueOut, 0).size(), expected);
}

INSTANTIATE_TEST_SUITE_P(Paths, ClosedFormOfConfig,
                         ::testing::Values(Path{1, 1, 1, 1, 1, 1}, Path{1, 2, 1, 2, 1, 2},
                                           Path{1, 3, 2, 3, 2, 2}, Path{3, 1, 4, 2, 1, 1},
                                           Path{2, 5, 3, 1, 6, 2}, Path{1, 1, 2, 7, 3, 9},
                                           Path{4, 2, 7, 5, 5, 3}),
                         [](const auto& test) {
                           const Path& p = test.param;
                           return "hop_" + std::to_string(p.hop) + "_credit_" +
                                  std::to_string(p.credit) + "_depth_" + std::to_string(p.depth);
                         });

class SharedLink : public ::testing::TestWithParam<const char*> {};

// wse.md 1.11: two flows on one link are fully serialised. In turns, each moves every second cycle, and
// the link is never idle.
TEST_P(SharedLink, wse_1_11_TwoFlowsTakeTurns) {
  constexpr unsigned kWords = 200;
  const WseRun run = run_wse(kSharedLink, GetParam(), {{"B", kWords}});
  for (const std::uint32_t receiver : {2U, 3U}) {
    const auto read = run.cycles_of(observe::EventKind::kCompute, receiver);
    ASSERT_EQ(read.size(), kWords);
    for (unsigned k = 20; k + 20 < kWords; ++k) {
      ASSERT_EQ(read[k + 1] - read[k], 2U) << "wavelet " << k << " of tile " << receiver;
    }
  }
}

TEST_P(SharedLink, wse_1_11_AFixedRuleServesTheLowerColorFirst) {
  constexpr unsigned kWords = 200;
  const WseRun run =
      run_wse(kSharedLink, GetParam(), {{"B", kWords}}, {"fabric.arbitration=fixed"});
  const auto first = run.cycles_of(observe::EventKind::kCompute, 2);
  const auto second = run.cycles_of(observe::EventKind::kCompute, 3);
  ASSERT_EQ(first.size(), kWords);
  ASSERT_EQ(second.size(), kWords);
  EXPECT_EQ(first.back() - first.front(), kWords - 1);  // color 5 is not held up
  const auto between = std::count_if(second.begin(), second.end(), [&](Cycle cycle) {
    return cycle > first.front() + 10 && cycle <= first.back();
  });
  EXPECT_EQ(between, 0);  // color 6 waits for all of color 5
  EXPECT_EQ(second.back() - second[kWords - 100], 99U);
}

INSTANTIATE_TEST_SUITE_P(Presets, SharedLink, ::testing::Values("wse2", "wse3"));

}  // namespace
}  // namespace tessera::test::closed_forms_varied_test
