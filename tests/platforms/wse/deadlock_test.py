"""A deadlock names its cause first (docs/waits.md#when-nothing-moves): a wrong color is planted in a program of 32 x 32 PEs.

    deadlock_test.py WSE_PLATFORM

Each row adds from west to east: a PE takes the sums of its western neighbour, adds its own, and passes them on; colors alternate.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

PLATFORM = pathlib.Path(sys.argv[1]).resolve()
SDK = PLATFORM.parent.parent / "sdk" / "bin"
MOST_GROUPS = 12

LAYOUT = """
param size: i16;
param wrong: i16;  // 0: nothing, 1: a color, 2: a queue, 3: a PE sends nothing
const memcpy = @import_module("<memcpy/get_params>", .{ .width = size, .height = size });

layout {
  @set_rectangle(size, size);
  for (@range(i16, size)) |y| {
    for (@range(i16, size)) |x| {
      var from: i16 = 2 + (x + 1) % 2;
      const to: i16 = 2 + x % 2;
      const is_here = x == 26 and y == 20;
      if (is_here and wrong == 1) { from = 4; }
      @set_tile_code(x, y, "pe.csl", .{ .memcpy_params = memcpy.get_params(x), .first = x == 0, .last = x == size - 1, .from = from,
                                        .to = to, .blocked = is_here and wrong == 2, .silent = is_here and wrong == 3 });
      if (x > 0) { @set_color_config(x, y, @get_color(from), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } }); }
      if (x < size - 1) { @set_color_config(x, y, @get_color(to), .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } }); }
    }
  }
  @export_name("y", [*]f32, true);
  @export_name("compute", fn() void);
}
"""
PE = """
param memcpy_params;
param first: bool;
param last: bool;
param from: i16;
param to: i16;
param blocked: bool;
param silent: bool;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
const words = 64;
const iq = @get_input_queue(2);
const oq = @get_output_queue(3);
var y = @zeros([words]f32);
var y_ptr: [*]f32 = &y;
const y_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{words} -> y[i] });
const in = @get_dsd(fabin_dsd, .{ .extent = words, .fabric_color = @get_color(from), .input_queue = iq });
const out = @get_dsd(fabout_dsd, .{ .extent = words, .fabric_color = @get_color(to), .output_queue = oq });

fn finish() void {
  if (!last and !silent) { @fmovs(out, y_dsd); }
  sys.unblock_cmd_stream();
}
task blocked_task() void { finish(); }

fn compute() void {
  if (!first) { @fadds(y_dsd, y_dsd, in); }
  if (blocked) { @activate(@get_local_task_id(10)); } else { finish(); }
}

comptime {
  @bind_local_task(blocked_task, @get_local_task_id(10));
  if (blocked) { @block(@get_local_task_id(10)); }
  if (@is_arch("wse3")) {
    @initialize_queue(iq, .{ .color = @get_color(from) });
    @initialize_queue(oq, .{ .color = @get_color(to) });
  }
  @export_symbol(y_ptr, "y");
  @export_symbol(compute);
}
"""
HOST = """
import sys
from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime
runner = SdkRuntime("out")
runner.load()
runner.run()
runner.launch("compute", nonblock=False)
runner.stop()
print("SUCCESS")
"""

# One PE, which is done, and goes on waiting for a wavelet that nobody sends.
RIM_LAYOUT = """
const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "rim.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @set_color_config(0, 0, @get_color(2), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });
  @export_name("y", [*]u32, true);
  @export_name("compute", fn() void);
}
"""
RIM = """
param memcpy_params;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
const iq = @get_input_queue(2);
var y = @zeros([2]u32);
var y_ptr: [*]u32 = &y;
var halo = @zeros([4]u32);
const in = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = @get_color(2), .input_queue = iq });
fn compute() void {
  @mov32(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> halo[i] }), in, .{ .async = true });
  y[1] = 5;
  sys.unblock_cmd_stream();
}
comptime {
  @initialize_queue(iq, .{ .color = @get_color(2) });
  @export_symbol(y_ptr, "y");
  @export_symbol(compute);
}
"""
RIM_HOST = """
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
runner = SdkRuntime("rim")
runner.load()
runner.run()
runner.launch("compute", nonblock=False)
y = np.zeros(2, np.uint32)
runner.memcpy_d2h(y, runner.get_id("y"), 0, 0, 1, 1, 2, streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR,
                  nonblock=False)
