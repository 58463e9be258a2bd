// AI-core clusters with the kernel that they run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/observe/place_watch.h"
#include "platforms/ascend/arrays.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/ascend/cluster_view.h"
#include "platforms/ascend/kernel.h"
#include "platforms/ascend/machine.h"
#include "platforms/ascend/options.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/output_file.h"

namespace tessera::ascend {

class Simulation final : public ClusterView, public run::Program {
 public:
  /// Builds the machine and launches the kernel. Throws IllegalBehaviour for an instruction that
  /// may not stand where it does. All arguments must outlive it.
  Simulation(const Options& options, const AscendConfig& config, const LaunchedKernel& kernel,
             Arrays& arrays);

  Machine& machine() { return machine_; }
  /// Is attached to the cores of a run with --debug.
  observe::ToldPlaces& told() { return told_; }
  /// Runs the kernel through `checkpoints`, which outlives it.
  void set_checkpoints(run::Checkpoints& checkpoints);

 private:
  // run::View
  run::LiveGrid live_grid() const override {
    run::LiveGrid grid = ClusterView::live_grid();
    grid.machine = config_.name;
    return grid;
  }
  void summarize(report::Report& report) const override;
  void complete_traces(const report::Report&) override {
    if (trace_) trace_->finish();
    if (vcd_) vcd_->finish();
    finish_slices();
    write_coverage();
  }
  // run::Program
  run::Stop drive(run::RunControl& control) override;
  bool is_done(run::Stop stop, const observe::Waits& waits) override;
  std::string describe_stop(const std::string& stopped,
                            const report::Report& report) const override;
  void finish(report::Report& report) override;

  run::Stop run_launch(run::RunControl& control);
  void write_coverage() const;
  void report_hazards(report::Report& report);
  /// Warnings about outputs that the launch does not divide among its clusters.
  void report_division(report::Report& report) const;

  const Options& options_;
  const AscendConfig& config_;
  const LaunchedKernel& kernel_;
  Arrays& arrays_;
  std::uint64_t launches_ = 1;
  const std::vector<std::string> external_ends_;
  observe::EventStream events_;
  std::optional<cluster::HazardWatch> hazards_;
  observe::ToldPlaces told_;
  Machine machine_;
  std::optional<run::TraceFile> trace_, vcd_;
  bool is_deadlock_ = false;
  run::Checkpoints* checkpoints_ = nullptr;  // nullptr: nothing is saved or restored
};

}  // namespace tessera::ascend
