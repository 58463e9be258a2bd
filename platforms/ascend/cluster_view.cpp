#include "platforms/ascend/cluster_view.h"

#include <numeric>

#include "platforms/ascend/pipe_trace.h"
#include "platforms/ascend/wait_summary.h"

namespace tessera::ascend {

std::optional<run::TraceFile> ClusterView::trace_pipes(const cli::Options& options,
                                                       observe::EventStream& events) const {
  if (options.validate || options.trace_perfetto_file.empty()) return std::nullopt;
  return run::TraceFile::of<PipeTrace>(
      options.trace_perfetto_file, events, launch_.clusters,
      [this](std::uint32_t place) {
        const cluster::AiCore* const core = machine_.view().find(cluster::CoreId::at(place));
        return core == nullptr ? nullptr : core->program();
      },
      options.trace_scope());
}

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

double ClusterView::live_value(std::size_t quantity, std::size_t cell, Cycle /*now*/) const {
  const cluster::AiCore& core = *machine_.view().cores()[cell / sync::kPipeCount];
  const cluster::PipeStats& stats = core.stats(sync::kPipes[cell % sync::kPipeCount]);
  const auto waits = std::accumulate(stats.waits.begin(), stats.waits.end(), std::uint64_t{0});
  return static_cast<double>(quantity == 0 ? stats.busy : waits);
}

std::uint32_t ClusterView::live_place(std::size_t cell) const {
  return machine_.view().cores()[cell / sync::kPipeCount]->id().index();
}

std::string ClusterView::live_name(std::size_t cell) const {
  return to_string(machine_.view().cores()[cell / sync::kPipeCount]->id()) + ", " +
         to_string(sync::kPipes[cell % sync::kPipeCount]);
}

}  // namespace tessera::ascend
