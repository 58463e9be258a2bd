// Random expressions over types, builtins and operators, right and wrong ones: as a constant of the file, in a comptime block
// and in a function they have one verdict and one value.
//
// TESSERA_CSL_EXPRESSIONS: how many, instead of 2,000.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>

#include "frontends/csl/compile.h"
#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

constexpr const char* kDeclarations = R"(
const mode = enum(u16) { on, off = 4, idle };
const pair = packed struct { a: i8, b: u8 };
const point = struct { x: i16, y: f32 };
fn same(comptime T: type, v: T) T { return v; }
fn larger(a: i16, b: i16) i16 { if (a > b) { return a; } return b; }
fn sum_to(n: u16) u32 { var s: u32 = 0; var i: u16 = 0; while (i < n % 50) : (i += 1) { s += i; } return s; }
const table = [4]i32{ 3, -7, 70000, 9 };
)";

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint32_t seed) : random_(seed) {}

  std::string make() { return of(type(), 1 + below(4)); }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <std::size_t N>
  std::string one_of(const std::array<const char*, N>& texts) {
    return texts[below(N)];
  }

  std::string integer() {
    return one_of(std::array{"i16", "u16", "i32", "u32", "i8", "u8", "u64", "i64", "u3"});
  }
  std::string type() {
    if (chance(60)) return integer();
    return one_of(std::array{"f32", "f16", "bool", "mode", "pair"});
  }
  static bool is_integer(const std::string& type) {
    return type.size() <= 3 && (type[0] == 'i' || type[0] == 'u');
  }
  static bool is_float(const std::string& type) { return type[0] == 'f'; }

  std::string literal(const std::string& type) {
    if (type == "bool") return one_of(std::array{"true", "false"});
    if (type == "mode") return one_of(std::array{"mode.on", "mode.off", "mode.idle", "mode.none"});
    if (type == "pair") return "(pair{ .a = " + number() + ", .b = 3 })";
    if (is_float(type)) {
      const std::string text = one_of(std::array{"0.0", "1.5", "-2.25", "0.1", "65504.0", "3"});
      return chance(60) ? "@as(" + type + ", " + text + ")" : text;
    }
    return chance(60) ? "@as(" + type + ", " + number() + ")" : number();
  }
  std::string number() {
    return one_of(std::array{"0",     "1",          "2",         "3",      "4",     "5",
                             "6",     "7",          "-1",        "-5",     "100",   "127",
                             "255",   "256",        "32767",     "-32768", "40000", "65535",
                             "70000", "2147483647", "0xFFFFFFFF"});
  }

  /// Mostly of the type.
  std::string of(const std::string& wanted, unsigned depth) {
    const std::string t = chance(3) ? type() : wanted;
    if (depth == 0 || chance(10)) return literal(t);
    const auto part = [&] { return of(t, depth - 1); };
    switch (below(9)) {
    case 0:
      return "(if (" + of("bool", depth - 1) + ") " + part() + " else " + part() + ")";
    case 1:
      return "([3]" + t + "{ " + part() + ", " + part() + ", " + part() + " })[" +
             of("u3", depth - 1) + "]";
    case 2:
      return "(.{ .x = " + part() + ", .y = " + of(type(), depth - 1) + " })." +
             one_of(std::array{"x", "x", "x", "z"});
    case 3:
      return "@field(.{ .x = " + part() + " }, \"x\")";
    case 4:
      return "same(" + t + ", " + part() + ")";
    case 5:
      return "(switch (" + of("u3", depth - 1) + ") { 0 => " + part() + ", 1...3 => " + part() +
             ", else => " + part() + " })";
    case 6:
      return "@constants([2, 3]" + t + ", " + part() + ")[" +
             one_of(std::array{"0, 1", "1, 2", "2, 0"}) + "]";
    default:
      return own(t, depth);
    }
  }

  /// What only some types have.
  std::string own(const std::string& t, unsigned depth) {
    const auto part = [&] { return of(t, depth - 1); };
    if (t == "bool") return truth(depth);
    if (t == "mode" || t == "pair") return "@as(" + t + ", " + part() + ")";
    if (is_float(t)) return real(t, depth);
    switch (below(9)) {
    case 0:
      return "@as(" + t + ", " + of(type(), depth - 1) + ")";
    case 1:
      return "@bitcast(" + t + ", " + of(type(), depth - 1) + ")";
    case 2:
      return one_of(std::array{"-", "~", "!"}) + part();
    case 3:
      return "@as(" + t + ", @get_int(" +
             one_of(std::array{"@get_color(", "@get_input_queue(", "@get_local_task_id("}) +
             of("u3", depth - 1) + ")))";
    case 4:
      return "@as(" + t + ", " +
             one_of(std::array{"@strlen(\"text\")", "@element_count([2, 3]f32)", "@rank([2, 3]f32)",
                               "@get_int(mode.off)", "@dimensions([2, 3]f32)[1]", "table[1]",
                               "table[2] % 7", "@range_stop(@range(u16, 9))"}) +
             ")";
    case 5:
      return "@as(" + t + ", sum_to(" + of("u16", depth - 1) + "))";
    case 6:
      return "larger(" + of("i16", depth - 1) + ", " + part() + ")";
    default:
      return "(" + part() + " " +
             one_of(std::array{"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"}) + " " + part() +
             ")";
    }
  }
  std::string real(const std::string& t, unsigned depth) {
    const auto part = [&] { return of(t, depth - 1); };
    switch (below(5)) {
    case 0:
      return "@as(" + t + ", " + of(type(), depth - 1) + ")";
    case 1:
      return "@bitcast(" + t + ", " + of(t == "f32" ? "u32" : "u16", depth - 1) + ")";
    case 2:
      return "-" + part();
    default:
      return "(" + part() + " " + one_of(std::array{"+", "-", "*", "/", "%"}) + " " + part() + ")";
    }
  }
  std::string truth(unsigned depth) {
    const std::string t = type();
    switch (below(5)) {
    case 0:
      return "!" + of("bool", depth - 1);
    case 1:
      return "(" + of("bool", depth - 1) + one_of(std::array{" and ", " or "}) +
             of("bool", depth - 1) + ")";
    case 2:
      return "@is_same_type(" + t + ", @type_of(" + of(type(), depth - 1) + "))";
    case 3:
      return "@has_field(point{ .x = " + of("i16", depth - 1) + ", .y = 1.0 }, \"x\")";
    default:
      return "(" + of(t, depth - 1) +
             one_of(std::array{" < ", " <= ", " == ", " != ", " > ", " >= "}) + of(t, depth - 1) +
             ")";
    }
  }

  std::mt19937 random_;
};

