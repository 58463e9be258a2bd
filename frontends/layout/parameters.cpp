// Parameters and grid size. W and H are parameters like all others, with one more source: a number
// in "grid" is their default. Order of precedence: --param, then "params", then a number in "grid".
#include <algorithm>
#include <array>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

constexpr std::array<const char*, 2> kSizeNames = {"W", "H"};

void check_parameter_name(const Node& node, const std::string& name) {
  text::check_name(node, name, "a parameter");
  if (name == "x" || name == "y") {
    node.fail("\"" + name + "\" cannot be the name of a parameter; it is the place of a tile");
  }
}

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
  std::int64_t size = 0;
  if (node.is_integer() && overridden) {
    size = params.at(name);
  } else {
    size = node.integer(params);
  }
  const auto [known, is_new] = params.emplace(name, size);
  if (!is_new && known->second != size) {
    node.fail("the grid is " + std::to_string(size) + " here, but the parameter " + name + " is " +
              std::to_string(known->second) + "; write \"" + name +
              "\" or give both the same value");
  }
  if (size < 1 || size > kMaxTiles) {
    node.fail("the grid size " + name + " is " + std::to_string(size) + "; it must be in 1.." +
              std::to_string(kMaxTiles));
  }
  return static_cast<int>(size);
}

}  // namespace

void read_parameters(const Node& root, const ParamOverrides& overrides, Layout& layout) {
  const Node grid_node = root.at("grid");
  const std::vector<Node> grid = grid_node.items();
  if (grid.size() != 2) {
    grid_node.fail("the grid has 2 values, [W, H], but " + std::to_string(grid.size()) +
                   " are given");
  }
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
    check_parameter_name(node, name);
    const auto given = overrides.find(name);
    params[name] = given != overrides.end() ? given->second : node.integer(params);
  }
  layout.width = size_of(grid[0], kSizeNames[0], overrides.count(kSizeNames[0]) != 0, params);
  layout.height = size_of(grid[1], kSizeNames[1], overrides.count(kSizeNames[1]) != 0, params);
  const std::int64_t tiles = std::int64_t{layout.width} * layout.height;
  if (tiles > kMaxTiles) {
    grid_node.fail("the grid has " + std::to_string(tiles) + " tiles; at most " +
                   std::to_string(kMaxTiles) + " are allowed");
  }
}

}  // namespace tessera::layout
