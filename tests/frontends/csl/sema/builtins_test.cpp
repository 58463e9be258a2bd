// The table of builtins: every name once, the page made from it, and one verdict for an expression as a constant of
// a file and in a function.
//
// TESSERA_WRITE_PAGES=1: writes docs/csl-builtins.md instead of comparing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "frontends/csl/builtins/builtins.h"
#include "frontends/csl/compile.h"
#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

TEST(CslBuiltins, EveryNameHasOneRowThatSaysWhatItTakes) {
  std::set<std::string_view> names;
  for (const BuiltinRow* row : all_builtins()) {
    EXPECT_TRUE(names.insert(row->name).second) << row->name;
    EXPECT_EQ(find_builtin(row->name), row);
    EXPECT_FALSE(row->about.empty()) << row->name;
    EXPECT_NE(row->where, 0) << row->name;
    bool is_optional = false;
    for (const OperandRow& operand : row->operands) {
      EXPECT_FALSE(operand.name.empty()) << row->name;
      EXPECT_TRUE(operand.is_optional || !is_optional) << row->name << ": " << operand.name;
      is_optional = operand.is_optional;
    }
  }
  EXPECT_GT(names.size(), 120U);
}

TEST(CslBuiltins, ThePageIsMadeFromTheTable) {
  const std::string path = TESSERA_SOURCE_DIR "/docs/csl-builtins.md";
  if (std::getenv("TESSERA_WRITE_PAGES") != nullptr) std::ofstream(path) << builtins_page();
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_EQ(page.str(), builtins_page()) << "TESSERA_WRITE_PAGES=1 writes the page";
}

constexpr const char* kPrelude = R"(
var a = @zeros([8]f32); var m = @zeros([4, 4]f32); var h = @zeros([8]f16); var b = @zeros([4]bool);
const e = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{3} -> a[i] });
const e4 = @get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{4, 4} -> m[i, j] });
const circle = @get_dsd(circbuf_dsd, .{ .base_address = &a, .extent = 9, .wraparound = 5 });
const iq = @get_input_queue(2); const oq = @get_output_queue(2); const c = @get_color(3);
const id = @get_local_task_id(8);
const in = @get_dsd(fabin_dsd, .{ .fabric_color = c, .extent = 4, .input_queue = iq });
const out = @get_dsd(fabout_dsd, .{ .fabric_color = c, .extent = 4, .output_queue = oq });
comptime { @bind_local_task(t, id); @activate(id);
  @initialize_queue(iq, .{ .color = c }); if (@is_arch("wse3")) { @initialize_queue(oq, .{ .color = c }); } }
)";

/// The message of a program, without its place; "" if it compiles.
std::string verdict(const std::string& text, const std::string& arch,
                    std::string* printed = nullptr) {
  Project project;
  project.file("pe.csl", text).layout("");
  Options options;
  options.arch = arch;
  std::ostringstream messages;
  Engine engine(options, messages);
  try {
    engine.evaluate(project.path("layout.csl"));
    for (const auto& variant : engine.program().variants) analyse(engine, *variant);
    if (printed != nullptr) *printed = messages.str();
  } catch (const UserError& error) {
    const std::string what = error.what();
    const std::size_t begin = what.find(": ", what.find("pe.csl"));
    return begin == std::string::npos ? what : what.substr(begin, what.find('\n') - begin);
  }
  return "";
}

std::vector<std::string> changes() {
  std::vector<std::string> all;
  for (const char* dsd : {"e", "e4", "circle", "in", "out"}) {
    const std::string from = std::string("(") + dsd + ", ";
    for (const char* n :
         {"-40000", "-129", "-128", "-1", "0", "3", "127", "128", "32768", "65535", "65536"}) {
      all.push_back("@set_dsd_stride" + from + n + ")");
      all.push_back("@set_dsd_length" + from + n + ")");
      for (const char* type : {"u16", "f32", "f16", "i32", "bool", "u8"})
        all.push_back("@increment_dsd_offset" + from + n + ", " + type + ")");
    }
    for (const char* base : {"a", "&a", "h", "m", "&m[1, 2]", "&b", "7"})
      all.push_back("@set_dsd_base_addr" + from + base + ")");
  }
  return all;
}

