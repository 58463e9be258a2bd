#include "platforms/ascend/cluster_view.h"

#include <algorithm>

#include "platforms/ascend/pipe_trace.h"
#include "platforms/ascend/pipe_vcd.h"
#include "platforms/ascend/wait_summary.h"

namespace tessera::ascend {

std::optional<run::TraceFile> ClusterView::trace_pipes(const cli::Options& options,
                                                       observe::EventStream& events) const {
  if (options.validate || options.trace_perfetto_file.empty()) return std::nullopt;
  return run::TraceFile::of<PipeTrace>(options.trace_perfetto_file, events, launch_.clusters,
                                       programs_of_cores(), options.trace_scope());
}

std::optional<run::TraceFile> ClusterView::wave_form(const std::string& file,
                                                     const cli::Options& options,
                                                     observe::EventStream& events) const {
  if (options.validate || file.empty()) return std::nullopt;
  return run::TraceFile::of<PipeVcd>(file, events, machine_.config().clock_khz, launch_.clusters,
                                     programs_of_cores(), options.trace_scope());
}

std::function<const cluster::Program*(std::uint32_t place)> ClusterView::programs_of_cores() const {
  return [this](std::uint32_t place) {
    const cluster::AiCore* const core = machine_.view().find(cluster::CoreId::at(place));
    return core == nullptr ? nullptr : core->program();
  };
}

void ClusterView::watch_pipes(const cli::Options& options, observe::EventStream& events) {
  if (options.validate || !options.is_recorded()) return;
  live_trace_ = std::make_unique<PipeTrace>(slices_, launch_.clusters, programs_of_cores(),
                                            options.trace_scope());
  events.add(*live_trace_);
}

std::string ClusterView::state_of(std::uint32_t place, Cycle now) const {
  const cluster::AiCore* const core = machine_.view().find(cluster::CoreId::at(place));
  return core == nullptr ? "the launch has no such core" : busy_pipes(*core, now);
}

// A row for each core, a column for each pipe.
run::LiveGrid ClusterView::live_grid() const {
  run::LiveGrid grid;
  grid.kind = "cores";
  grid.period_ps = 1e9 / static_cast<double>(machine_.config().clock_khz);
  grid.columns = sync::kPipeCount;
  grid.rows = static_cast<unsigned>(machine_.view().cores().size());
  grid.used = {0, 0, grid.columns, grid.rows};
  grid.layers.push_back({"busy", "an operation is under way", "cycles"});
  for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r) {
    const auto reason = static_cast<cluster::WaitReason>(r);
    grid.layers.push_back({std::string("wait:") + to_string(reason), words_of(reason), "cycles"});
  }
  for (std::size_t core = 0; core < std::min<std::size_t>(grid.rows, run::kMostWatched); ++core)
    grid.watched.push_back(core * sync::kPipeCount);
  return grid;
}

void ClusterView::live_read(std::size_t cell, Cycle /*now*/, std::uint32_t* counts) const {
  const cluster::AiCore& core = *machine_.view().cores()[cell / sync::kPipeCount];
  const cluster::PipeStats& stats = core.stats(sync::kPipes[cell % sync::kPipeCount]);
  *counts++ = static_cast<std::uint32_t>(stats.busy);
  for (unsigned r = 1; r < cluster::kWaitReasonCount; ++r)
    *counts++ = static_cast<std::uint32_t>(stats.waits[r]);
}

std::pair<unsigned, unsigned> ClusterView::live_track(std::size_t cell) const {
  const observe::PerfettoWriter::Track track = PipeTrace::track(
      live_place(cell), static_cast<unsigned>(sync::kPipes[cell % sync::kPipeCount]));
  return {track.process, track.thread};
}

std::uint32_t ClusterView::live_place(std::size_t cell) const {
  return machine_.view().cores()[cell / sync::kPipeCount]->id().index();
}

std::string ClusterView::live_name(std::size_t cell) const {
  return to_string(machine_.view().cores()[cell / sync::kPipeCount]->id()) + ", " +
         to_string(sync::kPipes[cell % sync::kPipeCount]);
}

}  // namespace tessera::ascend
