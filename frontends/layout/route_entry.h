// One entry of "routes": what it gives a color on the tiles of its rect (reference wse.md 1.2 to
// 1.9). The color, the start position of the switch and the numbers of a filter may depend on the
// tile. Included by .cpp files of this folder only.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {

class RouteEntry {
 public:
  /// Adds its route to the layout, unless that depends on the tile. Throws UserError, as all do.
  RouteEntry(const Node& node, Layout& layout);

  const Rect& rect() const { return rect_; }
  bool color_depends_on_tile() const { return color_.depends_on_tile(); }
  std::size_t color_at(TileCoord at) const;
  /// Index in Layout::routes; a route that the layout does not have yet is added to it.
  std::uint32_t route_at(TileCoord at, Layout& layout);

 private:
  using Store = std::function<void(RouteSpec& spec, std::int64_t value)>;
  /// A number that depends on the tile.
  struct Number {
    TileNumber value;
    std::int64_t highest;
    std::string what;
    Store store;
  };

  void read_switches(const Node& node, const Layout& layout);
  void read_filter(const Node& node, const Layout& layout);
  /// Key `key` of `parent`, if given: 0..highest. Stored at once if all tiles have the same.
  void read_number(const Node& parent, const std::string& key, const Layout& layout,
                   std::int64_t highest, const std::string& what, const Store& store);
  static std::int64_t value_of(const Number& number, TileCoord at);
  void check(const RouteSpec& spec, TileCoord at) const;
  std::string of_tile(TileCoord at) const;

  Node node_;
  Rect rect_;
  TileNumber color_;
  RouteSpec spec_;  // without the numbers that depend on the tile
  std::vector<Number> numbers_;
  std::map<std::vector<std::int64_t>, std::uint32_t> routes_;  // in the layout, by their numbers
};

}  // namespace tessera::layout
