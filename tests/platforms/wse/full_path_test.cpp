// What a path holds that nobody empties, through all modules (wse.md 1.11): what the CE could write is
// what the parameters add up to.
#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/sc_wse_run.h"

namespace tessera::test {
namespace {

constexpr unsigned kQueue = 2;  // input queue and output queue of the programs

/// Both queues, the buffers of all routers, and the registers of ramps and links.
std::size_t full_path(const wse::WseConfig& config, unsigned hops) {
  const fabric::FabricTiming& t = config.fabric;
  const unsigned queues =
      config.output_queue_lengths.at(kQueue) + config.input_queue_lengths.at(kQueue);
  const unsigned routers = (hops + 1) * t.buffer_depth;
  const unsigned ramps = t.on_ramp_latency - 1 + t.off_ramp_latency - 1;
  return queues + routers + ramps + hops * (t.hop_latency - 1);
}

class WseFullPath : public ::testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(WseFullPath, wse_1_11_HoldsWhatTheParametersPredict) {
  const auto [preset, hops] = GetParam();
  const WseRun run =
      run_wse("tests/platforms/wse/programs/full_path/layout.json", preset, {{"W", hops + 1}});
  const std::size_t expected = full_path(run.config, static_cast<unsigned>(hops));
  EXPECT_EQ(run.cycles_of(observe::EventKind::kQueueOut, 0).size(), expected);
  EXPECT_EQ(run.wavelets_held, expected);
}

INSTANTIATE_TEST_SUITE_P(Presets, WseFullPath,
                         ::testing::Combine(::testing::Values("wse2", "wse3"),
                                            ::testing::Values(1, 2, 3, 8, 16, 32)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param)) + "_" +
                                  std::to_string(std::get<1>(test.param)) + "_hops";
                         });

}  // namespace
}  // namespace tessera::test
