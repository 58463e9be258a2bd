// Layouts that are read (docs/layout.md). What is refused is in
// diagnostics_test.cpp.

#include <gtest/gtest.h>

#include "tests/frontends/layout/test_support.h"

namespace tessera::layout {
namespace {

using test::read;

const TileRoute* route_of(const Layout& layout, TileCoord tile, unsigned color) {
  for (const TileRoute& route : layout.routes_of(tile)) {
    if (route.color == Color(color)) return &route;
  }
  return nullptr;
}

TEST(LayoutGrid, NumbersSetTheParametersWAndH) {
  const Layout layout = read({{"params", R"({"N": "W * H"})"}});
  EXPECT_EQ(layout.width, 4);
  EXPECT_EQ(layout.height, 3);
  EXPECT_EQ(layout.params, (std::map<std::string, std::int64_t>{{"W", 4}, {"H", 3}, {"N", 12}}));
}
TEST(LayoutGrid, ParamOptionWinsOverNumbers) {
  const Layout layout = read({}, {{"W", 7}});
  EXPECT_EQ(layout.width, 7);
  EXPECT_EQ(layout.height, 3);
}
TEST(LayoutGrid, MayBeWrittenInTermsOfParameters) {
  const Layout layout =
      read({{"grid", R"(["W", "W + P"])"}, {"params", R"({"P": 2, "W": "P * 3"})"}});
  EXPECT_EQ(layout.width, 6);
  EXPECT_EQ(layout.height, 8);
  EXPECT_EQ(layout.params.at("H"), 8);
}
TEST(LayoutGrid, SizesMayComeFromTheParamOptionAlone) {
  const Layout layout = read({{"grid", R"(["W", "H"])"}}, {{"W", 2}, {"H", 5}});
  EXPECT_EQ(layout.tile_count(), 10U);
}
TEST(LayoutParams, OverrideReachesLaterDefaults) {
  const Layout layout = read({{"params", R"({"M": 4, "N": "2 * M"})"}}, {{"M", 10}});
  EXPECT_EQ(layout.params.at("N"), 20);
}

TEST(LayoutTiles, LaterEntriesWinAndUncoveredTilesAreRouters) {
  const Layout layout = read({{"tiles", R"([
      {"rect": [0, 0, 3, 3], "code": "a.tasm"},
      {"rect": [1, 1, 1, 1], "code": "b.tasm"},
      {"rect": [0, 2, 1, 1]}])"}});
  ASSERT_EQ(layout.programs.size(), 2U);
  const std::vector<std::int32_t> expected = {0, 0, 0, -1, 0, 1, 0, -1, -1, 0, 0, -1};
  EXPECT_EQ(layout.program_of_tile, expected);
  EXPECT_EQ(layout.programs[1].place, "tiles[1]");
}
TEST(LayoutTiles, TilesWithTheSameValuesShareAProgram) {
  const Layout layout = read({{"tiles", R"([
      {"rect": [0, 0, "W", "H"], "code": "a.tasm", "params": {"last": "x == W - 1", "n": "0x10"}}])"}});
  ASSERT_EQ(layout.programs.size(), 2U);
  using Params = std::vector<std::pair<std::string, std::int64_t>>;
  EXPECT_EQ(layout.programs[0].params, (Params{{"last", 0}, {"n", 16}}));
  EXPECT_EQ(layout.programs[1].params, (Params{{"last", 1}, {"n", 16}}));
  EXPECT_EQ(layout.program_of_tile[layout.tile_index({3, 2})], 1);
}
TEST(LayoutTiles, EntriesWithTheSameCodeAndValuesShareAProgram) {
  const Layout layout = read({{"tiles", R"([
      {"rect": [0, 0, 1, 1], "code": "a.tasm", "params": {"k": 1}},
      {"rect": [1, 0, 1, 1], "code": "./a.tasm", "params": {"k": "x"}}])"}});
  EXPECT_EQ(layout.programs.size(), 1U);
}
TEST(LayoutTiles, CodeIsRelativeToTheFolderOfTheLayout) {
  const test::Folder folder;
  tessera::test::write_file(
      folder.file("t.json"),
      test::layout_text({{"tiles", R"([{"rect": [0, 0, 1, 1], "code": "b.tasm"}])"}}));
  EXPECT_EQ(read_layout(folder.file("t.json")).programs[0].code, folder.file("b.tasm"));
}
TEST(LayoutTiles, OnlyTheEntryThatWinsIsEvaluated) {
  const Layout layout = read({{"tiles", R"([
      {"rect": [0, 0, 2, 1], "code": "a.tasm", "params": {"k": "6 / x"}},
      {"rect": [0, 0, 1, 1], "code": "b.tasm"}])"}});
  EXPECT_EQ(layout.programs[1].params[0].second, 6);
}

TEST(LayoutRoutes, DirectionsAreAWordOrAnArray) {
  const Layout layout =
      read({{"routes",
             R"([{"rect": [0, 0, 1, 1], "color": 5, "rx": "WEST", "tx": ["RAMP", "EAST"]}])"}});
  const TileRoute* route = route_of(layout, {0, 0}, 5);
  ASSERT_NE(route, nullptr);
  const fabric::RoutePosition& position = layout.routes[route->route].route.positions[0];
  EXPECT_EQ(position.rx, DirectionSet{Direction::kWest});
  EXPECT_EQ(position.tx, (DirectionSet{Direction::kRamp, Direction::kEast}));
  EXPECT_TRUE(layout.routes_of({1, 0}).empty());
}
TEST(LayoutRoutes, ColorMayDependOnTheTile) {
  const Layout layout = read(
      {{"routes",
        R"([{"rect": [0, 0, "W", "H"], "color": "2 + (x + y) % 2", "rx": "WEST", "tx": "RAMP"}])"}});
  EXPECT_NE(route_of(layout, {1, 1}, 2), nullptr);
  EXPECT_EQ(route_of(layout, {1, 1}, 3), nullptr);
  EXPECT_NE(route_of(layout, {2, 1}, 3), nullptr);
}
TEST(LayoutRoutes, LaterEntriesWinForTheSameTileAndColor) {
  const Layout layout = read({{"routes", R"([
      {"rect": [0, 0, "W", 1], "color": 7, "rx": "WEST", "tx": "EAST"},
      {"rect": [0, 0, "W", 1], "color": 1, "rx": "WEST", "tx": "EAST"},
      {"rect": ["W-1", 0, 1, 1], "color": 7, "rx": "WEST", "tx": "RAMP"}])"}});
  const TileRoutes routes = layout.routes_of({3, 0});
  ASSERT_EQ(routes.size(), 2U);  // by rising color
  EXPECT_EQ(routes.begin()[0].color, Color(1));
  EXPECT_EQ(layout.routes[routes.begin()[0].route].place, "routes[1]");
  EXPECT_EQ(routes.begin()[1].color, Color(7));
  EXPECT_EQ(layout.routes[routes.begin()[1].route].place, "routes[2]");
  EXPECT_EQ(layout.routes[route_of(layout, {2, 0}, 7)->route].place, "routes[0]");
}
TEST(LayoutRoutes, EmptyRectsNameNoTile) {
  const Layout layout = read(
      {{"routes", R"([{"rect": [1, 0, "W - 1", 1], "color": 0, "rx": "WEST", "tx": "RAMP"}])"}},
      {{"W", 1}});
  EXPECT_TRUE(layout.tile_routes.empty());
}
TEST(LayoutRoutes, SwitchPositionLeavesASideEmptyThatTheLayoutDoesNotGive) {  // wse.md 1.4
  const Layout layout =
      read({{"routes", R"([{"rect": [0, 0, 1, 1], "color": 0, "rx": "WEST", "tx": "RAMP",
      "switches": {"pos1": {"tx": ["EAST"]}, "pos2": {"rx": "NORTH"}, "current_switch_pos": "2 - 1"}}])"}});
  const RouteSpec& spec = layout.routes[0];
  EXPECT_EQ(spec.route.current, 1U);
  EXPECT_TRUE(spec.route.positions[1].rx.empty());
  EXPECT_EQ(spec.route.positions[1].tx, DirectionSet{Direction::kEast});
  EXPECT_EQ(spec.route.positions[2].rx, DirectionSet{Direction::kNorth});
  EXPECT_TRUE(spec.route.positions[2].tx.empty());
  EXPECT_FALSE(spec.route.positions[3].valid);
}

TEST(LayoutOffGrid, ListsTransmissionsOverTheRim) {
  const Layout layout = read({{"routes", R"([
      {"rect": [0, 1, "W", 1], "color": 3, "rx": "RAMP", "tx": ["EAST", "WEST"]},
      {"rect": [1, 0, 1, 1], "color": 4, "rx": "RAMP", "tx": "SOUTH", "switches": {"pos1": {"tx": "NORTH"}}}])"}});
  const std::vector<OffGridRoute> found = off_grid_routes(layout);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].tile, (TileCoord{1, 0}));
  EXPECT_EQ(found[0].direction, Direction::kNorth);
  EXPECT_EQ(found[0].place, "routes[1]");
  EXPECT_EQ(found[1].tile, (TileCoord{0, 1}));
  EXPECT_EQ(found[1].direction, Direction::kWest);
  EXPECT_EQ(found[2].tile, (TileCoord{3, 1}));
  EXPECT_EQ(found[2].direction, Direction::kEast);
  EXPECT_EQ(found[2].color, Color(3));
}
TEST(LayoutOffGrid, OneTileHasFourRims) {
  const Layout layout = read(
      {{"routes",
        R"([{"rect": [0, 0, 1, 1], "color": 0, "rx": "RAMP", "tx": ["NORTH", "SOUTH", "EAST", "WEST", "RAMP"]}])"}},
      {{"W", 1}, {"H", 1}});
  EXPECT_EQ(off_grid_routes(layout).size(), 4U);
}

TEST(LayoutArrays, ShapesAreEvaluatedAndKeptAsText) {
  const Layout layout = read({{"params", R"({"M": 6})"}, {"arrays", R"~({
      "b": {"dtype": "f32", "shape": ["M"], "init": "random(1)"},
      "a": {"dtype": "i16", "shape": ["2*M", 3], "input": true}})~"}});
  ASSERT_EQ(layout.arrays.size(), 2U);
  EXPECT_EQ(layout.arrays[0].name, "b");  // in the order of the file
  EXPECT_EQ(layout.arrays[0].init, "random(1)");
  EXPECT_EQ(layout.arrays[1].dtype, pe::ElementType::kI16);
  EXPECT_EQ(layout.arrays[1].shape, (std::vector<std::size_t>{12, 3}));
  EXPECT_EQ(layout.arrays[1].shape_text, (std::vector<std::string>{"2*M", "3"}));
  EXPECT_TRUE(layout.arrays[1].input);
}

const test::Sections kHosted = {
    {"arrays", R"({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})"},
    {"symbols",
     R"({"y": {"symbol": "acc", "rect": [0, 0, 1, "H"], "dtype": "f32", "order": "col"}})"}};

Layout read_host(const std::string& host) {
  test::Sections sections = kHosted;
  sections["host"] = host;
  return read(sections);
}

TEST(LayoutSymbols, NameAHostArrayAndASymbolOfTheTiles) {
  const Layout layout = read(kHosted);
  const Symbol* symbol = layout.find_symbol("y");
  ASSERT_NE(symbol, nullptr);
  EXPECT_EQ(symbol->symbol, "acc");
  EXPECT_EQ(symbol->rect, (Rect{0, 0, 1, 3}));
  EXPECT_EQ(symbol->order, Order::kColumn);
}
TEST(LayoutHost, StepsAreInOrder) {
  const Layout layout =
      read_host(R"([{"copy_in": "y"}, {"launch": "main"}, {"wait": "idle"}, {"copy_out": "y"}])");
  ASSERT_EQ(layout.host.size(), 4U);
  EXPECT_EQ(std::get<CopyIn>(layout.host[0]).name, "y");
  EXPECT_EQ(std::get<Launch>(layout.host[1]).function, "main");
  EXPECT_EQ(std::get<Wait>(layout.host[2]).name, std::nullopt);
  EXPECT_EQ(std::get<CopyOut>(layout.host[3]).place, "host[3]");
}
TEST(LayoutHost, LaunchTakesIntegersExpressionsAndFractions) {
  const Layout layout =
      read_host(R"([{"launch": "f", "args": [3, "W - 1", 0.5], "rect": [1, 0, 2, 1]}])");
  const Launch& launch = std::get<Launch>(layout.host[0]);
  ASSERT_EQ(launch.args.size(), 3U);
  EXPECT_EQ(std::get<std::int64_t>(launch.args[1]), 3);
  EXPECT_EQ(std::get<double>(launch.args[2]), 0.5);
  EXPECT_EQ(launch.rect, (Rect{1, 0, 2, 1}));
}
TEST(LayoutHost, StreamsKeepTheEdgeOnlyIfGiven) {
  const Layout layout = read_host(R"([
      {"stream_in": {"color": "H", "rect": [0, 0, 1, "H"], "name": "y", "edge": "WEST"}},
      {"stream_out": {"color": 4, "rect": [0, "H-1", "W", 1], "name": "k"}}, {"wait": "k"}])");
  const StreamIn& in = std::get<StreamIn>(layout.host[0]);
  EXPECT_EQ(in.color, Color(3));
  EXPECT_EQ(in.edge, Direction::kWest);
  const StreamOut& out = std::get<StreamOut>(layout.host[1]);
  EXPECT_EQ(out.rect, (Rect{0, 2, 4, 1}));
  EXPECT_EQ(out.edge, std::nullopt);
  EXPECT_EQ(std::get<Wait>(layout.host[2]).name, "k");
}
TEST(LayoutHost, TolerancesAreThoseOfNumpyForFractionsAndZeroForIntegers) {
  const Layout layout = read_host(
      R"([{"check": {"name": "y", "value": "A @ x"}}, {"check": {"name": "k", "value": "1"}},
                                      {"check": {"name": "k", "expect": "y.npy", "rtol": 1, "atol": 0.25}}])");
  EXPECT_EQ(std::get<Check>(layout.host[0]).rtol, 1e-5);
  EXPECT_EQ(std::get<Check>(layout.host[0]).atol, 1e-8);
  EXPECT_EQ(std::get<Check>(layout.host[0]).value, "A @ x");
  EXPECT_EQ(std::get<Check>(layout.host[1]).rtol, 0);
  EXPECT_EQ(std::get<Check>(layout.host[2]).atol, 0.25);
  EXPECT_NE(std::get<Check>(layout.host[2]).expect->find("y.npy"), std::string::npos);
}
TEST(LayoutHost, ACheckMayLookAtAPartOfAnArray) {
  const Layout layout = read_host(R"([{"check": {"name": "y[1:-1]", "value": "1"}}])");
  EXPECT_EQ(std::get<Check>(layout.host[0]).name, "y");
  EXPECT_EQ(std::get<Check>(layout.host[0]).part, "[1:-1]");
}
TEST(LayoutHost, TolerancesOfF16AreWider) {
  const Layout layout = read({{"arrays", R"({"h": {"dtype": "f16", "shape": [3]}})"},
                              {"host", R"([{"check": {"name": "h", "value": "1"}}])"}});
  EXPECT_EQ(layout.arrays[0].dtype, pe::ElementType::kF16);
  EXPECT_EQ(std::get<Check>(layout.host[0]).rtol, 1e-2);
  EXPECT_EQ(std::get<Check>(layout.host[0]).atol, 1e-3);
}
TEST(LayoutHost, StreamsOf16BitsPackTwoElementsUnlessToldNotTo) {
  const Layout layout = read({{"arrays", R"({"h": {"dtype": "u16", "shape": [3]}})"}, {"host", R"([
      {"stream_in": {"color": 1, "rect": [0, 0, 1, 3], "name": "h"}},
      {"stream_in": {"color": 1, "rect": [0, 0, 1, 3], "name": "h", "simd": false}},
      {"stream_out": {"color": 2, "rect": [0, 0, 1, 3], "name": "h", "simd": true}}])"}});
  EXPECT_TRUE(std::get<StreamIn>(layout.host[0]).simd);
  EXPECT_FALSE(std::get<StreamIn>(layout.host[1]).simd);
  EXPECT_TRUE(std::get<StreamOut>(layout.host[2]).simd);
}
TEST(LayoutHost, AbsoluteToleranceMayBeAnArrayExpression) {
  const Layout layout =
      read_host(R"~([{"check": {"name": "y", "value": "A @ x", "atol": "1e-6 * max(abs(A))"}}])~");
  EXPECT_EQ(std::get<Check>(layout.host[0]).atol_value, "1e-6 * max(abs(A))");
}
TEST(LayoutText, CommentsAreAllowedInEveryObject) {
  EXPECT_EQ(
      test::problem_of(
          {{"comment", "\"rows\""},
           {"routes",
            R"([{"comment": "east", "rect": [0,0,1,1], "color": 0, "rx": "RAMP", "tx": "RAMP"}])"}}),
      "accepted");
}

TEST(LayoutScale, LargestProgramOfAWse2) {  // wse.md 1.12: 750 x 994
  test::Sections sections = {{"grid", "[750, 994]"}, {"tiles", R"([
      {"rect": [0, 0, "W", "H"], "code": "a.tasm", "params": {"east": "x == W - 1", "odd": "(x + y) % 2"}},
      {"rect": [0, 0, 1, "H"], "code": "b.tasm"}, {"rect": [0, 0, "W", 1], "code": "b.tasm"}])"}};
  std::string routes;
  for (int i = 0; i < 8; ++i) {
    routes += (i == 0 ? "[" : ",") + std::string(R"({"rect": [0, 0, "W", "H"], "color": ")") +
              std::to_string(2 * i) + R"( + (x + y) % 2", "rx": "WEST", "tx": "EAST"})";
  }
  sections["routes"] = routes + "]";
  const Layout layout = read(sections);
  EXPECT_EQ(layout.programs.size(), 5U);  // a with 2 x 2 values, b
  EXPECT_EQ(layout.tile_routes.size(), 8 * layout.tile_count());
  const std::size_t bytes = layout.tile_routes.capacity() * sizeof(TileRoute) +
                            layout.tile_routes_begin.capacity() * sizeof(std::uint32_t) +
                            layout.program_of_tile.capacity() * sizeof(std::int32_t);
  EXPECT_LE(bytes / layout.tile_count(), 200U);
}

}  // namespace
}  // namespace tessera::layout
