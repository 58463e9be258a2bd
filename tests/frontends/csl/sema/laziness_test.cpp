// What is analysed and what is not (csl.md 4).
#include <gtest/gtest.h>

#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

TEST(CslLaziness, AParamWithoutValueIsAnErrorWhenItIsUsed) {
  EXPECT_EQ(tile_mistake("param n: i16; comptime {}"), "");
  EXPECT_EQ(tile_mistake("param n; comptime { @comptime_assert(n > 0); }"),
            "pe.csl:1:38: the parameter 'n' has no value: it has no default and who uses the file "
            "gives none");
}

TEST(CslLaziness, AGlobalIsAnalysedWhenSomethingMentionsIt) {
  const std::string wrong = "const a: i16 = 70000; var big = @zeros([100000000]f32);\n";
  EXPECT_EQ(tile_mistake(wrong), "");
  EXPECT_EQ(tile_mistake(wrong + "comptime { @comptime_assert(a == 1); }"),
            "pe.csl:1:16: the constant 'a' is of type 'i16', which does not take 70000 of type "
            "'comptime_int'; the value 70000 does not fit");
}

TEST(CslLaziness, AFunctionIsAnalysedWhenItIsCalledAndOnlyTheBranchesTaken) {
  const std::string code = "fn f(a: i16) i16 { return nothing; }\n"
                           "fn g(x: bool) i16 { if (x) { return f(1, 2); } return 5; }\n";
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(g(false) == 5); }"), "");
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(g(true) == 5); }"),
            "pe.csl:2:38: the function 'f' takes 1 argument instead of 2");
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(f(1) == 5); }"),
            "pe.csl:1:27: nothing is called 'nothing'");
}

TEST(CslLaziness, AndOrIfAndSwitchSkipWhatTheyDoNotNeed) {
  EXPECT_EQ(value_of("false and nothing"), "false");
  EXPECT_EQ(value_of("true or nothing"), "true");
  EXPECT_EQ(value_of("if (true) 1 else nothing"), "1");
  EXPECT_EQ(value_of("switch (1) { 1 => 2, else => nothing }"), "2");
  EXPECT_EQ(value_of("!@is_same_type(@type_of(P), void) and P > 0", "param P = {};"), "false");
  EXPECT_EQ(value_of("true and nothing"), "layout.csl:5:26: nothing is called 'nothing'");
}

TEST(CslLaziness, CodeBehindAReturnIsNotAnalysed) {
  const std::string code =
      "fn f(a: i16) i16 { if (a == 1) { return 2; } @comptime_assert(false); }\n";
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(f(1) == 2); }"), "");
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(f(2) == 2); }"),
            "pe.csl:1:46: the assertion is false");
}

TEST(CslLaziness, TheOrderOfDeclarationsIsFree) {
  EXPECT_EQ(value_of("a", "const a = f(b); fn f(x: i16) i16 { return x + c; } param b: i16 = c; "
                          "const c: i16 = 4;"),
            "8");
  EXPECT_EQ(value_of("a", "const a = b + 1; const b = c; const c = a;"),
            "layout.csl:1:41: the value of this name depends on itself");
}

TEST(CslLaziness, AVariableOfATileHasNoValueAtCompileTime) {
  const std::string code = "var n: i16 = 4;\n";
  EXPECT_EQ(
      tile_mistake(code + "comptime { @comptime_assert(n == 4); }"),
      "pe.csl:2:29: needs a value that is known at compile time; the variable 'n' has one only "
      "while the program runs");
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(@is_same_type(@type_of(n), i16)); }"),
            "");
  EXPECT_EQ(tile_mistake(code + "comptime { @comptime_assert(!@is_comptime(n)); }"), "");
}

TEST(CslComptime, FunctionsHaveLoopsLocalsAndValuesOfAnyType) {
  const char* code = R"(
fn table(n: u16) [4]u16 {
  var t = @zeros([4]u16);
  for (@range(u16, n)) |i| {
    if (i == 2) { continue; }
    t[i] = i * i;
  }
  const copy = t;
  t[3] += copy[1];
  return t;
}
fn first(xs: [4]u16, wanted: u16) i16 {
  for (xs) |x, i| { if (x == wanted) { return i; } }
  return -1;
}
fn choose(wide: bool) type { return if (wide) f32 else f16; }
fn shape(n: i16) comptime_struct {
  if (n == 0) { return .{ .a = n }; }
  return .{ n, n };
}
fn count() i16 {
  var n: i16 = 0;
  outer: while (n < 100) : (n += 1) {
    for (@range(i16, 10, 0, -3)) |k| { if (k + n == 20) { break :outer; } }
  }
  return n;
}
fn through(p: *i16) void { p.* = 7; }
fn pointers() i16 { var x: i16 = 1; through(&x); return x; }
fn twice(comptime T: type, x: anytype) T { return @as(T, x) + @as(T, x); }
fn deep(n: i16) i16 { return if (n == 0) 0 else 1 + deep(n - 1); }
)";
  EXPECT_EQ(value_of("table(4)", code), "[4]u16{0, 1, 0, 10}");
  EXPECT_EQ(value_of("first(table(4), 10)", code), "3");
  EXPECT_EQ(value_of("choose(true)", code), "f32");
  EXPECT_EQ(value_of("shape(0)", code), ".{.a = 0}");
  EXPECT_EQ(value_of("shape(1)", code), ".{1, 1}");
  EXPECT_EQ(value_of("count()", code), "10");
  EXPECT_EQ(value_of("pointers()", code), "7");
  EXPECT_EQ(value_of("twice(f32, 3)", code), "6.0");
  EXPECT_EQ(value_of("deep(200)", code), "200");
  EXPECT_EQ(value_of("deep(300)", code),
            "layout.csl:31:57: more than 256 functions call each other at compile time "
            "(--comptime-func-depth-limit)");
}

TEST(CslComptime, AnEndlessLoopEnds) {
  Project project;
  project.layout("", "while (true) {}");
  Options options;
  options.most_steps = 1000;
  EXPECT_EQ(project.mistake(options).substr(0, 81),
            "layout.csl:5:1: the loops and calls of the program take more than 1000 iterations");
}

}  // namespace
}  // namespace tessera::csl
