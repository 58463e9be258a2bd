// The AI cores of a launch, their sync unit and GM in one plain C++ class, which steps what is due.
// cluster.h is its module. modular_cluster.h builds the same machine from a module per block, with the
// same events in the same cycles.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "models/cluster/core/core_context.h"
#include "models/cluster/machine_view.h"
#include "models/state/fwd.h"
#include "models/timing/scheduler.h"

namespace tessera::cluster {

class ClusterCore final : public MachineView {
 public:
  /// Throws UserError for a configuration or a launch that no machine has.
  ClusterCore(const ClusterConfig& config, const Launch& launch, const Attachments& attached = {});
  ClusterCore(const ClusterCore&) = delete;
  ClusterCore& operator=(const ClusterCore&) = delete;
  ~ClusterCore() override;

  /// Starts a kernel on all cores in cycle `at`: `aic` on AICs, `aiv` on AIVs. What the launch has no
  /// cores for may be nullptr. Throws UserError.
  void launch(const std::shared_ptr<const Program>& aic, const std::shared_ptr<const Program>& aiv,
              Cycle at);
  /// Starts a kernel on one core.
  void launch(CoreId core, std::shared_ptr<const Program> program, Cycle at);
  void shuffle_step_order(std::uint64_t seed) { scheduler_.shuffle_step_order(seed); }

  /// Does the work of cycle `now`; for whoever keeps the time (cluster.h). Cycles in which nothing is
  /// due may be left out. Returns the next cycle to step, kNever when nothing will happen any more.
  /// Throws IllegalBehaviour.
  Cycle step(Cycle now);
  /// Steps what is due before cycle `end`. Returns true when nothing is due any more: all cores have
  /// finished, or wait for ever. Throws IllegalBehaviour.
  bool run(Cycle end = kNever);
  /// For checkpoints, between two cycles of which `next` is the second. The same kernel has been launched, and nothing has been
  /// stepped.
  void visit(state::Archive& archive, Cycle next);
  /// The next cycle to step, kNever when nothing will happen any more.
  Cycle next_due() const { return scheduler_.next_due(); }
  /// The cycle stepped last.
  Cycle now() const { return now_; }

  const AiCore* find(CoreId core) const override;
  const AiCore& core(CoreId core) const { return *find(core); }
  const SyncUnitCore& sync_unit_of(unsigned device) const override;
  const GmCore& gm_of(unsigned device) const override;

 private:
  struct CoreBlock;
  template <class Unit>
  struct UnitBlock;

  /// Hands an answer of the sync unit or of GM to the core that waits for it.
  void deliver(const sync::Answer& answer, Cycle due);
  void deliver(const transfer::Done& done, Cycle due);

  const ClusterConfig config_;
  const Launch launch_;
  timing::Scheduler scheduler_;
  std::vector<std::unique_ptr<CoreBlock>> cores_;  // by CoreId::index(); nullptr: not launched
  std::vector<std::unique_ptr<UnitBlock<SyncUnitCore>>> sync_;  // by device
  std::vector<std::unique_ptr<UnitBlock<GmCore>>> gm_;
  Cycle now_ = 0;
};

}  // namespace tessera::cluster
