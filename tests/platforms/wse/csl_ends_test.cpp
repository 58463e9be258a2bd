// When a run of a CSL program has ended well, and what it copies then (docs/csl.md, docs/running.md).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/data/npy.h"
#include "tests/support/report_of.h"
#include "tests/support/run_executable.h"

namespace tessera::test::csl_ends_test {
namespace {

using ::testing::HasSubstr;

class WseCslEnds : public ::testing::TestWithParam<std::string> {
 protected:
  /// A program of two PEs: color 1 goes from PE (0, 0) to PE (1, 0), color 2 to the rim of PE (0, 0).
  /// `declarations` is the text of both codes after their constants, `send` tells them apart; `body` is that of a
  /// task that runs at the start.
  Finished run(const std::string& declarations, const std::string& body,
               std::vector<std::string> arguments = {}) const {
    write_file(folder.file("layout.csl"), R"(layout {
  @set_rectangle(2, 1);
  @set_color_config(0, 0, @get_color(1), .{ .routes = .{ .rx = RAMP, .tx = EAST } });
  @set_color_config(1, 0, @get_color(1), .{ .routes = .{ .rx = WEST, .tx = RAMP } });
  @set_tile_code(0, 0, "pe.csl", .{ .send = true });
  @set_tile_code(1, 0, "pe.csl", .{ .send = false });
  @export_name("y", [*]u32, true);
})");
    write_file(folder.file("pe.csl"), R"(param send: bool;
var y = @zeros([8]u32); var y_ptr: [*]u32 = &y;
const c = @get_color(1); const iq = @get_input_queue(2); const oq = @get_output_queue(3);
const out = @get_dsd(fabout_dsd, .{ .extent = 8, .fabric_color = c, .output_queue = oq });
const in = @get_dsd(fabin_dsd, .{ .extent = 8, .fabric_color = c, .input_queue = iq });
const y_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> y[i] });
)" + declarations + "\ntask start() void { " +
                                          body + R"( }
comptime {
  const id = @get_local_task_id(9); @bind_local_task(start, id); @activate(id);
  if (@is_arch("wse3")) { @initialize_queue(iq, .{ .color = c }); @initialize_queue(oq, .{ .color = c }); }
  @export_symbol(y_ptr, "y");
})");
    arguments.insert(arguments.begin(),
                     {folder.file("layout.csl"), "--structure", GetParam(), "--quiet"});
    return run_executable("wse_platform", arguments);
  }
  TemporaryFolder folder;
};
INSTANTIATE_TEST_SUITE_P(Structures, WseCslEnds, ::testing::Values("modules", "dense"));

TEST_P(WseCslEnds, OperationsThatLackWaveletsAreADeadlock) {
  for (const std::string options : {"", ", .{ .async = true }"}) {
    const Finished finished = run("", "if (!send) { @mov32(y_dsd, in" + options + "); }");
    EXPECT_EQ(finished.exit_code, 4);
    EXPECT_THAT(finished.err, HasSubstr("deadlock: nothing moves any more"));
    EXPECT_THAT(finished.err, HasSubstr("PE (1, 0)"));
    EXPECT_THAT(finished.err,
                HasSubstr("a wavelet on input queue 2 (color 1); 0 of 8 elements done"));
  }
}

// Where a descriptor comes from an array, a pointer, a choice or a function, only the run knows its elements.
TEST_P(WseCslEnds, ElementsAreAsWideAsThoseOfTheOperation) {
  const std::string memory =
      "var f = [8]f32{ 1, 2, 3, 4, 5, 6, 7, 8 }; var h = @zeros([8]f16); var u = @zeros([8]u32);\n"
      "const f_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> f[i] });\n"
      "const h_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> h[i] });\n"
      "const u_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> u[i] });\n"
      "const Pair = struct { d: mem1d_dsd, n: u16 };\n"
      "var two = [2]mem1d_dsd{ h_dsd, f_dsd }; var numbers = [2]mem1d_dsd{ h_dsd, u_dsd };\n"
      "var pair = Pair{ .d = f_dsd, .n = 1 }; var one = f_dsd; var k: u16 = 1;\n"
      "fn use(p: *mem1d_dsd) void { @faddh(p.*, p.*, @as(f16, 1.0)); }\n"
      "fn choose() mem1d_dsd { return two[k]; }\n"
      "fn more(x: f16) f16 { return x + 1.0; }\n"
      "fn step(x: u16) u16 { return x + 1; }\n";
  for (const std::string wrong :
       {"@faddh(two[k], two[k], @as(f16, 1.0));", "use(&one);", "use(&pair.d);",
        "const d = choose(); @fsubh(d, d, @as(f16, 1.0));", "@map(more, two[k], two[k]);",
        "@map(step, numbers[k], numbers[k]);",
        "const d = if (k == 1) f_dsd else h_dsd; @faddh(d, d, @as(f16, 1.0));",
        "two[0] = @increment_dsd_offset(two[k], 1, f32); use(&two[0]);"}) {
    const Finished finished = run(memory, wrong);
    EXPECT_EQ(finished.exit_code, 4) << wrong << finished.err;
    EXPECT_THAT(finished.err, HasSubstr("[/tessera/pe/element_size]")) << wrong;
  }
  for (const std::string right :
       {"k = 0; @faddh(two[k], two[k], @as(f16, 1.0));", "@fadds(two[k], two[k], 1.0);",
        "@fmovs(two[k], 1.0); @mov16(two[k], 1); @mov32(numbers[k], 1); @map(more, two[0], "
        "two[0]);",
        "two[k] = @set_dsd_base_addr(two[k], h); @faddh(two[k], two[k], @as(f16, 1.0));",
        "@faddh(@set_dsd_base_addr(two[k], h), h_dsd, @as(f16, 1.0));",
        "const p = &h; @faddh(@set_dsd_base_addr(f_dsd, p), h_dsd, @as(f16, 1.0));"}) {
    const Finished finished = run(memory, right);
    EXPECT_EQ(finished.exit_code, 0) << right << finished.err;
  }
}

