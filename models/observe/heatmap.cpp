#include "models/observe/heatmap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <ostream>

#include "models/observe/svg.h"

namespace tessera::observe {

namespace {

using svg::px;

constexpr unsigned kMaxCells = 256;  // on a side
constexpr double kMapPixels = 640;   // the longer side, when there are many cells
constexpr double kMaxCellPixels = 64;
constexpr double kLeft = 64, kTop = 84, kBottom = 52;
constexpr double kScaleGap = 28, kScaleWidth = 16, kScaleText = 92;
constexpr double kMinScaleHeight = 120, kMinWidth = 440;
constexpr double kTitleLetterPixels = 11.5;  // mean width of a letter of the title
constexpr double kDigitPixels = 7.5;         // width of a digit of the labels
constexpr unsigned kLevels = 128;

struct Rgb {
  double r, g, b;
};
/// Even steps of brightness, readable in grey and for the color-blind: those of the live view, by Hue.
using Palette = std::array<Rgb, 7>;
constexpr std::array<Palette, 3> kPalettes = {{{{{238, 243, 245},
                                                 {211, 229, 236},
                                                 {169, 207, 220},
                                                 {116, 178, 200},
                                                 {63, 143, 174},
                                                 {28, 107, 141},
                                                 {10, 71, 102}}},
                                               {{{246, 242, 235},
                                                 {243, 224, 193},
                                                 {236, 196, 138},
                                                 {222, 160, 83},
                                                 {196, 122, 43},
                                                 {154, 87, 23},
                                                 {106, 56, 12}}},
                                               {{{243, 241, 247},
                                                 {224, 217, 238},
                                                 {196, 181, 224},
                                                 {163, 139, 205},
                                                 {130, 100, 180},
                                                 {98, 67, 146},
                                                 {67, 42, 107}}}}};

/// 12,345.6
std::string number(double value, int decimals) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  std::string text = buffer;
  const std::size_t point = std::min(text.find('.'), text.size());
  for (std::size_t i = point; i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

std::string color_of_level(const Palette& palette, unsigned level) {
  const double position = static_cast<double>(level) / (kLevels - 1) * (palette.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(position), palette.size() - 2);
  const double t = position - static_cast<double>(i);
  const Rgb &a = palette[i], &b = palette[i + 1];
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x",
                static_cast<unsigned>(std::lround(a.r + t * (b.r - a.r))) & 0xFFU,
                static_cast<unsigned>(std::lround(a.g + t * (b.g - a.g))) & 0xFFU,
                static_cast<unsigned>(std::lround(a.b + t * (b.b - a.b))) & 0xFFU);
  return text;
}

/// 1, 2 or 5 times a power of ten, at least `least`.
double round_step(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

/// Decimals that numbers in steps of `step` need.
int decimals_for(double step) {
  return step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-9));
}

/// Values as drawn: a cell is a tile, or a square block of tiles with the mean of its values.
struct Cells {
  unsigned width = 0, height = 0, block = 1;
  std::vector<double> values;

