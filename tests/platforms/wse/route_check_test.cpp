// What the generations allow of routes (wse.md 1.2, 1.4, 1.6 to 1.8), every message word for word.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "frontends/layout/layout_reader.h"
#include "platforms/wse/layout_check.h"
#include "tests/support/run_executable.h"
#include "tlm_ifaces/vocabulary/errors.h"

namespace tessera::wse {
namespace {

/// The problem with a layout of one tile, which runs `program` if there is one; "" for none.
std::string problem_of(const std::string& preset, const std::string& routes,
                       const std::vector<std::string>& sets = {}, const std::string& program = "") {
  const test::TemporaryFolder folder;
  test::write_file(folder.file("p.tasm"), program);
  const std::string tiles =
      program.empty() ? "" : R"("tiles": [{"rect": [0, 0, 1, 1], "code": "p.tasm"}], )";
  const layout::Layout layout =
      layout::read_layout_text(R"({"schema": "tessera-wse-layout-1", "grid": [1, 1], )" + tiles +
                                   "\"routes\": [" + routes + "]}",
                               "t.json", folder.path().string());
  const WseConfig config = load_wse_config(preset, "", sets);
  const Programs programs(layout, config);
  try {
    check_routes(layout, config, programs);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

std::string route(unsigned color, const std::string& more, const std::string& rx = "\"WEST\"") {
  return R"({"rect": [0, 0, 1, 1], "color": )" + std::to_string(color) + R"(, "rx": )" + rx +
         R"(, "tx": "RAMP")" + (more.empty() ? "" : ", " + more) + "}";
}

const char* const kInjected = R"("switches": {"pos1": {"rx": "RAMP"}}, "ce_inject": "low")";
const char* const kRange = R"("filter": {"kind": "range"})";

TEST(WseRouteCheck, OneRxDirectionOnWse3) {
  const std::string two = route(0, "", R"(["WEST", "NORTH"])");
  EXPECT_EQ(problem_of("wse2", two), "");
  EXPECT_EQ(problem_of("wse3", two),
            "t.json: routes[0]: color 0 of tile (0, 0) on wse3 receives from WEST+NORTH; a WSE-3 "
            "color has exactly one rx direction");
  const std::string second = route(0, R"("switches": {"pos2": {"rx": ["EAST", "SOUTH"]}})");
  EXPECT_EQ(problem_of("wse3", second),
            "t.json: routes[0].switches.pos2: color 0 of tile (0, 0) on wse3 receives from "
            "EAST+SOUTH; a WSE-3 color has exactly one rx direction");
}

TEST(WseRouteCheck, SwitchableColorsOfWse3) {
  std::vector<unsigned> refused;
  for (unsigned color = 0; color < kColorCount; ++color) {
    const std::string switched = route(color, R"("switches": {"pos1": {"tx": "EAST"}})");
    EXPECT_EQ(problem_of("wse2", switched), "") << color;
    if (!problem_of("wse3", switched).empty()) refused.push_back(color);
  }
  EXPECT_EQ(refused, (std::vector<unsigned>{10, 11, 14, 15, 18, 19, 22, 23}));
}

TEST(WseRouteCheck, ColorWithoutASwitch) {
  EXPECT_EQ(problem_of("wse3", route(10, R"("switches": {"pop_mode": "always_pop"})")),
            "t.json: routes[0].switches: color 10 of tile (0, 0) on wse3 has no switch; switchable "
            "colors are 0-9, 12, 13, 16, 17, 20 and 21");
}

TEST(WseRouteCheck, PositionOfWse2SetsOneSide) {
  const std::string both = route(0, R"("switches": {"pos3": {"rx": "EAST", "tx": "WEST"}})");
  EXPECT_EQ(problem_of("wse3", both), "");
  EXPECT_EQ(problem_of("wse2", both),
            "t.json: routes[0].switches.pos3: color 0 of tile (0, 0) on wse2 sets rx and tx; a "
            "WSE-2 switch position changes one of them");
}

TEST(WseRouteCheck, PositionOfWse2SetsOneDirection) {
  const std::string outputs = route(0, R"("switches": {"pos1": {"tx": ["EAST", "RAMP"]}})");
  EXPECT_EQ(problem_of("wse3", outputs), "");
  EXPECT_EQ(problem_of("wse2", outputs),
            "t.json: routes[0].switches.pos1.tx: color 0 of tile (0, 0) on wse2 names EAST+RAMP; a "
            "WSE-2 switch position sets one direction");
  EXPECT_EQ(problem_of("wse2", route(0, R"("switches": {"pos1": {"rx": ["EAST", "RAMP"]}})")),
            "t.json: routes[0].switches.pos1.rx: color 0 of tile (0, 0) on wse2 names EAST+RAMP; a "
            "WSE-2 switch position sets one direction");
}

TEST(WseRouteCheck, ColorSwapIsOfWse2) {
  EXPECT_EQ(problem_of("wse2", route(3, R"("color_swap_x": true, "color_swap_y": true)")), "");
  EXPECT_EQ(problem_of("wse3", route(3, R"("color_swap_x": true)")),
            "t.json: routes[0].color_swap_x: color 3 of tile (0, 0) on wse3 has no color swap; "
            "only a WSE-2 has it");
  EXPECT_EQ(problem_of("wse3", route(3, R"("color_swap_y": true)")),
            "t.json: routes[0].color_swap_y: color 3 of tile (0, 0) on wse3 has no color swap; "
            "only a WSE-2 has it");
  EXPECT_EQ(problem_of("wse3", route(3, R"("color_swap_y": false)")), "");
}

TEST(WseRouteCheck, InjectionIsOfWse2) {
  EXPECT_EQ(problem_of("wse2", route(4, kInjected)), "");
  EXPECT_EQ(problem_of("wse3", route(4, kInjected)),
            "t.json: routes[0].ce_inject: color 4 of tile (0, 0) on wse3 has no CE injection; only "
            "a WSE-2 has it");
}

TEST(WseRouteCheck, InjectionNeedsAPositionForTheRamp) {
  const std::string message =
      "t.json: routes[0].ce_inject: color 4 of tile (0, 0) on wse2 needs a pos1 that receives from "
      "RAMP and nothing else: it serves the output queue";
  EXPECT_EQ(problem_of("wse2", route(4, R"("ce_inject": "high")")), message);
  EXPECT_EQ(
      problem_of("wse2", route(4, R"("switches": {"pos1": {"tx": "EAST"}}, "ce_inject": "high")")),
      message);
  EXPECT_EQ(problem_of("wse2", route(4, kInjected, R"(["WEST", "RAMP"])")),
            "t.json: routes[0].rx: color 4 of tile (0, 0) on wse2 receives from RAMP; with "
            "ce_inject position 0 serves the fabric and pos1 the RAMP");
}

TEST(WseRouteCheck, OneInjectedColorOfFour) {
  EXPECT_EQ(problem_of("wse2", route(3, kInjected) + ", " + route(4, kInjected)), "");
  EXPECT_EQ(problem_of("wse2", route(7, kInjected) + ", " + route(4, kInjected)),
            "t.json: routes[0].ce_inject: color 7 of tile (0, 0) on wse2 shares output queue 1 "
            "with color 4, which has ce_inject too; one color of each group of four may");
}

TEST(WseRouteCheck, InjectedColorIsWiredToItsQueue) {
  const auto sent_by = [](const std::string& queue) {
    return "queue q output " + queue + " color=9\nfn main\n    ret\n";
  };
  EXPECT_EQ(problem_of("wse2", route(9, kInjected), {}, sent_by("2")), "");
  const std::string problem = problem_of("wse2", route(9, kInjected), {}, sent_by("3"));
  EXPECT_NE(problem.find("color 9 of tile (0, 0) on wse2 is sent by output queue 3 of "),
            std::string::npos)
      << problem;
  EXPECT_NE(problem.find("with ce_inject the color is wired to output queue 2"), std::string::npos)
      << problem;
  // The queue has no color of its own: the descriptor names it.
  const std::string of_descriptor = problem_of("wse2", route(9, kInjected), {},
                                               "queue q output 3\ndsd d fabout q extent=1 color=9\n"
                                               "fn main\n    ret\n");
  EXPECT_NE(of_descriptor.find("is sent by output queue 3 of "), std::string::npos)
      << of_descriptor;
}

TEST(WseRouteCheck, FiltersOfATile) {
  std::string six;
  for (unsigned color = 0; color < 6; ++color)
    six += (color == 0 ? "" : ", ") + route(color, kRange);
  const std::string seven = six + ", " + route(20, kRange);
  for (const std::string preset : {"wse2", "wse3"}) {
    EXPECT_EQ(problem_of(preset, six), "");
    EXPECT_EQ(problem_of(preset, seven), "t.json: routes[6].filter: color 20 of tile (0, 0) on " +
                                             preset +
                                             " needs one filter more than the 6 that a "
                                             "tile has (fabric.filters)");
    EXPECT_EQ(problem_of(preset, seven, {"fabric.filters=7"}), "");
  }
}

}  // namespace
}  // namespace tessera::wse
