// SVG heat maps: well-formed, labelled, and of sensible size from 1x1 to a whole wafer.
#include "models/observe/heatmap.h"

#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

using namespace tessera;
using namespace tessera::observe;

namespace {

HeatMap ramp(unsigned width, unsigned height) {
  HeatMap map{width, height, "Wavelets & <hops>", "wavelets", {}};
  for (unsigned i = 0; i < width * height; ++i) map.values.push_back(i);
  return map;
}

std::string svg(const HeatMap& map) {
  std::ostringstream out;
  write_svg(out, map);
  return out.str();
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// Every element that is opened is closed, in order.
bool well_formed(const std::string& text) {
  static const std::regex kTag("<(/?)([a-zA-Z]+)[^>]*?(/?)>");
  std::vector<std::string> open;
  for (std::sregex_iterator it(text.begin(), text.end(), kTag), end; it != end; ++it) {
    if ((*it)[3].length() != 0) continue;
    if ((*it)[1].length() == 0) {
      open.push_back((*it)[2]);
    } else {
      if (open.empty() || open.back() != (*it)[2]) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

}  // namespace

TEST(ObserveHeatMap, IsWellFormedForAllSizes) {
  for (const auto& [w, h] : {std::pair(1U, 1U), std::pair(1U, 50U), std::pair(7U, 3U),
                             std::pair(100U, 80U), std::pair(300U, 2U), std::pair(600U, 500U)}) {
    EXPECT_TRUE(well_formed(svg(ramp(w, h)))) << w << "x" << h;
  }
}

TEST(ObserveHeatMap, NamesTileAndValueOfEverySquare) {
  const std::string text = svg(ramp(3, 2));
  EXPECT_EQ(count(text, "<title>"), 6U);
  EXPECT_NE(text.find("<title>tile (2, 1): 5 wavelets</title>"), std::string::npos);
}

TEST(ObserveHeatMap, EscapesTheTitleAndSaysSmallestAndLargest) {
  const std::string text = svg(ramp(3, 2));
  EXPECT_NE(text.find("Wavelets &amp; &lt;hops&gt;"), std::string::npos);
  EXPECT_NE(text.find("smallest 0,  mean 2.5,  largest 5 wavelets"), std::string::npos);
}

TEST(ObserveHeatMap, LargestAndSmallestValueHaveTheEndsOfTheScale) {
  HeatMap map = ramp(2, 1);
  const std::string text = svg(map);
  EXPECT_NE(text.find("fill=\"#eef3f5\"><title>tile (0, 0)"), std::string::npos);
  EXPECT_NE(text.find("fill=\"#0a4766\"><title>tile (1, 0)"), std::string::npos);
  map.hue = Hue::kWaits;
  EXPECT_NE(svg(map).find("fill=\"#6a380c\"><title>tile (1, 0)"), std::string::npos);
}

TEST(ObserveHeatMap, TheScaleEndsAtARoundNumber) {
  const std::string text = svg({2, 1, "t", "%", {3, 77.9}});
  EXPECT_NE(text.find(">80</text>"), std::string::npos);
  EXPECT_EQ(text.find(">77.9</text>"), std::string::npos);
  EXPECT_NE(text.find("largest 77.9 %"), std::string::npos);
}

TEST(ObserveHeatMap, SquaresOfALargeGridTouch) {
  EXPECT_NE(svg(ramp(40, 40)).find("width=\"15\" height=\"15\""), std::string::npos);
  EXPECT_NE(svg(ramp(64, 64)).find("width=\"10\" height=\"10\""), std::string::npos);
}

TEST(ObserveHeatMap, AMachineWithoutActivityIsDrawn) {
  const std::string text = svg({2, 2, "t", "%", {0, 0, 0, 0}});
  EXPECT_EQ(text.find("nan"), std::string::npos);
  EXPECT_EQ(count(text, "<title>"), 4U);
}

TEST(ObserveHeatMap, AWaferIsDrawnInBlocksWithTheMeanOfTheirTiles) {
  HeatMap wafer{750, 994, "wafer", "%", std::vector<double>(750 * 994, 40.0)};
  const std::string text = svg(wafer);
  EXPECT_NE(text.find("each square is the mean of 4 x 4 tiles"), std::string::npos);
  EXPECT_NE(text.find("largest 40 %"), std::string::npos);
  EXPECT_LT(text.size(), 2U << 20);
}

TEST(ObserveHeatMap, IssueSlotUseIsAShareOfTheCycles) {
  Counters counters(2, 1);
  for (Cycle cycle = 0; cycle < 25; ++cycle) {
    counters.on_event({cycle, 1, EventKind::kIssue, 1U | 8U << 8, 0});
  }
  const HeatMap map = issue_slot_use(counters, 100);
  EXPECT_EQ(map.unit, "%");
  EXPECT_DOUBLE_EQ(map.values.at(0), 0);
  EXPECT_DOUBLE_EQ(map.values.at(1), 25);
}

TEST(ObserveHeatMap, AnyCounterCanBeShown) {
  Counters counters(1, 1);
  counters.on_event({1, 0, EventKind::kTaskStart, 3, 0});
  const HeatMap map = counter_map(counters, Counter::kTasksStarted);
  EXPECT_EQ(map.title, "tasks_started");
  EXPECT_DOUBLE_EQ(map.values.at(0), 1);
}
