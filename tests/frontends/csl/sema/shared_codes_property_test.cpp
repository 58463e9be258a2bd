// PEs that decide the same share one code: what comes out is the same, to the byte, as if every PE had been analysed by itself.
// Random files that decide by the position of the PE, in constants, modules, types, descriptors and code.
//
// TESSERA_CSL_SHARED: how many, instead of 150.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "frontends/compiled/folder.h"
#include "frontends/compiled/link.h"
#include "tests/frontends/csl/sema/project.h"
#include "tests/support/number_from.h"

namespace tessera::csl {
namespace {

namespace fs = std::filesystem;

class RandomFiles {
 public:
  explicit RandomFiles(std::uint32_t seed) : random_(seed) {}

  std::string pe() {
    std::string text =
        "param px: u16; param py: u16; param W: u16; param k = 2;\n"
        "fn one(v: u16) u16 { return v + 1; }\nfn two(v: u16) u16 { return v * 3; }\n"
        "var x = @zeros([16]u16);\nvar x_ptr: [*]u16 = &x;\n";
    for (unsigned i = 0, n = 2 + below(5); i < n; ++i) text += constant(i);
    text += "const m = @import_module(\"m.csl\", .{ .at = " + number() +
            ", .n = W, .apply = " + choice("one", "two") + " });\n";
    if (chance(50))
      text += "const o = @import_module(\"m.csl\", .{ .at = " + number() +
              ", .n = 3, .apply = one });\n";
    else
      text += "const o = m;\n";
    text += "const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{1 + " + number() +
            " % 8} -> x[i] });\n"
            "var v: u16 = " +
            number() +
            ";\n"
            "fn main() void {\n";
    for (unsigned i = 0, n = 1 + below(4); i < n; ++i) text += statement();
    text += "}\ncomptime {\n  @export_symbol(x_ptr, \"x\");\n  @export_symbol(main);\n";
    if (chance(40))
      text += "  if (" + condition() + ") { @bind_local_task(m.work, @get_local_task_id(9)); }\n";
    return text + "}\n";
  }

