// What changes in what orders the pipes and cores of a launch, for checkpoints (models/state/archive.h).
#include <cstddef>

#include "models/cluster/messages_state.h"
#include "models/cluster/sync/sync_inserter.h"
#include "models/cluster/sync/sync_unit_core.h"

namespace tessera::cluster {

void SyncInserter::visit(state::Archive& archive) {
  for (PipeLog& log : logs_) {
    const std::size_t size = log.ring.size();
    archive(log);
    if (log.ring.size() != size) state::Archive::fail("the log of a pipe has another length");
  }
  archive(map_);
}

void SyncUnitCore::visit(state::Archive& archive) {
  archive.same(cores_.size(), "the number of cores");
  for (Core& core : cores_) archive(core);
  asked_.sort(by_place);
  archive(asked_, growths_, waiting_, latencies_);
}

}  // namespace tessera::cluster
