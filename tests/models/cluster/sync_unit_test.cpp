// Cluster sync unit: who is counted where, and when (reference ascend.md 2.6, 2.7).
#include "models/cluster/sync/sync_unit_core.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::cluster::sync_unit_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr CoreId kAic{0, 0}, kAiv0{0, 1}, kAiv1{0, 2};

/// Two clusters of a launch, latencies 10 (modes 1, 2), 30 (0) and 5 (4).
struct Unit {
  explicit Unit(LaunchRatio ratio = LaunchRatio::k1To2, bool mix = true, unsigned most = 15)
      : core(config(most), launch(ratio, mix)) {}
  static SyncConfig config(unsigned most) {
    SyncConfig c;
    c.cluster_latency = 10;
    c.all_latency = 30;
    c.intra_latency = 5;
    c.counter_max = most;
    return c;
  }
  static Launch launch(LaunchRatio ratio, bool mix) {
    Launch l;
    l.clusters = 2;
    l.ratio = ratio;
    l.mix = mix;
    return l;
  }
  static sync::Request request(sync::Operation op, CoreId core, Mode mode, unsigned id) {
    sync::Request r;
    r.operation = op;
    r.core = core;
    r.mode = mode;
    r.id = static_cast<std::uint8_t>(id);
    r.pipe = Pipe::kMte2;
    return r;
  }
  /// A set that fires in cycle `at`.
  void set(CoreId from, Mode mode, unsigned id, Cycle at) {
    core.ask(request(sync::Operation::kSet, from, mode, id), at + 1);
  }
  void wait(CoreId from, unsigned id, Cycle at, Mode mode = Mode::kAll) {
    core.ask(request(sync::Operation::kWait, from, mode, id), at + 1);
  }
  /// Runs until nothing is due and keeps "CORE VERDICT @DUE", without those that only wait.
  std::vector<std::string> run() {
    std::vector<std::string> list;
    for (Cycle now = 0; now < 200; ++now) {
      for (const SyncUnitCore::Answer& a : core.step(now).answers) {
        if (a.answer.verdict == sync::Verdict::kWaits) continue;
        const char* verdict = a.answer.verdict == sync::Verdict::kGranted ? " goes on @" : " ill @";
        list.push_back(to_string(a.answer.request.core) + verdict + std::to_string(a.due));
      }
    }
    return list;
  }
  unsigned counter(CoreId c, unsigned id, bool intra = false) const {
    return core.counter(c, id, intra);
  }
  SyncUnitCore core;
};

TEST(SyncUnit, 2_6_AWaiterGoesOnLatencyCyclesAfterTheSetHasFired) {
  Unit u;
  u.wait(kAiv0, 3, 0);
  u.set(kAic, Mode::kCluster, 3, 50);
  EXPECT_THAT(u.run(), ElementsAre("AIV0 of cluster 0 goes on @60"));
  EXPECT_EQ(u.counter(kAiv1, 3), 1u);  // broadcast
  EXPECT_EQ(u.counter({1, 1}, 3), 0u);
}

TEST(SyncUnit, 2_6_AWaitBehindTheSetTakesTheWayThereAndBack) {
  Unit u;
  u.set(kAic, Mode::kCluster, 3, 0);
  u.wait(kAiv0, 3, 50);
  EXPECT_THAT(u.run(), ElementsAre("AIV0 of cluster 0 goes on @52"));
}

TEST(SyncUnit, 2_6_Mode2NeedsBothAivs) {
  Unit u;
  u.wait(kAic, 3, 0);
  u.set(kAiv0, Mode::kCluster, 3, 10);
  u.set(kAiv0, Mode::kCluster, 3, 11);
  EXPECT_THAT(u.run(), IsEmpty());
  ASSERT_THAT(u.core.missing(Unit::request(sync::Operation::kWait, kAic, Mode::kAll, 3)),
              SizeIs(3));  // AIV1, and for mode 0 the two AICs
  u.set(kAiv1, Mode::kCluster, 3, 300);
  u.core.step(301);
  EXPECT_EQ(u.core.arrived(kAiv0, Mode::kCluster, 3), 1u);  // the second set waits for its partner
}

