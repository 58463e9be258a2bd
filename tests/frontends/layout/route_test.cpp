// Switches, filters, color swap, CE injection and teardown of routes in a layout (wse.md 1.3 to
// 1.9): what is read, and every message of what is refused, word for word.
#include <gtest/gtest.h>

#include "tests/frontends/layout/test_support.h"

namespace tessera::layout::route_test {
namespace {

using fabric::FilterConfig, fabric::FilterKind, fabric::Injection, fabric::PopMode;

/// A route of color 3 on all tiles, with more keys: R"("teardown": true)".
test::Sections with(const std::string& more, const std::string& rect = "[0, 0, 4, 3]") {
  return {{"routes", "[{\"rect\": " + rect +
                         R"(, "color": 3, "rx": "WEST", "tx": ["RAMP", "EAST"], )" + more + "}]"}};
}
RouteSpec spec_of(const std::string& more) {
  const Layout layout = test::read(with(more));
  return layout.routes.at(0);
}
const RouteSpec& spec_at(const Layout& layout, TileCoord tile) {
  return layout.routes.at(layout.routes_of(tile).begin()->route);
}
std::string problem_of(const std::string& more) {
  return test::problem_of(with(more));
}

TEST(LayoutRoute, PlainRouteHasNoneOfThem) {
  const RouteSpec spec = spec_of(R"("comment": "plain")");
  EXPECT_FALSE(spec.has_switches);
  EXPECT_FALSE(spec.route.ring);
  EXPECT_EQ(spec.route.pop, PopMode::kNoPop);
  EXPECT_FALSE(spec.route.swap_x || spec.route.swap_y || spec.route.suspended);
  EXPECT_EQ(spec.route.injection, Injection::kNone);
  EXPECT_FALSE(spec.route.filter.has_value());
}
TEST(LayoutRoute, RingModeAndPopMode) {
  const RouteSpec spec = spec_of(
      R"("switches": {"pos1": {"tx": "SOUTH"}, "ring_mode": true, "pop_mode": "always_pop"})");
  EXPECT_TRUE(spec.has_switches);
  EXPECT_TRUE(spec.route.ring);
  EXPECT_EQ(spec.route.pop, PopMode::kAlwaysPop);
}
TEST(LayoutRoute, EveryPopModeHasItsWord) {
  const std::vector<std::pair<std::string, PopMode>> modes = {
      {"no_pop", PopMode::kNoPop},
      {"always_pop", PopMode::kAlwaysPop},
      {"pop_on_advance", PopMode::kPopOnAdvance},
      {"pop_on_advance_nop", PopMode::kPopOnAdvanceNop}};
  for (const auto& [word, mode] : modes) {
    EXPECT_EQ(spec_of(R"("switches": {"pop_mode": ")" + word + "\"}").route.pop, mode) << word;
  }
}
// wse.md 1.4: the machine takes it from an earlier position.
TEST(LayoutRoute, wse_1_4_ASideThatIsLeftOutIsEmpty) {
  const RouteSpec spec = spec_of(
      R"("switches": {"pos1": {"tx": "NORTH"}, "pos2": {"rx": "SOUTH"},
         "pos3": {"rx": "WEST", "tx": ["WEST", "RAMP"]}})");
  EXPECT_TRUE(spec.route.positions[1].rx.empty());
  EXPECT_EQ(spec.route.positions[1].tx, DirectionSet{Direction::kNorth});
  EXPECT_EQ(spec.route.positions[2].rx, DirectionSet{Direction::kSouth});
  EXPECT_TRUE(spec.route.positions[2].tx.empty());
  EXPECT_EQ(spec.route.positions[3].rx, DirectionSet{Direction::kWest});
  EXPECT_EQ(spec.route.positions[3].tx, (DirectionSet{Direction::kWest, Direction::kRamp}));
}

