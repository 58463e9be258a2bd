// What clusters show of themselves during and after a run: waits, the state of a core, and the cells of the live view.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platforms/ascend/core_counters.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/ascend/pipe_trace.h"
#include "platforms/run/driver.h"
#include "platforms/run/output_file.h"
#include "platforms/run/slice_log.h"

namespace tessera::ascend {

class ClusterView : public run::View {
 public:
  void describe_waits(observe::Waits& waits) const override {
    machine_.view().describe_waits(waits);
  }
  std::vector<int> coordinates(std::uint32_t core) const override { return core_of(core); }
  std::size_t place_count() const override { return launch_.places(); }
  std::string state_of(std::uint32_t place, Cycle now) const override;
  run::LiveGrid live_grid() const override;
  void live_read(std::size_t cell, Cycle now, std::uint32_t* counts) const override;
  std::pair<unsigned, unsigned> live_track(std::size_t cell) const override;
  const run::SliceLog* live_slices(Cycle) override {
    return live_trace_ == nullptr ? nullptr : &slices_;
  }
  std::uint32_t live_place(std::size_t cell) const override;
  std::string live_name(std::size_t cell) const override;

 protected:
  /// Both may be members of the derived class, which are not built yet.
  ClusterView(const Machine& machine, const cluster::Launch& launch)
      : machine_(machine), launch_(launch) {}
  /// Adds the trace of the pipes to `events`, as the options ask for it; no value: they do not.
  std::optional<run::TraceFile> trace_pipes(const cli::Options& options,
                                            observe::EventStream& events) const;
  /// Adds the wave form of the pipes, as `file` asks for it.
  std::optional<run::TraceFile> wave_form(const std::string& file, const cli::Options& options,
                                          observe::EventStream& events) const;
  /// Records what the pipes do for the live view.
  void watch_pipes(const cli::Options& options, observe::EventStream& events);
  void finish_slices() const {
    if (live_trace_ != nullptr) live_trace_->finish();
  }

 private:
  std::function<const cluster::Program*(std::uint32_t place)> programs_of_cores() const;

  const Machine& machine_;
  const cluster::Launch& launch_;
  run::SliceLog slices_;
  std::unique_ptr<PipeTrace> live_trace_;  ///< nullptr: nobody asked
};

}  // namespace tessera::ascend