/// `@get_dsd` with random fields, most of which fit.
std::vector<std::string> descriptors(unsigned count) {
  std::mt19937 random(7);
  const auto pick = [&](const std::vector<std::string>& of) { return of[random() % of.size()]; };
  std::vector<std::string> all;
  for (unsigned i = 0; i < count; ++i) {
    const std::string kind =
        pick({"mem1d_dsd", "mem4d_dsd", "circbuf_dsd", "fabin_dsd", "fabout_dsd"});
    std::string fields;
    const unsigned fields_of = 1 + random() % 4;
    for (unsigned k = 0; k < fields_of; ++k)
      fields += pick({".tensor_access = |i|{3} -> a[i * 2]",
                      ".tensor_access = |i, j|{2, 2} -> m[i, j + 1]",
                      ".tensor_access = |i|{3} -> a[i * 128]",
                      ".tensor_access = |i|{3} -> a[i * i]",
                      ".tensor_access = .{ .base_address = &a, .stride = .{2}, .extent = .{3} }",
                      ".base_address = &a",
                      ".base_address = h",
                      ".extent = 3",
                      ".extent = .{2, 2}",
                      ".extent = 70000",
                      ".stride = 2",
                      ".stride = 200",
                      ".stride = .{1, 2}",
                      ".offset = 1",
                      ".offset = 32768",
                      ".offset = true",
                      ".wraparound = 4",
                      ".wraparound = 9",
                      ".fabric_color = c",
                      ".fabric_color = 3",
                      ".input_queue = iq",
                      ".output_queue = oq",
                      ".control = true",
                      ".advance_switch = 5",
                      ".advance_switch = true",
                      ".zero = .{ .first_source = true }",
                      ".priority = .{ .high = true }",
                      ".priority = .{ .hi = true }",
                      ".simd_mode = .{ .simd_32 = true }",
                      ".simd_mode = .{ .simd_max = true }",
                      ".wavelet_index_offset = true",
                      ".control_transform = false",
                      ".extnt = 3"}) +
                ", ";
    all.push_back("@get_dsd(" + kind + ", .{ " + fields + "})");
  }
  return all;
}

std::vector<std::string> values() {
  std::vector<std::string> all;
  for (const char* name : {"color", "input_queue", "output_queue", "local_task_id",
                           "control_task_id", "ut_id", "data_task_id", "xdsr", "sr"}) {
    for (const char* n :
         {"-1", "0", "5", "7", "8", "23", "24", "31", "63", "64", "true", "1.5", "c", "iq"})
      all.push_back("@get_" + std::string(name) + "(" + n + ")");
  }
  for (const char* type :
       {"u8", "i8", "u16", "i32", "f16", "f32", "bool", "color", "comptime_int"}) {
    for (const char* value : {"1", "-1", "300", "70000", "1.5", "true", "@as(u16, 9)",
                              "@as(f32, 2.5)", "\"x\"", "c", "undefined"}) {
      all.push_back("@as(" + std::string(type) + ", " + value + ")");
      all.push_back("@bitcast(" + std::string(type) + ", " + value + ")");
      all.push_back("@range(" + std::string(type) + ", " + value + ")");
    }
  }
  for (const char* text : {"@strlen(\"abc\")",
                           "@strlen(3)",
                           "@get_array(\"ab\")",
                           "@get_string_from_byte(65)",
                           "@get_string_from_byte(256)",
                           "@zeros([4]u16)",
                           "@zeros([2]color)",
                           "@constants([3]u16, 7)",
                           "@constants([3]u16, -7)",
                           "@rank(a)",
                           "@dimensions(m)",
                           "@element_count(e)",
                           "@element_type(h)",
                           "@get_int(c)",
                           "@get_int(1.5)",
                           "@is_arch(3)",
                           "@fp16(1)",
                           "@has_field(.{ .x = 1 }, \"x\")",
                           "@field(.{ .x = 1 }, \"y\")",
                           "@is_same_type(u16, 3)",
                           "@range_stop(3)",
                           "@concat_structs(.{ .x = 1 }, .{ .x = 2 })",
                           "@strcat(\"a\", 1)",
                           "@nothing()",
                           "@tessera_clz(3)",
                           "@export(1)"})
    all.emplace_back(text);
  return all;
}

/// Unions, packed structs, enums, floats and pointers, each with what fits and what does not.
std::vector<std::string> typed() {
  std::vector<std::string> all;
  for (const char* object :
       {"(either{ .i = 3 })", "(either{ .f = 1.5 })", "(bare{ .i = 3 })", "(bare{ .f = 1.5 })",
        "(same{ .i = -1 })", "(same{ .p = .{ .a = 1, .b = 2 } })", "(pair{ .a = 1, .b = 2 })",
        "(flags{ .a = 3, .b = true, .m = mode.off, .c = 5 })", "(either{ .i = 3, .f = 1.0 })",
        "(flags{ .a = 32, .b = true, .m = mode.off, .c = 5 })", "(pair{ .a = 1 })"}) {
    for (const char* part : {"", ".i", ".f", ".p", ".a", ".b", ".m", ".h[1]", ".p.b"})
      all.push_back(std::string(object) + part);
    for (const char* type : {"u16", "i16", "u32", "i32", "f32", "pair", "flags", "same"})
      all.push_back("@bitcast(" + std::string(type) + ", " + object + ")");
    for (const char* field : {"i", "a", "z"})
      all.push_back("@field(" + std::string(object) + ", \"" + field + "\")");
  }
  for (const char* value :
       {"mode.on", "level.low", "@as(u16, 1)", "@as(i32, 1)", "2.5", "true", "70000"})
    for (const char* type : {"mode", "level", "u16", "i8", "u3", "f32", "f16", "bool", "u64"})
      all.push_back("@as(" + std::string(type) + ", " + value + ")");
  return all;
}

