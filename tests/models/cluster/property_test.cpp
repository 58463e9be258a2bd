// Random kernels: the order in which blocks are stepped inside a cycle does not matter, and what must
// be conserved is (docs/architecture.md#time).
#include <gtest/gtest.h>

#include "tests/models/cluster/random.h"

namespace tessera::cluster {
namespace {

using bench::Bench;
using bench::RandomKernels;

void launch_on(Bench& b, const RandomKernels& kernels, unsigned clusters) {
  for (unsigned cluster = 0; cluster < clusters; ++cluster) {
    b.machine.launch(Bench::place(cluster, 0), kernels.aic.build(), 1 + 3 * cluster);
    for (unsigned s = 0; s < 2; ++s)
      b.machine.launch(Bench::place(cluster, 1 + s), kernels.aivs.at(s).build(), 1);
  }
}

TEST(ClusterProperty, StepOrderDoesNotMatter) {
  constexpr unsigned kClusters = 3;
  Launch launch;
  launch.clusters = kClusters;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    for (const ClusterConfig& config : {a2a3_config(), a5_config()}) {
      const RandomKernels kernels(seed, config.profile);
      Bench plain(config, launch), shuffled(config, launch);
      shuffled.machine.shuffle_step_order(seed);
      for (Bench* b : {&plain, &shuffled}) {
        launch_on(*b, kernels, kClusters);
        b->machine.run();
        ASSERT_FALSE(b->hangs()) << seed << "\n" << b->waits();
        ASSERT_TRUE(b->machine.gm().idle());
        SCOPED_TRACE(seed);
        kernels.expect_sums(b->data, kClusters);
      }
      ASSERT_EQ(plain.events.digest.hex(), shuffled.events.digest.hex()) << seed;
      ASSERT_EQ(plain.machine.finished_at(), shuffled.machine.finished_at()) << seed;
      ASSERT_EQ(plain.data.contents(0), shuffled.data.contents(0)) << seed;
      ASSERT_EQ(plain.machine.gm().bytes_read(), shuffled.machine.gm().bytes_read()) << seed;
    }
  }
}

TEST(ClusterProperty, BusyAndWaitsFitIntoTheRun) {
  for (std::uint64_t seed = 100; seed <= 120; ++seed) {
    const RandomKernels kernels(seed, Profile::kA5);
    Bench b(a5_config());
    launch_on(b, kernels, 1);
    b.machine.run();
    ASSERT_FALSE(b.hangs()) << seed;
    kernels.expect_sums(b.data, 1);
    for (unsigned unit = 0; unit < 3; ++unit) {
      for (const Pipe pipe : sync::kPipes) {
        const PipeStats& stats = b.machine.core(Bench::place(0, unit)).stats(pipe);
        std::uint64_t sum = stats.busy;
        for (const std::uint64_t wait : stats.waits) sum += wait;
        EXPECT_LE(sum, b.machine.finished_at()) << seed << ' ' << unit << ' ' << pipe;
      }
    }
  }
}

}  // namespace
}  // namespace tessera::cluster
