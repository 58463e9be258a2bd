#include "frontends/operators/program_reader.h"

#include "frontends/operators/reader_parts.h"

namespace tessera::operators {

Program read_program_text(const std::string& text, const std::string& file,
                          const ParamOverrides& param_overrides) {
  const std::string place = "it has one in init of arrays, where every node has its own";
  const text::Document document(
      text, file, kSchema,
      {{"node", place}, {"x", place}, {"y", place}, {"z", place}, {"k", place}});
  const Node root = document.root();
  root.allow_keys({"schema", "params", "mesh", "sets", "arrays", "operators", "program", "starts",
                   "interruptions"});
  Program program;
  program.file = file;
  Reading reading{program};
  read_mesh(root, param_overrides, program);
  read_sets(root, reading);
  read_arrays(root, program);
  read_operators(root, reading);
  read_group(root, reading);
  read_skews(root, reading);
  return program;
}

Program read_program(const std::string& path, const ParamOverrides& param_overrides) {
  return read_program_text(text::read_file(path, "communication program"), path, param_overrides);
}

}  // namespace tessera::operators
