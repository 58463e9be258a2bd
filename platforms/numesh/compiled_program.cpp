#include "platforms/numesh/compiled_program.h"

#include <iostream>

#include "frontends/operators/program_reader.h"
#include "frontends/operators/tables.h"
#include "platforms/numesh/arrays.h"
#include "platforms/run/output_file.h"

namespace tessera::numesh {

namespace {

operators::Program read_checked(const Options& options) {
  operators::Program program = operators::read_program(options.program, options.whole_params());
  read_inputs(options.inputs, program);
  check_output_names(options.outputs, program);
  return program;
}

}  // namespace

CompiledProgram::CompiledProgram(const Options& options, const NumeshConfig& config)
    : source(read_checked(options)), compiled(operators::compile(source, config.target)),
      map(operators::map_memory(source)),
      lowered(operators::lower(source, compiled, config.target, map)) {}

void CompiledProgram::print(const Options& options) const {
  if (!options.quiet) {
    operators::print_decisions(std::cout, source, compiled);
    std::cout << '\n';
  }
  if (options.schedules_file.empty()) return;
  std::ofstream out = run::open_output(options.schedules_file);
  operators::print_schedules(out, source, compiled);
  run::require_complete(options.schedules_file, out);
}

}  // namespace tessera::numesh
