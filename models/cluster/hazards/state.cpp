// What is known of the order of operations, for checkpoints (models/state/archive.h). Programs are those of the launch.
#include "models/cluster/hazards/hazards.h"
#include "models/cluster/messages_state.h"

namespace tessera::cluster {

void HazardTracker::visit(state::Archive& archive) {
  settle();  // between two cycles
  archive(agents_, units_, words_, map_, found_);
}

void HazardWatch::visit(state::Archive& archive) {
  archive.same(trackers_.size(), "the number of clusters");
  for (const auto& tracker : trackers_) archive(*tracker);
}

}  // namespace tessera::cluster
