#include "platforms/wse/route_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <ostream>
#include <vector>

#include "models/observe/svg.h"
#include "tlm_ifaces/vocabulary/ids.h"

namespace tessera::wse {

using observe::svg::px;

namespace {

constexpr double kMargin = 16, kHead = 92, kName = 22, kGap = 24;
constexpr double kLargeMap = 480, kSmallMap = 300;  // pixels of the longer side
constexpr std::size_t kFewColors = 4;               // so many colors, or fewer, have large maps
constexpr double kLeastArrowCell = 10, kMostCell = 48, kLeastCell = 2;
constexpr double kLeastMapWidth = 150, kPageWidth = 1000, kLeastPageWidth = 620;
constexpr const char* kLineColor = "#999";

/// What a square of a map of many tiles says: nothing, one of the directions, or several.
constexpr unsigned kNothing = 0, kSeveral = kDirectionCount + 1;
constexpr unsigned kClasses = kSeveral + 1;

unsigned class_of(DirectionSet tx) {
  if (tx.size() != 1) return tx.empty() ? kNothing : kSeveral;
  for (const Direction d : kAllDirections) {
    if (tx.contains(d)) return index(d) + 1;
  }
  return kNothing;
}

const char* color_of_class(unsigned c) {
  return c == kSeveral ? observe::svg::kSeveral
                       : observe::svg::color_of(static_cast<Direction>(c - 1));
}

std::string names(DirectionSet set) {
  std::string text;
  for (const Direction d : kAllDirections) {
    if (set.contains(d)) text += (text.empty() ? "" : ", ") + std::string(to_string(d));
  }
  return text.empty() ? "nothing" : text;
}

/// The middle of a side of a square with side 1; for the ramp the centre of the square.
struct Point {
  double x, y;
};
Point side_of(Direction d) {
  constexpr std::array<Point, kDirectionCount> kSides = {
      {{0, 0.5}, {1, 0.5}, {0.5, 1}, {0.5, 0}, {0.5, 0.5}}};
  return kSides[index(d)];
}

struct Routed {
  TileCoord tile;
  fabric::ColorRoute route;
};
using Map = std::vector<Routed>;  // the routes of one color

class Picture {
 public:
  Picture(std::ostream& out, const layout::Layout& layout, fabric::SwitchPositions positions)
      : out_(out), width_(static_cast<unsigned>(layout.width)),
        height_(static_cast<unsigned>(layout.height)) {
    for (int y = 0; y < layout.height; ++y) {
      for (int x = 0; x < layout.width; ++x) add_tile(layout, {x, y}, positions);
    }
    const double longer = std::max(width_, height_);
    const double most = maps_.size() <= kFewColors ? kLargeMap : kSmallMap;
    block_ = static_cast<unsigned>(std::ceil(longer * kLeastCell / most));
    cell_ = std::min(kMostCell, std::max(kLeastCell, std::floor(most / longer)));
    map_width_ = cell_ * ((width_ + block_ - 1) / block_);
    map_height_ = cell_ * ((height_ + block_ - 1) / block_);
    step_ = std::max(map_width_, kLeastMapWidth) + kGap;
    columns_ = std::max(1U, static_cast<unsigned>((kPageWidth - 2 * kMargin) / step_));
  }

  void draw(const std::string& title) {
    const std::size_t rows = (maps_.size() + columns_ - 1) / columns_;
    const double used = step_ * static_cast<double>(std::min<std::size_t>(columns_, maps_.size()));
    const double page_width = std::max(kLeastPageWidth, used + 2 * kMargin);
    const double page_height =
        kHead + static_cast<double>(rows) * (map_height_ + kName + kGap) + kMargin;
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << px(page_width) << "\" height=\""
         << px(page_height) << "\" viewBox=\"0 0 " << px(page_width) << ' ' << px(page_height)
         << "\" font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"12\" "
            "fill=\"#333\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    draw_head(title);
    std::size_t number = 0;
    for (const auto& [color, map] : maps_) {
      const double x = kMargin + step_ * static_cast<double>(number % columns_);
      const double y =
          kHead + static_cast<double>(number / columns_) * (map_height_ + kName + kGap);
      draw_map(x, y, color, map);
      ++number;
    }
    out_ << "</svg>\n";
  }

