#include "frontends/layout/layout_reader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

constexpr std::array<const char*, 2> kSizeNames = {"W", "H"};

/// Values of W and H that are known before "params" is read.
void seed_sizes(const std::vector<Node>& grid, const std::vector<std::string>& declared,
                const ParamOverrides& overrides, Constants& params) {
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const std::string name = kSizeNames[i];
    const auto given = overrides.find(name);
    const bool is_declared = std::find(declared.begin(), declared.end(), name) != declared.end();
    if (given != overrides.end()) {
      params[name] = given->second;
    } else if (!is_declared && grid[i].is_integer()) {
      params[name] = grid[i].integer({});
    }
  }
}

/// Size in one direction; also sets the parameter if nothing has set it yet.
int size_of(const Node& node, const std::string& name, bool overridden, Constants& params) {
  const std::int64_t size =
      node.is_integer() && overridden ? params.at(name) : node.integer(params);
  const auto [known, is_new] = params.emplace(name, size);
  if (!is_new && known->second != size) {
    node.fail("the grid is ", size, " here, but the parameter ", name, " is ", known->second,
              "; write \"", name, "\" or give both the same value");
  }
  if (size < 1 || size > kMaxTiles)
    node.fail("the grid size ", name, " is ", size, "; it must be in 1..", kMaxTiles);
  return static_cast<int>(size);
}

/// "grid" and "params": sets width, height and params. W and H are parameters like all others, with
/// one more source: a number in "grid" is their default. Order of precedence: --param, then
/// "params", then a number in "grid".
void read_parameters(const Node& root, const ParamOverrides& overrides, Layout& layout) {
  const Node grid_node = root.at("grid");
  const std::vector<Node> grid = grid_node.items();
  if (grid.size() != 2)
    grid_node.fail("the grid has 2 values, [W, H], but ", grid.size(), " are given");
  const std::optional<Node> section = root.find("params");
  const std::vector<std::string> declared = section ? section->keys() : std::vector<std::string>{};
  std::vector<std::string> known = declared;
  for (const char* name : kSizeNames) {
    if (std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
  }
  text::check_overrides(overrides, known, layout.file, "the layout");

  Constants& params = layout.params;
  seed_sizes(grid, declared, overrides, params);
  for (const std::string& name : declared) {
    const Node node = section->at(name);
    text::check_name(node, name, "a parameter");
    if (name == "x" || name == "y")
      node.fail("\"", name, "\" cannot be the name of a parameter; it is the place of a tile");
    const auto given = overrides.find(name);
    params[name] = given != overrides.end() ? given->second : node.integer(params);
  }
  layout.width = size_of(grid[0], kSizeNames[0], overrides.count(kSizeNames[0]) != 0, params);
  layout.height = size_of(grid[1], kSizeNames[1], overrides.count(kSizeNames[1]) != 0, params);
  const std::int64_t tiles = std::int64_t{layout.width} * layout.height;
  if (tiles > kMaxTiles)
    grid_node.fail("the grid has ", tiles, " tiles; at most ", kMaxTiles, " are allowed");
}

std::string grid_text(const Layout& layout) {
  return "the grid has " + std::to_string(layout.width) + " x " + std::to_string(layout.height) +
         " tiles, columns 0.." + std::to_string(layout.width - 1) + " and rows 0.." +
         std::to_string(layout.height - 1);
}

/// W and H are known after "grid" only, x and y only where every tile has its own value.
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

std::int64_t TileNumber::at(TileCoord tile) const {
  const std::array<std::int64_t, 2> values = {tile.x, tile.y};
  try {
    return expression_.evaluate(values.data());
  } catch (const text::ExpressionError& error) {
    node_.fail_in_expression(error, depends_on_tile() ? ", for tile " + to_string(tile) : "");
  }
}

Rect read_rect(const Node& node, const Layout& layout) {
  const std::vector<Node> items = node.items();
  if (items.size() != 4)
    node.fail("a rect has 4 values, [x, y, w, h], but ", items.size(), " are given");
  std::array<std::int64_t, 4> v;
  std::transform(items.begin(), items.end(), v.begin(),
                 [&](const Node& item) { return item.integer(layout.params); });
  const auto [x, y, w, h] = v;
  const std::string text = "[" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                           std::to_string(w) + ", " + std::to_string(h) + "]";
  if (w < 0 || h < 0)
    node.fail("the rect ", text, " has a negative width or height; it may be 0 or more");
  const bool inside = x >= 0 && y >= 0 && x <= layout.width && y <= layout.height &&
                      w <= layout.width - x && h <= layout.height - y;
  if (!inside) node.fail("the rect ", text, " leaves the grid; ", grid_text(layout));
  return {static_cast<int>(x), static_cast<int>(y), static_cast<int>(w), static_cast<int>(h)};
}

Rect read_filled_rect(const Node& node, const Layout& layout) {
  const Rect rect = read_rect(node, layout);
  if (rect.empty()) node.fail("the rect ", to_string(rect), " has no tiles; it needs at least one");
  return rect;
}

Direction read_direction(const Node& node) {
  std::vector<std::string> words;
  words.reserve(kAllDirections.size());
  for (Direction d : kAllDirections) words.emplace_back(to_string(d));
  return kAllDirections[node.word(words, "direction")];
}

Color read_color(const Node& node, const Layout& layout) {
  return Color(node.integer_in<unsigned>(layout.params, 0, kColorCount - 1, "the color"));
}

const Array& find_array(const Node& node, const std::string& name, const Layout& layout) {
  if (const Array* array = layout.find_array(name)) return *array;
  std::vector<std::string> known;
  for (const Array& array : layout.arrays) known.push_back(array.name);
  node.fail("unknown host array \"", name, "\"",
            text::suggestion(name, known, "declared in arrays"));
}

std::string read_array_name(const Node& node, const Layout& layout) {
  std::string name = node.text("the name of a host array");
  find_array(node, name, layout);
  return name;
}

std::string read_path(const Node& node, const std::string& directory, const std::string& what) {
  namespace fs = std::filesystem;
  const std::string text = node.text("the path of " + what);
  if (text.empty()) node.fail("the path of ", what, " is empty");
  std::string path = (fs::path(directory) / text).lexically_normal().string();
  std::error_code error;
  if (!fs::is_regular_file(path, error))
    node.fail("there is no file \"", path, "\"; paths are relative to the folder of the layout");
  return path;
}

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
