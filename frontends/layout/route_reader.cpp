// "routes": which colors every tile routes, and how (wse.md 1.2 to 1.9). The grid is swept row by
// row, so that besides the result only one row of colors is held.
#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <type_traits>

#include "frontends/layout/reader_parts.h"

namespace tessera::layout {
namespace {

using fabric::FilterConfig, fabric::Injection, fabric::PopMode, fabric::RoutePosition;
using fabric::kSwitchPositions;
using Kind = fabric::FilterKind;

struct FilterKind {
  const char* name;
  Kind kind;
  std::vector<std::string> keys;
};

/// The kinds of filters (wse.md 1.7).
const std::vector<FilterKind> kKinds = {
    {"counter",
     Kind::kCounter,
     {"kind", "count_data", "count_control", "init_counter", "limit1", "max_counter",
      "filter_control"}},
    {"sparse_counter",
     Kind::kSparseCounter,
     {"kind", "count_data", "count_control", "init_counter", "limit1", "limit2", "max_counter"}},
    {"range", Kind::kRange, {"kind", "min_idx", "max_idx"}}};

/// A key that only other kinds have deserves more than "unknown key".
void check_filter_keys(const Node& node, const FilterKind& kind) {
  for (const FilterKind& other : kKinds) {
    for (const std::string& key : other.keys) {
      const bool is_own = std::count(kind.keys.begin(), kind.keys.end(), key) != 0;
      if (is_own || !node.find(key)) continue;
      std::string keys;
      for (const std::string& own : kind.keys) keys += (keys.empty() ? "" : ", ") + own;
      node.fail("a filter of kind \"", kind.name, "\" has no \"", key, "\"; its keys: ", keys);
    }
  }
  node.allow_keys(kind.keys);
}

/// An empty list is no accident: nothing comes in, or goes out, until the program or a switch says more.
DirectionSet read_directions(const Node& node) {
  if (node.is_string()) return {read_direction(node)};
  if (!node.is_array())
    node.wrong_type("a direction (WEST, EAST, SOUTH, NORTH, RAMP) or an array of them");
  DirectionSet set;
  for (const Node& item : node.items()) {
    const Direction d = read_direction(item);
    if (set.contains(d)) item.fail("the direction ", to_string(d), " is given twice");
    set.insert(d);
  }
  return set;
}

bool read_flag(const Node& parent, const std::string& key) {
  const std::optional<Node> node = parent.find(key);
  return node && node->boolean();
}

RoutePosition read_position(const Node& node) {
  node.allow_keys({"rx", "tx", "invalid"});
  const std::optional<Node> rx = node.find("rx");
  const std::optional<Node> tx = node.find("tx");
  if (read_flag(node, "invalid")) {
    if (rx || tx) node.fail("a switch position that is invalid sets neither rx nor tx");
    return {};
  }
  if (!rx && !tx)
    node.fail("a switch position sets rx, tx or both; leave it out if it is not valid");
  return {rx ? read_directions(*rx) : DirectionSet(), tx ? read_directions(*tx) : DirectionSet(),
          true, rx.has_value(), tx.has_value()};
}

// Runs before any other part of the entry is read.
const Node& with_known_keys(const Node& node) {
  node.allow_keys({"rect", "color", "rx", "tx", "switches", "filter", "color_swap_x",
                   "color_swap_y", "ce_inject", "teardown", "messages"});
  return node;
}

/// One entry of "routes": what it gives a color on the tiles of its rect. The color, the start
/// position of the switch and the numbers of a filter may depend on the tile.
class RouteEntry {
 public:
  /// Adds its route to the layout, unless that depends on the tile. Throws UserError, as all do.
  RouteEntry(const Node& node, Layout& layout)
      : node_(with_known_keys(node)), rect_(read_rect(node.at("rect"), layout)),
        color_(node.at("color"), layout) {
    spec_.place = node.place();
    spec_.route.positions[0] = {read_directions(node.at("rx")), read_directions(node.at("tx")),
                                true};
    if (const std::optional<Node> switches = node.find("switches"))
      read_switches(*switches, layout);
    if (const std::optional<Node> filter = node.find("filter")) read_filter(*filter, layout);
    spec_.route.swap_x = read_flag(node, "color_swap_x");
    spec_.route.swap_y = read_flag(node, "color_swap_y");
    spec_.route.suspended = read_flag(node, "teardown");
    spec_.route.messages = read_flag(node, "messages");
    if (const std::optional<Node> inject = node.find("ce_inject")) {
      spec_.route.injection = text::read_choice<Injection>(
          *inject, {{"low", Injection::kLow}, {"high", Injection::kHigh}},
          "priority of CE injection");
    }
    if (numbers_.empty()) route_at({}, layout);
  }

  const Rect& rect() const { return rect_; }
  bool color_depends_on_tile() const { return color_.depends_on_tile(); }
  std::size_t color_at(TileCoord at) const {
    const std::int64_t color = color_.at(at);
    if (color >= 0 && color < static_cast<std::int64_t>(kColorCount))
      return static_cast<std::size_t>(color);
    color_.node().fail("the color of tile ", to_string(at), " is ", color, "; colors are 0..",
                       kColorCount - 1);
  }

