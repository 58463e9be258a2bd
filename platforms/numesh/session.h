// One run of a communication program on a scheduled mesh: reads, compiles and checks everything,
// builds the machine, lets it run, and compares what the nodes hold with what they must.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include <memory>
#include <optional>

#include "frontends/operators/lower.h"
#include "frontends/operators/memory.h"
#include "models/observe/event_stream.h"
#include "models/scheduled/mesh_core.h"
#include "models/scheduled/program.h"
#include "models/scheduled/word_checker.h"
#include "platforms/cli/options.h"
#include "platforms/cli/run_control.h"
#include "platforms/numesh/machine.h"
#include "platforms/numesh/numesh_config.h"
#include "platforms/report/report.h"

namespace tessera::numesh {

class Session {
 public:
  /// Reads and compiles the program and prints what the compiler decided. Throws UserError.
  /// `options` must outlive the session.
  Session(const cli::Options& options, NumeshConfig config);

  /// Builds the machine and runs. Call once: SystemC elaborates once a process.
  report::Report run();

 private:
  void print_compiled() const;
  void drive(Machine& machine, report::Report& report);
  void describe_outcome(cli::RunControl::Stop stop, const Machine& machine,
                        report::Report& report) const;
  void describe_end(report::Report& report) const;
  void list_waits(const Machine& machine, report::Report& report) const;
  void summarize(const scheduled::MeshView& mesh, report::Report& report) const;
  void write_results(const scheduled::MeshView& mesh, report::Report& report) const;
  std::set<std::size_t> arrays_set() const;
  std::vector<report::Check> checks(const scheduled::MeshView& mesh) const;
  report::Check words_check() const;

  const cli::Options& options_;
  const NumeshConfig config_;
  const operators::Program program_;
  const operators::Compiled compiled_;
  const operators::MemoryMap map_;
  const scheduled::Program lowered_;
  scheduled::WordChecker words_;
  observe::EventStream events_;
};

}  // namespace tessera::numesh