  static std::string module() {
    return "param at: u16; param n: u16; param apply: fn(u16) u16;\n"
           "const is_first = at == 0;\nconst is_last = at == n - 1;\nconst kind = at % 3;\n"
           "const Side = enum(u16) { a, b };\nconst side = if (is_first) Side.a else Side.b;\n"
           "var own: u16 = 0;\nvar list = @zeros([1 + kind]u16);\n"
           "task work() void { own += 1; }\n"
           "fn step(v: u16) u16 {\n  own += apply(v);\n"
           "  if (side == Side.a) { return own; }\n  if (is_last) { list[0] = own; return list[0]; "
           "}\n"
           "  return v + kind;\n}\n"
           "fn far(v: u16) u16 { if (at / 4 == 1) { return v + at; } return v; }\n";
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string number_text() { return std::to_string(below(5)); }

  std::string number() {
    switch (below(8)) {
    case 0:
      return "px";
    case 1:
      return "(px + py)";
    case 2:
      return "(px % 2)";
    case 3:
      return "(py / 3)";
    case 4:
      return "k";
    case 5:
      return constants_ == 0 ? "W" : "c" + std::to_string(below(constants_));
    case 6:
      return "two(py % 2)";
    default:
      return number_text();
    }
  }
  std::string condition() {
    const char* const kCompares[] = {" == ", " < ", " != ", " >= "};
    const std::string one = number() + kCompares[below(4)] + number_text();
    return chance(20) ? one + " and py < " + number_text() : one;
  }
  std::string choice(const std::string& first, const std::string& second) {
    return chance(50) ? first : "if (" + condition() + ") " + first + " else " + second;
  }
  std::string constant(unsigned i) {
    std::string value = number();
    switch (below(5)) {
    case 0:
      value = "if (" + condition() + ") " + number() + " else " + number();
      break;
    case 1:
      value = "[3]u16{ 4, 5, 6 }[" + number() + " % 3]";
      break;
    case 2:
      value = "(.{ .a = " + number() + ", .b = one }).a";
      break;
    default:
      break;
    }
    const std::string text = "const c" + std::to_string(i) + ": u16 = " + value + ";\n";
    constants_ = i + 1;
    return text;
  }
  std::string statement() {
    const std::string at = "x[" + std::to_string(below(16)) + "]";
    switch (below(7)) {
    case 0:
      return "  if (" + condition() + ") { " + at + " += 1; } else { v = " + number() + "; }\n";
    case 1:
      return "  " + at + " = m.step(v);\n";
    case 2:
      return "  " + at + " = o.far(" + number() + ");\n";
    case 3:
      return "  @mov16(d, " + number() + ");\n";
    case 4:
      return "  for (@range(u16, 1 + " + number() + " % 3)) |i| { v += i; }\n";
    case 5:
      return "  switch (" + number() +
             ") { 0 => { v += 1; }, 1 => { v += 2; }, else => { v += o.kind; } }\n";
    default:
      return "  " + at + " = one(" + number() + ");\n";
    }
  }

  std::mt19937 random_;
  unsigned constants_ = 0;
};

/// All files of a folder with their names. The message of a program that is refused.
std::string compiled_text(const Project& project, bool shares) {
  std::ostringstream all;
  try {
    Options options;
    options.arch = "wse3";
    options.shares_codes = shares;
    Engine engine(options, all);
    const std::string file = project.path("layout.csl"), out = project.path("out");
    engine.evaluate(file);
    Compiler compiler(engine);
    fs::remove_all(out);
    compiled::write_folder(compiled::link(engine, file, {}, std::ref(compiler)), out, "1");
    std::set<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(out)) paths.insert(entry.path());
    for (const fs::path& path : paths) {
      if (!fs::is_directory(path)) all << path << '\n' << std::ifstream(path).rdbuf() << '\n';
    }
  } catch (const UserError& error) {
    all << error.what();
  }
  return all.str();
}

TEST(CslSharedCodesProperty, CodesAreThoseOfPesOneByOne) {
  const auto count = test::number_from("TESSERA_CSL_SHARED", 150);
  unsigned refused = 0;
  for (unsigned seed = 1; seed <= count; ++seed) {
    RandomFiles files(seed);
    Project project;
    project.file("layout.csl", R"(
layout {
  @set_rectangle(6, 4);
  for (@range(u16, 6)) |x| {
    for (@range(u16, 4)) |y| {
      @set_tile_code(x, y, "pe.csl", .{ .px = x, .py = y, .W = 6 });
      if (y == 1) { @set_color_config(x, y, @get_color(3), .{ .routes = .{ .rx = RAMP, .tx = EAST } }); }
    }
  }
  @export_name("x", [*]u16, true);
  @export_name("main", fn() void);
})");
    const std::string pe = files.pe();
    project.file("pe.csl", pe).file("m.csl", RandomFiles::module());
    const std::string alone = compiled_text(project, false), shared = compiled_text(project, true);
    refused += alone.find("layout.json") == std::string::npos ? 1 : 0;
    ASSERT_EQ(alone == shared, true) << "seed " << seed << "\n" << pe << shared.substr(0, 500);
  }
  EXPECT_LT(refused, count / 4);
}

/// The first PE of each kind is analysed, and no other one.
TEST(CslSharedCodesProperty, AGridOfKindsIsAnalysedOnceEach) {
  Project project;
  project.file("layout.csl", R"(
layout {
  @set_rectangle(64, 64);
  for (@range(u16, 64)) |x| {
    for (@range(u16, 64)) |y| { @set_tile_code(x, y, "pe.csl", .{ .px = x, .py = y }); }
  }
  @export_name("main", fn() void);
})");
  project.file(
      "pe.csl",
      "param px: u16; param py: u16;\nconst is_edge = px == 0 or px == 63;\nvar n: u16 = 0;\n"
      "fn main() void { if (is_edge) { n += 1; } else if (py % 2 == 0) { n += 2; } }\n"
      "comptime { @export_symbol(main); }\n");
  std::ostringstream messages;
  Options options;
  options.shares_codes = true;
  Engine engine(options, messages);
  engine.evaluate(project.path("layout.csl"));
  Compiler compiler(engine);
  unsigned made = 0;
  compiled::link(engine, project.path("layout.csl"), {}, [&](Variant& variant) {
    ++made;
    return compiler(variant);
  });
  EXPECT_EQ(made, 3U);
}

}  // namespace
}  // namespace tessera::csl
