// Arrays, symbols and host steps that are refused: every message, word for word (see
// diagnostics_test.cpp).
#include <gtest/gtest.h>

#include "tests/frontends/layout/test_support.h"

namespace tessera::layout {
namespace {

TEST(LayoutHostDiagnostics, DtypeUnknown) {
  EXPECT_EQ(test::problem_of({{"arrays", R"~({"y": {"dtype": "f64", "shape": [3]}})~"}}),
            "t.json: arrays.y.dtype: unknown dtype \"f64\"; allowed: f32, f16, i32, u32, i16, u16");
}
TEST(LayoutHostDiagnostics, SimdOf32Bits) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays", R"~({"y": {"dtype": "f32", "shape": [3]}})~"},
           {"host",
            R"~([{"stream_in": {"color": 1, "rect": [0,0,1,3], "name": "y", "simd": true}}])~"}}),
      "t.json: host[0].stream_in.simd: \"simd\" is about arrays with elements of 16 bits, but "
      "\"y\" (arrays.y) is f32, one element a wavelet");
}
TEST(LayoutHostDiagnostics, SimdIsNumber) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays", R"~({"y": {"dtype": "f16", "shape": [3]}})~"},
           {"host",
            R"~([{"stream_in": {"color": 1, "rect": [0,0,1,3], "name": "y", "simd": 2}}])~"}}),
      "t.json: host[0].stream_in.simd: found the number 2 where true or false was expected");
}
TEST(LayoutHostDiagnostics, ShapeOfFour) {
  EXPECT_EQ(test::problem_of({{"arrays", R"~({"y": {"dtype": "f32", "shape": [3,1,1,1]}})~"}}),
            "t.json: arrays.y.shape: a shape has 1 to 3 dimensions, but 4 are given");
}
TEST(LayoutHostDiagnostics, ShapeZero) {
  EXPECT_EQ(test::problem_of({{"arrays", R"~({"y": {"dtype": "f32", "shape": ["W - 4"]}})~"}}),
            "t.json: arrays.y.shape[0]: the dimension is 0; it must be in 1..2147483648");
}
TEST(LayoutHostDiagnostics, ShapeHuge) {
  EXPECT_EQ(
      test::problem_of({{"arrays", R"~({"y": {"dtype": "f32", "shape": [100000, 100000]}})~"}}),
      "t.json: arrays.y.shape: the array has more than 2147483648 elements, the most that are "
      "allowed");
}
TEST(LayoutHostDiagnostics, ArrayKeyUnknown) {
  EXPECT_EQ(
      test::problem_of({{"arrays", R"~({"y": {"dtype": "f32", "shape": [3], "initial": "0"}})~"}}),
      "t.json: arrays.y: unknown key \"initial\"; did you mean 'init'? allowed keys: dtype, shape, "
      "init, input");
}
TEST(LayoutHostDiagnostics, ArrayInitIsNumber) {
  EXPECT_EQ(
      test::problem_of({{"arrays", R"~({"y": {"dtype": "f32", "shape": [3], "init": 0}})~"}}),
      "t.json: arrays.y.init: found the number 0 where an array expression in quotes was expected");
}
TEST(LayoutHostDiagnostics, ArrayNamedAsAParam) {
  EXPECT_EQ(test::problem_of({{"arrays", R"~({"W": {"dtype": "f32", "shape": [3]}})~"}}),
            "t.json: arrays.W: \"W\" is already a parameter; arrays and parameters are used in the "
            "same expressions");
}
TEST(LayoutHostDiagnostics, ArrayNamedIdle) {
  EXPECT_EQ(test::problem_of({{"arrays", R"~({"idle": {"dtype": "f32", "shape": [3]}})~"}}),
            "t.json: arrays.idle: \"idle\" cannot be the name of an array; {\"wait\": \"idle\"} "
            "waits for the whole machine");
}
TEST(LayoutHostDiagnostics, ArrayInputIsNumber) {
  EXPECT_EQ(
      test::problem_of({{"arrays", R"~({"y": {"dtype": "f32", "shape": [3], "input": 1}})~"}}),
      "t.json: arrays.y.input: found the number 1 where true or false was expected");
}
TEST(LayoutHostDiagnostics, SymbolOfUnknownArray) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"yy": {"symbol": "acc", "rect": [0,0,1,3]}})~"}}),
      "t.json: symbols.yy: unknown host array \"yy\"; did you mean 'y'? declared in arrays: y, k");
}
TEST(LayoutHostDiagnostics, SymbolMissing) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"rect": [0,0,1,3]}})~"}}),
      "t.json: symbols.y: the key \"symbol\" is missing");
}
TEST(LayoutHostDiagnostics, SymbolRectEmpty) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,0,3]}})~"}}),
      "t.json: symbols.y.rect: the rect [0, 0, 0, 3] has no tiles; it needs at least one");
}
TEST(LayoutHostDiagnostics, SymbolDtypeDiffers) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3], "dtype": "i32"}})~"}}),
      "t.json: symbols.y.dtype: the symbol has dtype i32, but the host array (arrays.y) has f32; "
      "both must be the same");
}
TEST(LayoutHostDiagnostics, SymbolOrderUnknown) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3], "order": "column"}})~"}}),
      "t.json: symbols.y.order: unknown order \"column\"; did you mean 'col'? allowed: row, col");
}
TEST(LayoutHostDiagnostics, HostStepUnknown) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"copyin": "y"}])~"}}),
      "t.json: host[0]: unknown host step \"copyin\"; did you mean 'copy_in'? steps: copy_in, "
      "launch, stream_in, stream_out, wait, copy_out, check");
}
TEST(LayoutHostDiagnostics, HostStepEmpty) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{}])~"}}),
      "t.json: host[0]: the host step is empty; a step is one of copy_in, launch, stream_in, "
      "stream_out, wait, copy_out, check");
}
TEST(LayoutHostDiagnostics, HostStepOfTwo) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"copy_in": "y", "copy_out": "y"}])~"}}),
      "t.json: host[0]: a host step does one thing, but both \"copy_in\" and \"copy_out\" are "
      "given");
}
TEST(LayoutHostDiagnostics, HostStepNotAnObject) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~(["idle"])~"}}),
      "t.json: host[0]: found the string \"idle\" where an object was expected");
}
TEST(LayoutHostDiagnostics, CopyOfUnknownArray) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"copy_in": "z"}])~"}}),
      "t.json: host[0].copy_in: unknown host array \"z\"; declared in arrays: y, k");
}
TEST(LayoutHostDiagnostics, CopyOfArrayWithoutSymbol) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"copy_in": "k"}])~"}}),
      "t.json: host[0].copy_in: the host array \"k\" has no symbol on the tiles; arrays with a "
      "symbol: y");
}
TEST(LayoutHostDiagnostics, LaunchNotAString) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"launch": 1}])~"}}),
      "t.json: host[0].launch: found the number 1 where the name of a function of the tile "
      "programs was expected");
}
TEST(LayoutHostDiagnostics, LaunchKeyUnknown) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"launch": "f", "arg": [1]}])~"}}),
      "t.json: host[0]: unknown key \"arg\"; did you mean 'args'? allowed keys: launch, args, "
      "rect");
}
TEST(LayoutHostDiagnostics, LaunchArgumentIsAnObject) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"launch": "f", "args": [{}]}])~"}}),
      "t.json: host[0].args[0]: found an object where an integer or a string with an expression "
      "was expected");
}
TEST(LayoutHostDiagnostics, StreamInsideTheGrid) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"stream_in": {"color": 1, "rect": [1,0,1,3], "name": "y"}}])~"}}),
      "t.json: host[0].stream_in.rect: the rect [1, 0, 1, 3] of a stream is not on the rim; it "
      "must be one column wide at x = 0 or x = 3, or one row high at y = 0 or y = 2");
}
TEST(LayoutHostDiagnostics, StreamTooWideForItsEdge) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host",
            R"~([{"stream_in": {"color": 1, "rect": [0,0,2,1], "name": "y", "edge": "WEST"}}])~"}}),
      "t.json: host[0].stream_in.edge: the rect [0, 0, 2, 1] of the stream is not on the WEST "
      "edge; it must be one column wide, at x = 0");
}
TEST(LayoutHostDiagnostics, StreamNotOnItsEdge) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host",
            R"~([{"stream_out": {"color": 1, "rect": [0,0,4,1], "name": "y", "edge": "SOUTH"}}])~"}}),
      "t.json: host[0].stream_out.edge: the rect [0, 0, 4, 1] of the stream is not on the SOUTH "
      "edge; it must be one row high, at y = 2");
}
TEST(LayoutHostDiagnostics, StreamEdgeRamp) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host",
            R"~([{"stream_out": {"color": 1, "rect": [0,0,4,1], "name": "y", "edge": "RAMP"}}])~"}}),
      "t.json: host[0].stream_out.edge: unknown edge \"RAMP\"; allowed: WEST, EAST, SOUTH, NORTH");
}
TEST(LayoutHostDiagnostics, StreamColorOutOfRange) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"stream_in": {"color": "W * 6", "rect": [0,0,1,3], "name": "y"}}])~"}}),
      "t.json: host[0].stream_in.color: the color is 24; it must be in 0..23");
}
TEST(LayoutHostDiagnostics, StreamOfUnknownArray) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"stream_in": {"color": 1, "rect": [0,0,1,3], "name": "Z"}}])~"}}),
      "t.json: host[0].stream_in.name: unknown host array \"Z\"; declared in arrays: y, k");
}
TEST(LayoutHostDiagnostics, StreamNameMissing) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"stream_in": {"color": 1, "rect": [0,0,1,3]}}])~"}}),
      "t.json: host[0].stream_in: the key \"name\" is missing");
}
TEST(LayoutHostDiagnostics, WaitForUnknown) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"wait": "idel"}])~"}}),
      "t.json: host[0].wait: cannot wait for \"idel\"; did you mean 'idle'? it can wait for: idle");
}
TEST(LayoutHostDiagnostics, WaitForArrayThatIsNotStreamed) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"wait": "y"}])~"}}),
      "t.json: host[0].wait: no step before this one streams the host array \"y\"; wait for a "
      "streamed array or for \"idle\"");
}
TEST(LayoutHostDiagnostics, WaitForNumber) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"wait": 3}])~"}}),
      "t.json: host[0].wait: found the number 3 where the name of a streamed host array, or "
      "\"idle\", was expected");
}
TEST(LayoutHostDiagnostics, CheckOfUnknownArray) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "Q", "value": "0"}}])~"}}),
      "t.json: host[0].check.name: unknown host array \"Q\"; declared in arrays: y, k");
}
TEST(LayoutHostDiagnostics, CheckOfNothing) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "y"}}])~"}}),
      "t.json: host[0].check: a check has either \"expect\" (a .npy file) or \"value\" (an array "
      "expression)");
}
TEST(LayoutHostDiagnostics, CheckOfTwo) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "y", "value": "0", "expect": "y.npy"}}])~"}}),
      "t.json: host[0].check: a check has either \"expect\" (a .npy file) or \"value\" (an array "
      "expression)");
}
TEST(LayoutHostDiagnostics, CheckFileMissing) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "y", "expect": "z.npy"}}])~"}}),
      "t.json: host[0].check.expect: there is no file \"DIR/z.npy\"; paths are relative to the "
      "folder of the layout");
}
TEST(LayoutHostDiagnostics, CheckToleranceNegative) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "y", "value": "0", "rtol": -0.5}}])~"}}),
      "t.json: host[0].check.rtol: a tolerance cannot be negative; it is 0 or more");
}
TEST(LayoutHostDiagnostics, CheckToleranceInfinite) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "y", "value": "0", "rtol": 1e999}}])~"}}),
      "t.json: host[0].check.rtol: the number is too large; it must fit in 64-bit floating point");
}
TEST(LayoutHostDiagnostics, CheckToleranceText) {
  EXPECT_EQ(
      test::problem_of(
          {{"arrays",
            R"~({"y": {"dtype": "f32", "shape": [3]}, "k": {"dtype": "i32", "shape": [3]}})~"},
           {"symbols", R"~({"y": {"symbol": "acc", "rect": [0,0,1,3]}})~"},
           {"host", R"~([{"check": {"name": "y", "value": "0", "rtol": "small"}}])~"}}),
      "t.json: host[0].check.rtol: found the string \"small\" where a number was expected");
}

}  // namespace
}  // namespace tessera::layout