constexpr const char* kKinds = R"(
const mode = enum(u3) { on, off, idle };
const level = enum { low, high };
const pair = packed struct { a: i8, b: i8 };
const flags = packed struct { a: u5, b: bool, m: mode, c: u7 };
const same = packed union { i: i16, p: pair };
const either = extern union { i: i32, f: f32, h: [2]u16 };
const bare = union { i: i32, f: f32 };
)";

TEST(CslBuiltins, AnExpressionHasOneVerdict) {
  const std::string kKept = "const other = d;";
  unsigned refused = 0, count = 0;
  const auto compare = [&](const std::vector<std::string>& expressions, const std::string& use,
                           const std::vector<const char*>& machines) {
    for (const std::string& x : expressions) {
      for (const char* arch : machines) {
        const std::string constant = verdict(
            kPrelude + (kKinds + ("const d = " + x + "; task t() void { " + use + " }")), arch);
        const std::string local = verdict(
            kPrelude + (kKinds + ("task t() void { const d = " + x + "; " + use + " }")), arch);
        EXPECT_EQ(constant.empty(), local.empty()) << arch << ": " << x << constant << local;
        if (use == kKept) {
          const std::string block = verdict(
              kPrelude +
                  (kKinds + ("task t() void {} comptime { const d = " + x + "; " + use + " }")),
              arch);
          EXPECT_EQ(constant.empty(), block.empty()) << arch << ": " << x << constant << block;
        }
        refused += !constant.empty();
        ++count;
      }
    }
  };
  compare(changes(), "@fmovs(d, 1.0);", {"wse2"});
  compare(descriptors(150), "@fmovs(d, 1.0);", {"wse2", "wse3"});
  compare(values(), kKept, {"wse2", "wse3"});
  compare(typed(), kKept, {"wse3"});
  EXPECT_GT(count, 1000U);
  EXPECT_GT(refused, count / 5);
  EXPECT_GT(count - refused, count / 5);
}

/// Calls with known arguments that need the running program: they are tried at compile time, which uses up nothing.
TEST(CslBuiltins, ACallThatIsTriedLeavesNoTrace) {
  const std::string text = R"(
var g: u32 = 1;
fn f(n: u32) u32 {
  @comptime_print("f");
  var s: u32 = 0; var i: u32 = 0;
  while (i < n) { s += i; i += 1; }
  return s + g;
}
fn h(n: u32) u32 { var s: u32 = 0; var i: u32 = 0; while (i < n) { s += i; i += 1; } return s; }
task t() void {
  g = f(4000000); g = f(4000001); g = f(4000002); g = h(30000000);
  const k: u32 = comptime h(2000);
  g += k + h(10);
}
comptime { const id = @get_local_task_id(8); @bind_local_task(t, id); @activate(id); }
)";
  std::string printed;
  EXPECT_EQ(verdict(text, "wse3", &printed), "");
  const auto times = [&printed](const std::string& word) {
    unsigned count = 0;
    for (std::size_t at = printed.find(word); at != std::string::npos;
         at = printed.find(word, at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(times(": f\n"), 1U) << printed;
}

TEST(CslBuiltins, ExtendedRegistersThatAProgramNamesAreNoneOfAFifo) {
  std::string text = "const mine = @get_xdsr(7);\n", pushes = "const used = mine;";
  for (unsigned i = 0; i < 7; ++i) {
    const std::string n = std::to_string(i);
    text += "var b" + n + " = @zeros([8]u32); const f" + n + " = @allocate_fifo(b" + n + ");\n";
    pushes += " @mov32(f" + n + ", 1);";
  }
  const std::string tail =
      " comptime { const id = @get_local_task_id(8); @bind_local_task(t, id); @activate(id); }";
  EXPECT_EQ(verdict(text + "task t() void { " + pushes + " }" + tail, "wse2"), "");
  text += "var more = @zeros([8]u32); const f = @allocate_fifo(more);\n";
  const std::string problem =
      verdict(text + "task t() void { " + pushes + " @mov32(f, 1); }" + tail, "wse2");
  EXPECT_NE(problem.find("'more' finds no registers"), std::string::npos) << problem;
  EXPECT_NE(problem.find("@get_xdsr(7)"), std::string::npos) << problem;
}

}  // namespace
}  // namespace tessera::csl
