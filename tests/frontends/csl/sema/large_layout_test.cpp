// What makes layouts of large grids quick must not show: calls whose value is known, and limits on iterations.
#include <gtest/gtest.h>

#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

/// What the layout block prints, without the places.
std::string printed(const std::string& declarations, const std::string& body) {
  Project project;
  project.layout(declarations, body);
  EXPECT_EQ(project.mistake(), "");
  std::istringstream lines(project.messages());
  std::string all;
  for (std::string line; std::getline(lines, line);) all += line.substr(line.find(": ") + 2) + "\n";
  return all;
}

TEST(CslLargeLayout, ACallWithAnEffectHasItEachTime) {
  EXPECT_EQ(printed("fn shown(n: u16) u16 { @comptime_print(n); return n + 1; }\n"
                    "fn outer(n: u16) u16 { return shown(n) + 1; }",
                    "const a = outer(3); const b = outer(3); @comptime_print(a, b);"),
            "3\n3\n5 5\n");
}

TEST(CslLargeLayout, ACallSeesWhatItsPointersLeadTo) {
  EXPECT_EQ(printed("fn next(p: *u16) u16 { p.* += 1; return p.*; }\n"
                    "fn value(p: *u16) u16 { return p.*; }",
                    "var v: u16 = 0; const a = next(&v); const b = next(&v); const c = value(&v); "
                    "v = 9; @comptime_print(a, b, c, value(&v));"),
            "1 2 2 9\n");
}

TEST(CslLargeLayout, AResultBelongsToItsCaller) {
  EXPECT_EQ(printed("fn pair(n: u16) comptime_struct { return .{ .a = n, .b = .{ n, n } }; }\n"
                    "fn list(n: u16) [3]u16 { return @constants([3]u16, n); }",
                    "var p = pair(1); p.a = 5; p.b[1] = 6; var l = list(1); l[2] = 7;\n"
                    "@comptime_print(p.a, p.b[1], l[2], pair(1).a, pair(1).b[1], list(1)[2]);"),
            "5 6 7 1 1 1\n");
}

TEST(CslLargeLayout, CallsOfOtherTypesAreOthers) {
  EXPECT_EQ(printed("fn of(x: anytype) comptime_string {\n"
                    "  if (@is_same_type(@type_of(x), u16)) { return \"u16\"; }\n"
                    "  return if (@is_same_type(@type_of(x), i16)) \"i16\" else \"other\"; }",
                    "@comptime_print(of(@as(u16, 1)), of(@as(i16, 1)), of(1), of(@as(u16, 1)), "
                    "of(.{ .a = 1 }), of(0.0), of(-0.0));"),
            "u16 i16 other u16 other other other\n");
}

TEST(CslLargeLayout, CallsOfOtherModulesAreOthers) {
  Project project;
  project.file("lib.csl", "param k: u16; fn times(n: u16) u16 { return n * k; }");
  project.layout("const two = @import_module(\"lib.csl\", .{ .k = 2 });\n"
                 "const three = @import_module(\"lib.csl\", .{ .k = 3 });",
                 "@comptime_print(two.times(5), three.times(5), two.times(5));");
  EXPECT_EQ(project.mistake(), "");
  EXPECT_NE(project.messages().find(": 10 15 10\n"), std::string::npos) << project.messages();
}

TEST(CslLargeLayout, AFailureIsOneEachTime) {
  Project project;
  project.layout("fn positive(n: i16) i16 { @comptime_assert(n > 0); return n; }",
                 "const a = positive(1); const b = positive(-1);\nconst c = positive(-1);");
  const std::string mistake = project.mistake();
  EXPECT_NE(mistake.find("the assertion is false"), std::string::npos) << mistake;
  EXPECT_NE(mistake.find("in a call of 'positive'"), std::string::npos) << mistake;
}

TEST(CslLargeLayout, PesWithValuesOfOtherTypesHaveOtherCode) {
  Project project;
  project.file("layout.csl", R"(
layout {
  @set_rectangle(3, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .n = @as(u16, 1) });
  @set_tile_code(1, 0, "pe.csl", .{ .n = @as(i16, 1) });
  @set_tile_code(2, 0, "pe.csl", .{ .n = @as(u16, 1) });
})");
  project.file("pe.csl", "param n;");
  const Program& program = project.evaluate();
  EXPECT_EQ(program.variants.size(), 2U);
  EXPECT_EQ(program.at(0, 0).variant, program.at(2, 0).variant);
  EXPECT_NE(program.at(0, 0).variant, program.at(1, 0).variant);
}

constexpr unsigned kFewSteps = 2000;

Options few_steps() {
  Options options;
  options.most_steps = kFewSteps;
  return options;
}

TEST(CslLargeLayout, TheLimitOnIterationsIsThatOfAPe) {
  Project project;
  project.file("layout.csl", R"(
fn sum(x: u16, y: u16) u16 {
  var s: u16 = 0;
  for (@range(u16, 40)) |i| { s += x * y + i; }
  return s;
}
layout {
  @set_rectangle(32, 32);
  for (@range(u16, 32)) |x| {
    for (@range(u16, 32)) |y| {
      @set_tile_code(x, y, "pe.csl", .{ .n = sum(x, y) % 64 });
    }
  }
  for (@range(u16, 32)) |x| {
    for (@range(u16, 32)) |y| {
      if (sum(x, y) > 0) { @set_color_config(x, y, @get_color(1), .{ .routes = .{ .rx = RAMP, .tx = EAST } }); }
    }
  }
})");
  project.file(
      "pe.csl",
      "param n: u16;\ncomptime { for (@range(u16, 500)) |i| { @comptime_assert(i < 500 + n); } }");
  EXPECT_EQ(project.mistake(few_steps()), "");
}

TEST(CslLargeLayout, EndlessLoopsMeetTheLimit) {
  Project project;
  project.layout("fn f(n: u16) u16 { return n; }", "while (f(1) == 1) {}");
  EXPECT_NE(project.mistake(few_steps()).find("more than 2000 iterations"), std::string::npos);
  project.layout("").file("pe.csl", "comptime { var n: u16 = 0; while (n < 2) { n = n ^ 1; } }");
  EXPECT_NE(project.mistake(few_steps()).find("more than 2000 iterations"), std::string::npos);
}

}  // namespace
}  // namespace tessera::csl
