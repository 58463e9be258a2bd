// One run of a PTO program on AI-core clusters: reads, lowers and checks it, runs, reports.
#pragma once

#include <memory>
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

class Session {
 public:
  /// Reads and lowers the program. Throws UserError. `options` must outlive the session.
  Session(const cli::Options& options, AscendConfig config);

  /// Builds the machine and checks that every instruction may stand where it does; with --validate
  /// that is all. Then runs.
  report::Report run();
  const cluster::Launch& launch() const { return launch_; }

 private:
  /// nullptr: --hazards=off.
  cluster::HazardWatch* watch_hazards();
  void report_hazards(report::Report& report) const;
  void drive(Machine& machine, report::Report& report);
  /// Steps until nothing is due. Answers what stopped it earlier, or "".
  std::string step_to_idle(Machine& machine);
  void describe_deadlock(const Machine& machine, report::Report& report) const;
  void summarize(const Machine& machine, report::Report& report) const;
  void add_places(const Machine& machine, report::Report& report) const;

  const cli::Options& options_;
  const AscendConfig config_;
  const pto::Kernel kernel_;
  const cluster::Launch launch_;
  Arrays arrays_;
  observe::EventStream events_;
  std::unique_ptr<cluster::HazardWatch> hazards_;
};

}  // namespace tessera::ascend