struct Outcome {
  std::string problem, printed;
};

/// What becomes of `d` as `@comptime_print` shows it, of a code with `text`.
Outcome outcome(const std::string& text, const std::string& arch) {
  Project project;
  project.file("pe.csl", kDeclarations + text).layout("");
  Options options;
  options.arch = arch;
  std::ostringstream messages;
  Engine engine(options, messages);
  try {
    engine.evaluate(project.path("layout.csl"));
    for (const auto& variant : engine.program().variants) analyse(engine, *variant);
  } catch (const UserError& error) {
    return {first_line(error.what()), ""};
  }
  const std::string all = messages.str();
  const std::size_t at = all.rfind("pe.csl:");
  return {"", at == std::string::npos ? "nothing" : all.substr(all.find(": ", at))};
}

constexpr const char* kTask =
    "comptime { @bind_local_task(t, @get_local_task_id(9)); @activate(@get_local_task_id(9)); }\n";

TEST(CslExpressionsProperty, AnExpressionIsOneThingWhereverItStands) {
  const char* given = std::getenv("TESSERA_CSL_EXPRESSIONS");
  const unsigned count = given == nullptr ? 2000U : static_cast<unsigned>(std::stoul(given));
  unsigned refused = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    const std::string x = RandomExpressions(seed).make();
    const std::string arch = seed % 2 == 0 ? "wse2" : "wse3";
    const std::string print = " @comptime_print(d); ";
    const Outcome constant = outcome("const d = " + x + ";\ncomptime {" + print + "}\n", arch);
    const Outcome block = outcome("comptime { const d = " + x + ";" + print + "}\n", arch);
    const Outcome local =
        outcome("task t() void { const d = " + x + ";" + print + "}\n" + kTask, arch);
    for (const Outcome* other : {&block, &local}) {
      EXPECT_EQ(constant.problem.empty(), other->problem.empty())
          << "seed " << seed << ": " << x << "\n"
          << constant.problem << "\n"
          << other->problem;
      EXPECT_EQ(constant.printed, other->printed) << "seed " << seed << ": " << x;
    }
    EXPECT_NE(constant.printed, "nothing") << x;
    refused += constant.problem.empty() ? 0 : 1;
  }
  std::cout << count << " expressions, " << refused << " refused\n";
  EXPECT_GT(refused, count / 8);
  EXPECT_GT(count - refused, count / 4);
}

}  // namespace
}  // namespace tessera::csl