TEST(LayoutRoute, InvalidPositionIsSkipped) {
  const RouteSpec spec = spec_of(
      R"("switches": {"pos1": {"invalid": true}, "pos2": {"tx": "EAST", "invalid": false}})");
  EXPECT_FALSE(spec.route.positions[1].valid);
  EXPECT_TRUE(spec.route.positions[2].valid);
  EXPECT_FALSE(spec.route.positions[3].valid);
}
TEST(LayoutRoute, SwapInjectionAndTeardown) {
  const RouteSpec spec = spec_of(
      R"("color_swap_x": true, "color_swap_y": false, "ce_inject": "high", "teardown": true)");
  EXPECT_TRUE(spec.route.swap_x);
  EXPECT_FALSE(spec.route.swap_y);
  EXPECT_EQ(spec.route.injection, Injection::kHigh);
  EXPECT_TRUE(spec.route.suspended);
  EXPECT_EQ(spec_of(R"("ce_inject": "low")").route.injection, Injection::kLow);
}
TEST(LayoutRoute, CounterFilter) {
  const FilterConfig filter = *spec_of(R"("filter": {"kind": "counter", "count_data": true,
      "count_control": true, "init_counter": "W - 2", "limit1": 14, "max_counter": 1,
      "filter_control": true})")
                                   .route.filter;
  EXPECT_EQ(filter.kind, FilterKind::kCounter);
  EXPECT_TRUE(filter.count_data && filter.count_control && filter.filter_control);
  EXPECT_EQ(filter.init_counter, 2U);
  EXPECT_EQ(filter.limit1, 14U);
  EXPECT_EQ(filter.max_counter, 1U);
}
TEST(LayoutRoute, SparseCounterFilter) {
  const FilterConfig filter = *spec_of(R"("filter": {"kind": "sparse_counter", "count_data": true,
      "limit1": 4294967295, "limit2": 7, "max_counter": 3})")
                                   .route.filter;
  EXPECT_EQ(filter.kind, FilterKind::kSparseCounter);
  EXPECT_EQ(filter.limit1, 4294967295U);
  EXPECT_EQ(filter.limit2, 7U);
  EXPECT_FALSE(filter.count_control || filter.filter_control);
}
TEST(LayoutRoute, RangeFilter) {
  const FilterConfig filter =
      *spec_of(R"("filter": {"kind": "range", "max_idx": 65535})").route.filter;
  EXPECT_EQ(filter.kind, FilterKind::kRange);
  EXPECT_EQ(filter.min_idx, 0U);
  EXPECT_EQ(filter.max_idx, 65535U);
}
TEST(LayoutRoute, FilterNumbersMayDependOnTheTile) {
  const Layout layout = test::read(
      with(R"("filter": {"kind": "range", "min_idx": "10 * x", "max_idx": "10 * x + 9"})"));
  ASSERT_EQ(layout.routes.size(), 4U);  // one a column
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 4; ++x) {
      const FilterConfig& filter = *spec_at(layout, {x, y}).route.filter;
      EXPECT_EQ(filter.min_idx, 10 * x);
      EXPECT_EQ(filter.max_idx, 10 * x + 9);
    }
  }
}
TEST(LayoutRoute, StartPositionMayDependOnTheTile) {
  const Layout layout = test::read(
      with(R"("switches": {"pos1": {"tx": "EAST"}, "current_switch_pos": "(x + y) % 2"})"));
  EXPECT_EQ(spec_at(layout, {0, 0}).route.current, 0U);
  EXPECT_EQ(spec_at(layout, {1, 0}).route.current, 1U);
  EXPECT_EQ(spec_at(layout, {1, 1}).route.current, 0U);
  EXPECT_EQ(layout.routes.size(), 2U);
}
TEST(LayoutRoute, OnlyTilesThatAnEntryWinsEvaluateIt) {
  const test::Sections sections = {{"routes", R"([
      {"rect": [0, 0, 4, 1], "color": 3, "rx": "WEST", "tx": "RAMP",
       "filter": {"kind": "range", "max_idx": "10 / x"}},
      {"rect": [0, 0, 1, 1], "color": 3, "rx": "EAST", "tx": "RAMP"}])"}};
  const Layout layout = test::read(sections);
  EXPECT_FALSE(spec_at(layout, {0, 0}).route.filter.has_value());
  EXPECT_EQ(spec_at(layout, {3, 0}).route.filter->max_idx, 3U);
}

