// One run of a tile program on a WSE fabric: reads and checks everything, builds the machine, lets
// the host program drive it, and reports.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "frontends/layout/layout.h"
#include "platforms/cli/options.h"
#include "platforms/cli/run_control.h"
#include "platforms/report/report.h"
#include "platforms/wse/checks.h"
#include "platforms/wse/diagnosis_log.h"
#include "platforms/wse/host_arrays.h"
#include "platforms/wse/host_program.h"
#include "platforms/wse/host_streams.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/program_loader.h"
#include "platforms/wse/recorders.h"
#include "platforms/wse/wse_config.h"

namespace tessera::wse {

class Session {
 public:
  /// Reads config, layout, programs and arrays and checks them against each other. Throws
  /// UserError. `options` must outlive the session.
  Session(const cli::Options& options, WseConfig config);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Builds the machine and runs. Call once: SystemC elaborates once a process.
  report::Report run();

 private:
  void drive(Machine& machine, report::Report& report);
  void catch_up(Machine& machine) const;
  void summarize(const Recorders& recorders, report::Report& report) const;
  void destroy_machine(report::Report& report);
  void describe_outcome(cli::RunControl::Stop stop, HostProgram& program, const Machine& machine,
                        report::Report& report) const;
  void describe_end(const Machine& machine, const observe::Waits& waits,
                    report::Report& report) const;
  void write_outputs(report::Report& report) const;

  const cli::Options& options_;
  const WseConfig config_;
  const layout::Layout layout_;
  const Programs programs_;
  const std::vector<HostStream> streams_;
  HostArrays arrays_;
  std::optional<Checks> checks_;
  DiagnosisLog diagnoses_;
  std::unique_ptr<Machine> machine_;
};

}  // namespace tessera::wse