TEST(SyncUnit, 2_6_Mode2WithOneAivNeedsOne) {
  Unit u(LaunchRatio::k1To1);
  u.wait(kAic, 3, 0);
  u.set(kAiv0, Mode::kCluster, 3, 10);
  EXPECT_THAT(u.run(), ElementsAre("AIC of cluster 0 goes on @20"));
}

TEST(SyncUnit, 2_6_Mode0GathersAllCoresOfAKind) {
  Unit u;
  u.set(kAiv0, Mode::kAll, 3, 10);
  u.set(kAiv1, Mode::kAll, 3, 20);
  u.set({1, 1}, Mode::kAll, 3, 30);
  u.wait(kAiv0, 3, 0);
  EXPECT_THAT(u.run(), IsEmpty());
  Unit all;
  for (const CoreId core : {kAiv0, kAiv1, CoreId{1, 1}, CoreId{1, 2}})
    all.set(core, Mode::kAll, 3, 10);
  all.wait({1, 2}, 3, 0);
  EXPECT_THAT(all.run(), ElementsAre("AIV1 of cluster 1 goes on @40"));
  EXPECT_EQ(all.counter(kAiv0, 3), 1u);
  EXPECT_EQ(all.counter(kAic, 3), 0u);
}

TEST(SyncUnit, 2_6_Mode1IsInsideACluster) {
  Unit u;
  u.set(kAiv0, Mode::kSubblocks, 3, 10);
  u.set({1, 2}, Mode::kSubblocks, 3, 10);
  u.run();
  EXPECT_EQ(u.counter(kAiv0, 3), 0u);
  Unit pair;
  pair.set(kAiv0, Mode::kSubblocks, 3, 10);
  pair.set(kAiv1, Mode::kSubblocks, 3, 10);
  pair.run();
  EXPECT_EQ(pair.counter(kAiv0, 3), 1u);
  EXPECT_EQ(pair.counter(kAiv1, 3), 1u);
}

TEST(SyncUnit, 2_7_Mode4MapsIdsOneToOne) {
  for (unsigned id = 0; id < 16; ++id) {
    Unit u;
    u.set(kAiv0, Mode::kIntraBlock, id, 1);
    u.set(kAiv1, Mode::kIntraBlock, id, 1);
    u.set(kAiv1, Mode::kIntraBlock, id, 2);
    u.set(kAic, Mode::kIntraBlock, id, 1);
    u.set(kAic, Mode::kIntraBlock, id + 16, 2);
    u.run();
    for (unsigned other = 0; other < 16; ++other) {
      EXPECT_EQ(u.counter(kAic, other, true), other == id ? 1u : 0u);
      EXPECT_EQ(u.counter(kAic, other + 16, true), other == id ? 2u : 0u);
      EXPECT_EQ(u.counter(kAiv0, other, true), other == id ? 1u : 0u);
      EXPECT_EQ(u.counter(kAiv1, other, true), other == id ? 1u : 0u);
      EXPECT_EQ(u.counter(kAic, other, false), 0u);  // separate from modes 0 to 2
    }
  }
}

TEST(SyncUnit, 2_7_UnreachableSubblockIsIllegal) {
  Unit u(LaunchRatio::k1To1);
  u.set(kAic, Mode::kIntraBlock, 16, 1);
  EXPECT_THAT(u.run(), ElementsAre("AIC of cluster 0 ill @3"));
}

TEST(SyncUnit, 2_6_TheSixteenthSetIsIllegal) {
  Unit u;
  for (Cycle i = 0; i < 16; ++i) u.set(kAic, Mode::kCluster, 3, i);
  // Both AIVs overflow with the last one, in cycle 15 + 10 - 1.
  EXPECT_THAT(u.run(), ElementsAre("AIC of cluster 0 ill @25", "AIC of cluster 0 ill @25"));
  EXPECT_EQ(u.counter(kAiv0, 3), 15u);
}

TEST(SyncUnit, 2_6_WithoutMixNothingIsCounted) {
  Unit u(LaunchRatio::k1To2, false);
  u.set(kAic, Mode::kCluster, 3, 0);
  u.set(kAic, Mode::kIntraBlock, 3, 0);
  EXPECT_THAT(u.run(), IsEmpty());
  EXPECT_EQ(u.counter(kAiv0, 3), 0u);
  EXPECT_EQ(u.counter(kAiv0, 3, true), 0u);
}

}  // namespace
}  // namespace tessera::cluster::sync_unit_test
