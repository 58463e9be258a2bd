// The steps of reading a layout, one per section of the file, and what they share. Every step reads
// its section of the root object and fills its part of the result; params must come first, arrays
// before symbols before host. Included by .cpp files of this folder only.
#pragma once

#include <string>

#include "frontends/layout/layout.h"
#include "frontends/layout/layout_reader.h"
#include "frontends/text/json.h"
#include "frontends/text/diagnostics.h"

namespace tessera::layout {

using text::Constants;
using text::Node;

/// A number that may depend on the tile: an expression over the parameters, x and y.
class TileNumber {
 public:
  TileNumber(const Node& node, const Layout& layout)
      : node_(node), expression_(node.expression(layout.params, {"x", "y"})) {}
  const Node& node() const { return node_; }
  bool depends_on_tile() const { return expression_.uses_variables(); }
  std::int64_t at(TileCoord tile) const;

 private:
  Node node_;
  text::Expression expression_;
};

/// Reads "tiles": sets programs and program_of_tile.
void read_tiles(const Node& root, const std::string& directory, Layout& layout);
/// Reads "routes": sets routes, tile_routes and tile_routes_begin.
void read_routes(const Node& root, Layout& layout);
/// Reads "arrays".
void read_arrays(const Node& root, Layout& layout);
/// Reads "symbols".
void read_symbols(const Node& root, Layout& layout);
/// Reads "host".
void read_host(const Node& root, const std::string& directory, Layout& layout);

/// A rectangle on the grid; w and h may be 0, so that "all but the rim" also works on small grids.
Rect read_rect(const Node& node, const Layout& layout);
/// A rectangle on the grid that is not empty.
Rect read_filled_rect(const Node& node, const Layout& layout);
Direction read_direction(const Node& node);
/// A color that does not depend on the tile.
Color read_color(const Node& node, const Layout& layout);
/// The declared host array of this name; fails at `node` if there is none.
const Array& find_array(const Node& node, const std::string& name, const Layout& layout);
/// Name of a declared host array.
std::string read_array_name(const Node& node, const Layout& layout);
/// Path of an existing file, relative paths starting in `directory`.
std::string read_path(const Node& node, const std::string& directory, const std::string& what);

}  // namespace tessera::layout