  /// Index in Layout::routes. Adds the route to the layout if it is not there yet.
  std::uint32_t route_at(TileCoord at, Layout& layout) {
    std::vector<std::int64_t> values;
    values.reserve(numbers_.size());
    for (const Number& number : numbers_) values.push_back(value_of(number, at));
    const auto known = routes_.find(values);
    if (known != routes_.end()) return known->second;
    RouteSpec spec = spec_;
    for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i].store(spec, values[i]);
    check(spec, at);
    const auto next = static_cast<std::uint32_t>(layout.routes.size());
    layout.routes.push_back(std::move(spec));
    routes_.emplace(std::move(values), next);
    return next;
  }

 private:
  using Store = std::function<void(RouteSpec& spec, std::int64_t value)>;
  /// A number that depends on the tile.
  struct Number {
    TileNumber value;
    std::int64_t highest;
    std::string what;
    Store store;
  };

  void read_switches(const Node& node, const Layout& layout) {
    node.allow_keys({"pos1", "pos2", "pos3", "current_switch_pos", "ring_mode", "pop_mode"});
    spec_.has_switches = true;
    for (std::size_t i = 1; i < kSwitchPositions; ++i) {
      const std::optional<Node> position = node.find("pos" + std::to_string(i));
      if (position) spec_.route.positions[i] = read_position(*position);
    }
    spec_.route.ring = read_flag(node, "ring_mode");
    if (const std::optional<Node> pop = node.find("pop_mode")) {
      spec_.route.pop =
          text::read_choice<PopMode>(*pop,
                                     {{"no_pop", PopMode::kNoPop},
                                      {"always_pop", PopMode::kAlwaysPop},
                                      {"pop_on_advance", PopMode::kPopOnAdvance},
                                      {"pop_on_advance_nop", PopMode::kPopOnAdvanceNop}},
                                     "pop mode");
    }
    read_number(node, "current_switch_pos", layout, kSwitchPositions - 1, "the switch position",
                [](RouteSpec& s, std::int64_t v) { s.route.current = static_cast<unsigned>(v); });
  }

  void read_filter(const Node& node, const Layout& layout) {
    std::vector<std::string> names;
    for (const FilterKind& kind : kKinds) names.emplace_back(kind.name);
    const FilterKind& kind = kKinds[node.at("kind").word(names, "kind of filter")];
    check_filter_keys(node, kind);
    FilterConfig& filter = spec_.route.filter.emplace();
    filter.kind = kind.kind;
    filter.count_data = read_flag(node, "count_data");
    filter.count_control = read_flag(node, "count_control");
    filter.filter_control = read_flag(node, "filter_control");
    const auto number = [&](auto FilterConfig::*member, const char* key) {
      using Field = std::decay_t<decltype(filter.*member)>;
      read_number(node, key, layout, std::numeric_limits<Field>::max(), key,
                  [member](RouteSpec& s, std::int64_t v) {
                    (*s.route.filter).*member = static_cast<Field>(v);
                  });
    };
    number(&FilterConfig::init_counter, "init_counter");
    number(&FilterConfig::limit1, "limit1");
    number(&FilterConfig::limit2, "limit2");
    number(&FilterConfig::max_counter, "max_counter");
    number(&FilterConfig::min_idx, "min_idx");
    number(&FilterConfig::max_idx, "max_idx");
  }

  /// Reads key `key` of `parent`, if given: 0..highest. A number equal for all tiles is stored now.
  void read_number(const Node& parent, const std::string& key, const Layout& layout,
                   std::int64_t highest, const std::string& what, const Store& store) {
    const std::optional<Node> node = parent.find(key);
    if (!node) return;
    const Number number{TileNumber(*node, layout), highest, what, store};
    if (number.value.depends_on_tile()) {
      numbers_.push_back(number);
    } else {
      store(spec_, value_of(number, {}));
    }
  }

  static std::int64_t value_of(const Number& number, TileCoord at) {
    const std::int64_t value = number.value.at(at);
    if (value >= 0 && value <= number.highest) return value;
    const std::string whose = number.value.depends_on_tile() ? " of tile " + to_string(at) : "";
    number.value.node().fail(number.what, whose, " is ", value, "; it must be in 0..",
                             number.highest);
  }

  /// Checks the rules that concern several numbers.
  void check(const RouteSpec& spec, TileCoord at) const {
    if (!spec.route.positions[spec.route.current].valid) {
      const std::string number = std::to_string(spec.route.current);
      node_.at("switches")
          .at("current_switch_pos")
          .fail("switch position ", number, of_tile(at), " is not set; give pos", number,
                " or start at a position that is set");
    }
    const std::optional<FilterConfig>& filter = spec.route.filter;
    if (!filter || filter->init_counter <= filter->limit1) return;
    if (!filter->count_data && !filter->count_control) return;
    node_.at("filter").fail("init_counter", of_tile(at), " is ", filter->init_counter,
                            ", above limit1, which is ", filter->limit1,
                            "; the counter runs from init_counter to limit1");
  }

  std::string of_tile(TileCoord at) const {
    return numbers_.empty() ? "" : " of tile " + to_string(at);
  }

  Node node_;
  Rect rect_;
  TileNumber color_;
  RouteSpec spec_;  // all but the numbers that depend on the tile
  std::vector<Number> numbers_;
  std::map<std::vector<std::int64_t>, std::uint32_t> routes_;  // index by their numbers
};

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
      if (i % kColorCount == kColorCount - 1)
        layout.tile_routes_begin.push_back(static_cast<std::uint32_t>(layout.tile_routes.size()));
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
  for (const Node& node : root.items_of("routes")) entries.emplace_back(node, layout);
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
