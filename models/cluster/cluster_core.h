// All cores of a launch, their sync unit and GM, stepped together: the structure `dense`
// (docs/architecture.md#two-structures). The modules ai_core_module.h, sync_unit.h and gm.h bound by sockets give the
// same events in the same cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/cluster/machine_view.h"
#include "models/timing/scheduler.h"

namespace tessera::cluster {

class ClusterCore final : public MachineView {
 public:
  /// Throws UserError for a launch that no machine has. `sink` may be nullptr; places of events are
  /// CoreId::index(). `data`, of the same launch, outlives the machine; nullptr: timing only.
  ClusterCore(const ClusterConfig& config, const Launch& launch, observe::Sink* sink,
              ClusterData* data = nullptr);
  ClusterCore(const ClusterCore&) = delete;
  ClusterCore& operator=(const ClusterCore&) = delete;
  ~ClusterCore() override;

  /// Looks for hazards from now on; before the first launch.
  void watch_hazards();
  /// See HazardWatch; none if nobody watches.
  std::vector<std::string> hazards() const {
    return hazards_ ? hazards_->sentences() : std::vector<std::string>();
  }

  /// Starts a kernel on all cores in cycle `at`: `aic` on AICs, `aiv` on AIVs. What the launch has no
  /// cores for may be nullptr. Throws UserError.
  void launch(std::shared_ptr<const Program> aic, std::shared_ptr<const Program> aiv, Cycle at);
  /// On one core.
  void launch(CoreId core, std::shared_ptr<const Program> program, Cycle at);
  /// Steps what is due before cycle `end`. Returns true when nothing is due any more: all cores have
  /// finished, or wait for ever. Throws IllegalBehaviour.
  bool run(Cycle end = kNever);
  void shuffle_step_order(std::uint64_t seed) { scheduler_.shuffle_step_order(seed); }

  /// The next cycle in which something is due, kNever when nothing is.
  Cycle next_due() const { return scheduler_.next_due(); }
  /// The cycle stepped last.
  Cycle now() const { return now_; }

  const AiCore* find(CoreId core) const override;
  const AiCore& core(CoreId core) const { return *find(core); }
  const SyncUnitCore& sync_unit() const override;
  const GmCore& gm() const override;

 private:
  struct CoreBlock;
  struct SyncBlock;
  struct GmBlock;

  const ClusterConfig config_;
  const Launch launch_;
  timing::Scheduler scheduler_;
  std::vector<std::unique_ptr<CoreBlock>> cores_;  // by CoreId::index(); nullptr: not launched
  std::unique_ptr<SyncBlock> sync_;
  std::unique_ptr<GmBlock> gm_;
  std::unique_ptr<HazardWatch> hazards_;  // nullptr: nobody watches
  Cycle now_ = 0;
};

/// Throws UserError for a launch that no machine has.
void check_launch(const Launch& launch);

}  // namespace tessera::cluster
