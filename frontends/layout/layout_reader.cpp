#include "frontends/layout/layout_reader.h"

#include <filesystem>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

/// W and H are known behind "grid" only, x and y only where every tile has its own value.
text::AbsentNames absent_names() {
  const std::string place =
      "it has one where every tile or node has its own: in params of tiles, in colors, switch "
      "positions and filters of routes, and in init of arrays";
  text::AbsentNames names = {{"x", place}, {"y", place}};
  for (const std::string name : {"W", "H"})
    names[name] =
        "give it with --param " + name + "=VALUE, as a default in params, or as a number in grid";
  return names;
}

}  // namespace

Layout read_layout_text(const std::string& text, const std::string& file,
                        const std::string& directory, const ParamOverrides& param_overrides) {
  const text::Document document(text, file, kSchema, absent_names());
  const Node root = document.root();
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
  const std::string text = text::read_file(path, "layout");
  return read_layout_text(text, path, std::filesystem::path(path).parent_path().string(),
                          param_overrides);
}

}  // namespace tessera::layout