  unsigned x_of(std::size_t cell) const { return static_cast<unsigned>(cell % width); }
  unsigned y_of(std::size_t cell) const { return static_cast<unsigned>(cell / width); }
};

bool is_counted(const HeatMap& map, std::size_t tile) {
  return map.counted.empty() || map.counted[tile];
}

Cells aggregate(const HeatMap& map) {
  Cells cells;
  cells.block = (std::max(map.width, map.height) + kMaxCells - 1) / kMaxCells;
  cells.block = std::max(cells.block, 1U);
  cells.width = (map.width + cells.block - 1) / cells.block;
  cells.height = (map.height + cells.block - 1) / cells.block;
  std::vector<unsigned> tiles(std::size_t{cells.width} * cells.height);
  cells.values.resize(tiles.size());
  for (unsigned y = 0; y < map.height; ++y) {
    for (unsigned x = 0; x < map.width; ++x) {
      const std::size_t cell = std::size_t{y / cells.block} * cells.width + x / cells.block;
      const std::size_t tile = std::size_t{y} * map.width + x;
      cells.values[cell] += map.values[tile];
      if (is_counted(map, tile)) ++tiles[cell];
    }
  }
  for (std::size_t i = 0; i < tiles.size(); ++i) cells.values[i] /= std::max(tiles[i], 1U);
  return cells;
}

class Drawing {
 public:
  Drawing(std::ostream& out, const HeatMap& map)
      : out_(out), map_(map), cells_(aggregate(map)),
        largest_(*std::max_element(cells_.values.begin(), cells_.values.end())) {
    const unsigned longer = std::max(cells_.width, cells_.height);
    cell_ = std::min(kMaxCellPixels, std::max(2.0, std::floor(kMapPixels / longer)));
    map_width_ = cell_ * cells_.width;
    map_height_ = cell_ * cells_.height;
    step_ = largest_ > 0 ? round_step(largest_ / 5) : 1;
    whole_ = std::all_of(cells_.values.begin(), cells_.values.end(),
                         [](double value) { return value == std::floor(value); });
    if (whole_) step_ = std::max(step_, 1.0);
    top_of_scale_ = largest_ > 0 ? std::ceil(largest_ / step_ * (1 - 1e-9)) * step_ : 1;
  }

  void draw() {
    const double height = kTop + std::max(map_height_, kMinScaleHeight) + kBottom;
    const double width =
        std::max({kMinWidth, kTitleLetterPixels * static_cast<double>(map_.title.size()) + 32,
                  kLeft + map_width_ + kScaleGap + kScaleWidth + kScaleText});
    out_ << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << px(width) << "\" height=\""
         << px(height) << "\" viewBox=\"0 0 " << px(width) << ' ' << px(height)
         << "\" role=\"img\" aria-label=\"" << svg::escape(map_.title)
         << "\" font-family=\"Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"12\" "
            "fill=\"#333\">\n"
         << "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
    draw_head();
    draw_cells();
    draw_axes();
    draw_scale();
    out_ << "</svg>\n";
  }

 private:
  std::string with_unit(double value, int decimals) const {
    return number(value, decimals) + (map_.unit.empty() ? "" : " " + map_.unit);
  }
  /// Counts are shown as they are, other values finer than the steps of the scale.
  int value_decimals() const { return whole_ ? 0 : decimals_for(step_) + 1; }
  unsigned level(double value) const {
    const double share = std::clamp(value / top_of_scale_, 0.0, 1.0);
    return static_cast<unsigned>(std::lround(share * (kLevels - 1)));
  }
  std::string color_of(unsigned level) const {
    return color_of_level(kPalettes[static_cast<std::size_t>(map_.hue)], level);
  }
  void text(double x, double y, const std::string& anchor, const std::string& content,
            const std::string& more = "") {
    out_ << "<text x=\"" << px(x) << "\" y=\"" << px(y) << "\" text-anchor=\"" << anchor << '"'
         << more << '>' << svg::escape(content) << "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2) {
    out_ << "<line x1=\"" << px(x1) << "\" y1=\"" << px(y1) << "\" x2=\"" << px(x2) << "\" y2=\""
         << px(y2) << "\" stroke=\"#888\"/>\n";
  }

  void draw_head();
  void draw_cells();
  void draw_cell(unsigned x, unsigned y, double value, double gap);
  void draw_many_cells();
  void draw_axes();
  void draw_axis(unsigned tiles, bool horizontal);
  void draw_scale();

