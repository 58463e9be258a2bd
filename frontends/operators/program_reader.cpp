#include "frontends/operators/program_reader.h"

#include <boost/json/value.hpp>

#include "frontends/layout/json_file.h"
#include "frontends/layout/json_text.h"
#include "frontends/operators/reader_parts.h"

namespace tessera::operators {

Program read_program_text(const std::string& text, const std::string& file,
                          const ParamOverrides& param_overrides) {
  const boost::json::value json = layout::parse_json(text, file);
  const Node root(json, file, "");
  layout::check_schema(root, kSchema);
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
  return read_program_text(layout::read_text_file(path, "communication program"), path,
                           param_overrides);
}

}  // namespace tessera::operators
