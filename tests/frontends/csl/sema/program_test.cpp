// Layouts, modules, and what comptime blocks declare (csl.md 5, 7, 8, 10).
#include <gtest/gtest.h>

#include "tests/frontends/csl/sema/project.h"

namespace tessera::csl {
namespace {

TEST(CslEvaluation, PesWithEqualBindingsShareTheirCode) {
  Project project;
  project.file("layout.csl", R"(
param width: u16;
const lib = @import_module("lib.csl", .{ .scale = 10 });
layout {
  @set_rectangle(width, 2);
  for (@range(u16, width)) |x| {
    @set_tile_code(x, 0, "pe.csl", lib.params(x % 2));
    @set_tile_code(x, 1, "other/pe.csl");
  }
})");
  project.file("lib.csl", R"(
param scale: u16;
const directions = @import_module("<directions>");
fn params(n: u16) comptime_struct {
  var list = @zeros([2]u16);
  list[0] = n * scale;
  return .{ .n = n, .list = list, .there = directions.flip(EAST) };
})");
  project.file("pe.csl", "param n: i16; param list: [2]u16; param there: direction;\n"
                         "comptime { @comptime_print(n, list, there); }");
  Options options;
  options.params = {{"width", 4}};
  std::filesystem::create_directory(project.path("other"));
  project.file("other/pe.csl", "");
  const Program& program = project.evaluate(options);
  EXPECT_EQ(program.width, 4U);
  ASSERT_EQ(program.variants.size(), 3U);
  EXPECT_EQ(program.at(0, 0).variant, program.at(2, 0).variant);
  EXPECT_NE(program.at(0, 0).variant, program.at(1, 0).variant);
  EXPECT_EQ(program.at(0, 1).variant, program.at(3, 1).variant);
  EXPECT_EQ(project.messages(), "pe.csl:2:12: 0 [2]u16{0, 0} WEST\n"
                                "pe.csl:2:12: 1 [2]u16{10, 0} WEST\n");
}

TEST(CslEvaluation, ColorsHaveRoutesAndSwitches) {
  Project project;
  project.layout("const c = @get_color(5);", R"(
@set_color_config(0, 0, c, .{
  .routes = .{ .rx = WEST, .tx = .{ RAMP, EAST } },
  .switches = .{ .pos1 = .{ .tx = EAST }, .pos2 = .{ .rx = RAMP }, .pos3 = .{ .invalid = true },
                 .current_switch_pos = 1, .ring_mode = true, .pop_mode = .{ .always_pop = true } },
  .filter = .{ .kind = .{ .counter = true }, .max_counter = 3, .fast_mode = true },
  .teardown = true });
@set_color_config(0, 0, @get_color(6), .{ .routes = 0x210, .switches = .{ .pos1 = 0x40, .pos2 = 0 } });)");
  const Pe& pe = project.evaluate().at(0, 0);
  const ColorConfig& c = pe.colors.at(5);
  EXPECT_EQ(c.rx, 1);
  EXPECT_EQ(c.tx, 16 + 2);
  EXPECT_TRUE(c.positions[0].is_valid);
  EXPECT_EQ(c.positions[0].tx, 2);
  EXPECT_FALSE(c.positions[0].rx);
  EXPECT_EQ(c.positions[1].rx, 16);
  EXPECT_FALSE(c.positions[2].is_valid);
  EXPECT_EQ(c.current_position, 1U);
  EXPECT_TRUE(c.ring_mode);
  EXPECT_EQ(c.pop_mode, "always_pop");
  EXPECT_TRUE(c.teardown);
  EXPECT_EQ(c.filter,
            (std::map<std::string, std::string>{{"kind.counter", "true"}, {"max_counter", "3"}}));
  const ColorConfig& bits = pe.colors.at(6);
  EXPECT_EQ(bits.rx, 16);
  EXPECT_EQ(bits.tx, 16);
  EXPECT_EQ(bits.positions[0].tx, 2);
  EXPECT_FALSE(bits.positions[1].is_valid);
}

TEST(CslEvaluation, ComptimeBlocksDeclareTasksQueuesAndExports) {
  Project project;
  project.layout("", "@export_name(\"x\", [*]f32, true); @export_name(\"f\", fn(i16)void);");
  project.file("pe.csl", R"(
const part = @import_module("part.csl", .{ .id = @get_local_task_id(9), .done = run });
var data = @zeros([4]f32);
var x: [*]f32 = &data;
const dsr = @get_dsr(dsr_dest, 3);
const d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> data[2 * i + 1] });
var buffer = @zeros([8]u16);
const fifo = @allocate_fifo(buffer, .{ .activate_push = @get_local_task_id(9) });
fn run(n: i16) void { x = unknown; }
task t(a: f32) void { nothing(); }
fn down() void {}
comptime {
  @export_symbol(x);
  @export_symbol(run, "f");
  @bind_data_task(t, @get_data_task_id(@get_color(4)));
  @initialize_queue(@get_input_queue(2), .{ .color = @get_color(4) });
  @set_local_color_config(@get_color(4), .{ .routes = .{ .rx = EAST, .tx = RAMP } });
  @set_teardown_handler(down, @get_color(4));
  @load_to_dsr(dsr, @set_dsd_length(@increment_dsd_offset(d, 4, u16), 1), .{ .save_address = true });
  @comptime_print(fifo);
})");
  project.file("part.csl", "param id: local_task_id; param done: fn(i16)void;\n"
                           "task local() void { done(1); }\n"
                           "comptime { @bind_local_task(local, id); @block(id); @activate(id); }");
  const Program& program = project.evaluate();
  const Tile& tile = program.variants.at(0)->tile;
  ASSERT_EQ(tile.tasks.size(), 2U);
  EXPECT_EQ(tile.tasks[0].id, 9U);  // the task of the import comes first
  EXPECT_EQ(tile.tasks[0].task.function->name.text, "local");
  EXPECT_EQ(tile.tasks[1].kind, TaskKind::kData);
  ASSERT_EQ(tile.queues.size(), 1U);
  EXPECT_EQ(tile.queues[0].id, 2U);
  ASSERT_EQ(tile.exports.size(), 2U);
  EXPECT_EQ(tile.exports[0].variable->name, "x");
  EXPECT_EQ(tile.exports[1].name, "f");
  EXPECT_EQ(tile.colors.at(4).tx, 16);
  EXPECT_EQ(tile.teardown_handlers.at(4).function->name.text, "down");
  ASSERT_EQ(tile.start.size(), 2U);
  EXPECT_EQ(tile.start[1].action, "activate");
  ASSERT_EQ(tile.dsrs.size(), 1U);
  const Dsd& dsd = *tile.dsrs[0].dsd.value().get<std::shared_ptr<const Dsd>>();
  EXPECT_EQ(dsd.base->cell->name, "data");
  EXPECT_EQ(dsd.offset, 3);
  EXPECT_EQ(dsd.extents, std::vector<std::int64_t>{1});
  EXPECT_EQ(dsd.strides, std::vector<std::int64_t>{2});
  EXPECT_EQ(tile.fifos.size(), 1U);
  EXPECT_EQ(project.messages(), "pe.csl:20:3: fifo 0\n");
  const std::string json = layout_json(program, "wse2");
  EXPECT_NE(json.find(R"("kind":"data","id":4,"task":"t")"), std::string::npos) << json;
}

