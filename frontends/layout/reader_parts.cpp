#include "frontends/layout/reader_parts.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <system_error>

namespace tessera::layout {
namespace {

std::string grid_text(const Layout& layout) {
  return "the grid has " + std::to_string(layout.width) + " x " + std::to_string(layout.height) +
         " tiles, columns 0.." + std::to_string(layout.width - 1) + " and rows 0.." +
         std::to_string(layout.height - 1);
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
  if (items.size() != 4) {
    node.fail("a rect has 4 values, [x, y, w, h], but " + std::to_string(items.size()) +
              " are given");
  }
  std::array<std::int64_t, 4> v;
  std::transform(items.begin(), items.end(), v.begin(),
                 [&](const Node& item) { return item.integer(layout.params); });
  const auto [x, y, w, h] = v;
  const std::string text = "[" + std::to_string(x) + ", " + std::to_string(y) + ", " +
                           std::to_string(w) + ", " + std::to_string(h) + "]";
  if (w < 0 || h < 0)
    node.fail("the rect " + text + " has a negative width or height; it may be 0 or more");
  const bool inside = x >= 0 && y >= 0 && x <= layout.width && y <= layout.height &&
                      w <= layout.width - x && h <= layout.height - y;
  if (!inside) node.fail("the rect " + text + " leaves the grid; " + grid_text(layout));
  return {static_cast<int>(x), static_cast<int>(y), static_cast<int>(w), static_cast<int>(h)};
}

Rect read_filled_rect(const Node& node, const Layout& layout) {
  const Rect rect = read_rect(node, layout);
  if (rect.empty())
    node.fail("the rect " + to_string(rect) + " has no tiles; it needs at least one");
  return rect;
}

Direction read_direction(const Node& node) {
  std::vector<std::string> words;
  words.reserve(kAllDirections.size());
  for (Direction d : kAllDirections) words.emplace_back(to_string(d));
  return kAllDirections[node.word(words, "direction")];
}

Color read_color(const Node& node, const Layout& layout) {
  return Color(
      static_cast<unsigned>(node.integer_in(layout.params, 0, kColorCount - 1, "the color")));
}

const Array& find_array(const Node& node, const std::string& name, const Layout& layout) {
  if (const Array* array = layout.find_array(name)) return *array;
  std::vector<std::string> known;
  for (const Array& array : layout.arrays) known.push_back(array.name);
  node.fail("unknown host array \"" + name + "\"" +
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
  if (text.empty()) node.fail("the path of " + what + " is empty");
  std::string path = (fs::path(directory) / text).lexically_normal().string();
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    node.fail("there is no file \"" + path + "\"; paths are relative to the folder of the layout");
  }
  return path;
}

}  // namespace tessera::layout
