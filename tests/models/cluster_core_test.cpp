// AI core: pipes, flags, barriers, locks, queues (reference ascend.md 1.2, 2.2 to 2.5).
#include "models/cluster/ai_core_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/models/cluster_bench.h"

namespace tessera::cluster {
namespace {

using bench::Bench;
using bench::Kernel;
using bench::launch_of;
using observe::EventKind;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr CoreId kAiv0{0, 1};
constexpr CoreId kAicCore{0, 0};

ClusterConfig plain(ClusterConfig config = a2a3_config()) {
  config.core.sync.flag_latency = 3;
  return config;
}

TEST(AiCore, 1_2_PipesRunSideBySideAndInOrder) {
  Kernel k;
  k.busy(Pipe::kMte2, 100);
  k.busy(Pipe::kV, 50);
  k.busy(Pipe::kV, 20);
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs());
  // The scalar unit issues every 5 cycles from cycle 1 on; a pipe sees it a cycle later.
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kMte2), ElementsAre(2));
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV), ElementsAre(7, 57));
  EXPECT_THAT(b.cycles_of(EventKind::kPipeEnd, kAiv0, Pipe::kMte2), ElementsAre(102));
  EXPECT_EQ(b.aiv().stats(Pipe::kV).busy, 70u);
}

TEST(AiCore, 2_2_WaitFlagHoldsItsPipeUntilTheSourceHasCompleted) {
  Kernel k;
  k.busy(Pipe::kMte2, 100);              // 2 .. 102
  k.set_flag(Pipe::kMte2, Pipe::kV, 3);  // fires at 102, up at 105
  k.wait_flag(Pipe::kMte2, Pipe::kV, 3);
  k.busy(Pipe::kV, 50);
  Bench b(plain(), launch_of(1, LaunchRatio::k0To1));
  b.run(Kernel(), k);
  ASSERT_FALSE(b.hangs());
  EXPECT_THAT(b.cycles_of(EventKind::kPipeStart, kAiv0, Pipe::kV), ElementsAre(106));
  EXPECT_EQ(b.aiv().stats(Pipe::kV).wait(WaitReason::kFlag), 105u - 12u);
  EXPECT_TRUE(b.aiv().flags_set().empty());
}

}  // namespace
}  // namespace tessera::cluster