TEST(CslEvaluation, ImportsAreInstancesOfTheirOwnAndRunTheirBlocks) {
  Project project;
  project.layout("").file("part.csl", "param n: i16; comptime { @comptime_print(n); }");
  project.file("pe.csl", "const a = @import_module(\"part.csl\", .{ .n = 1 });\n"
                         "const b = if (@is_arch(\"wse3\")) nothing else "
                         "@import_module(\"part.csl\", .{ .n = 2 });\n");
  project.evaluate();
  EXPECT_EQ(project.messages(), "part.csl:1:26: 1\npart.csl:1:26: 2\n");
}

TEST(CslEvaluation, LibrariesAreKnown) {
  const char* imports = "const control = @import_module(\"<control>\");\n"
                        "const switches = @import_module(\"<memcpy/memcpy_switches>\");\n"
                        "const directions = @import_module(\"<directions>\");\n"
                        "const math = @import_module(\"<math>\");\n";
  EXPECT_EQ(value_of("switches.ctrl(switches.switch_cmd_11()) == 0x0B5F9249", imports), "true");
  EXPECT_EQ(value_of("switches.ctrl(switches.teardown_cmd_1()) == 0x09DF9249", imports), "true");
  EXPECT_EQ(
      value_of(
          "control.encode_single_payload(control.opcode.SWITCH_ADV, true, {}, 0) == 0x015F0000",
          imports),
      "true");
  EXPECT_EQ(value_of("control.encode_control_task_payload(@get_control_task_id(40))", imports),
            "2621440");
  EXPECT_EQ(value_of("directions.dirToTxBits(directions.rotate_clockwise(NORTH))", imports), "64");
  EXPECT_EQ(value_of("math.max(math.abs(-2), 1)", imports), "2");
}

