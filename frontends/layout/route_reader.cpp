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
        const TileCoord at{static_cast<int>(i / kColorCount), y};
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

/// Which entries concern the row that is being read, in the order of the file. A generated layout
/// may have an entry for every tile.
class EntriesOfRow {
 public:
  EntriesOfRow(const std::vector<RouteEntry>& entries, int height)
      : entries_(entries), starting_(static_cast<std::size_t>(height)) {
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (!entries[i].rect().empty())
        starting_[static_cast<std::size_t>(entries[i].rect().y)].push_back(i);
    }
  }
  /// Entries of row `y`; asked for every row from 0 on.
  const std::vector<std::size_t>& at(int y) {
    const auto ended = [&](std::size_t i) {
      return y >= entries_[i].rect().y + entries_[i].rect().h;
    };
    present_.erase(std::remove_if(present_.begin(), present_.end(), ended), present_.end());
    const std::vector<std::size_t>& starting = starting_[static_cast<std::size_t>(y)];
    const auto old = static_cast<std::ptrdiff_t>(present_.size());
    present_.insert(present_.end(), starting.begin(), starting.end());
    std::inplace_merge(present_.begin(), present_.begin() + old, present_.end());
    return present_;
  }

 private:
  const std::vector<RouteEntry>& entries_;
  std::vector<std::vector<std::size_t>> starting_;  // by row
  std::vector<std::size_t> present_;
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
  EntriesOfRow entries_of_row(entries, layout.height);
  for (int y = 0; y < layout.height; ++y) {
    row.clear();
    for (const std::size_t i : entries_of_row.at(y))
      row.paint(entries[i], static_cast<std::int32_t>(i), y);
    row.append_to(layout, entries, y);
  }
  layout.tile_routes.shrink_to_fit();
}

}  // namespace tessera::layout
