#include "platforms/ascend/cluster_view.h"

#include <numeric>

#include "platforms/ascend/wait_summary.h"

namespace tessera::ascend {

std::string ClusterView::state_of(std::uint32_t place, Cycle now) const {
  const cluster::AiCore* const core = machine_.view().find(cluster::CoreId::at(place));
  return core == nullptr ? "the launch has no such core" : busy_pipes(*core, now);
}

// A row for each core, a column for each pipe.
run::LiveGrid ClusterView::live_grid() const {
  return {sync::kPipeCount,
          static_cast<unsigned>(machine_.view().cores().size()),
          {{"busy", "cycles"}, {"waits", "cycles"}}};
}

std::vector<double> ClusterView::live_values(std::size_t quantity, Cycle /*now*/) const {
  std::vector<double> values;
  for (const cluster::AiCore* core : machine_.view().cores()) {
    for (const sync::Pipe pipe : sync::kPipes) {
      const cluster::PipeStats& stats = core->stats(pipe);
      const auto waits = std::accumulate(stats.waits.begin(), stats.waits.end(), std::uint64_t{0});
      values.push_back(static_cast<double>(quantity == 0 ? stats.busy : waits));
    }
  }
  return values;
}

std::uint32_t ClusterView::live_place(std::size_t cell) const {
  return machine_.view().cores()[cell / sync::kPipeCount]->id().index();
}

std::string ClusterView::live_name(std::size_t cell) const {
  return to_string(machine_.view().cores()[cell / sync::kPipeCount]->id()) + ", " +
         to_string(sync::kPipes[cell % sync::kPipeCount]);
}

}  // namespace tessera::ascend
