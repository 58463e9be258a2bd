// numesh_platform: runs a communication program on a statically scheduled mesh: docs/numesh-platform.md.
#include <systemc>

#include <iostream>
#include <optional>
#include <utility>

#include "platforms/cli/main.h"
#include "platforms/config/json_schema.h"
#include "platforms/debug/attached.h"
#include "platforms/numesh/compiled_program.h"
#include "platforms/numesh/debug_target.h"
#include "platforms/numesh/numesh_config.h"
#include "platforms/numesh/options.h"
#include "platforms/numesh/simulation.h"
#include "platforms/run/checkpoints.h"
#include "platforms/run/driver.h"
#include "tessera_commit.h"

namespace {

using namespace tessera;

const cli::Executable kExecutable = {"numesh_platform",
                                     "numesh",
                                     "runs a communication program on a scheduled mesh",
                                     "communication program (JSON, see docs/numesh-platform.md)",
                                     {"numesh"},
                                     numesh::kStructures,
                                     "numesh",
                                     "phase.switch_cost=10",
                                     TESSERA_COMMIT};

bool run_program(const numesh::Options& options, report::Report& report) {
  options.checkpoints.check(options);

  // 1. The configuration of the machine: a preset or a file, changed by --set.
  const numesh::NumeshConfig config =
      numesh::load_numesh_config(options.preset, options.config_file, options.sets);
  if (options.print_config) {
    config::print_config(std::cout, config, numesh::numesh_schema);
    return false;
  }
  if (options.print_schema) {
    config::print_json_schema(std::cout, config, numesh::numesh_schema, "numesh");
    return false;
  }

  // 2. The program: operators, compiled to the slot schedules of all nodes.
  const numesh::CompiledProgram program(numesh::read_program(options), config);
  program.print(options);
  if (options.print_program) return false;
  if (options.validate) return cli::print_valid(options, config.name);

  // 3. The machine.
  report.preset = config.name;
  report.run.set_params(program.source.params);
  std::optional<run::Checkpoints> checkpoints;
  if (options.checkpoints.is_used()) {
    run::CheckpointHeader header =
        run::header_of("numesh", run::kAnyStructure, options, report.run, TESSERA_COMMIT);
    run::add_config(config, numesh::numesh_schema, header);
    checkpoints.emplace(options.checkpoints, options, std::move(header));
  }
  run::Driver driver(options, report);
  numesh::Simulation simulation(options, config, program);
  numesh::Machine& machine = simulation.machine();
  if (checkpoints) simulation.set_checkpoints(*checkpoints);

  const debug::Attached<numesh::DebugTarget> debugger(options, driver, machine, simulation,
                                                      program);

  // 4. Run until nothing moves any more, and report.
  driver.run(machine.domain(), machine.structure(), simulation, simulation);
  if (checkpoints) checkpoints->tell(kExecutable.name, options.quiet, report);
  return true;
}

}  // namespace

int sc_main(int argc, char* argv[]) {
  numesh::Options options;
  return cli::run_main(kExecutable, argc, argv, options,
                       [&](report::Report& report) { return run_program(options, report); });
}