 private:
  void add_tile(const layout::Layout& layout, TileCoord tile, fabric::SwitchPositions positions) {
    for (const layout::TileRoute& routed : layout.routes_of(tile)) {
      fabric::ColorRoute route = layout.routes[routed.route].route;
      route.fill_in(positions);
      maps_[routed.color.value()].push_back({tile, route});
    }
  }
  void text(double x, double y, const std::string& words, const std::string& more = "") {
    out_ << "<text x=\"" << px(x) << "\" y=\"" << px(y) << "\"" << more << '>'
         << observe::svg::escape(words) << "</text>\n";
  }
  bool has_arrows() const { return cell_ >= kLeastArrowCell; }

  void draw_head(const std::string& title);
  void draw_map(double x, double y, unsigned color, const Map& map);
  void draw_arrows(const Map& map);
  void draw_route(const Routed& routed, const fabric::RoutePosition& position, bool is_current);
  void draw_line(TileCoord tile, Direction side, const char* color, const char* more);
  void draw_head_of_arrow(TileCoord tile, Direction side);
  void draw_squares(const Map& map);
  std::vector<unsigned> classes_of_blocks(const Map& map, std::size_t columns) const;

  std::ostream& out_;
  unsigned width_, height_;       // tiles
  std::map<unsigned, Map> maps_;  // by color
  unsigned block_ = 1;            // tiles on a side of a square
  double cell_ = 1, map_width_ = 0, map_height_ = 0, step_ = 0;
  unsigned columns_ = 1;
};

void Picture::draw_head(const std::string& title) {
  text(kMargin, 28, title, " font-size=\"17\" font-weight=\"bold\" fill=\"#111\"");
  std::string words = std::to_string(width_) + " x " + std::to_string(height_) + " tiles";
  if (maps_.empty()) words += "; no tile routes a color";
  if (has_arrows())
    words += "; grey: received from, dashed: other switch positions";
  else if (block_ > 1)
    words += "; a square is what most of " + std::to_string(block_) + " x " +
             std::to_string(block_) + " tiles transmit to";
  text(kMargin, 48, words);
  double x = kMargin;
  constexpr double kStep = 84;
  for (unsigned c = 1; c < kClasses; ++c, x += kStep) {
    if (c == kSeveral && has_arrows()) break;
    out_ << "<rect x=\"" << px(x) << "\" y=\"60\" width=\"12\" height=\"12\" fill=\""
         << color_of_class(c) << "\"/>\n";
    text(x + 18, 70, c == kSeveral ? "several" : to_string(static_cast<Direction>(c - 1)));
  }
}

void Picture::draw_map(double x, double y, unsigned color, const Map& map) {
  text(x, y + 14,
       "color " + std::to_string(color) + ": " + std::to_string(map.size()) +
           (map.size() == 1 ? " tile" : " tiles"),
       " font-weight=\"bold\"");
  out_ << "<g transform=\"translate(" << px(x) << ' ' << px(y + kName) << ")\">\n"
       << "<rect width=\"" << px(map_width_) << "\" height=\"" << px(map_height_)
       << "\" fill=\"#f4f4f4\" stroke=\"#bbb\"/>\n";
  has_arrows() ? draw_arrows(map) : draw_squares(map);
  out_ << "</g>\n";
}

void Picture::draw_arrows(const Map& map) {
  out_ << "<path stroke=\"#ddd\" fill=\"none\" d=\"";
  for (unsigned x = 1; x < width_; ++x) out_ << "M" << px(x * cell_) << " 0v" << px(map_height_);
  for (unsigned y = 1; y < height_; ++y) out_ << "M0 " << px(y * cell_) << "h" << px(map_width_);
  out_ << "\"/>\n";
  for (const Routed& routed : map) {
    out_ << "<g><title>tile (" << routed.tile.x << ", " << routed.tile.y << ")";
    const auto& positions = routed.route.positions;
    for (unsigned p = 0; p < positions.size(); ++p) {
      if (positions[p].valid)
        out_ << "; position " << p << ": from " << names(positions[p].rx) << " to "
             << names(positions[p].tx);
    }
    out_ << "</title>\n";
    for (unsigned p = 0; p < positions.size(); ++p) {
      if (positions[p].valid && p != routed.route.current) draw_route(routed, positions[p], false);
    }
    draw_route(routed, positions[routed.route.current], true);
    out_ << "</g>\n";
  }
}

void Picture::draw_route(const Routed& routed, const fabric::RoutePosition& position,
                         bool is_current) {
  const char* const more = is_current ? "" : " stroke-dasharray=\"2 2\" opacity=\"0.7\"";
  for (const Direction d : kCardinalDirections) {
    if (position.rx.contains(d)) draw_line(routed.tile, d, kLineColor, more);
  }
  for (const Direction d : kCardinalDirections) {
    if (!position.tx.contains(d)) continue;
    draw_line(routed.tile, d, observe::svg::color_of(d), more);
    draw_head_of_arrow(routed.tile, d);
  }
  const auto dot = [&](double radius, const char* color) {
    out_ << "<circle cx=\"" << px((routed.tile.x + 0.5) * cell_) << "\" cy=\""
         << px((routed.tile.y + 0.5) * cell_) << "\" r=\"" << px(radius * cell_) << "\" fill=\""
         << color << "\"/>\n";
  };
  if (position.tx.contains(Direction::kRamp)) dot(0.2, observe::svg::color_of(Direction::kRamp));
  if (position.rx.contains(Direction::kRamp)) dot(0.11, "#555");
}

void Picture::draw_line(TileCoord tile, Direction side, const char* color, const char* more) {
  const Point end = side_of(side);
  out_ << "<line x1=\"" << px((tile.x + 0.5) * cell_) << "\" y1=\"" << px((tile.y + 0.5) * cell_)
       << "\" x2=\"" << px((tile.x + end.x) * cell_) << "\" y2=\"" << px((tile.y + end.y) * cell_)
       << "\" stroke=\"" << color << "\" stroke-width=\"" << px(std::max(1.0, cell_ / 14)) << '"'
       << more << "/>\n";
}

// A triangle with its point at the side.
void Picture::draw_head_of_arrow(TileCoord tile, Direction side) {
  constexpr double kLength = 0.26, kHalfWidth = 0.13;
  const Point end = side_of(side);
  const double dx = 2 * end.x - 1, dy = 2 * end.y - 1;  // from the center
  const auto point = [&](double back, double beside) {
    return px((tile.x + end.x - back * dx - beside * dy) * cell_) + " " +
           px((tile.y + end.y - back * dy + beside * dx) * cell_);
  };
  out_ << "<path fill=\"" << observe::svg::color_of(side) << "\" d=\"M" << point(0, 0) << "L"
       << point(kLength, kHalfWidth) << "L" << point(kLength, -kHalfWidth) << "z\"/>\n";
}

std::vector<unsigned> Picture::classes_of_blocks(const Map& map, std::size_t columns) const {
  const std::size_t rows = (height_ + block_ - 1) / block_;
  std::vector<std::array<unsigned, kClasses>> counts(columns * rows);
  for (const Routed& routed : map) {
    const auto x = static_cast<unsigned>(routed.tile.x), y = static_cast<unsigned>(routed.tile.y);
    ++counts[y / block_ * columns + x / block_]
            [class_of(routed.route.positions[routed.route.current].tx)];
  }
  std::vector<unsigned> classes;
  for (const auto& count : counts) {
    const auto most = std::max_element(count.begin() + 1, count.end());
    classes.push_back(*most == 0 ? kNothing : static_cast<unsigned>(most - count.begin()));
  }
  return classes;
}

// One path a color, and one rectangle for neighbours in a row that are alike, keep the file small.
void Picture::draw_squares(const Map& map) {
  const std::size_t columns = (width_ + block_ - 1) / block_;
  const std::vector<unsigned> classes = classes_of_blocks(map, columns);
  std::array<std::string, kClasses> paths;
  for (std::size_t i = 0; i < classes.size();) {
    const std::size_t end_of_row = (i / columns + 1) * columns;
    std::size_t end = i + 1;
    while (end < end_of_row && classes[end] == classes[i]) ++end;
    const std::string length = px(static_cast<double>(end - i) * cell_);
    paths[classes[i]] += "M" + px(static_cast<double>(i % columns) * cell_) + " " +
                         px(static_cast<double>(i / columns) * cell_) + "h" + length + "v" +
                         px(cell_) + "h-" + length + "z";
    i = end;
  }
  for (unsigned c = 1; c < kClasses; ++c) {
    if (paths[c].empty()) continue;
    out_ << "<path shape-rendering=\"crispEdges\" fill=\"" << color_of_class(c) << "\" d=\""
         << paths[c] << "\"/>\n";
  }
}

}  // namespace

void draw_routes(std::ostream& out, const layout::Layout& layout, fabric::SwitchPositions positions,
                 const std::string& title) {
  Picture(out, layout, positions).draw(title);
}

}  // namespace tessera::wse
