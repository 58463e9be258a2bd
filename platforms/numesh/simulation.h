// A scheduled mesh with its program: runs, and compares what the nodes hold with what they must.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/observe/event_stream.h"
#include "models/scheduled/word_checker.h"
#include "platforms/numesh/compiled_program.h"
#include "platforms/numesh/machine.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/driver.h"
#include "platforms/run/output_file.h"
#include "platforms/run/slice_log.h"

namespace tessera::numesh {

class Simulation final : public run::View, public run::Program {
 public:
  /// Builds the machine. Throws IllegalBehaviour for a program that policy CHECK refuses. All
  /// arguments must outlive it.
  Simulation(const Options& options, const NumeshConfig& config, const CompiledProgram& program);

  Machine& machine() { return machine_; }
  /// Runs through `checkpoints`, which outlives it.
  void set_checkpoints(run::Checkpoints& checkpoints);

 private:
  // run::View
  void describe_waits(observe::Waits& waits) const override;
  std::vector<int> coordinates(std::uint32_t node) const override {
    return program_.source.mesh.place(node);
  }
  std::size_t place_count() const override { return mesh_.size(); }
  std::string state_of(std::uint32_t node, Cycle now) const override;
  run::LiveGrid live_grid() const override;
  void live_read(std::size_t cell, Cycle now, std::uint32_t* counts) const override;
  const run::SliceLog* live_slices(Cycle now) override;
  std::string live_name(std::size_t cell) const override;
  void summarize(report::Report& report) const override;
  void complete_traces(const report::Report&) override {
    if (trace_) trace_->finish();
    if (vcd_) vcd_->finish();
  }
  // run::Program
  run::Stop drive(run::RunControl& control) override;
  bool is_done(run::Stop, const observe::Waits&) override { return mesh_.finished(); }
  std::vector<report::Check> checks() const override { return checks_; }
  std::string describe_stop(const std::string& stopped,
                            const report::Report& report) const override;
  void finish(report::Report& report) override;

  report::Places places() const;
  Cycle reached() const;
  void summarize_waits(Cycle cycles, report::WaitSummary& summary) const;
  std::set<std::size_t> arrays_set() const;
  void check_arrays();
  report::Check check_array(std::size_t array, const operators::Memory& expected) const;
  report::Check check_words() const;

  const Options& options_;
  const NumeshConfig& config_;
  const CompiledProgram& program_;
  scheduled::WordChecker words_;
  observe::EventStream events_;
  Machine machine_;
  const scheduled::MeshView& mesh_;
  std::optional<run::TraceFile> trace_, vcd_;
  run::SliceLog slices_;
  std::vector<report::Check> checks_;
  run::Checkpoints* checkpoints_ = nullptr;  // nullptr: nothing is saved or restored
};

}  // namespace tessera::numesh
