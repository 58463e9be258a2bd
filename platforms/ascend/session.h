// One run of a PTO program on AI-core clusters: reads, lowers and checks it, runs, reports.
#pragma once

#include <string>

#include "frontends/pto/lower.h"
#include "models/observe/event_stream.h"
#include "platforms/ascend/arrays.h"
#include "platforms/ascend/ascend_config.h"
#include "platforms/ascend/machine.h"
#include "platforms/cli/options.h"
#include "platforms/report/report.h"

namespace tessera::ascend {

/// The configuration of a run: without --preset and --config the module names its preset itself
/// (pto.target_arch).
AscendConfig config_of(const cli::Options& options);

/// The program of `options` for a machine, read and lowered. Throws UserError.
pto::Kernel read_kernel(const cli::Options& options, const AscendConfig& config);
/// How it is launched. Throws UserError when the kernel has no function for a core of the launch.
cluster::Launch launch_of(const AscendConfig& config, const pto::Kernel& kernel);

class Session {
 public:
  /// Reads and lowers the program. Throws UserError. `options` must outlive the session.
  Session(const cli::Options& options, AscendConfig config);

  /// Builds the machine and checks that every instruction may stand where it does; with --validate
  /// that is all. Then runs.
  report::Report run();
  const cluster::Launch& launch() const { return launch_; }

 private:
  void drive(Machine& machine, report::Report& report);
  void describe_deadlock(const cluster::MachineView& machine, bool is_deadlock,
                         report::Report& report) const;
  void summarize(const Machine& machine, report::Report& report) const;
  void add_places(const cluster::MachineView& machine, report::Report& report) const;
  void report_hazards(const cluster::HazardWatch& watch, const cluster::MachineView& machine,
                      report::Report& report);

  const cli::Options& options_;
  const AscendConfig config_;
  const pto::Kernel kernel_;
  const cluster::Launch launch_;
  Arrays arrays_;
  observe::EventStream events_;
};

}  // namespace tessera::ascend
