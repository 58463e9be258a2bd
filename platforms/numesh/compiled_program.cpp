#include "platforms/numesh/compiled_program.h"

#include <iostream>
#include <utility>

#include "frontends/operators/program_reader.h"
#include "frontends/text/output_file.h"
#include "platforms/data/npy.h"
#include "tlm_ifaces/vocabulary/errors.h"
#include "tlm_ifaces/vocabulary/nearest.h"

namespace tessera::numesh {

namespace {

std::size_t find_array(const operators::Program& program, const std::string& name,
                       const std::string& option) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < program.arrays.size(); ++i) {
    if (program.arrays[i].name == name) return i;
    names.push_back(program.arrays[i].name);
  }
  throw UserError(program.file, option + " " + name,
                  "the program has no array '" + name + "'" + did_you_mean(name, names));
}

/// --input: the words that an array begins with instead of its init.
void read_inputs(const std::map<std::string, std::string>& files, operators::Program& program) {
  for (const auto& [name, file] : files) {
    operators::Array& array = program.arrays[find_array(program, name, "--input")];
    const data::HostArray read = data::read_npy(file);
    const data::Shape shape = array_shape(program, array);
    if (read.shape != shape)
      throw UserError(file, "",
                      "the array has the shape " + data::to_string(read.shape) + "; '" + name +
                          "' needs " + data::to_string(shape) + ", nodes by words");
    const data::HostArray words = data::converted(read, data::DType::kI32, file, "");
    array.given.clear();
    for (std::size_t i = 0; i < words.size(); ++i)
      array.given.push_back(static_cast<std::uint32_t>(words.bits(i)));
  }
}

}  // namespace

operators::Program read_program(const Options& options) {
  operators::Program program = operators::read_program(options.program, options.whole_params());
  read_inputs(options.inputs, program);
  for (const auto& [name, file] : options.outputs) find_array(program, name, "--output");
  return program;
}

data::Shape array_shape(const operators::Program& program, const operators::Array& array) {
  return {program.mesh.node_count(), array.words};
}

CompiledProgram::CompiledProgram(operators::Program program, const NumeshConfig& config)
    : source(std::move(program)), choice(choose_techniques(source, config.target)),
      map(operators::map_memory(source)),
      lowered(operators::lower(source, compiled, config.target, map)) {}

void CompiledProgram::print(const Options& options) const {
  if (!options.quiet) {
    operators::print_decisions(std::cout, source, compiled);
    std::cout << '\n';
  }
  if (options.print_program) operators::print_schedules(std::cout, source, compiled);
  if (options.schedules_file.empty()) return;
  text::OutputFile out(options.schedules_file);
  operators::print_schedules(out.stream(), source, compiled);
  out.commit();
}

}  // namespace tessera::numesh
