// wse_platform: runs a tile program (layout + .tasm files) or a CSL program on a WSE-2 or WSE-3
// fabric: docs/running.md.
#include <systemc>

#include <iostream>

#include "platforms/cli/main.h"
#include "platforms/run/driver.h"
#include "platforms/wse/csl_host.h"
#include "platforms/wse/csl_options.h"
#include "platforms/wse/host_program.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/options.h"
#include "platforms/wse/wse_config.h"
#include "tessera_commit.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {"wse_platform",
                                     "wse",
                                     "runs a tile program on a WSE-2 or WSE-3 fabric",
                                     "layout (JSON, see docs/layout.md) or a CSL file",
                                     {"wse2", "wse3"},
                                     wse::kStructures,
                                     "wse3",
                                     "fabric.hop_latency=3",
                                     TESSERA_COMMIT};

/// A CSL program: the host does what the options say.
bool run_csl(const wse::Options& options, const wse::WseConfig& config, report::Report& report) {
  const compiled::Program compiled = wse::load_csl(options, options.csl, config);
  const wse::Workload workload(compiled, config);
  wse::check_structure(options.structure, options.fabric, workload.layout, config);
  if (options.print_program) {
    workload.programs.print(std::cout);
    return false;
  }
  if (options.validate) return cli::print_valid(options, config.name);

  report.run.set_params(compiled.params);
  run::Driver driver(options, report);
  wse::ObservedMachine observed(options, options.fabric, config, workload);
  wse::Machine& machine = observed.machine();
  wse::CslHost host(options, options.csl, compiled, workload, config, observed);
  driver.run(machine.domain(), machine.structure(), observed, host);
  report.wall.destroy_s = observed.destroy();
  return true;
}

bool run_layout(const wse::Options& options, report::Report& report) {
  // 1. The configuration of the machine: a preset or a file, changed by --set.
  const wse::WseConfig config =
      wse::load_wse_config(options.preset, options.config_file, options.sets);
  if (options.print_config) {
    config::print_config(std::cout, config, wse::wse_schema);
    return false;
  }
  if (wse::is_csl(options.program)) return run_csl(options, config, report);
  options.refuse(wse::CslOptions::kHeading, "the program is a layout, not a CSL file");

  // 2. The program: layout, tile programs and arrays of the host, checked against each other and
  //    the machine.
  const wse::Workload workload(options.program, options.whole_params(), config);
  wse::check_structure(options.structure, options.fabric, workload.layout, config);
  wse::HostArrays arrays(workload.layout, options.inputs, options.outputs);
  const wse::Checks checks(workload.layout, arrays);
  if (options.print_program) {
    workload.programs.print(std::cout);
    return false;
  }
  if (options.validate) return cli::print_valid(options, config.name);

  // 3. The machine, and what records its events.
  report.run.set_params(workload.layout.params);
  run::Driver driver(options, report);
  wse::ObservedMachine observed(options, options.fabric, config, workload);
  wse::Machine& machine = observed.machine();

  // 4. Run: the host carries out the steps of the layout.
  wse::HostProgram program(workload, arrays, checks, machine);
  driver.run(machine.domain(), machine.structure(), observed, program);

  // 5. The report is complete but for what it takes to destroy the machine.
  report.wall.destroy_s = observed.destroy();
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  wse::Options options;
  return cli::run_main(kExecutable, argc, argv, options,
                       [&](report::Report& report) { return run_layout(options, report); });
}
