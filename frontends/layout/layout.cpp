#include "frontends/layout/layout.h"

#include <algorithm>

namespace tessera::layout {

std::string to_string(const Rect& rect) {
  return "[" + std::to_string(rect.x) + ", " + std::to_string(rect.y) + ", " +
         std::to_string(rect.w) + ", " + std::to_string(rect.h) + "]";
}

TileRoutes Layout::routes_of(TileCoord t) const {
  const std::size_t tile = tile_index(t);
  return {tile_routes.data() + tile_routes_begin[tile],
          tile_routes.data() + tile_routes_begin[tile + 1]};
}

const Array* Layout::find_array(const std::string& name) const {
  const auto it =
      std::find_if(arrays.begin(), arrays.end(), [&](const Array& a) { return a.name == name; });
  return it == arrays.end() ? nullptr : &*it;
}

const Symbol* Layout::find_symbol(const std::string& name) const {
  const auto it =
      std::find_if(symbols.begin(), symbols.end(), [&](const Symbol& s) { return s.name == name; });
  return it == symbols.end() ? nullptr : &*it;
}

namespace {

DirectionSet all_tx(const fabric::ColorRoute& route) {
  unsigned bits = 0;
  for (const fabric::RoutePosition& position : route.positions) {
    if (position.valid) bits |= position.tx.bits();
  }
  return DirectionSet::from_bits(bits);
}

void append_off_grid(const Layout& layout, TileCoord tile, std::vector<OffGridRoute>& found) {
  for (const TileRoute& route : layout.routes_of(tile)) {
    const RouteSpec& spec = layout.routes[route.route];
    const DirectionSet tx = all_tx(spec.route);
    for (Direction d : kCardinalDirections) {
      if (!tx.contains(d) || layout.on_grid(neighbour(tile, d))) continue;
      found.push_back({tile, route.color, d, spec.place});
    }
  }
}

}  // namespace

std::vector<OffGridRoute> off_grid_routes(const Layout& layout) {
  std::vector<OffGridRoute> found;
  for (int y = 0; y < layout.height; ++y) {
    const bool whole_row = y == 0 || y == layout.height - 1;
    const int step =
        whole_row ? 1 : std::max(1, layout.width - 1);  // else the first and the last tile only
    for (int x = 0; x < layout.width; x += step) append_off_grid(layout, {x, y}, found);
  }
  return found;
}

}  // namespace tessera::layout
