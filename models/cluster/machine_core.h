// All cores of a launch, their sync unit and GM, stepped together: the structure `dense`
// (ARCHITECTURE section 2). The modules ai_core.h, sync_unit.h and gm.h bound by sockets give the
// same events in the same cycles.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "models/cluster/ai_core_core.h"
#include "models/cluster/gm_core.h"
#include "models/cluster/sync_unit_core.h"
#include "models/observe/wait.h"
#include "models/timing/scheduler.h"

namespace tessera::cluster {

using HazardTrackers = std::vector<std::unique_ptr<HazardTracker>>;  ///< by cluster
/// One sentence for each pair of lines, cluster by cluster; the same sentence once.
std::vector<std::string> describe(const HazardTrackers& trackers);

class MachineCore {
 public:
  /// Throws UserError for a launch that no machine has. `sink` may be nullptr; places of events are
  /// CoreId::index(). `data`, of the same launch, outlives the machine; nullptr: timing only.
  MachineCore(const ClusterConfig& config, const Launch& launch, observe::Sink* sink,
              ClusterData* data = nullptr);
  MachineCore(const MachineCore&) = delete;
  MachineCore& operator=(const MachineCore&) = delete;
  ~MachineCore();

  /// Looks for hazards from now on; before the first launch.
  void watch_hazards();
  /// One sentence for each pair of lines, cluster by cluster; the same sentence once.
  std::vector<std::string> hazards() const;

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
  bool finished() const;
  /// Cycle in which the last core finished.
  Cycle finished_at() const;
  /// Everyone who is held back, for a deadlock report.
  void describe_waits(observe::Waits& waits) const;

  /// nullptr: the launch has no such core.
  const AiCoreCore* find(CoreId core) const;
  const AiCoreCore& core(CoreId core) const { return *find(core); }
  const SyncUnitCore& sync_unit() const;
  const GmCore& gm() const;

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
  HazardTrackers hazards_;  // empty: nobody watches
  Cycle now_ = 0;
};

/// Throws UserError for a launch that no machine has.
void check_launch(const Launch& launch);

}  // namespace tessera::cluster
