// "routes": which colors every tile routes, and how (wse.md 1.2 to 1.4). The grid is swept row by
// row, so that besides the result only one row of colors is held.
#include <algorithm>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

constexpr std::array<const char*, 3> kPositionKeys = {"pos1", "pos2", "pos3"};

struct RouteEntry {
  Rect rect;
  Node color_node;
  Expression color;
};

/// Keys that the layout contract has but this model of the router does not.
void refuse_unmodelled(const Node& node, const std::vector<std::string>& keys,
                       const std::string& reference) {
  for (const std::string& key : keys) {
    if (const std::optional<Node> found = node.find(key)) {
      found->fail("\"" + key + "\" is not modelled (" + reference + "); leave it out");
    }
  }
}

DirectionSet read_directions(const Node& node) {
  if (node.is_string()) return {read_direction(node)};
  if (!node.is_array())
    node.wrong_type("a direction (WEST, EAST, SOUTH, NORTH, RAMP) or an array of them");
  DirectionSet set;
  for (const Node& item : node.items()) {
    const Direction d = read_direction(item);
    if (set.contains(d))
      item.fail(std::string("the direction ") + to_string(d) + " is given twice");
    set.insert(d);
  }
  if (set.empty())
    node.fail("no direction is given; at least one of WEST, EAST, SOUTH, NORTH, RAMP is needed");
  return set;
}

SwitchPosition read_position(const Node& node, const SwitchPosition& base) {
  node.allow_keys({"rx", "tx"});
  SwitchPosition position = base;
  position.valid = true;
  const std::optional<Node> rx = node.find("rx");
  const std::optional<Node> tx = node.find("tx");
  if (!rx && !tx)
    node.fail("a switch position sets rx, tx or both; leave it out if it is not valid");
  position.sets_rx = rx.has_value();
  position.sets_tx = tx.has_value();
  if (rx) position.rx = read_directions(*rx);
  if (tx) position.tx = read_directions(*tx);
  return position;
}

void read_switches(const Node& node, const Layout& layout, RouteSpec& spec) {
  refuse_unmodelled(node, {"ring_mode", "pop_mode"}, "wse.md 1.4");
  node.allow_keys({"pos1", "pos2", "pos3", "current_switch_pos"});
  for (std::size_t i = 0; i < kPositionKeys.size(); ++i) {
    const std::optional<Node> position = node.find(kPositionKeys[i]);
    if (position) spec.positions[i + 1] = read_position(*position, spec.positions[0]);
  }
  const std::optional<Node> initial = node.find("current_switch_pos");
  if (!initial) return;
  spec.initial = static_cast<unsigned>(
      initial->integer_in(layout.params, 0, kSwitchPositions - 1, "the switch position"));
  if (!spec.positions[spec.initial].valid) {
    initial->fail("switch position " + std::to_string(spec.initial) + " is not set; give pos" +
                  std::to_string(spec.initial) + " or start at a position that is set");
  }
}

RouteSpec read_spec(const Node& node, const Layout& layout) {
  RouteSpec spec;
  spec.place = node.place();
  spec.positions[0] = {read_directions(node.at("rx")), read_directions(node.at("tx")), true, true,
                       true};
  if (const std::optional<Node> switches = node.find("switches"))
    read_switches(*switches, layout, spec);
  return spec;
}

RouteEntry read_entry(const Node& node, Layout& layout) {
  refuse_unmodelled(node, {"filter"}, "wse.md 1.7");
  refuse_unmodelled(node, {"color_swap_x", "color_swap_y"}, "wse.md 1.6");
  refuse_unmodelled(node, {"ce_inject"}, "wse.md 1.8");
  refuse_unmodelled(node, {"teardown"}, "wse.md 1.9");
  node.allow_keys({"rect", "color", "rx", "tx", "switches"});
  const Rect rect = read_rect(node.at("rect"), layout);
  const Node color = node.at("color");
  layout.routes.push_back(read_spec(node, layout));
  return {rect, color, color.expression(layout.params, Expression::Variables::kPoint)};
}

std::size_t color_at(const RouteEntry& entry, Point at) {
  const std::int64_t color = entry.color_node.evaluate(entry.color, at);
  if (color >= 0 && color < static_cast<std::int64_t>(kColorCount))
    return static_cast<std::size_t>(color);
  const std::string where = "(" + std::to_string(at.x) + ", " + std::to_string(at.y) + ")";
  entry.color_node.fail("the color of tile " + where + " is " + std::to_string(color) +
                        "; colors are 0.." + std::to_string(kColorCount - 1));
}

/// The routes of one row of tiles: for each tile and color the entry that won, or -1.
class RouteRow {
 public:
  explicit RouteRow(int width) : winner_(static_cast<std::size_t>(width) * kColorCount) {}

  void clear() { std::fill(winner_.begin(), winner_.end(), -1); }
  void paint(const RouteEntry& entry, std::int32_t index, int y) {
    const bool per_tile = entry.color.uses_point();
    std::size_t color = 0;
    for (int x = entry.rect.x; x < entry.rect.x + entry.rect.w; ++x) {
      if (per_tile || x == entry.rect.x) color = color_at(entry, {x, y});
      winner_[static_cast<std::size_t>(x) * kColorCount + color] = index;
    }
  }
  void append_to(Layout& layout) const {
    for (std::size_t i = 0; i < winner_.size(); ++i) {
      if (winner_[i] >= 0) {
        layout.tile_routes.push_back({Color(static_cast<unsigned>(i % kColorCount)),
                                      static_cast<std::uint32_t>(winner_[i])});
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
    for (const Node& node : section->items()) entries.push_back(read_entry(node, layout));
  }
  layout.tile_routes_begin.reserve(layout.tile_count() + 1);
  layout.tile_routes_begin.push_back(0);
  RouteRow row(layout.width);
  for (int y = 0; y < layout.height; ++y) {
    row.clear();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const Rect& rect = entries[i].rect;
      if (y >= rect.y && y < rect.y + rect.h)
        row.paint(entries[i], static_cast<std::int32_t>(i), y);
    }
    row.append_to(layout);
  }
  layout.tile_routes.shrink_to_fit();
}

}  // namespace tessera::layout
