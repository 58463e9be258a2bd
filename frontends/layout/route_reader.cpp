// "routes": which colors every tile routes, and how (wse.md 1.2 to 1.9). The grid is swept row by
// row, so that besides the result only one row of colors is held.
#include <algorithm>

#include "frontends/layout/reader_parts.h"
#include "frontends/layout/route_entry.h"

namespace tessera::layout {
namespace {

/// The routes of one row of tiles: for each tile and color the entry that won, or -1.
class RouteRow {
 public:
  explicit RouteRow(int width) : winner_(static_cast<std::size_t>(width) * kColorCount) {}

  void clear() { std::fill(winner_.begin(), winner_.end(), -1); }
  void paint(const RouteEntry& entry, std::int32_t index, int y) {
    std::size_t color = 0;
    const Rect& rect = entry.rect();
    for (int x = rect.x; x < rect.x + rect.w; ++x) {
      if (entry.color_depends_on_tile() || x == rect.x) color = entry.color_at({x, y});
      winner_[static_cast<std::size_t>(x) * kColorCount + color] = index;
    }
  }
  void append_to(Layout& layout, std::vector<RouteEntry>& entries, int y) const {
    for (std::size_t i = 0; i < winner_.size(); ++i) {
      if (winner_[i] >= 0) {
        const Point at{static_cast<std::int64_t>(i / kColorCount), y};
        RouteEntry& entry = entries[static_cast<std::size_t>(winner_[i])];
        layout.tile_routes.push_back(
            {Color(static_cast<unsigned>(i % kColorCount)), entry.route_at(at, layout)});
      }
      if (i % kColorCount == kColorCount - 1) {
        layout.tile_routes_begin.push_back(static_cast<std::uint32_t>(layout.tile_routes.size()));
      }
    }
  }

 private:
  std::vector<std::int32_t> winner_;
};

}  // namespace

void read_routes(const Node& root, Layout& layout) {
  std::vector<RouteEntry> entries;
  if (const std::optional<Node> section = root.find("routes")) {
    for (const Node& node : section->items()) entries.emplace_back(node, layout);
  }
  layout.tile_routes_begin.reserve(layout.tile_count() + 1);
  layout.tile_routes_begin.push_back(0);
  RouteRow row(layout.width);
  for (int y = 0; y < layout.height; ++y) {
    row.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Rect& rect = entries[i].rect();
      if (y >= rect.y && y < rect.y + rect.h)
        row.paint(entries[i], static_cast<std::int32_t>(i), y);
    }
    row.append_to(layout, entries, y);
  }
  layout.tile_routes.shrink_to_fit();
}

}  // namespace tessera::layout