TEST(CslEvaluation, ParametersOfMemcpyCanBeHandedOnOneByOne) {
  const char* imports =
      "const host = @import_module(\"<memcpy/get_params>\", .{ .width = 3, .height = 1 });\n"
      "fn given(x: u16) comptime_struct { const p = host.get_params(x); return .{\n"
      "  .first_pe = p.first_pe, .last_pe = p.last_pe, .LAUNCH = p.LAUNCH,\n"
      "  .MEMCPYH2D_1 = p.MEMCPYH2D_1, .MEMCPYD2H_4 = p.MEMCPYD2H_4 }; }\n"
      "const pe = @import_module(\"<memcpy/memcpy>\", given(2));\n";
  EXPECT_EQ(value_of("pe.last_pe and !pe.first_pe", imports), "true");
  EXPECT_EQ(value_of("given(0).first_pe and !given(0).last_pe and !given(1).last_pe", imports),
            "true");
}

TEST(CslEvaluation, ValuesComeFromJsonFiles) {
  Project project;
  project.file(
      "v.json",
      R"({"n:i16": 3, "xs:comptime_struct": [1, 2.5], "w:[2]f32": [1, 2.5], "b:bool": true})");
  project.layout("const v = @import_comptime_value(comptime_struct, \"v.json\");",
                 "@comptime_print(v);");
  project.evaluate();
  EXPECT_EQ(project.messages(),
            "layout.csl:5:1: .{.n = 3, .xs = .{1, 2.5}, .w = [2]f32{1.0, 2.5}, .b = true}\n");
}

TEST(CslEvaluation, TheVersionFollowsFromConstructs) {
  Project project;
  const char* d =
      "const d = @get_dsd(fabin_dsd, .{ .extent = 4, .input_queue = @get_input_queue(2) });\n"
      "comptime { @comptime_assert(!@is_same_type(@type_of(d), void)); }";
  project.layout("").file("pe.csl", d);
  project.evaluate();
  EXPECT_EQ(project.messages(),
            "");  // no code is made that depends on it (checks_test.py has the note)
  Project older;
  older.layout("const s = @concat_structs(.{}, .{});", "@comptime_assert(!@has_field(s, \"a\"));")
      .file("pe.csl", d);
  older.evaluate();
  EXPECT_EQ(older.messages(), "");
}

TEST(CslEvaluation, MessagesTellWhoAnalysedFromWhere) {
  Project project;
  project.file("layout.csl", "param n: u16;\nlayout {\n  @set_rectangle(1, 1);\n"
                             "  @set_tile_code(0, 0, \"pe.csl\", .{ .n = n });\n}\n");
  project.file("pe.csl", "param n: u16;\nconst m = half(n);\n"
                         "fn half(x: u16) u16 {\n  @comptime_assert(x % 2 == 0, \"n is odd\");\n"
                         "  return x / 2;\n}\ncomptime {\n  @comptime_assert(m > 0);\n}\n");
  Options options;
  options.params = {{"n", 3}};
  EXPECT_EQ(project.mistake(options), R"(pe.csl:4:3: the assertion is false: n is odd
    @comptime_assert(x % 2 == 0, "n is odd");
    ^
  in a call of 'half', pe.csl:2:15
  the declaration of 'm' is used, pe.csl:8:20
  in the code 'pe.csl' of PE (0, 0), with .{.n = 3}, layout.csl:4:3)");
}

