// Layouts that are refused: every message, word for word. It is one sentence with the file and the
// place, what is wrong and what is allowed (docs/layout.md, docs/architecture.md#errors).
#include <gtest/gtest.h>

#include "tests/frontends/layout/test_support.h"

namespace tessera::layout {
namespace {

TEST(LayoutDiagnostics, NotJson) {
  EXPECT_EQ(test::problem_of_text("{\"schema\": \"tessera-wse-layout-1\",\n \"grid\": [4 3]}"),
            "t.json:2:13: found \"3\", which JSON does not allow here");
}
TEST(LayoutDiagnostics, TextEndsEarly) {
  EXPECT_EQ(test::problem_of_text("{\"schema\": \"tessera-wse-layout-1\""),
            "t.json:1:34: the text ends inside a JSON value");
}
TEST(LayoutDiagnostics, TextAfterTheEnd) {
  EXPECT_EQ(test::problem_of_text("{}\n}"),
            "t.json:2:1: found \"}\" after the end of the JSON value");
}
TEST(LayoutDiagnostics, KeyTwice) {
  EXPECT_EQ(test::problem_of_text(
                "{\"schema\": \"tessera-wse-layout-1\", \"grid\": [1, 1], \"grid\": [2, 2]}"),
            "t.json:1:57: the key \"grid\" occurs twice in one object");
}
TEST(LayoutDiagnostics, NestedTooDeep) {
  EXPECT_EQ(
      test::problem_of_text(
          "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"),
      "t.json:1:33: JSON values are nested too deep; at most 32 levels are read");
}
TEST(LayoutDiagnostics, NotAnObject) {
  EXPECT_EQ(test::problem_of_text("[1]"), "t.json: found an array where an object was expected");
}
TEST(LayoutDiagnostics, EmptyText) {
  EXPECT_EQ(test::problem_of_text(""), "t.json:1:1: the text ends inside a JSON value");
}
TEST(LayoutDiagnostics, SchemaMissing) {
  EXPECT_EQ(test::problem_of({{"schema", R"~()~"}}), "t.json: the key \"schema\" is missing");
}
TEST(LayoutDiagnostics, SchemaUnknown) {
  EXPECT_EQ(test::problem_of({{"schema", R"~("tessera-wse-layout-2")~"}}),
            "t.json: schema: unknown schema \"tessera-wse-layout-2\"; this program reads "
            "\"tessera-wse-layout-1\"");
}
TEST(LayoutDiagnostics, SchemaNotAString) {
  EXPECT_EQ(
      test::problem_of({{"schema", R"~(1)~"}}),
      "t.json: schema: found the number 1 where the schema \"tessera-wse-layout-1\" was expected");
}
TEST(LayoutDiagnostics, GridMissing) {
  EXPECT_EQ(test::problem_of({{"grid", R"~()~"}}), "t.json: the key \"grid\" is missing");
}
TEST(LayoutDiagnostics, GridOfThree) {
  EXPECT_EQ(test::problem_of({{"grid", R"~([1,2,3])~"}}),
            "t.json: grid: the grid has 2 values, [W, H], but 3 are given");
}
TEST(LayoutDiagnostics, GridNotAnArray) {
  EXPECT_EQ(test::problem_of({{"grid", R"~(4)~"}}),
            "t.json: grid: found the number 4 where an array was expected");
}
TEST(LayoutDiagnostics, GridZero) {
  EXPECT_EQ(test::problem_of({{"grid", R"~([0, 3])~"}}),
            "t.json: grid[0]: the grid size W is 0; it must be in 1..4194304");
}
TEST(LayoutDiagnostics, GridNegative) {
  EXPECT_EQ(test::problem_of({{"grid", R"~([4, -3])~"}}),
            "t.json: grid[1]: the grid size H is -3; it must be in 1..4194304");
}
TEST(LayoutDiagnostics, GridTooLarge) {
  EXPECT_EQ(test::problem_of({{"grid", R"~([4000, 4000])~"}}),
            "t.json: grid: the grid has 16000000 tiles; at most 4194304 are allowed");
}
TEST(LayoutDiagnostics, GridSideTooLarge) {
  EXPECT_EQ(test::problem_of({{"grid", R"~([4, 99999999])~"}}),
            "t.json: grid[1]: the grid size H is 99999999; it must be in 1..4194304");
}
TEST(LayoutDiagnostics, GridNotAnInteger) {
  EXPECT_EQ(test::problem_of({{"grid", R"~([1.5, 3])~"}}),
            "t.json: grid[0]: found a number with a fraction or exponent where an integer or a "
            "string with an expression was expected");
}
TEST(LayoutDiagnostics, GridNeedsW) {
  EXPECT_EQ(test::problem_of({{"grid", R"~(["W", 3])~"}}),
            "t.json: grid[0]: in \"W\" at character 1: W has no value here; give it with --param "
            "W=VALUE, as a default in params, or as a number in grid");
}
TEST(LayoutDiagnostics, GridContradictsParams) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"W": 5})~"}}),
            "t.json: grid[0]: the grid is 4 here, but the parameter W is 5; write \"W\" or give "
            "both the same value");
}
TEST(LayoutDiagnostics, UnknownTopLevelKey) {
  EXPECT_EQ(test::problem_of({{"route", R"~([])~"}}),
            "t.json: unknown key \"route\"; did you mean 'routes'? allowed keys: schema, grid, "
            "params, arrays, tiles, routes, symbols, host");
}
TEST(LayoutDiagnostics, ParamNamedX) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"x": 5})~"}}),
            "t.json: params.x: \"x\" cannot be the name of a parameter; it is the place of a tile");
}
TEST(LayoutDiagnostics, ParamNameNotAName) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"2N": 5})~"}}),
            "t.json: params.2N: \"2N\" cannot be the name of a parameter; names are letters, "
            "digits and \"_\", not starting with a digit");
}
TEST(LayoutDiagnostics, ParamUsesALaterOne) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"N": "M", "M": 2})~"}}),
            "t.json: params.N: in \"M\" at character 1: unknown name \"M\"; known names: H, W");
}
TEST(LayoutDiagnostics, ParamUsesTheTile) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"N": "x"})~"}}),
            "t.json: params.N: in \"x\" at character 1: x has no value here; it has one where "
            "every tile or node has its own: in params of tiles, in colors, switch positions and "
            "filters of routes, and in init of arrays");
}
TEST(LayoutDiagnostics, ParamIsBoolean) {
  EXPECT_EQ(
      test::problem_of({{"params", R"~({"N": true})~"}}),
      "t.json: params.N: found true where an integer or a string with an expression was expected");
}
TEST(LayoutDiagnostics, ParamTooLarge) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"N": 18446744073709551615})~"}}),
            "t.json: params.N: the number 18446744073709551615 does not fit in 64 bits with sign");
}
TEST(LayoutDiagnostics, ParamDividesByZero) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"N": "W / (4 - W)"})~"}}),
            "t.json: params.N: in \"W / (4 - W)\" at character 3: 4 is divided by zero");
}
TEST(LayoutDiagnostics, OverrideUndeclared) {
  EXPECT_EQ(test::problem_of({{"params", R"~({"rows": 5})~"}}, {{"row", 3}}),
            "t.json: --param row: the layout has no parameter \"row\"; did you mean 'rows'? its "
            "parameters: rows, W, H");
}
TEST(LayoutDiagnostics, OverrideUndeclaredNothingNear) {
  EXPECT_EQ(test::problem_of({}, {{"banana", 3}}),
            "t.json: --param banana: the layout has no parameter \"banana\"; its parameters: W, H");
}
TEST(LayoutDiagnostics, RectOfThree) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [0, 0, 1]}])~"}}),
            "t.json: tiles[0].rect: a rect has 4 values, [x, y, w, h], but 3 are given");
}
TEST(LayoutDiagnostics, RectOutside) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [1, 0, "W", 1]}])~"}}),
            "t.json: tiles[0].rect: the rect [1, 0, 4, 1] leaves the grid; the grid has 4 x 3 "
            "tiles, columns 0..3 and rows 0..2");
}
TEST(LayoutDiagnostics, RectNegativeOrigin) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [-1, 0, 1, 1]}])~"}}),
            "t.json: tiles[0].rect: the rect [-1, 0, 1, 1] leaves the grid; the grid has 4 x 3 "
            "tiles, columns 0..3 and rows 0..2");
}
TEST(LayoutDiagnostics, RectNegativeWidth) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [0, 0, "1 - W", 1]}])~"}}),
            "t.json: tiles[0].rect: the rect [0, 0, -3, 1] has a negative width or height; it may "
            "be 0 or more");
}
TEST(LayoutDiagnostics, RectHuge) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [1, 0, 9223372036854775807, 1]}])~"}}),
            "t.json: tiles[0].rect: the rect [1, 0, 9223372036854775807, 1] leaves the grid; the "
            "grid has 4 x 3 tiles, columns 0..3 and rows 0..2");
}
TEST(LayoutDiagnostics, RectUsesX) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": ["x", 0, 1, 1]}])~"}}),
            "t.json: tiles[0].rect[0]: in \"x\" at character 1: x has no value here; it has one "
            "where every tile or node has its own: in params of tiles, in colors, switch positions "
            "and filters of routes, and in init of arrays");
}
TEST(LayoutDiagnostics, RectMissing) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"code": "a.tasm"}])~"}}),
            "t.json: tiles[0]: the key \"rect\" is missing");
}
TEST(LayoutDiagnostics, TilesNotAnArray) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~({})~"}}),
            "t.json: tiles: found an object where an array was expected");
}
TEST(LayoutDiagnostics, TileKeyUnknown) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [0,0,1,1], "cod": "a.tasm"}])~"}}),
            "t.json: tiles[0]: unknown key \"cod\"; did you mean 'code'? allowed keys: rect, code, "
            "params");
}
TEST(LayoutDiagnostics, CodeMissing) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [0,0,1,1], "code": "c.tasm"}])~"}}),
            "t.json: tiles[0].code: there is no file \"DIR/c.tasm\"; paths are relative to the "
            "folder of the layout");
}
TEST(LayoutDiagnostics, CodeIsNumber) {
  EXPECT_EQ(
      test::problem_of({{"tiles", R"~([{"rect": [0,0,1,1], "code": 3}])~"}}),
      "t.json: tiles[0].code: found the number 3 where the path of a tile program was expected");
}
TEST(LayoutDiagnostics, CodeEmpty) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [0,0,1,1], "code": ""}])~"}}),
            "t.json: tiles[0].code: the path of a tile program is empty");
}
TEST(LayoutDiagnostics, ParamsWithoutCode) {
  EXPECT_EQ(test::problem_of({{"tiles", R"~([{"rect": [0,0,1,1], "params": {}}])~"}}),
            "t.json: tiles[0].params: a tile entry without \"code\" has no params");
}
TEST(LayoutDiagnostics, TileParamDividesByZeroForOneTile) {
  EXPECT_EQ(test::problem_of(
                {{"tiles",
                  R"~([{"rect": [0,0,4,1], "code": "a.tasm", "params": {"k": "6 / (x - 2)"}}])~"}}),
            "t.json: tiles[0].params.k: in \"6 / (x - 2)\" at character 3, for tile (2, 0): 6 is "
            "divided by zero");
}
TEST(LayoutDiagnostics, TileParamUnknownName) {
  EXPECT_EQ(
      test::problem_of(
          {{"tiles", R"~([{"rect": [0,0,4,1], "code": "a.tasm", "params": {"k": "x + Hh"}}])~"}}),
      "t.json: tiles[0].params.k: in \"x + Hh\" at character 5: unknown name \"Hh\"; did you mean "
      "'H'? known names: H, W, x, y");
}
TEST(LayoutDiagnostics, TileParamNotAName) {
  EXPECT_EQ(test::problem_of(
                {{"tiles", R"~([{"rect": [0,0,4,1], "code": "a.tasm", "params": {"a b": 1}}])~"}}),
            "t.json: tiles[0].params.a b: \"a b\" cannot be the name of a parameter; names are "
            "letters, digits and \"_\", not starting with a digit");
}
TEST(LayoutDiagnostics, ColorTooLarge) {
  EXPECT_EQ(
      test::problem_of(
          {{"routes", R"~([{"rect": [0,0,1,1], "color": 24, "rx": "WEST", "tx": "RAMP"}])~"}}),
      "t.json: routes[0].color: the color of tile (0, 0) is 24; colors are 0..23");
}
TEST(LayoutDiagnostics, ColorOfOneTileTooLarge) {
  EXPECT_EQ(test::problem_of(
                {{"routes",
                  R"~([{"rect": [0,0,4,1], "color": "21 + x", "rx": "WEST", "tx": "RAMP"}])~"}}),
            "t.json: routes[0].color: the color of tile (3, 0) is 24; colors are 0..23");
}
TEST(LayoutDiagnostics, ColorNegative) {
  EXPECT_EQ(
      test::problem_of(
          {{"routes", R"~([{"rect": [2,1,1,1], "color": "0 - y", "rx": "WEST", "tx": "RAMP"}])~"}}),
      "t.json: routes[0].color: the color of tile (2, 1) is -1; colors are 0..23");
}
TEST(LayoutDiagnostics, ColorMissing) {
  EXPECT_EQ(
      test::problem_of({{"routes", R"~([{"rect": [2,1,1,1], "rx": "WEST", "tx": "RAMP"}])~"}}),
      "t.json: routes[0]: the key \"color\" is missing");
}
TEST(LayoutDiagnostics, ColorSyntax) {
  EXPECT_EQ(test::problem_of(
                {{"routes",
                  R"~([{"rect": [2,1,1,1], "color": "3 +* 2", "rx": "WEST", "tx": "RAMP"}])~"}}),
            "t.json: routes[0].color: in \"3 +* 2\" at character 4: found \"*\" where a number, a "
            "name, \"-\" or \"(\" was expected");
}
TEST(LayoutDiagnostics, DirectionUnknown) {
  EXPECT_EQ(test::problem_of(
                {{"routes", R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WST", "tx": "RAMP"}])~"}}),
            "t.json: routes[0].rx: unknown direction \"WST\"; did you mean 'WEST'? allowed: WEST, "
            "EAST, SOUTH, NORTH, RAMP");
}
TEST(LayoutDiagnostics, DirectionLowerCase) {
  EXPECT_EQ(test::problem_of(
                {{"routes",
                  R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST", "tx": ["RAMP", "east"]}])~"}}),
            "t.json: routes[0].tx[1]: unknown direction \"east\"; did you mean 'EAST'? allowed: "
            "WEST, EAST, SOUTH, NORTH, RAMP");
}
TEST(LayoutDiagnostics, DirectionTwice) {
  EXPECT_EQ(test::problem_of(
                {{"routes",
                  R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST", "tx": ["RAMP", "RAMP"]}])~"}}),
            "t.json: routes[0].tx[1]: the direction RAMP is given twice");
}
TEST(LayoutDiagnostics, NoDirectionsAreNoMistake) {
  EXPECT_EQ(
      test::problem_of({{"routes", R"~([{"rect": [0,0,1,1], "color": 0, "rx": "RAMP", "tx": [],
                                  "switches": {"pos1": {"tx": []}}}])~"}}),
      "accepted");
}
TEST(LayoutDiagnostics, DirectionIsNumber) {
  EXPECT_EQ(test::problem_of(
                {{"routes", R"~([{"rect": [0,0,1,1], "color": 0, "rx": 1, "tx": "RAMP"}])~"}}),
            "t.json: routes[0].rx: found the number 1 where a direction (WEST, EAST, SOUTH, NORTH, "
            "RAMP) or an array of them was expected");
}
TEST(LayoutDiagnostics, TxMissing) {
  EXPECT_EQ(test::problem_of({{"routes", R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST"}])~"}}),
            "t.json: routes[0]: the key \"tx\" is missing");
}
TEST(LayoutDiagnostics, SwitchPositionUnknown) {
  EXPECT_EQ(
      test::problem_of(
          {{"routes",
            R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST", "tx": "RAMP", "switches": {"pos4": {}}}])~"}}),
      "t.json: routes[0].switches: unknown key \"pos4\"; did you mean 'pos1'? allowed keys: pos1, "
      "pos2, pos3, current_switch_pos, ring_mode, pop_mode");
}
TEST(LayoutDiagnostics, SwitchPositionEmpty) {
  EXPECT_EQ(
      test::problem_of(
          {{"routes",
            R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST", "tx": "RAMP", "switches": {"pos1": {}}}])~"}}),
      "t.json: routes[0].switches.pos1: a switch position sets rx, tx or both; leave it out if it "
      "is not valid");
}
TEST(LayoutDiagnostics, SwitchStartsAtPositionNotSet) {
  EXPECT_EQ(
      test::problem_of(
          {{"routes",
            R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST", "tx": "RAMP", "switches": {"pos1": {"tx": "EAST"}, "current_switch_pos": 2}}])~"}}),
      "t.json: routes[0].switches.current_switch_pos: switch position 2 is not set; give pos2 or "
      "start at a position that is set");
}
TEST(LayoutDiagnostics, SwitchStartsBeyond3) {
  EXPECT_EQ(
      test::problem_of(
          {{"routes",
            R"~([{"rect": [0,0,1,1], "color": 0, "rx": "WEST", "tx": "RAMP", "switches": {"current_switch_pos": 4}}])~"}}),
      "t.json: routes[0].switches.current_switch_pos: the switch position is 4; it must be in "
      "0..3");
}
TEST(LayoutDiagnostics, FileMissing) {
  const test::Folder folder;
  try {
    read_layout(folder.file("none.json"));
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.file(), folder.file("none.json"));
    EXPECT_NE(std::string(error.what()).find("the layout cannot be opened: No such file"),
              std::string::npos);
  }
}
TEST(LayoutDiagnostics, FileIsAFolder) {
  const test::Folder folder;
  try {
    read_layout(folder.path());
    FAIL() << "accepted";
  } catch (const UserError& error) {
    EXPECT_EQ(error.what(), folder.path() + ": is a folder; a layout file is expected");
  }
}

}  // namespace
}  // namespace tessera::layout