TEST(LayoutRouteDiagnostics, InvalidPositionThatSetsASide) {
  EXPECT_EQ(problem_of(R"("switches": {"pos1": {"invalid": true, "tx": "EAST"}})"),
            "t.json: routes[0].switches.pos1: a switch position that is invalid sets neither rx "
            "nor tx");
}
TEST(LayoutRouteDiagnostics, StartPositionInvalid) {
  EXPECT_EQ(
      problem_of(R"("switches": {"pos1": {"invalid": true}, "current_switch_pos": 1})"),
      "t.json: routes[0].switches.current_switch_pos: switch position 1 is not set; give pos1 or "
      "start at a position that is set");
}
TEST(LayoutRouteDiagnostics, StartPositionOfOneTileNotSet) {
  EXPECT_EQ(problem_of(R"("switches": {"pos1": {"tx": "EAST"}, "current_switch_pos": "x"})"),
            "t.json: routes[0].switches.current_switch_pos: switch position 2 of tile (2, 0) is "
            "not set; give pos2 or start at a position that is set");
}
TEST(LayoutRouteDiagnostics, PopModeUnknown) {
  EXPECT_EQ(problem_of(R"("switches": {"pop_mode": "pop_always"})"),
            "t.json: routes[0].switches.pop_mode: unknown pop mode \"pop_always\"; allowed: "
            "no_pop, always_pop, pop_on_advance, pop_on_advance_nop");
}
TEST(LayoutRouteDiagnostics, RingModeNotAFlag) {
  EXPECT_EQ(problem_of(R"("switches": {"ring_mode": 1})"),
            "t.json: routes[0].switches.ring_mode: found the number 1 where true or false was "
            "expected");
}
TEST(LayoutRouteDiagnostics, SwapNotAFlag) {
  EXPECT_EQ(problem_of(R"("color_swap_x": "yes")"),
            "t.json: routes[0].color_swap_x: found the string \"yes\" where true or false was "
            "expected");
}
TEST(LayoutRouteDiagnostics, SwapMisspelt) {  // wse.md 10 no. 7
  EXPECT_EQ(problem_of(R"("swap_color_x": true)"),
            "t.json: routes[0]: unknown key \"swap_color_x\"; allowed keys: rect, color, rx, tx, "
            "switches, filter, color_swap_x, color_swap_y, ce_inject, teardown, messages");
}
TEST(LayoutRouteDiagnostics, InjectionUnknown) {
  EXPECT_EQ(problem_of(R"("ce_inject": "hihg")"),
            "t.json: routes[0].ce_inject: unknown priority of CE injection \"hihg\"; did you mean "
            "'high'? allowed: low, high");
}
TEST(LayoutRouteDiagnostics, TeardownNotAFlag) {
  EXPECT_EQ(problem_of(R"("teardown": null)"),
            "t.json: routes[0].teardown: found null where true or false was expected");
}
TEST(LayoutRouteDiagnostics, FilterWithoutKind) {
  EXPECT_EQ(problem_of(R"("filter": {"limit1": 3})"),
            "t.json: routes[0].filter: the key \"kind\" is missing");
}
TEST(LayoutRouteDiagnostics, FilterKindUnknown) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "ragne"})"),
            "t.json: routes[0].filter.kind: unknown kind of filter \"ragne\"; did you mean "
            "'range'? allowed: counter, sparse_counter, range");
}
TEST(LayoutRouteDiagnostics, FilterNotAnObject) {
  EXPECT_EQ(problem_of(R"("filter": "range")"),
            "t.json: routes[0].filter: found the string \"range\" where an object was expected");
}
TEST(LayoutRouteDiagnostics, FilterKeyOfAnotherKind) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "counter", "limit2": 3})"),
            "t.json: routes[0].filter: a filter of kind \"counter\" has no \"limit2\"; its keys: "
            "kind, count_data, count_control, init_counter, limit1, max_counter, filter_control");
}
TEST(LayoutRouteDiagnostics, FilterKeyUnknown) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "range", "min": 3})"),
            "t.json: routes[0].filter: unknown key \"min\"; did you mean 'kind'? allowed keys: "
            "kind, min_idx, max_idx");
}
TEST(LayoutRouteDiagnostics, FilterIndexTooLarge) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "range", "max_idx": 65536})"),
            "t.json: routes[0].filter.max_idx: max_idx is 65536; it must be in 0..65535");
}
TEST(LayoutRouteDiagnostics, FilterIndexOfOneTileTooLarge) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "range", "max_idx": "40000 * x"})"),
            "t.json: routes[0].filter.max_idx: max_idx of tile (2, 0) is 80000; it must be in "
            "0..65535");
}
TEST(LayoutRouteDiagnostics, FilterLimitNegative) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "counter", "limit1": -1})"),
            "t.json: routes[0].filter.limit1: limit1 is -1; it must be in 0..4294967295");
}
TEST(LayoutRouteDiagnostics, FilterNumberNotANumber) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "counter", "limit1": true})"),
            "t.json: routes[0].filter.limit1: found true where an integer or a string with an "
            "expression was expected");
}
TEST(LayoutRouteDiagnostics, FilterCounterStartsAboveItsLimit) {
  EXPECT_EQ(
      problem_of(
          R"("filter": {"kind": "counter", "count_data": true, "init_counter": 4, "limit1": 3})"),
      "t.json: routes[0].filter: init_counter is 4, above limit1, which is 3; the counter runs "
      "from init_counter to limit1");
}
TEST(LayoutRouteDiagnostics, FilterCounterOfOneTileStartsAboveItsLimit) {
  EXPECT_EQ(
      problem_of(
          R"("filter": {"kind": "counter", "count_data": true, "init_counter": "x", "limit1": 2})"),
      "t.json: routes[0].filter: init_counter of tile (3, 0) is 3, above limit1, which is 2; the "
      "counter runs from init_counter to limit1");
}
TEST(LayoutRouteDiagnostics, CounterThatCountsNothingMayStartAnywhere) {
  EXPECT_EQ(problem_of(R"("filter": {"kind": "counter", "init_counter": 1})"), "accepted");
}
TEST(LayoutRouteDiagnostics, EntriesWithoutTilesAreChecked) {
  EXPECT_EQ(test::problem_of(with(R"("filter": {"kind": "range", "max_idx": -1})", "[0, 0, 0, 0]")),
            "t.json: routes[0].filter.max_idx: max_idx is -1; it must be in 0..65535");
}

}  // namespace
}  // namespace tessera::layout::route_test
