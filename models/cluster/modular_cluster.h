// The AI cores of a launch, their sync unit and GM, a module each, bound by sockets. For reading, for
// probing, and for putting something else in place of a block. cluster.h is the same in one module.
#pragma once

#include <systemc>

#include <memory>
#include <vector>

#include "models/cluster/core/ai_core_module.h"
#include "models/cluster/machine_view.h"
#include "models/cluster/shared_units.h"

namespace tessera::cluster {

class ModularCluster : public sc_core::sc_module, public MachineView {
 public:
  /// Parameters and exceptions as ClusterCore; `config` and `launch` outlive the module. All blocks
  /// belong to `domain`. Cores are called "cluster0_aic" .. "cluster35_aiv1".
  ModularCluster(sc_core::sc_module_name name, timing::ClockDomain& domain,
                 const ClusterConfig& config, const Launch& launch,
                 const Attachments& attached = {});

  /// See ClusterCore::launch. `at` is put off to the next cycle that has not been stepped.
  void launch(const std::shared_ptr<const Program>& aic, const std::shared_ptr<const Program>& aiv,
              Cycle at);

  const AiCore* find(CoreId core) const override;
  const SyncUnitCore& sync_unit() const override { return sync_unit_->core(); }
  const GmCore& gm() const override { return gm_->core(); }

 private:
  std::vector<std::unique_ptr<AiCoreModule>> cores_;  // by CoreId::index(); nullptr: not launched
  std::unique_ptr<SyncUnit> sync_unit_;
  std::unique_ptr<Gm> gm_;
  // For places without a core.
  std::vector<std::unique_ptr<sync::Stub>> sync_stubs_;
  std::vector<std::unique_ptr<transfer::Stub>> gm_stubs_;
};

}  // namespace tessera::cluster
