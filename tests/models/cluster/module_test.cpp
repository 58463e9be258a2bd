// Modules of AI cores, sync unit and GM bound by sockets: the same events in the same cycles as
// ClusterCore, with a checker between every core and the sync unit, and GM. One TEST a process.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "models/cluster/core/ai_core_module.h"
#include "models/cluster/modular_cluster.h"
#include "models/cluster/shared_units.h"
#include "tests/models/cluster/random.h"
#include "tests/support/report_of.h"
#include "tests/support/sc_reports.h"
#include "tlm_ifaces/sync/sync_kit.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::cluster {
namespace {

using bench::Bench;
using bench::Kernel;
using bench::RandomKernels;
using testing::HasSubstr;

/// The cores of a launch, each a module.
class Machine : public sc_core::sc_module {
 public:
  Machine(sc_core::sc_module_name name, const ClusterConfig& c, const Launch& l)
      : sc_core::sc_module(name), config(c), launch(l), domain("domain", 1000),
        sync_unit("sync_unit", domain, config.core.sync, launch),
        gm("gm", domain, config.core.cost, launch.clusters),
        data(config.profile, launch, bench::arrays()) {
    data.resize(0, bench::kNumbers * 4);
    for (unsigned i = 0; i < 3 * launch.clusters; ++i) {
      const CoreId id = Bench::place(i / 3, i % 3);
      const std::string number = std::to_string(i);
      cores.emplace_back();
      if (!launch.has(id)) {
        stubs.push_back(std::make_unique<sync::Stub>(("stub" + number).c_str()));
        stubs.back()->out.bind(sync_unit.cores[i]);
        gm_stubs.push_back(std::make_unique<transfer::Stub>(("gm_stub" + number).c_str()));
        gm_stubs.back()->out.bind(gm.cores[i]);
        continue;
      }
      cores.back() = std::make_unique<AiCoreModule>(("core" + number).c_str(), domain, config,
                                                    launch, id, Attachments{&events, &data});
      checkers.push_back(std::make_unique<sync::Checker>(("checker" + number).c_str(),
                                                         [this] { return domain.now(); }));
      cores.back()->sync.bind(checkers.back()->in);
      checkers.back()->out.bind(sync_unit.cores[i]);
      gm_checkers.push_back(std::make_unique<transfer::Checker>(("gm_checker" + number).c_str(),
                                                                [this] { return domain.now(); }));
      cores.back()->gm.bind(gm_checkers.back()->in);
      gm_checkers.back()->out.bind(gm.cores[i]);
    }
  }
  AiCoreModule& core(CoreId id) { return *cores.at(id.index()); }

  const ClusterConfig config;
  const Launch launch;
  bench::Events events;
  timing::ClockDomain domain;
  SyncUnit sync_unit;
  Gm gm;
  ClusterData data;
  std::vector<std::unique_ptr<AiCoreModule>> cores;
  std::vector<std::unique_ptr<sync::Checker>> checkers;
  std::vector<std::unique_ptr<transfer::Checker>> gm_checkers;
  std::vector<std::unique_ptr<sync::Stub>> stubs;
  std::vector<std::unique_ptr<transfer::Stub>> gm_stubs;
};

void expect_same_as_dense(const ClusterConfig& config) {
  Launch launch;
  launch.clusters = 2;
  const RandomKernels kernels(7, config.profile);
  Machine modules("machine", config, launch);
  Bench dense(config, launch);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  for (unsigned cluster = 0; cluster < 2; ++cluster) {
    for (unsigned unit = 0; unit < 3; ++unit) {
      const CoreId id = Bench::place(cluster, unit);
      const auto program = unit == 0 ? kernels.aic.build() : kernels.aivs.at(unit - 1).build();
      modules.core(id).launch(program, 1);
      dense.machine.launch(id, program, 1);
    }
  }
  sc_core::sc_start();
  dense.machine.run();
  ASSERT_FALSE(dense.hangs()) << dense.waits();
  EXPECT_GT(dense.events.list.size(), 100u);
  EXPECT_EQ(modules.events.digest.hex(), dense.events.digest.hex());
  EXPECT_EQ(modules.gm.core().bytes_read(), dense.machine.gm().bytes_read());
  for (const auto& core : modules.cores) EXPECT_TRUE(core->core().finished());
  kernels.expect_sums(modules.data, 2);
  EXPECT_EQ(modules.data.contents(0), dense.data.contents(0));
}

TEST(ClusterModules, SameDigestAsDenseOnA2A3) {
  expect_same_as_dense(a2a3_config());
}

TEST(ClusterModules, SameDigestAsDenseOnA5) {
  expect_same_as_dense(a5_config());
}

// docs/architecture.md#errors: sync unit and GM tell of a place that was left open in the same words.
TEST(ClusterModules, PlaceWithoutACoreMustBeClosed) {
  timing::ClockDomain domain("domain", 1000);
  const ClusterConfig config = a2a3_config();
  Gm gm("gm", domain, config.core.cost, 1);
  EXPECT_THAT(
      test::report_of(transfer::kUnboundId, [] { sc_core::sc_start(sc_core::SC_ZERO_TIME); }),
      HasSubstr("gm, the socket of AIC of cluster 0 is not bound: bind a core, a GM or a "
                "transfer::Stub"));
}

TEST(ClusterModules, IllegalBehaviourLeavesTheKernelAsAReport) {
  Launch launch;
  launch.ratio = LaunchRatio::k0To1;
  Machine machine("machine", a2a3_config(), launch);
  Kernel k;
  k.set_flag(Pipe::kMte2, Pipe::kV, 2);
  k.set_flag(Pipe::kMte2, Pipe::kV, 2);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  machine.core(Bench::place(0, 1)).launch(k.build(), 1);
  test::ExpectReport expected(timing::kIllegalBehaviourId);
  try {
    sc_core::sc_start();
    ADD_FAILURE() << "nothing was reported";
  } catch (const sc_core::sc_report& report) {
    EXPECT_THAT(report.get_msg(), HasSubstr("k.pto:2: AIV0 of cluster 0, set_flag(MTE2, V, id 2)"));
  }
}

TEST(ClusterModules, DeadlockIsExplained) {
  Launch launch;
  launch.ratio = LaunchRatio::k1To1;
  const ClusterConfig config = a2a3_config();
  timing::ClockDomain domain("domain", 1000);
  ModularCluster machine("machine", domain, config, launch);
  Kernel aic;
  aic.ffts();
  aic.wait_dev(3);
  Kernel aiv;
  aiv.ffts();
  aiv.wait_dev(2);
  aiv.set_cross(Pipe::kMte3, 2, 3);
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
  machine.launch(aic.build(), aiv.build(), 1);
  sc_core::sc_start();
  observe::Waits waits;
  EXPECT_THAT(machine.describe_waits(waits), HasSubstr("id 2 of AIV0 of cluster 0 never comes"));
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_THAT(waits[1].what,
              HasSubstr("AIV0 of cluster 0 has to set id 3 (mode 2): the scalar unit of AIV0 of "
                        "cluster 0 is at wait_flag_dev(S, id 2) at k.pto:2 and has not come to "
                        "set_cross_core(MTE3, mode 2, id 3) at k.pto:3"));
}

}  // namespace
}  // namespace tessera::cluster
