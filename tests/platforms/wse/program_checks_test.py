"""Checks of programs (docs/checks.md): each kind of bug is planted in several ways and named with place, symbol and line, the same in both
structures and for any number of threads; programs without a bug stay clean under all checks together.

program_checks_test.py WSE_PLATFORM SOURCES"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLATFORM = pathlib.Path(sys.argv[1]).resolve()
SOURCES = pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = SOURCES / "examples"
SDK = PLATFORM.parent.parent / "sdk" / "bin"
ALL_CHECKS = ["--check-memory", "--check-routes=error", "--check-unread"]

ONE_PE = """layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{});
}
"""
# `y` lies before `x`, so what goes beyond its end hits x.
MEMORY = """var y = @zeros([16]f32);
var x = @zeros([16]f32);
var raw: [16]f32 = undefined;
var n: i16 = 4;
var sum: f32 = 0.0;
const y_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> y[i] });
const x_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> x[i] });
const raw_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> raw[i] }); const next_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{15} -> raw[i + 1] }); const first_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{15} -> raw[i] });
var moving = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> y[i] });
task start() void {
  BODY
}
comptime { @bind_local_task(start, @get_local_task_id(8)); @activate(@get_local_task_id(8)); }
"""
LINE = 11  # of BODY

PAIR = """layout {
  @set_rectangle(3, 1);
  for (@range(i16, 3)) |x| { @set_tile_code(x, 0, "pe.csl", .{ .send = x == 0, .receive = x == 2, .color_in = COLOR_IN }); }
  ROUTES
}
"""
PAIR_PE = """param send: bool;
param receive: bool;
param color_in: i16;
var y = @zeros([8]u32);
const iq = @get_input_queue(2);
const oq = @get_output_queue(3);
const out = @get_dsd(fabout_dsd, .{ .extent = 8, .fabric_color = @get_color(1), .output_queue = oq });
const in = @get_dsd(fabin_dsd, .{ .extent = READS, .fabric_color = @get_color(color_in), .input_queue = iq });
const y_dsd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> y[i] });
task start() void {
  if (send) { @mov32(out, y_dsd); }
  if (receive) { @mov32(y_dsd, in); }
}
comptime {
  @bind_local_task(start, @get_local_task_id(9));
  @activate(@get_local_task_id(9));
  if (@is_arch("wse3")) {
    if (receive) { @initialize_queue(iq, .{ .color = @get_color(color_in) }); }
    if (send) { @initialize_queue(oq, .{ .color = @get_color(1) }); }
  }
}
"""


def route(x, color, rx, tx):
    return f"@set_color_config({x}, 0, @get_color({color}), .{{ .routes = .{{ .rx = .{{ {rx} }}, .tx = .{{ {tx} }} }} }});\n"


GOOD_ROUTES = [route(0, 1, "RAMP", "EAST"), route(1, 1, "WEST", "EAST"), route(2, 1, "WEST", "RAMP")]


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_platform(self, program, *options, exit_code=0):
        command = [PLATFORM, program, *options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300, cwd=self.folder,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, exit_code, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def everywhere(self, *options, exit_code=0, presets=("wse2", "wse3")):
        """What the run of layout.csl says, with the place of its code; the same in both structures and with threads."""
        said = {}
        for preset, code in (("wse2", "plain"), ("wse3", "vendor")):
            if preset not in presets:
                continue
            texts = {self.run_platform("layout.csl", "--preset", preset, "--quiet", "--csl-version", "2.10", "--csl-code", code, *options, *way,
                                       exit_code=exit_code)
                     for way in (["--structure", "modules"], ["--structure", "dense", "--threads", "2"])}
            self.assertEqual(len(texts), 1, texts)
            said[preset, code] = texts.pop()
        return said

    def memory(self, body, *expected):
        (self.folder / "layout.csl").write_text(ONE_PE)
        (self.folder / "pe.csl").write_text(MEMORY.replace("BODY", body))
        self.everywhere()
        for text in self.everywhere("--check-memory", exit_code=4 if expected else 0).values():
            for words in expected:
                self.assertIn(words, text)
        if not expected:
            return
        report = self.folder / "report.json"
        self.run_platform("layout.csl", "--quiet", "--check-memory=report", "--report", report)
        found = [check for check in json.loads(report.read_text())["checks"] if not check["passed"]]
        self.assertTrue(found)
        for words in expected:
            self.assertIn(words, found[0]["detail"] + " [" + found[0]["name"] + "]")

    def test_what_a_descriptor_reaches_beyond_its_array(self):
        where = f"PE (0, 0), pe.csl:{LINE}"
        beyond = "[/tessera/pe/object_bounds]"
        self.memory("moving = @increment_dsd_offset(moving, n, f32); @fmovs(moving, 1.0); sum = x[n];", where, "writes y[16]", "there lies x[0]", beyond)
        self.memory("moving = @set_dsd_length(moving, @as(u16, n + 13)); @fmovs(moving, 1.0); sum = x[n];", where, "writes y[16]", "there lies x[0]", beyond)
        self.memory("moving = @set_dsd_stride(moving, @as(i8, n - 2)); @fmovs(moving, 1.0);", where, "writes y[16]", "element 8", beyond)
        self.memory("moving = @increment_dsd_offset(moving, n, f32); @fmovs(x_dsd, moving);", where, "reads y[16]", "source 1", beyond)
        self.memory("moving = @set_dsd_base_addr(moving, &x[0]); moving = @increment_dsd_offset(moving, n + 1, f32); @fadds(moving, moving, y_dsd);",
                    where, "x[16]", beyond)
        self.memory("moving = @set_dsd_base_addr(moving, &x[0]); moving = @increment_dsd_offset(moving, 0 - n, f32); @fmovs(moving, 1.0); sum = y[n];",
                    where, beyond)

    def test_accesses_through_a_pointer_beyond_all_data(self):
        self.memory("const p = @as([*]u16, @ptrcast([*]u16, &y)); p[n * 4000] = 1;", f"pe.csl:{LINE}", "[/tessera/pe/object_bounds]")

    def test_memory_that_nobody_has_written(self):
        where, unwritten = f"PE (0, 0), pe.csl:{LINE}", "[/tessera/pe/unwritten_memory]"
        self.memory("sum += raw[n];", where, "raw[4]", unwritten)
        self.memory("@fadds(y_dsd, y_dsd, raw_dsd);", where, "raw[0]", "source 2 of fadds", unwritten)
        self.memory("@fadds(raw_dsd, raw_dsd, x_dsd);", where, "raw[0]", "source 1 of fadds", unwritten)
        self.memory("@fadds(next_dsd, first_dsd, 1.0);", where, "raw[0]", "source 1 of fadds", unwritten)
        self.memory("for (@range(i16, 15)) |i| { raw[i] = 1.0; } @fmovs(x_dsd, raw_dsd);", where, "raw[15]", unwritten)

    def test_memory_without_a_bug(self):
        self.memory("@fmovs(moving, 1.0); moving = @set_dsd_length(moving, 12); moving = @increment_dsd_offset(moving, n, f32); @fmovs(moving, 2.0);")
        self.memory("raw[0] = 1.0; @fadds(next_dsd, first_dsd, 1.0); @fadds(raw_dsd, raw_dsd, x_dsd);")
        self.memory("@fmovs(raw_dsd, 1.0); sum += raw[n]; @fadds(y_dsd, x_dsd, raw_dsd);")
        self.memory("for (@range(i16, 16)) |i| { raw[i] = x[i]; } @fmovs(y_dsd, raw_dsd); sum += y[n] + x[15 - n];")
        self.memory("moving = @set_dsd_base_addr(moving, &raw[0]); @fmovs(moving, 3.0); sum = raw[15];")

    def test_tile_assembly(self):
        (self.folder / "layout.json").write_text(json.dumps({
            "schema": "tessera-wse-layout-1", "grid": [2, 1], "tiles": [{"rect": [0, 0, 2, 1], "code": "t.tasm"}], "host": [{"launch": "main"}]}))
        for body, options, expected in (
                ("lddsr dds1, all\n incdsa dds1, 2\n lddsr s1ds1, two\n mov32 dds1, s1ds1", [], None),
                ("lddsr dds1, all\n incdsa dds1, 3\n lddsr s1ds1, two\n mov32 dds1, s1ds1", [], "writes y[4]"),
                ("lddsr dds1, all\n incdsa dds1, 4\n lddsr s1ds1, two\n mov32 dds1, s1ds1", [], "writes y[4]"),
                ("ld32 d0, [b]", [], "reads b[0], which nobody has written"),
                ("movri r0, 40000\n st16 [r0], r1", [], "address 40000"),
                ("movri d0, 1\n st32 [b], d0\n ld32 d0, [b]", [], None)):
            with self.subTest(body):
                (self.folder / "t.tasm").write_text("data y: u32[4] = 1\ndata x: u32[4] = 1\ndata b: u32[1]\ndsd all mem1d y\ndsd two mem1d x extent=2\n"
                                                    f"fn main\n {body}\n ret\n")
                for structure in ("modules", "dense"):
                    said = self.run_platform("layout.json", "--check-memory", "--quiet", "--structure", structure, *options, exit_code=4 if expected else 0)
                    self.assertIn(expected or "", said)
                    self.assertIn("PE (0, 0), t.tasm:" if expected else "", said)

    def routes(self, routes, color_in=1, reads=8):
        (self.folder / "layout.csl").write_text(PAIR.replace("ROUTES", "".join(routes)).replace("COLOR_IN", str(color_in)))
        (self.folder / "pe.csl").write_text(PAIR_PE.replace("READS", str(reads)))

    def faulty_routes(self, routes, *expected, color_in=1):
        self.routes(routes, color_in)
        for text in self.everywhere("--check-routes=error", exit_code=4).values():
            for words in expected:
                self.assertIn(words, text)
        text = self.run_platform("layout.csl", "--max-cycles", "20000", exit_code=4)
        self.assertIn(expected[0], text)
        self.assertNotIn(expected[0], self.run_platform("layout.csl", "--max-cycles", "20000", "--check-routes=off", exit_code=4))

    def test_routes_without_a_receiver(self):
        end = "[/tessera/fabric/no_receiver]"
        self.faulty_routes([GOOD_ROUTES[0], route(1, 2, "WEST", "EAST"), GOOD_ROUTES[2]],
                           "color 1 of tile (0, 0) leaves EAST into tile (1, 0), which has no route for it and receives color 2 from WEST", end)
        self.faulty_routes([GOOD_ROUTES[0], route(1, 1, "NORTH", "EAST"), GOOD_ROUTES[2]],
                           "color 1 of tile (0, 0) leaves EAST into tile (1, 0), which receives it from NORTH only", end)
        self.faulty_routes([*GOOD_ROUTES[:2], route(2, 3, "WEST", "RAMP")], "color 1 of tile (1, 0) leaves EAST into tile (2, 0)", "PE (0, 0) sends it", end,
                           color_in=3)

    def test_colors_without_a_queue(self):
        self.faulty_routes(GOOD_ROUTES, "color 1 of tile (2, 0) goes to its PE, whose program", "no input queue for it", "[/tessera/fabric/no_queue]",
                           color_in=4)
        self.faulty_routes([GOOD_ROUTES[0], route(1, 1, "WEST", "RAMP, EAST"), GOOD_ROUTES[2]], "color 1 of tile (1, 0) goes to its PE",
                           "[/tessera/fabric/no_queue]")

    def test_endless_rings(self):
        rows = "\n".join(f"@set_tile_code({x}, {y}, \"pe.csl\", .{{ .send = false, .receive = false, .color_in = 1 }});" for x in (0, 1) for y in (1, ))
        ring = "".join(f"@set_color_config({x}, {y}, @get_color(1), .{{ .routes = .{{ .rx = .{{ {rx} }}, .tx = .{{ {tx} }} }} }});\n"
                       for x, y, rx, tx in ((0, 0, "RAMP, SOUTH", "EAST"), (1, 0, "WEST", "SOUTH"), (1, 1, "NORTH", "WEST"), (0, 1, "EAST", "NORTH")))
        (self.folder / "layout.csl").write_text("layout {\n  @set_rectangle(2, 2);\n" + "".join(
            f"@set_tile_code({x}, 0, \"pe.csl\", .{{ .send = {str(x == 0).lower()}, .receive = false, .color_in = 1 }});\n" for x in (0, 1)) + rows + ring + "}\n")
        (self.folder / "pe.csl").write_text(PAIR_PE.replace("READS", "8"))
        for text in self.everywhere("--check-routes=error", exit_code=4, presets=("wse2",)).values():
            self.assertIn("color 1 of tile (0, 0) goes round a ring of 4 tiles without an end: what PE (0, 0) sends stays in it", text)

    def test_equal_faults_are_one(self):
        (self.folder / "layout.csl").write_text("""layout {
  @set_rectangle(3, 8);
  for (@range(i16, 8)) |y| {
    for (@range(i16, 3)) |x| { @set_tile_code(x, y, "pe.csl", .{ .send = x == 0, .receive = x == 2, .color_in = 1 }); }
    @set_color_config(0, y, @get_color(1), .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });
    @set_color_config(1, y, @get_color(2), .{ .routes = .{ .rx = .{ WEST }, .tx = .{ EAST } } });
  }
}
""")
        (self.folder / "pe.csl").write_text(PAIR_PE.replace("READS", "8"))
        text = self.run_platform("layout.csl", "--check-routes=error", exit_code=4)
        self.assertIn("7 more tiles likewise", text)
        self.assertNotIn("more fault", text)

    def test_wavelets_that_nobody_reads(self):
        for reads in (8, 7, 5):
            self.routes(GOOD_ROUTES, reads=reads)
            self.everywhere()
            for text in self.everywhere("--check-unread", exit_code=0 if reads == 8 else 4).values():
                expected = "" if reads == 8 else f"{8 - reads} wavelet" + ("" if reads == 7 else "s") + " left in the fabric that no PE reads"
                self.assertIn(expected, text)
                self.assertIn("" if reads == 8 else "PE (2, 0), input queue 2 (color 1)", text)

    def test_clean_programs_stay_clean(self):
        self.routes(GOOD_ROUTES)
        for text in self.everywhere(*ALL_CHECKS).values():
            self.assertEqual(text, "")
        for layout in sorted(EXAMPLES.glob("*/layout.json")):
            with self.subTest(layout.parent.name):
                plain, checked = (json.loads(self.report_of(layout, options)) for options in ([], ALL_CHECKS))
                self.assertEqual(plain["digest"], checked["digest"])
                self.assertEqual(plain["checks"], checked["checks"])

    def report_of(self, layout, options):
        path = self.folder / "report.json"
        self.run_platform(layout, "--quiet", "--report", path, *options)
        return path.read_text()

    def host_program(self, options, change=lambda text: text):
        copy = pathlib.Path(shutil.copytree(EXAMPLES / "csl" / "gemv", self.folder / "gemv", dirs_exist_ok=True))
        (copy / "pe.csl").write_text(change((copy / "pe.csl").read_text()))
        environment = {**os.environ, "PATH": f"{SDK}:{os.environ['PATH']}", "TESSERA_OPTIONS": options}
        return subprocess.run(["bash", "-e"], input=(copy / "commands.sh").read_text(), cwd=copy, env=environment, capture_output=True, text=True,
                              check=False)

    def test_host_programs(self):
        done = self.host_program(" ".join(ALL_CHECKS))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("warning", done.stderr)
        bug = re.compile(r"(fn compute\(\) void \{)")
        done = self.host_program("--check-memory", lambda text: bug.sub(r"\1 planted = planted + never_written;", text, count=1)
                                 + "\nvar never_written: i16 = undefined;\nvar planted: i16 = 0;\n")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("never_written[0], which nobody has written", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