TEST_P(WseCslEnds, WaveletsWithoutAWayAreADeadlock) {
  // One wavelet leaves its sender and has no route behind it; nobody else waits.
  const std::string other = "const o2 = @get_output_queue(4);\n"
                            "const lost = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = "
                            "@get_color(2), .output_queue = o2 });\n"
                            "comptime { if (@is_arch(\"wse3\")) { @initialize_queue(o2, .{ .color "
                            "= @get_color(2) }); } }";
  const Finished finished = run(other, "if (send) { @mov32(lost, 7); }");
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.err, HasSubstr("color 2"));
}

TEST_P(WseCslEnds, ATaskThatNobodyUnblocksIsADeadlock) {
  const std::string blocked =
      "task more() void {}\n"
      "comptime { const m = @get_local_task_id(10); @bind_local_task(more, m); @block(m); }";
  const Finished finished = run(blocked, "@activate(@get_local_task_id(10));");
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.err, HasSubstr("task more (id 10) waits for being unblocked"));
}

TEST_P(WseCslEnds, ServicesMayWaitForEver) {
  const std::string data_task =
      "task more(w: u32) void { y[0] += w; }\n"
      "comptime { @bind_data_task(more, if (@is_arch(\"wse3\")) @get_data_task_id(iq) else "
      "@get_data_task_id(c)); }";
  EXPECT_EQ(run(data_task, "").exit_code, 0);
  const std::string endless =
      "const all = @get_dsd(fabin_dsd, .{ .extent = 0x7fff, .fabric_color = c, .input_queue = iq "
      "});\nconst y0 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{1} -> y[0] });";
  EXPECT_EQ(run(endless, "if (!send) { @mov32(y0, all, .{ .async = true }); }").exit_code, 0);
}

TEST_P(WseCslEnds, ARunInWhichNothingBeginsSaysWhatIsMissing) {
  write_file(folder.file("layout.csl"), R"(layout {
  @set_rectangle(1, 1); @set_tile_code(0, 0, "pe.csl", .{});
  @export_name("go", fn() void);
})");
  write_file(folder.file("pe.csl"), "fn go() void { } comptime { @export_symbol(go); }");
  const Finished idle = run_executable(
      "wse_platform", {folder.file("layout.csl"), "--structure", GetParam(), "--quiet"});
  EXPECT_EQ(idle.exit_code, 2);
  EXPECT_THAT(idle.err, HasSubstr("exports go for the host"));
}

TEST_P(WseCslEnds, OutputsAreCopiedWhenTheProgramHasEnded) {
  const std::string counter =
      "const many = @get_dsd(fabout_dsd, .{ .extent = 300, .fabric_color = c, .output_queue = oq "
      "});\ntask more(w: u32) void { y[0] += w; }\n"
      "comptime { @bind_data_task(more, if (@is_arch(\"wse3\")) @get_data_task_id(iq) else "
      "@get_data_task_id(c)); }";
  for (const std::string arch : {"wse2", "wse3"}) {
    const Finished finished = run(counter, "if (send) { @mov32(many, 2, .{ .async = true }); }",
                                  {"--preset", arch, "--output", "y=" + folder.file("y.npy")});
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
    const data::HostArray y = data::read_npy(folder.file("y.npy"));
    EXPECT_EQ(y.at(8), 600) << arch;
  }
}

TEST_P(WseCslEnds, WaveletsThatNobodyReadsAreCountedIfTheirQueueTakesThem) {
  const std::string few =
      "const few = @get_dsd(fabout_dsd, .{ .extent = 3, .fabric_color = c, .output_queue = oq });";
  const Finished finished =
      run(few, "if (send) { @mov32(few, 7); }", {"--report", folder.file("report.json")});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_THAT(read_file(folder.file("report.json")),
              HasSubstr("left in the fabric that no PE reads: PE (1, 0), input queue 2"));
  const Finished stuck = run("", "if (send) { @mov32(out, 7); }");
  EXPECT_EQ(stuck.exit_code, 4);
  EXPECT_THAT(stuck.err, HasSubstr("input queue 2 (color 1) waits for a reader"));
}

}  // namespace
}  // namespace tessera::test::csl_ends_test