struct TileMistake {
  const char* code;
  const char* message;
};
void PrintTo(const TileMistake& m, std::ostream* os) {
  *os << m.code;
}
class CslTileMistake : public ::testing::TestWithParam<TileMistake> {};
TEST_P(CslTileMistake, IsReported) {
  const std::string message = tile_mistake(GetParam().code);
  EXPECT_EQ(message.substr(std::min(message.find(": ") + 2, message.size())), GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Builtins, CslTileMistake,
    ::testing::Values(
        TileMistake{"task t() void {} comptime { @bind_local_task(t, @get_local_task_id(9)); "
                    "@bind_local_task(t, @get_local_task_id(9)); }",
                    "@bind_local_task: the id 9 has the task 't' already"},
        TileMistake{"fn f() void {} comptime { @bind_local_task(f, @get_local_task_id(9)); }",
                    "@bind_local_task: 'f' is a function instead of a task"},
        TileMistake{"task t() void {} comptime { t(); }", "the task 't' cannot be called"},
        TileMistake{
            "task t() void {} comptime { @bind_data_task(t, @get_data_task_id(@get_color(1))); }",
            "@bind_data_task: a data task has one or two parameters, and 't' has 0"},
        TileMistake{"comptime { @initialize_queue(@get_input_queue(2)); }",
                    "@initialize_queue: the option .color is missing"},
        TileMistake{"const c = .{ .color = @get_color(1) }; comptime { "
                    "@initialize_queue(@get_input_queue(2), c); "
                    "@initialize_queue(@get_input_queue(2), c); }",
                    "@initialize_queue: the input queue 2 is initialized twice"},
        TileMistake{"var y: [*]f32; comptime { @export_symbol(y); }",
                    "@export_symbol: the layout declares no name 'y' with @export_name"},
        TileMistake{"var x: [*]u32; comptime { @export_symbol(x); }",
                    "@export_symbol: 'x' is of type '[*]u32', and @export_name declares '[*]f32'"},
        TileMistake{"const c = .{ .routes = .{ .rx = EAST } }; comptime { "
                    "@set_local_color_config(@get_color(1), c); "
                    "@set_local_color_config(@get_color(1), c); }",
                    "@set_local_color_config: the color 1 of this PE is configured twice"},
        TileMistake{"comptime { @set_local_color_config(@get_color(1), .{ .rout = 1 }); }",
                    "@set_local_color_config: the configuration has no field .routes"},
        TileMistake{"var a = @zeros([4]u16); const d = @get_dsd(mem1d_dsd, .{ .tensor_access = "
                    "|i|{4} -> a[i * i] });"
                    "comptime { @comptime_print(d); }",
                    "the index is no sum of the variables with constant factors"},
        TileMistake{
            "comptime { @set_rectangle(1, 1); }",
            "@set_rectangle: allowed only in a layout block and in functions that it calls"},
        TileMistake{"var n: i16 = 0; fn f() void { n = 1; } comptime { f(); }",
                    "a variable of the tile cannot be changed at compile time"},
        TileMistake{"comptime { const n = 1; n = 2; }",
                    "'n' is a constant and cannot be assigned to"},
        TileMistake{"const m = @import_module(\"missing.csl\");", "there is no file 'missing.csl'"},
        TileMistake{
            "fn f(n: u16) void {} comptime { f(-1); }",
            "the parameter 'n' is of type 'u16', which does not take -1 of type 'comptime_int'; "
            "the value -1 does not fit"}));

TEST(CslLayoutMistake, IsReported) {
  const auto mistake = [](const std::string& body) {
    Project project;
    project.file("layout.csl", "layout {\n" + body + "\n}\n");
    const std::string message = first_line(project.mistake());
    return message.substr(message.find(": ") + 2);
  };
  EXPECT_EQ(mistake(""), "the layout does not call @set_rectangle");
  EXPECT_EQ(mistake("@set_rectangle(2, 1); @set_tile_code(0, 0, \"pe.csl\");"),
            "no @set_tile_code for PE (1, 0)");
  EXPECT_EQ(mistake("@set_rectangle(1, 1); @set_rectangle(1, 1);"),
            "@set_rectangle: the layout calls it twice");
  EXPECT_EQ(mistake("@set_rectangle(1, 1); @set_tile_code(1, 0, \"pe.csl\");"),
            "the first argument of @set_tile_code is 1, which is not in 0..0");
  EXPECT_EQ(mistake("@set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); @set_tile_code(0, 0, "
                    "\"pe.csl\");"),
            "@set_tile_code: this PE has its code already");
  EXPECT_EQ(
      mistake(
          "@set_rectangle(1, 1); @set_tile_code(0, 0, \"pe.csl\"); @export_name(\"x\", [*]f32);"),
      "@export_name: data needs a third argument, which says whether the host may change it");
}

}  // namespace
}  // namespace tessera::csl