  std::ostream& out_;
  const HeatMap& map_;
  Cells cells_;
  double largest_;
  double cell_ = 1, map_width_ = 0, map_height_ = 0;
  double step_ = 1, top_of_scale_ = 1;
  bool whole_ = false;  ///< all values are whole numbers
};

void Drawing::draw_head() {
  double sum = 0, low = std::numeric_limits<double>::infinity(), high = 0;
  std::size_t count = 0;
  for (std::size_t tile = 0; tile < map_.values.size(); ++tile) {
    if (!is_counted(map_, tile)) continue;
    sum += map_.values[tile];
    low = std::min(low, map_.values[tile]);
    high = std::max(high, map_.values[tile]);
    ++count;
  }
  const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
  if (count == 0) low = 0;
  const std::string of =
      count == map_.values.size() ? "" : "of " + std::to_string(count) + " with a program ";
  const int decimals = value_decimals();
  text(16, 28, "start", map_.title, " font-size=\"17\" font-weight=\"bold\" fill=\"#111\"");
  text(16, 48, "start",
       std::to_string(map_.width) + " x " + std::to_string(map_.height) + " tiles;  " + of +
           "smallest " + number(low, decimals) + ",  mean " +
           number(mean, decimals_for(step_) + 1) + ",  largest " + with_unit(high, decimals));
  if (cells_.block == 1) return;
  const std::string side = std::to_string(cells_.block);
  text(16, 66, "start", "each square is the mean of " + side + " x " + side + " tiles",
       " fill=\"#777\"");
}

void Drawing::draw_cells() {
  out_ << "<g shape-rendering=\"crispEdges\" transform=\"translate(" << px(kLeft) << ' ' << px(kTop)
       << ")\">\n";
  constexpr std::size_t kWithTooltip = 4096;
  constexpr unsigned kWithGaps = 48;  // on a side; gaps of more would flicker
  const double gap = std::max(cells_.width, cells_.height) < kWithGaps && cell_ >= 10 ? 1 : 0;
  if (cells_.values.size() > kWithTooltip) {
    draw_many_cells();
  } else {
    for (std::size_t i = 0; i < cells_.values.size(); ++i)
      draw_cell(cells_.x_of(i), cells_.y_of(i), cells_.values[i], gap);
  }
  out_ << "</g>\n";
}

void Drawing::draw_cell(unsigned x, unsigned y, double value, double gap) {
  const unsigned shade = level(value);
  const int decimals = value_decimals();
  out_ << "<rect x=\"" << px(x * cell_) << "\" y=\"" << px(y * cell_) << "\" width=\""
       << px(cell_ - gap) << "\" height=\"" << px(cell_ - gap) << "\" fill=\"" << color_of(shade)
       << "\"><title>tile (" << x * cells_.block << ", " << y * cells_.block
       << "): " << svg::escape(with_unit(value, decimals)) << "</title></rect>\n";
  if (cell_ < 40) return;
  const std::string label = number(value, value == std::floor(value) ? 0 : decimals_for(step_));
  if (static_cast<double>(label.size()) * kDigitPixels > cell_ - 4) return;
  const char* ink = shade < kLevels * 5 / 10 ? "#111" : "#fff";
  text((x + 0.5) * cell_, (y + 0.5) * cell_ + 4, "middle", label,
       std::string(" fill=\"") + ink + "\"");
}

// One path a color keeps the file small.
void Drawing::draw_many_cells() {
  std::array<std::string, kLevels> paths;
  const std::string square = "h" + px(cell_) + "v" + px(cell_) + "h-" + px(cell_) + "z";
  for (std::size_t i = 0; i < cells_.values.size(); ++i) {
    const std::string corner = px(cells_.x_of(i) * cell_) + " " + px(cells_.y_of(i) * cell_);
    paths[level(cells_.values[i])] += "M" + corner + square;
  }
  for (unsigned i = 0; i < kLevels; ++i) {
    if (paths[i].empty()) continue;
    out_ << "<path fill=\"" << color_of(i) << "\" d=\"" << paths[i] << "\"/>\n";
  }
}

void Drawing::draw_axes() {
  out_ << "<rect x=\"" << px(kLeft - 0.5) << "\" y=\"" << px(kTop - 0.5) << "\" width=\""
       << px(map_width_ + 1) << "\" height=\"" << px(map_height_ + 1)
       << "\" fill=\"none\" stroke=\"#888\"/>\n";
  draw_axis(map_.width, true);
  draw_axis(map_.height, false);
  text(kLeft + map_width_ / 2, kTop + map_height_ + 38, "middle", "x (east)");
  constexpr double kRoomForRotatedLabel = 70;
  const double middle = kTop + map_height_ / 2;
  if (map_height_ < kRoomForRotatedLabel) return text(12, middle + 4, "start", "y");
  out_ << "<text text-anchor=\"middle\" transform=\"translate(18 " << px(middle)
       << ") rotate(-90)\">y (south)</text>\n";
}

void Drawing::draw_axis(unsigned tiles, bool horizontal) {
  const double tile = cell_ / cells_.block;
  const double least = std::max(1.0, (horizontal ? 36.0 : 22.0) / tile);
  const auto step = static_cast<unsigned>(std::lround(round_step(least)));
  for (unsigned t = 0; t < tiles; t += step) {
    const double middle = (t + 0.5) * tile;
    const std::string label = std::to_string(t);
    if (horizontal) {
      line(kLeft + middle, kTop + map_height_ + 1, kLeft + middle, kTop + map_height_ + 5);
      text(kLeft + middle, kTop + map_height_ + 18, "middle", label);
    } else {
      line(kLeft - 5, kTop + middle, kLeft - 1, kTop + middle);
      text(kLeft - 9, kTop + middle + 4, "end", label);
    }
  }
}

void Drawing::draw_scale() {
  const double x = kLeft + map_width_ + kScaleGap;
  const double height = std::max(map_height_, kMinScaleHeight);
  out_ << "<defs><linearGradient id=\"scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">";
  constexpr std::size_t kSteps = Palette().size();
  for (std::size_t i = 0; i < kSteps; ++i) {
    const double share = static_cast<double>(i) / (kSteps - 1);
    const auto shade = static_cast<unsigned>(std::lround(share * (kLevels - 1)));
    out_ << "<stop offset=\"" << px(share) << "\" stop-color=\"" << color_of(shade) << "\"/>";
  }
  out_ << "</linearGradient></defs>\n<rect x=\"" << px(x) << "\" y=\"" << px(kTop) << "\" width=\""
       << px(kScaleWidth) << "\" height=\"" << px(height)
       << "\" fill=\"url(#scale)\" stroke=\"#888\" stroke-width=\"0.5\"/>\n";
  text(x, kTop - 10, "start", map_.unit);
  const auto tick = [&](double value, int decimals) {
    const double y = kTop + height * (1 - value / top_of_scale_);
    line(x + kScaleWidth, y, x + kScaleWidth + 4, y);
    text(x + kScaleWidth + 8, y + 4, "start", number(value, decimals));
  };
  for (double value = 0; value < top_of_scale_ + step_ / 2; value += step_)
    tick(value, decimals_for(step_));
}

}  // namespace

HeatMap issue_slot_use(const Counters& counters, Cycle cycles) {
  HeatMap map = counter_map(counters, Counter::kBusyIssueCycles);
  map.title = "Issue slot use in " + std::to_string(cycles) + " cycles";
  map.unit = "%";
  for (double& value : map.values) value *= cycles == 0 ? 0 : 100.0 / static_cast<double>(cycles);
  return map;
}

HeatMap counter_map(const Counters& counters, Counter counter) {
  const CounterInfo& info = counter_table()[static_cast<std::size_t>(counter)];
  HeatMap map{
      counters.width(), counters.height(), std::string(info.name), std::string(info.unit), {}};
  const std::uint32_t tiles = map.width * map.height;
  map.values.reserve(tiles);
  for (std::uint32_t place = 0; place < tiles; ++place) {
    map.values.push_back(counters.tile(place, counter));
  }
  return map;
}

void write_svg(std::ostream& out, const HeatMap& map) {
  if (map.values.empty()) {
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1\" height=\"1\"/>\n";
    return;
  }
  Drawing(out, map).draw();
}

}  // namespace tessera::observe
