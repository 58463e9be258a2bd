// What can be seen of the cores of a launch, in whichever structure they are built: cluster_core.h,
// modular_cluster.h.
#pragma once

#include <string>
#include <vector>

#include "models/cluster/core/ai_core.h"
#include "models/cluster/memory/gm_core.h"
#include "models/cluster/sync/sync_unit_core.h"
#include "models/observe/wait.h"

namespace tessera::cluster {

class MachineView {
 public:
  virtual ~MachineView() = default;

  /// nullptr: the launch has no such core.
  virtual const AiCore* find(CoreId core) const = 0;
  /// Of the first device; the others have their own.
  const SyncUnitCore& sync_unit() const { return sync_unit_of(0); }
  const GmCore& gm() const { return gm_of(0); }
  virtual const SyncUnitCore& sync_unit_of(unsigned device) const = 0;
  virtual const GmCore& gm_of(unsigned device) const = 0;
  /// Bytes that all devices have read from and written to GM and L2.
  std::uint64_t gm_bytes_read() const;
  std::uint64_t gm_bytes_written() const;

  /// The cores of the launch, by cluster and unit.
  std::vector<const AiCore*> cores() const;
  bool finished() const;
  /// Nothing but the ends of the kernels is left (AiCore::is_ending).
  bool is_ending() const;
  /// Cycle in which the last core finished.
  Cycle finished_at() const;
  /// For a deadlock report: every pipe that is held back, those first that wait for what
  /// will never come. Returns the cause of the first one and who waits for it, "" if nobody knows it.
  std::string describe_waits(observe::Waits& waits) const;
};

}  // namespace tessera::cluster
