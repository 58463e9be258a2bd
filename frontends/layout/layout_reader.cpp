#include "frontends/layout/layout_reader.h"

#include <filesystem>

#include <boost/json/value.hpp>

#include "frontends/layout/json_file.h"
#include "frontends/layout/json_text.h"
#include "frontends/layout/reader_parts.h"

namespace tessera::layout {

Layout read_layout_text(const std::string& text, const std::string& file,
                        const std::string& directory, const ParamOverrides& param_overrides) {
  const boost::json::value json = parse_json(text, file);
  const Node root(json, file, "");
  check_schema(root, kSchema);
  root.allow_keys({"schema", "grid", "params", "arrays", "tiles", "routes", "symbols", "host"});
  Layout layout;
  layout.file = file;
  read_parameters(root, param_overrides, layout);
  read_arrays(root, layout);
  read_tiles(root, directory, layout);
  read_routes(root, layout);
  read_symbols(root, layout);
  read_host(root, directory, layout);
  return layout;
}

Layout read_layout(const std::string& path, const ParamOverrides& param_overrides) {
  const std::string text = read_text_file(path, "layout");
  return read_layout_text(text, path, std::filesystem::path(path).parent_path().string(),
                          param_overrides);
}

}  // namespace tessera::layout
