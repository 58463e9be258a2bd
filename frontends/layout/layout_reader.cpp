#include "frontends/layout/layout_reader.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <boost/json/value.hpp>

#include "frontends/layout/json_text.h"
#include "frontends/layout/reader_parts.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::layout {
namespace {

std::string read_file(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw UserError(path, "", "is a folder; a layout file is expected");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw UserError(path, "", std::string("the layout cannot be opened: ") + std::strerror(errno));
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad()) throw UserError(path, "", "the layout cannot be read");
  return text.str();
}

void check_schema(const Node& root) {
  const Node schema = root.at("schema");
  const std::string text = schema.text(std::string("the schema \"") + kSchema + "\"");
  if (text == kSchema) return;
  schema.fail("unknown schema \"" + text + "\"; this program reads \"" + kSchema + "\"");
}

}  // namespace

Layout read_layout_text(const std::string& text, const std::string& file,
                        const std::string& directory, const ParamOverrides& param_overrides) {
  const boost::json::value json = parse_json(text, file);
  const Node root(json, file, "");
  check_schema(root);
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
  const std::string text = read_file(path);
  return read_layout_text(text, path, std::filesystem::path(path).parent_path().string(),
                          param_overrides);
}

}  // namespace tessera::layout
