#include "frontends/tasm/assembler.h"

#include "frontends/tasm/assembly.h"

namespace tessera::tasm {

pe::Image assemble(std::string_view text, const AssembleOptions& options) {
  Diagnostics diagnostics(options.file);
  Assembly a(options, diagnostics);
  a.image.file = options.file;
  const std::vector<Statement> statements = read_statements(text, a, diagnostics);
  a.image.generation = options.generation;
  declare_numbers(a, statements);
  declare_settings(a, statements);
  declare_names(a, statements);
  reserve_fifos(a, statements);
  lay_out_code(a, statements);
  place_data(a, statements);
  initialise_data(a, statements);
  resolve_dsds(a, statements);
  resolve_tasks(a, statements);
  resolve_rotations(a, statements);
  resolve_fifos(a, statements);
  reserve_load_registers(a, statements);
  resolve_initial_loads(a, statements);
  encode_instructions(a);
  check_returns(a);
  check_routing(a);
  record_places(a, statements);
  return std::move(a.image);
}

pe::Image assemble_file(const std::string& path, AssembleOptions options) {
  if (options.file.empty()) options.file = path;
  return assemble(text::read_file(path, "tile program"), options);
}

}  // namespace tessera::tasm
