// AI core module: AiCore behind a sync and a transfer socket. Cycle rules: ai_core.h.
#pragma once

#include <systemc>

#include <memory>

#include "models/cluster/core/ai_core.h"
#include "models/timing/clock_domain.h"
#include "tlm_ifaces/sync/sync_kit.h"
#include "tlm_ifaces/transfer/transfer_kit.h"

namespace tessera::cluster {

class AiCoreModule : public sc_core::sc_module,
                     public timing::Steppable,
                     private sync::BackwardIf,
                     private transfer::BackwardIf {
 public:
  sync::InitiatorSocket sync{"sync"};  ///< to the sync unit
  transfer::InitiatorSocket gm{"gm"};  ///< to GM/L2

  /// `config` and `launch` outlive the module; other parameters as in AiCore.
  AiCoreModule(sc_core::sc_module_name name, timing::ClockDomain& domain,
               const ClusterConfig& config, const Launch& launch, CoreId core,
               const Attachments& attached);

  /// See AiCore::launch. `at` is put off to the next cycle that has not been stepped.
  void launch(std::shared_ptr<const Program> program, Cycle at);
  const AiCore& core() const { return core_; }

  Cycle step(Cycle now) override;

 private:
  void end_of_elaboration() override;
  void answer(const sync::Answer& answer, Cycle due) override;
  void done(const transfer::Done& done, Cycle due) override;

  timing::ClockDomain& domain_;
  const timing::BlockId block_;
  AiCore core_;
};

}  // namespace tessera::cluster
