#include "platforms/wse/platform.h"

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "platforms/cli/main.h"
#include "platforms/config/json_schema.h"
#include "platforms/debug/attached.h"
#include "platforms/run/driver.h"
#include "platforms/wse/checkpoints.h"
#include "platforms/wse/csl_host.h"
#include "platforms/wse/csl_options.h"
#include "platforms/wse/debug_target.h"
#include "platforms/wse/dense_machine.h"
#include "platforms/wse/host_program.h"
#include "platforms/wse/machine.h"
#include "platforms/wse/observed_machine.h"
#include "platforms/wse/options.h"
#include "platforms/wse/ranks.h"
#include "platforms/wse/wse_config.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {

namespace {

cli::Executable executable(const std::string& commit) {
  return {"wse_platform",
          "wse",
          "runs a tile program on a WSE-2 or WSE-3 fabric",
          "layout (JSON, see docs/layout.md) or a CSL file",
          {"wse2", "wse3", "wse2_silicon", "wse3_silicon"},
          kStructures,
          "wse3",
          "fabric.hop_latency=3",
          commit};
}

/// What the host does and what a compiler made of the program, for a restored run.
void require_same(const CslOptions& csl, const Workload& workload, run::CheckpointHeader& header) {
  std::string launches;
  for (const std::string& launch : csl.launches) launches += (launches.empty() ? "" : " ") + launch;
  header.same["list of launches"] = launches;
  add_code(csl, workload, header);
}

/// Whether this process has had tiles of another one, until that has ended.
bool is_served(const FabricOptions& fabric, const WseConfig& config, const Workload& workload) {
  if (fabric.ranks == nullptr || fabric.ranks->number() == 0) return false;
  serve_tiles(*fabric.ranks, plan_of(config, workload));
  return true;
}

/// A CSL program: the host does what the options say.
bool run_csl(const Options& options, const WseConfig& config, Replacements& replacements,
             report::Report& report, const std::string& commit) {
  const compiled::Program compiled = load_csl(options, options.csl, config);
  const Workload workload(compiled, config);
  check_structure(options.structure, options.fabric, workload, config);
  if (options.print_program) {
    workload.programs.print(std::cout);
    return false;
  }
  if (options.validate) return cli::print_valid(options, config.name);

  report.run.set_params(compiled.params);
  if (is_served(options.fabric, config, workload)) return false;
  run::Driver driver(options, report);
  ObservedMachine observed(options, options.fabric, config, workload, &replacements);
  Machine& machine = observed.machine();
  CslHost host(options, options.csl, compiled, workload, config, observed);
  std::optional<Checkpoints> checkpoints;
  if (options.checkpoints.is_used()) {
    checkpoints.emplace(options.checkpoints, options,
                        header_of(options, config, report.run, commit));
    require_same(options.csl, workload, checkpoints->header());
    host.set_checkpoints(*checkpoints);
  }
  const debug::Attached<DebugTarget> debugger(options, driver, observed, workload, &compiled);
  driver.run(machine.domain(), machine.structure(), observed, host);
  if (checkpoints) checkpoints->tell("wse_platform", options.quiet, report);
  report.wall.destroy_s = observed.destroy();
  return true;
}

bool run_layout(const Options& options, Replacements& replacements, report::Report& report,
                const std::string& commit) {
  // 1. The configuration of the machine: a preset or a file, changed by --set.
  const WseConfig config = load_wse_config(options.preset, options.config_file, options.sets);
  if (options.print_config) {
    config::print_config(std::cout, config, wse_schema);
    return false;
  }
  if (options.print_schema) {
    config::print_json_schema(std::cout, config, wse_schema, "wse");
    return false;
  }
  if (is_csl(options.program)) {
    return run_csl(options, config, replacements, report, commit);
  }
  if (std::filesystem::exists(options.program))
    options.refuse(CslOptions::kHeading, "the program is a layout, not a CSL file");

  // 2. The program: layout, tile programs and arrays of the host, checked against each other and
  //    the machine.
  const Workload workload(options.program, options.whole_params(), config);
  check_structure(options.structure, options.fabric, workload, config);
  HostArrays arrays(workload.layout, options.inputs, options.outputs);
  const Checks checks(workload.layout, arrays);
  if (options.print_program) {
    workload.programs.print(std::cout);
    return false;
  }
  if (options.validate) return cli::print_valid(options, config.name);

  // 3. The machine, and what records its events.
  report.run.set_params(workload.layout.params);
  if (is_served(options.fabric, config, workload)) return false;
  std::optional<Checkpoints> checkpoints;
  if (options.checkpoints.is_used())
    checkpoints.emplace(options.checkpoints, options,
                        header_of(options, config, report.run, commit));
  run::Driver driver(options, report);
  ObservedMachine observed(options, options.fabric, config, workload, &replacements);
  Machine& machine = observed.machine();

  // 4. Run: the host carries out the steps of the layout.
  HostProgram program(workload, arrays, checks, machine);
  if (checkpoints) {
    checkpoints->attach(
        saved(observed, [&program](state::Archive& archive) { program.visit(archive); }));
    program.set_checkpoints(*checkpoints);
  }
  const debug::Attached<DebugTarget> debugger(options, driver, observed, workload, nullptr);
  driver.run(machine.domain(), machine.structure(), observed, program);

  if (checkpoints) checkpoints->tell("wse_platform", options.quiet, report);

  // 5. The report is complete but for what it takes to destroy the machine.
  report.wall.destroy_s = observed.destroy();
  return true;
}

}  // namespace

void prepare_for_debugger(const cli::Options& options, FabricOptions& fabric) {
  if (options.debug.empty()) return;
  if (fabric.threads && *fabric.threads > 1)
    throw UserError("", "--debug",
                    "a run that a debugger holds has one thread; leave --threads out");
  fabric.threads = 1;
}

int run_platform(int argc, char* argv[], Replacements& replacements, const std::string& commit) {
  Options options;
  std::unique_ptr<Ranks> ranks;
  return cli::run_main(executable(commit), argc, argv, options, [&](report::Report& report) {
    ranks = start_ranks();
    options.fabric.ranks = ranks.get();
    options.fabric.saves_state = ranks != nullptr && options.checkpoints.saves();
    prepare_for_debugger(options, options.fabric);
    if (ranks != nullptr) require_one_process_for(options, options.fabric);
    check_checkpoints(options.checkpoints, options, options.fabric);
    if (options.checkpoints.is_used() && options.structure == "auto") options.structure = "dense";
    return run_layout(options, replacements, report, commit);
  });
}

}  // namespace tessera::wse
