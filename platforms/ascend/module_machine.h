// The structure `modules`: every core, the sync unit and GM are SC_MODULEs bound by sockets.
#pragma once

#include <memory>
#include <vector>

#include "models/cluster/core/ai_core_module.h"
#include "models/cluster/memory/gm.h"
#include "models/cluster/sync/sync_unit.h"
#include "models/timing/clock_domain.h"
#include "platforms/ascend/machine.h"
#include "tlm_ifaces/sync/sync_kit.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::ascend {

class ModuleMachine final : public Machine {
 public:
  ModuleMachine(const cluster::ClusterConfig& config, const cluster::Launch& launch,
                observe::Sink& sink, cluster::ClusterData* data, std::uint64_t period_ps);

  const char* structure() const override { return "modules"; }
  void shuffle_step_order(std::uint64_t seed) override { domain_.shuffle_step_order(seed); }
  void watch_hazards() override;
  std::vector<std::string> hazards() const override {
    return hazards_ ? hazards_->sentences() : std::vector<std::string>();
  }
  void launch(const std::shared_ptr<const cluster::Program>& aic,
              const std::shared_ptr<const cluster::Program>& aiv) override;
  bool run(Cycle end) override;
  Cycle now() const override { return domain_.now(); }
  const cluster::AiCore* find(cluster::CoreId core) const override;
  const cluster::SyncUnitCore& sync_unit() const override { return sync_unit_->core(); }
  const cluster::GmCore& gm() const override { return gm_->core(); }

 private:
  timing::ClockDomain domain_;
  std::vector<std::unique_ptr<cluster::AiCoreModule>>
      cores_;  // by CoreId::index(); nullptr: not launched
  std::unique_ptr<cluster::SyncUnit> sync_unit_;
  std::unique_ptr<cluster::Gm> gm_;
  std::vector<std::unique_ptr<sync::Stub>> stubs_;  // for places without a core
  std::vector<std::unique_ptr<transfer::Stub>> gm_stubs_;
  std::unique_ptr<cluster::HazardWatch> hazards_;  // nullptr: nobody watches
};

}  // namespace tessera::ascend