runner.stop()
assert list(y) == [0, 5], y
print("SUCCESS")
"""


class Deadlock(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        for name, text in (("layout.csl", LAYOUT), ("pe.csl", PE), ("run.py", HOST)):
            (self.work / name).write_text(text, encoding="utf-8")

    def run_it(self, wrong, *options):
        command = [PLATFORM, "layout.csl", "--params", f"size:32,wrong:{wrong}", "--launch", "compute", "--csl-version=2.10", *options]
        return subprocess.run(command, cwd=self.work, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)

    def report_of(self, wrong, *options):
        result = self.run_it(wrong, "--report", "r.json", *options)
        self.assertEqual(result.returncode, 4, result.stdout + result.stderr)
        return result, json.loads((self.work / "r.json").read_text())

    def test_a_right_program_ends_well(self):
        self.assertEqual(self.run_it(0).returncode, 0)

    def test_a_wrong_color_stands_in_the_first_line(self):
        result, report = self.report_of(1)
        first = result.stderr.splitlines()[0]
        self.assertIn("router, color 3 from RAMP waits for room at its EAST output (nobody receives color 3 there)", first)
        self.assertRegex(first, r"PE \(25, 20\)")
        groups = [line for line in result.stderr.splitlines()[1:] if line.startswith("  ")]
        self.assertLessEqual(len(groups), MOST_GROUPS, result.stderr)
        self.assertTrue(groups[0].startswith("  cause: PE (25, 20)"), groups[0])
        self.assertIn("no PE sends color 4 to it", result.stderr)
        self.assertEqual(report["groups"][0]["part"], "never")
        self.assertEqual(report["groups"][0]["tile"], report["stuck"][0]["tile"])
        self.assertLess(len(report["groups"]), 25)

    def test_the_same_on_both_structures_and_presets(self):
        for wrong, preset in ((1, "wse3"), (2, "wse2"), (2, "wse3"), (3, "wse2"), (3, "wse3")):
            done = [self.run_it(wrong, "--preset", preset, "--structure", structure) for structure in ("dense", "modules")]
            self.assertEqual([one.returncode for one in done], [4, 4])
            self.assertEqual(done[0].stderr, done[1].stderr, (wrong, preset))

    def test_a_color_without_a_route_is_told_in_both_structures(self):
        """On WSE-2 they differ in who is told first: docs/architecture.md#two-structures."""
        for structure in ("dense", "modules"):
            said = self.run_it(1, "--preset", "wse2", "--structure", structure)
            self.assertEqual(said.returncode, 4)
            self.assertRegex(said.stderr, r"PE \(2[56], 20\) .*router, color 3 from (RAMP|WEST) waits for")

    def test_a_task_that_nobody_unblocks_comes_first(self):
        result, _ = self.report_of(2)
        self.assertRegex(result.stderr.splitlines()[0], r"PE \(26, 20\).*task blocked_task .* waits for being unblocked.*: nothing else is left on")

    def test_a_pe_that_sends_nothing_is_named(self):
        result, report = self.report_of(3)
        self.assertRegex(result.stderr.splitlines()[0], r"PE \(27, 20\).*input queue 2 \(color 2\).*: \(\d+, \d+\), which sends color 2 to it, has nothing left to do")
        self.assertEqual(report["groups"][0]["part"], "rest")

    def test_a_host_program_says_the_same(self):
        environment = {**os.environ, "PATH": f"{SDK}:{os.environ['PATH']}"}
        compiled = subprocess.run(["cslc", "layout.csl", "--arch=wse3", "--fabric-dims=39,34", "--fabric-offsets=4,1",
                                   "--params=size:32,wrong:1", "-o", "out", "--memcpy", "--channels=1"],
                                  cwd=self.work, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(compiled.returncode, 0, compiled.stderr)
        environment["TESSERA_OPTIONS"] = "--report host.json --why 30,21@100000"
        result = subprocess.run(["cs_python", "run.py"], cwd=self.work, env=environment, capture_output=True, text=True, check=False,
                                stdin=subprocess.DEVNULL)
        self.assertNotEqual(result.returncode, 0)
        report = json.loads((self.work / "host.json").read_text(encoding="utf-8"))
        self.assertEqual((report["status"], report["exit_code"]), ("could_not_finish", 4))
        self.assertRegex(result.stderr, r"(?s)cycle 100000, tile \(30, 21\)\n  nothing moves any more after cycle \d+\n.*input queue 2 \(color 4\)")
        said = result.stdout + result.stderr
        line = next(line for line in said.splitlines() if "deadlock" in line)
        self.assertRegex(line, r"PE \(25, 20\).*nobody receives color 3 there")
        self.assertEqual(len(re.findall(r"^ +cause: ", said, re.MULTILINE)), 2, said)

    def test_who_waits_after_the_last_command_of_a_host_is_a_warning(self):
        """The host has its results: a PE at the rim of a published program waits for a neighbor that does not exist."""
        environment = {**os.environ, "PATH": f"{SDK}:{os.environ['PATH']}", "TESSERA_OPTIONS": "--report rim.json"}
        for name, text in (("rim_layout.csl", RIM_LAYOUT), ("rim.csl", RIM), ("rim.py", RIM_HOST)):
            (self.work / name).write_text(text, encoding="utf-8")
        for command in (["cslc", "rim_layout.csl", "--arch=wse3", "--fabric-dims=8,3", "--fabric-offsets=4,1", "-o", "rim", "--memcpy",
                         "--channels=1"], ["cs_python", "rim.py"]):
            result = subprocess.run(command, cwd=self.work, env=environment, capture_output=True, text=True, check=False,
                                    stdin=subprocess.DEVNULL)
            self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "SUCCESS\n")
        self.assertRegex(result.stderr, r"warning: end of the program: deadlock: .*PE \(0, 0\).*input queue 2 \(color 2\)")
        report = json.loads((self.work / "rim.json").read_text(encoding="utf-8"))
        self.assertEqual((report["status"], report["exit_code"]), ("finished", 0))
        alone = subprocess.run([PLATFORM, "rim_layout.csl", "--quiet", "--launch=compute"], cwd=self.work, capture_output=True, text=True, check=False)
        self.assertEqual(alone.returncode, 4, alone.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
