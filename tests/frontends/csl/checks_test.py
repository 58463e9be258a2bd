"""What tessera_cslc knows of a whole program: its version, the memory that its operations touch, and its own stack.

    checks_test.py CSLC WSE_PLATFORM
"""
import array
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CSLC, PLATFORM = sys.argv[1:3]
LAYOUT = 'layout { @set_rectangle(1, 1); @set_tile_code(0, 0, "pe.csl"); }'
TASK = "task t() void { %s }\ncomptime { const id = @get_local_task_id(8); @bind_local_task(t, id); @activate(id); %s }"


def small_stack():
    resource.setrlimit(resource.RLIMIT_STACK, (256 << 10, 256 << 10))


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = Path(holder.name)

    def run_tool(self, tool, *arguments, **options):
        return subprocess.run([tool, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False,
                              timeout=300, **options)

    def compile(self, pe, *arguments, layout=LAYOUT, **options):
        (self.folder / "layout.csl").write_text(layout)
        (self.folder / "pe.csl").write_text(pe)
        return self.run_tool(CSLC, "layout.csl", "-o", "out", *arguments, **options)


class Versions(Case):
    """The sender shows nothing of its version, the receiver is of 1.4: one element a wavelet, for both."""

    SENDER = """param c: color;
var v = [4]i16{ 1, 2, 3, 4 };
const vd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> v[i] });
const oq = @get_output_queue(2);
const out = @get_dsd(fabout_dsd, .{ .extent = 4, .fabric_color = c, .output_queue = oq });
""" + TASK % ("@mov16(out, vd, .{ .async = true });", "if (@is_arch(\"wse3\")) { @initialize_queue(oq, .{ .color = c }); }")
    RECEIVER = """param c: color;
var w = @zeros([4]i16); var p: [*]i16 = &w;
const wd = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> w[i] });
const iq = @get_input_queue(2);
const in = @get_dsd(fabin_dsd, .{ .extent = 4, .fabric_color = c, .input_queue = iq });
fn n(comptime s: comptime_struct) i16 { return s.x; }
""" + TASK % ("w[0] = n(.{ .x = 1 }); @mov16(wd, in, .{ .async = true });",
              "@initialize_queue(iq, .{ .color = c }); @export_symbol(p, \"w\");")

    def layout(self, first_sends):
        east, west = ("a", "b") if first_sends else ("b", "a")
        from_, to = (0, 1) if first_sends else (1, 0)
        return f"""const c: color = @get_color(5);
layout {{ @set_rectangle(2, 1);
  @set_tile_code(0, 0, "{east}.csl", .{{ .c = c }}); @set_tile_code(1, 0, "{west}.csl", .{{ .c = c }});
  @set_color_config({from_}, 0, c, .{{ .routes = .{{ .rx = RAMP, .tx = {"EAST" if first_sends else "WEST"} }} }});
  @set_color_config({to}, 0, c, .{{ .routes = .{{ .rx = {"WEST" if first_sends else "EAST"}, .tx = RAMP }} }});
  @export_name("w", [*]i16, true);
}}"""

    def test_the_order_of_codes_makes_no_difference(self):
        (self.folder / "a.csl").write_text(self.SENDER)
        (self.folder / "b.csl").write_text(self.RECEIVER)
        for arch in ("wse2", "wse3"):
            for first_sends in (True, False):
                (self.folder / "layout.csl").write_text(self.layout(first_sends))
                done = self.run_tool(PLATFORM, "layout.csl", "--preset", arch, "--quiet")
                self.assertEqual((done.returncode, done.stderr), (0, ""), f"{arch} {first_sends}")

    def test_the_note_appears_when_code_depends_on_the_version(self):
        note = "note: nothing tells for which version of CSL the program is written"
        self.assertIn(note, self.compile(self.SENDER.replace("param c: color;", "const c = @get_color(5);")).stderr)
        mode = self.SENDER.replace("param c: color;", "const c = @get_color(5);").replace(".extent = 4,", ".extent = 4, .simd_mode = .{ .simd_32 = true },")
        self.assertNotIn(note, self.compile(mode).stderr)
        unused = self.SENDER.replace("param c: color;", "const c = @get_color(5);").replace("@mov16(out, vd, .{ .async = true });", "v[0] = 2;")
        self.assertNotIn(note, self.compile(unused).stderr)

    def test_the_note_on_a_color_with_two_queues_names_its_microthread(self):
        into = "const in{0} = @get_dsd(fabin_dsd, .{{ .extent = 4, .fabric_color = @get_color(3), .input_queue = @get_input_queue({0}) }});\n"
        code = ("var a = @zeros([4]u32);\nconst d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] });\n" + into.format(4) +
                into.format(5) + TASK % ("@mov32(d, in4, .{ .async = true }); @mov32(d, in5, .{ .async = true });", ""))
        done = self.compile(code, "--csl-version=1.4")
        self.assertIn("note: the color 3 has the input queue 4: the operation that names the input queue 5 runs on the microthread 4\n",
                      done.stderr)
        self.assertNotIn("several colors", done.stderr)


class Operators(Case):
    """Those of bits have one level here and three in C."""

    NOTE = "'&', '^' and '|' without parentheses are carried out from the left, unlike in C\n"

    def note_on(self, expression):
        return self.compile("var r: u16 = 1; var s: u16 = 6;\n" + TASK % ("r = " + expression + ";", "")).stderr

    def test_groups_that_c_makes_otherwise_are_told(self):
        begin = len("task t() void { r = ") + 1
        for expression, at in (("r << 1 | s & 1", 11), ("r ^ s & 1", 6), ("r | s ^ 1", 6), ("(r | s) + (r & s | s & 1)", 21)):
            self.assertIn(f"pe.csl:2:{begin + at}: note: " + self.NOTE, self.note_on(expression), expression)

    def test_others_are_not(self):
        for expression in ("r << 1 | (s & 1)", "(r | s) & 1", "r & s | 1", "r & s ^ 1", "r | s | 1", "r | s + 1", "(r | s) & (s ^ r)"):
            self.assertEqual(self.note_on(expression), "", expression)


class Imports(Case):
    LAYOUT = """const c2d = @import_module("<collectives_2d/params>");
layout { @set_rectangle(2, 1); for (@range(u16, 2)) |x| { @set_tile_code(x, 0, "pe.csl", .{ .p = c2d.get_params(x, 0, .{
  .x_colors = .{ @get_color(0), @get_color(1) }, .x_entrypoints = .{ @get_local_task_id(10), @get_local_task_id(11) } }) }); } }"""

    def test_modules_of_the_library_mean_each_other(self):
        # One of them imports <layout>, and the program has a file of this name in the folder of its imports.
        code = 'param p: comptime_struct;\nconst row = @import_module("<collectives_2d/pe>", .{ .dim_params = p.x });\n' + TASK % ("row.init();", "")
        done = self.compile(code, "--import-path=.", layout=self.LAYOUT)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Memory(Case):
    DATA = "var a = @zeros([8]f32); var b = @zeros([4, 4]f32); var h = @zeros([8]f16);\n"

    def compiled(self, dsd, *arguments, operation="@fmovs(d, 1.0);"):
        text = self.DATA + f"const d = {dsd};\n" + TASK % (f"{operation} b[0, 0] = 1.0; h[0] = 1.0; a[0] = 1.0;", "")
        return self.compile(text, *arguments)

    def test_operations_inside_of_their_arrays_are_accepted(self):
        for dsd in ("@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] })",
                    "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[2 * i + 1] })",
                    "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[7 - i] })",
                    "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> b[i, 3 - i] })",
                    "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{65535} -> a[7] })",
                    "@get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = 5, .offset = 3 })",
                    "@set_dsd_length(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{200} -> a[i] }), 8)",
                    "@increment_dsd_offset(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] }), 4, f32)",
                    "@set_dsd_base_addr(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{16} -> a[i] }), b)",
                    "@get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{4, 4} -> b[i, j] })",
                    "@get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{4, 4} -> b[3 - j, i] })",
                    "@get_dsd(mem4d_dsd, .{ .tensor_access = |i, j, k|{9, 2, 2} -> b[j, k + 3 * j] })"):
            done = self.compiled(dsd)
            self.assertEqual((done.returncode, done.stderr), (0, ""), dsd)

    def test_operations_beyond_are_errors_or_warnings(self):
        for dsd in ("@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{9} -> a[i] })",
                    "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[6 - i] })",
                    "@get_dsd(mem1d_dsd, .{ .base_address = &a, .extent = 5, .offset = 4 })",
                    "@set_dsd_length(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] }), 9)",
                    "@set_dsd_stride(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] }), 2)",
                    "@set_dsd_base_addr(@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{9} -> b[i, 0] }), a)",
                    "@get_dsd(mem4d_dsd, .{ .tensor_access = |i, j|{4, 5} -> b[i, j] })",
                    "@get_dsd(mem4d_dsd, .{ .tensor_access = |i, j, k|{9, 2, 2} -> b[j, k + 15 * j] })"):
            done = self.compiled(dsd)
            self.assertEqual(done.returncode, 2, dsd)
            self.assertRegex(done.stderr, r"pe\.csl:3:\d+: the descriptor reaches from element -?\d+ to element \d+ of '[ab]'")
            allowed = self.compiled(dsd, "--allow-dsd-overrun")
            self.assertEqual(allowed.returncode, 0, dsd)
            self.assertRegex(allowed.stderr, r"pe\.csl:3:\d+: warning: the descriptor reaches ")
            self.assertEqual(self.compiled(dsd, "--allow-dsd-overrun", "--warnings-as-errors").returncode, 2)

    REGISTERS = """var a = @zeros([8]f32);
var b = @zeros([8]f32);
var n: u16 = 1;
const d8 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });
const d4 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[2 * i] });
const b4 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> b[i] });
const b8 = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> b[i] });
const r = @get_dsr(dsr_dest, 3); const s = @get_dsr(dsr_src1, 3);
fn loads() void { @load_to_dsr(r, b4); }
fn f(x: f32) f32 { return x; }
"""

    def test_what_a_register_has_is_known_as_long_as_code_runs_straight_on(self):
        load, saves = "@load_to_dsr(r, d8); ", "@load_to_dsr(r, %s, .{ .save_address = true }); "
        for code, status in (
                (load + "@set_dsr_base_addr(r, &a[3]); @fmovs(r, 1.0);", 2),
                (load + "@set_dsr_base_addr(r, &b[0]); @fmovs(r, 1.0);", 0),
                (load + "@set_dsr_base_addr(r, &a[3]); @fmovs(r, b4);", 0),
                (load + "@set_dsr_base_addr(r, &a[5]); @fmovs(r, b4);", 2),
                (load + "@set_dsr_base_addr(r, &a[n]); @fmovs(r, 1.0);", 0),
                ("@set_dsr_base_addr(r, &a[3]); @fmovs(r, 1.0);", 2),  # loaded before the program runs
                (saves % "d8" + "@fmovs(r, 1.0);", 0),
                (saves % "d8" + "@fmovs(r, 1.0); @fmovs(r, 2.0);", 2),
                (saves % "d8" + "@fmovs(r, b4); @fmovs(r, b4);", 0),
                (saves % "d8" + "@fmovs(r, b4); @fmovs(r, b4); @fmovs(r, b4);", 2),
                (saves % "d4" + "@fmovs(r, 1.0); @fmovs(r, 2.0);", 2),
                (saves % "d8" + "@fmovs(r, 1.0); @set_dsr_base_addr(r, &a[0]); @fmovs(r, 2.0);", 0),
                (saves % "d8" + "@fmovs(r, 1.0); " + load + "@fmovs(r, 2.0);", 0),
                (saves % "d8" + "@fmovs(r, 1.0); if (n == 2) { @fmovs(r, 2.0); }", 0),
                (saves % "d8" + "@fmovs(r, 1.0); loads(); @fmovs(r, 2.0);", 0),  # a call may load it
                (saves % "d8" + "while (n < 2) { n += 1; @fmovs(r, 1.0); }", 0),
                ("while (n < 3) { n += 1; " + saves % "d8" + "@fmovs(r, 1.0); @fmovs(r, 2.0); }", 2),
                (load + "@load_to_dsr(s, b8); @fmovs(r, s);", 0),
                ("@load_to_dsr(r, d4); @load_to_dsr(s, b8); @fmovs(r, s);", 2)):
            comptime = "" if "load_to_dsr" in code else "@load_to_dsr(r, d8);"
            code += " b[0] = 1.0;"
            done = self.compile(self.REGISTERS + TASK % (code, comptime))
            self.assertEqual(done.returncode, status, (code, done.stderr))
            if status == 0:
                self.assertEqual(done.stderr, "", code)
                continue
            self.assertRegex(done.stderr, r"error: pe\.csl:11:\d+: the descriptor reaches from element \d+ to element \d+ of 'a', which has 8", code)
            allowed = self.compile(self.REGISTERS + TASK % (code, comptime), "--allow-dsd-overrun")
            self.assertEqual((allowed.returncode, "warning" in allowed.stderr), (0, True), code)

    def test_a_register_that_is_not_known_may_end_an_operation_early(self):
        layout = 'layout { @set_rectangle(1, 1); @set_tile_code(0, 0, "pe.csl", .{}); @export_name("run", fn() void); }'
        done = self.compile("""
const q = @get_input_queue(2);
const r = @get_dsr(dsr_dest, 3);
const s0 = @get_dsr(dsr_src0, 3);
const s1 = @get_dsr(dsr_src1, 3);
var a = @zeros([8]f32);
var b = @zeros([2]f32);
fn run() void {
  @load_to_dsr(r, @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{2} -> b[i] }));
  @load_to_dsr(s0, @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] }));
  @load_to_dsr(s1, @get_dsd(fabin_dsd, .{ .extent = 100, .input_queue = q }), .{ .on_control = .{ .terminate = true } });
  @fadds(r, s0, s1);
}
comptime { @initialize_queue(q, .{ .color = @get_color(4) }); @export_symbol(run); }
""", layout=layout)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_only_computing_on_floats_of_another_width_is_refused(self):
        """docs/csl.md, "Memory of operations": compiler and machine have one rule."""
        operations = {"mov16": (2, "%s, %s"), "mov32": (4, "%s, %s"), "fmovh": (2, "%s, %s"), "fmovs": (4, "%s, %s"), "add16": (2, "%s, %s, 1"),
                      "faddh": (2, "%s, %s, %s"), "fadds": (4, "%s, %s, %s"), "fnegs": (4, "%s, %s")}
        for kind, size in (("f16", 2), ("f32", 4), ("u16", 2), ("i16", 2), ("u32", 4), ("i32", 4)):
            for name, (width, form) in operations.items():
                refused = kind[0] == "f" and "mov" not in name and size != width
                for where in ("d", "r"):
                    operands = form.replace("%s", "d", 1) % (("d",) * (form.count("%s") - 1)) if where == "d" else form % (("r",) * form.count("%s"))
                    done = self.compile(f"var x = @zeros([8]{kind});\nconst d = @get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{4}} -> x[i] }});\n"
                                        "const r = @get_dsr(dsr_src0, 3);\n" + TASK % (f"@load_to_dsr(r, d); @{name}({operands});", ""))
                    self.assertEqual(done.returncode, 2 if refused else 0, (kind, name, where, done.stderr))
                    if not refused and where == "d":
                        run = self.run_tool(PLATFORM, "layout.csl", "--quiet")
                        self.assertEqual(run.returncode, 0, (kind, name, run.stderr))

    def test_a_source_beyond_its_array_gives_a_warning(self):
        text = ("var a = @zeros([8]f32);\nvar b = @zeros([8]f32);\n"
                "const inside = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> b[i] });\n"
                "const beyond = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i + 1] });\n")
        registers = "fn same(x: f32) f32 { return x; }\nconst to = @get_dsr(dsr_dest, 2);\nconst from = @get_dsr(dsr_src1, 2);\n"
        for code, status in (("@fmovs(inside, beyond);", 0), ("@fadds(inside, inside, beyond);", 0), ("@fmovs(beyond, inside);", 2),
                             ("@map(same, beyond, inside);", 0), ("@map(same, inside, beyond);", 2),
                             ("@load_to_dsr(from, beyond); @load_to_dsr(to, inside); @fmovs(to, from);", 0),
                             ("@load_to_dsr(from, inside); @load_to_dsr(to, beyond); @fmovs(to, from);", 2)):
            done = self.compile(text + registers + TASK % (code, ""))
            self.assertEqual(done.returncode, status, (code, done.stderr))
            self.assertIn("what lies there is read" if status == 0 else "error: ", done.stderr, code)

    def test_an_array_that_is_alone_gives_a_warning(self):
        text = "var a = @zeros([4]f32);\nconst d = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{8} -> a[i] });\n"
        done = self.compile(text + TASK % ("@fmovs(d, 1.0);", ""))
        self.assertEqual(done.returncode, 0)
        self.assertIn("the code has no other variable that lies there", done.stderr)

    def test_the_elements_are_as_wide_as_those_of_the_operation(self):
        for array, operation in (("a", "@faddh(d, d, d);"), ("h", "@fadds(d, d, 1.0);"), ("a", "@fs2h(d, d);")):
            done = self.compiled(f"@get_dsd(mem1d_dsd, .{{ .tensor_access = |i|{{8}} -> {array}[i] }})", operation=operation)
            self.assertEqual(done.returncode, 2, operation)
            self.assertRegex(done.stderr, r"works on elements of \d\d bits; the descriptor has elements of type 'f\d\d'")
        for operation in ("@mov16(d, 1);", "@mov32(d, 1);", "@fmovs(d, 1.0);"):  # bits
            done = self.compiled("@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> h[i] })", operation=operation)
            self.assertEqual(done.returncode, 0, done.stderr)


class Same(Case):
    """What is written does not depend on where the compiler's own memory lies."""

    def test_the_variables_of_several_instances_of_a_module(self):
        (self.folder / "part.csl").write_text("""param k: u16;
var count: u16 = k;
var room = @zeros([k]u16);
fn step() void { count += k; room[k - 1] = count; }
""")
        pe = "param n: u16;\n" + "".join(
            f'const m{i} = @import_module("part.csl", .{{ .k = n + {10 * i} }});\n' for i in range(3)) + TASK % (
                "m0.step(); m1.step(); m2.step();", "")
        layout = """layout { @set_rectangle(8, 1);
  for (@range(u16, 8)) |x| { @set_tile_code(x, 0, "pe.csl", .{ .n = x + 1 }); } }"""
        written = set()
        for pad in range(4):
            places = {"MALLOC_TOP_PAD_": str(70000 * pad), "MALLOC_MMAP_THRESHOLD_": str(200 + 900 * pad)}
            done = self.compile(pe, layout=layout, env={**os.environ, **places})
            self.assertEqual(done.returncode, 0, done.stderr)
            written.add((self.folder / "out" / "tessera.json").read_bytes())
        self.assertEqual(len(written), 1)
        first = json.loads(written.pop())
        names = re.findall(r'"part\.count": ?"(\w+)"', json.dumps(first))
        self.assertTrue(names)
        self.assertEqual(set(names), {"part_count"})  # that of the first instance


class Print(Case):
    def test_formats(self):
        (self.folder / "layout.csl").write_text(LAYOUT)
        pe = ("const p = @import_module(\"<simprint>\"); var v8: i8 = -3; var big: u32 = 4000000000;\n" +
              TASK % ("p.fmt(\"%s\", .{ %s });", ""))
        (self.folder / "pe.csl").write_text(pe % ("{f} {f} {d} {d} {X} {d} {{x} {b}", "0.5, -2.75, 3000000000, -7, v8, big, @as(u16, 5)"))
        shown = self.run_tool(PLATFORM, "layout.csl").stdout.splitlines()[0]
        self.assertEqual(shown.split(" ", 1)[1], "0.5 -2.75 3000000000 -7 000000FD 4000000000 {x} 0000000000000101")
        self.assertNotIn("0.5 ", self.run_tool(PLATFORM, "layout.csl", "--quiet").stdout)
        for form, value in (("{q}", "1"), ("{", ""), ("{d} {", "1"), ("{d", "1"), ("{d}", "5000000000"), ("{d}", "@as(u64, 1)"), ("{04d}", "1")):
            done = self.compile(pe % (form, value))
            self.assertIn("is false:", done.stderr, form)
            self.assertIn("pe.csl:2", done.stderr, form)

    def test_a_message_that_its_header_cannot_carry(self):
        layout = ("const memcpy = @import_module(\"<memcpy/get_params>\", .{ .width = 2, .height = 1 });\n"
                  "layout { @set_rectangle(2, 1); for (@range(u16, 2)) |x| {\n"
                  "@set_tile_code(x, 0, \"pe.csl\", .{ .memcpy_params = memcpy.get_params(x), .id = x }); } @export_name(\"run\", fn() void); }")
        pe = ("param memcpy_params; param id: u16; var out = @zeros([100]u32);\n"
              "const sys = @import_module(\"<memcpy/memcpy>\", memcpy_params);\n"
              "const mp = @import_module(\"<message_passing>\", .{ .input_queue_id = 2, .output_queue_id = 3 });\n"
              "fn run() void { if (id == 0) { mp.send_message(%s, 0, &out, %s, .{ .activate = done }); }\n"
              "if (id == 1) { mp.recv_message(&out, .{ .activate = done }); } }\n"
              "task done() void { sys.unblock_cmd_stream(); }\n"
              "comptime { @bind_local_task(done, @get_local_task_id(9)); @export_symbol(run); }\n")
        for place, length, code in ((1, 63, 0), (1, 64, 4), (1, 65, 4), (2049, 2, 4)):
            done = self.compile(pe % (place, length), "--arch=wse3", layout=layout)
            self.assertEqual(done.returncode, 0, done.stderr)
            ran = self.run_tool(PLATFORM, "layout.csl", "--preset=wse3", "--launch", "run", "--quiet")
            self.assertEqual(ran.returncode, code, f"{place} {length}: {ran.stderr}")
            if code != 0:
                self.assertIn("<message_passing>", ran.stderr)

    def test_the_intermediate_code_after_every_pass(self):
        text = "var a = @zeros([4]f32);\nfn twice(x: f32) f32 { return 2.0 * x; }\n" + TASK % (
            "for (@range(u16, 4)) |i| { a[i] = twice(a[i]); }", "")
        refused = self.compile(text, "--print-ir=none")
        self.assertEqual(refused.returncode, 2)
        names = re.findall("[a-z_]+", refused.stderr.split("the passes are ")[1].split(" [")[0])
        self.assertGreater(len(names), 20)
        for name in names:
            shown = [self.compile(text, f"--print-ir={name}", f"--csl-code={style}").stdout for style in ("vendor", "plain")]
            self.assertTrue(any(f"; t after {name}\ntask t()\nb0:" in one for one in shown), name)


class Variables(Case):
    """A descriptor in a variable that nothing changes is one in a constant, but in the code of the vendor, whose operations store and
    load descriptors of variables."""
    DESCRIPTOR = "@get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> a[i] })"

    def program(self, declaration, body, style="plain"):
        done = self.compile(f"var a = @zeros([8]f32);\n{declaration} d = {self.DESCRIPTOR};\n" + TASK % (body, ""))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.run_tool(PLATFORM, "layout.csl", "--print-program", f"--csl-code={style}").stdout

    def test_the_code_is_that_of_a_constant(self):
        for body in ("@fadds(d, d, 1.0);", "const e = @increment_dsd_offset(d, 1, f32); @fmovs(e, d);"):
            for style in ("plain", "best"):
                self.assertEqual(self.program("var", body, style), self.program("const", body, style), body)
            self.assertNotEqual(self.program("var", body, "vendor"), self.program("const", body, "vendor"), body)

    def test_a_variable_that_changes_stays_one(self):
        constant = self.program("const", "@fadds(d, d, 1.0);")
        for change in ("d = @increment_dsd_offset(d, 1, f32);", "const p = &d; p.* = @increment_dsd_offset(p.*, 1, f32);"):
            text = self.program("var", "@fadds(d, d, 1.0); " + change)
            self.assertRegex(text, r"(?m)^data d\b", change)
        self.assertNotRegex(constant, r"(?m)^data d\b")


class Values(Case):
    """Functions give the running program what they give at compile time."""

    LAYOUT = """const memcpy = @import_module("<memcpy/get_params>", .{ .width = 1, .height = 1 });
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(0) });
  @export_name("y", [*]u16, false);
  @export_name("run", fn() i16);
}"""
    PE = """param memcpy_params: comptime_struct;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
var y = @zeros([%d]u16);
const y_ptr: [*]u16 = &y;
var n: u16 = 4;
%s
fn run() i16 {
%s
  sys.unblock_cmd_stream();
  return 3;
}
comptime { @export_symbol(y_ptr, "y"); @export_symbol(run); }"""

    def test_loops_and_switches(self):
        count = "fn f%d() u16 { var m: u16 = 0; for (@range(%s)) |i| { m += 1; } return m; }"
        ranges = ["u8, 250, 255, 3", "i8, -128, 127, 100", "i8, 100, -128, -100", "u8, 0, 255, 128", "u16, 0, 65535, 4096", "u16, 0, 65535, 32768",
                  "u16, 65530, 65535, 3", "i16, 32000, -32768, -16384", "u8, 3, 3, 1", "i8, 5, 127, 1"]
        bodies = [count % (i, r) for i, r in enumerate(ranges)]
        bodies.append("fn f%d() u16 { return switch (n) { 0...3 => 1, 4 => 2, 5...65535 => 3 }; }" % len(bodies))
        bodies.append("fn f%d() u16 { return if (n == 4) select(true).*[0] else 0; }\nvar a2 = [2]u16{ 7, 8 }; var a3 = [3]u16{ 9, 8, 7 };\n"
                      "fn select(is_a: bool) *[2]u16 { return if (is_a) &a2 else &a2; }" % len(bodies))
        # A cast of bits between signed and unsigned numbers.
        bodies.append("var s8: i8 = -3; fn f%d() u16 { const u = @bitcast(u8, s8); return if (u == 253 and u >> 1 == 126) @as(u16, u) else 0; }" % len(bodies))
        bodies.append("var v12: u12 = 4085; fn f%d() u16 { const s = @bitcast(i12, v12); return if (s == -11 and s < 0) 1 else 0; }" % len(bodies))
        expected = [2, 3, 3, 2, 16, 2, 2, 4, 0, 122, 2, 7, 253, 1]
        self.assertEqual(len(expected), len(bodies))
        text = self.PE % (len(bodies), "\n".join(bodies), "\n".join(f"  y[{i}] = f{i}();" for i in range(len(bodies))))
        (self.folder / "layout.csl").write_text(self.LAYOUT)
        for style in ("vendor", "plain", "best"):
            (self.folder / "pe.csl").write_text(text)
            done = self.run_tool(PLATFORM, "layout.csl", "--quiet", "--launch", "run", "--output", "y=y.npy", f"--csl-code={style}", "--max-cycles",
                                 1000000)
            self.assertEqual(done.returncode, 0, done.stderr)
            words = array.array("H", (self.folder / "y.npy").read_bytes()[-2 * len(expected):])
            self.assertEqual(list(words), expected, style)
        for i in range(len(ranges)):
            known = text.replace("comptime { @export", f"const k: u16 = f{i}();\ncomptime {{ @comptime_assert(k == {expected[i]}); @export")
            self.assertEqual(self.compile(known, layout=self.LAYOUT).returncode, 0, ranges[i])

    PLACES = """const In = struct { z: u16 }; const S = struct { x: u16, v: [3]u16, in: In, p: *[3]u16 };
var c: u16 = 0; var three = [3]u16{ 5, 6, 7 };
var s = [4]S{ S{ .x = 0, .v = .{ 0, 0, 0 }, .in = In{ .z = 0 }, .p = &three }, S{ .x = 0, .v = .{ 0, 0, 0 }, .in = In{ .z = 0 }, .p = &three },
  S{ .x = 0, .v = .{ 0, 0, 0 }, .in = In{ .z = 0 }, .p = &three }, S{ .x = 0, .v = .{ 0, 0, 0 }, .in = In{ .z = 0 }, .p = &three } };
fn next() u16 { c += 1; return c - 1; }
fn at() *S { return &s[next()]; }
fn made(k: u16) [3]u16 { return [3]u16{ k, k + 1, k + 2 }; }
fn sum(l: [3]u16, i: u16) u16 { var t: u16 = 0; for (l) |v| { t += v; } return t * 10 + l[i]; }
fn pair(k: u16) In { return In{ .z = k }; }
fn through(p: *const In) u16 { return p.*.z; }
fn first(a: anytype) @type_of(a.*[0]) { return a.*[0]; }
fn inner(a: anytype) @type_of(a.*.in.z) { return a.*.in.z; }"""

    def test_what_leads_to_a_place_is_computed_once(self):
        """And values of the running program have elements, places and addresses as variables have."""
        body = """  s[next()].x = 10; s[next()].x += 20; at().*.v[1] = 3; at().*.in.z = 4;
  y[0] = s[0].x; y[1] = s[1].x; y[2] = s[2].v[1]; y[3] = s[3].in.z; y[4] = c;
  c = 1; const q = &at().*.v[n - 3]; q.* += 8; y[5] = s[1].v[1]; y[6] = c;
  c = 2; y[7] = at().*.p.*[2]; y[8] = c;
  const l = [3]u16{ n, 1, 2 }; y[9] = sum(l, n - 3); y[10] = l[n - 4]; const r = &l; y[11] = r.*[2];
  y[12] = sum(made(n), n - 2); var t: u16 = 0; for (made(n)) |v| { t += v; } y[13] = t;
  y[14] = made(n)[n - 3]; y[15] = ([3]u16{ 7, 8, 9 })[n - 2];
  const i = pair(n); y[16] = through(&i);
  y[17] = first(&three); y[18] = inner(&s[3]);"""
        (self.folder / "layout.csl").write_text(self.LAYOUT)
        (self.folder / "pe.csl").write_text(self.PE % (19, self.PLACES, body))
        for style in ("vendor", "plain", "best"):
            done = self.run_tool(PLATFORM, "layout.csl", "--quiet", "--launch", "run", "--output", "y=y.npy", f"--csl-code={style}")
            self.assertEqual(done.returncode, 0, done.stderr)
            words = array.array("H", (self.folder / "y.npy").read_bytes()[-38:])
            self.assertEqual(list(words), [10, 20, 3, 4, 4, 8, 2, 7, 3, 71, 4, 2, 156, 15, 5, 9, 4, 5, 4], style)

    def test_parts_of_words_are_no_unwritten_memory(self):
        """A store of a byte or a bit field loads the word around it."""
        (self.folder / "layout.csl").write_text(self.LAYOUT)
        (self.folder / "pe.csl").write_text(self.PE % (1, "var q: [4]u8 = undefined; const P = packed struct { a: u8, b: i8 }; var p: P = undefined;",
                                                       "  for (@range(u16, 4)) |i| { q[i] = 7; }\n  p.a = 1;\n  y[0] = @as(u16, q[n - 1]);"))
        done = self.run_tool(PLATFORM, "layout.csl", "--quiet", "--launch", "run", "--check-memory")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Bytes(Case):
    """Random programs with arrays of bytes and fields of bits in functions, which read only what they have written."""

    STARTS = {"u8": (0, 256), "i8": (-128, 128), "u3": (0, 8)}

    def element(self, random, name, kind, length):
        """Statements that write an element or a stretch of the array, and what it holds then."""
        low, high = self.STARTS[kind]
        first, value = random.randrange(length), random.randrange(low, high)
        index = random.choice([str(first), f"k[{first}]", f"k[{first + 1}] - 1"])
        way = random.randrange(4)
        if way == 0:
            return f"{name}[{index}] = {value};", {first: value}
        if way == 1:  # a value of the running program
            return f"{name}[{index}] = @as({kind}, @as(i16, k[{first}]) + ({value - first}));", {first: value}
        if way == 2:
            return f"for (@range(u16, k[{first}], {length}, 1)) |i| {{ {name}[i] = {value}; }}", {at: value for at in range(first, length)}
        return f"put_{kind}(&{name}[{index}], {value});", {first: value}

    def body(self, random):
        lines, held = [], {}
        for name, kind in (("a", "u8"), ("b", "i8"), ("c", "u3")):
            length = random.randrange(1, 9)
            lines.append(f"  var {name}: [{length}]{kind} = undefined;")
            held[name] = (kind, length, {})
        lines.append("  var p: P = undefined;")
        bits = {}
        for _ in range(random.randrange(3, 14)):
            if random.randrange(4) == 0:
                field, most = random.choice([("x", 8), ("y", 64), ("z", 128)])
                bits[field] = random.randrange(most)
                lines.append(f"  p.{field} = {bits[field]};")
                continue
            name = random.choice(list(held))
            kind, length, values = held[name]
            line, written = self.element(random, name, kind, length)
            lines.append("  " + line)
            values.update(written)
            for at in written:
                if random.randrange(3) == 0:
                    lines.append(f"  @assert({name}[k[{at}]] == {values[at]});")
        for name, (_, _, values) in held.items():
            lines += [f"  @assert({name}[{random.choice([str(at), f'k[{at}]'])}] == {value});" for at, value in values.items()]
        return "\n".join(lines + [f"  @assert(p.{field} == {value});" for field, value in bits.items()])

    def program(self, body):
        puts = "\n".join(f"fn put_{kind}(to: *{kind}, value: {kind}) void {{ to.* = value; }}" for kind in self.STARTS)
        numbers = ", ".join(map(str, range(9)))
        return f"const P = packed struct {{ x: u3, y: u6, z: u7 }};\nexport var k = [9]u16{{ {numbers} }};\n{puts}\n" + TASK % ("\n" + body + "\n", "")

    def test_right_programs_are_never_stopped(self):
        (self.folder / "layout.csl").write_text(LAYOUT)
        first, count = (int(os.environ.get(f"TESSERA_BYTE_{what}", default)) for what, default in (("SEED", 1), ("PROGRAMS", 24)))
        for seed in range(first, first + count):
            program = self.program(self.body(random.Random(seed)))
            (self.folder / "pe.csl").write_text(program)
            done = self.run_tool(PLATFORM, "layout.csl", "--quiet", "--check-memory", "--preset", ("wse2", "wse3")[seed % 2],
                                 f"--csl-code={('vendor', 'plain', 'best')[seed % 3]}")
            self.assertEqual((done.returncode, done.stderr), (0, ""), f"seed {seed}\n{program}")

    def test_a_byte_that_nobody_has_written_is_told(self):
        (self.folder / "layout.csl").write_text(LAYOUT)
        for body in ("var a: [8]u8 = undefined; a[0] = 1; k[8] = a[k[6]];", "var a: [8]u16 = undefined; a[0] = 1; k[8] = a[k[6]] + 1;"):
            (self.folder / "pe.csl").write_text(self.program(body))
            done = self.run_tool(PLATFORM, "layout.csl", "--quiet", "--check-memory")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("nobody has written", done.stderr)


class Queues(Case):
    """Descriptors that name queues and colors in any combination: what compiles, loads."""

    def descriptor(self, random, number, arch):
        color, queue = random.choice([3, 5, 14, 15, 15, None]), random.choice([1, 2, 2, 3, 4, None])
        if color is None and queue is None or (arch == "wse3" and queue is None):
            queue = 2
        fields = [".extent = 4"] + ([] if color is None else [f".fabric_color = @get_color({color})"]) + (
            [] if queue is None else [f".input_queue = @get_input_queue({queue})"])
        return f"const in{number} = @get_dsd(fabin_dsd, .{{ {', '.join(fields)} }});", f"@mov16(to, in{number}, .{{ .async = true }});"

    def test_what_compiles_loads(self):
        loaded, first, count = 0, *(int(os.environ.get(f"TESSERA_QUEUE_{what}", default)) for what, default in (("SEED", 1), ("PROGRAMS", 60)))
        for seed in range(first, first + count):
            draw, arch = random.Random(seed), ("wse2", "wse3")[seed % 2]
            parts = [self.descriptor(draw, number, arch) for number in range(draw.randrange(2, 8))]
            queues = draw.sample([1, 2, 3, 4], draw.randrange(3))
            initial = " ".join(f"@initialize_queue(@get_input_queue({q}), .{{ .color = @get_color({draw.choice([3, 5, 14, 15])}) }});" for q in queues)
            routes = "".join(f" @set_color_config(0, 0, @get_color({c}), .{{ .routes = .{{ .rx = WEST, .tx = RAMP }} }});"
                             for c in draw.sample([3, 5, 14], draw.randrange(3)))
            program = "\n".join(["var never: u16 = 0; var buffer = @zeros([4]u16);",
                                 "const to = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{4} -> buffer[i] });", *(part[0] for part in parts),
                                 TASK % ("if (never == 1) { " + " ".join(part[1] for part in parts) + " }", initial)])
            version = draw.choice([[], ["--csl-version", "1.4"], ["--csl-version", "2.10"]])
            done = self.compile(program, "--arch", arch, *version, layout=LAYOUT[:-1] + routes + " }")
            self.assertIn(done.returncode, (0, 2), f"seed {seed}: {done.stderr}")
            if done.returncode == 2:
                continue
            loaded += 1
            for structure in ("dense", "modules"):
                ran = self.run_tool(PLATFORM, "out", "--preset", arch, "--quiet", "--structure", structure)
                self.assertEqual(ran.returncode, 0, f"seed {seed}, {structure}: {ran.stderr}\n{program}")
        self.assertGreater(loaded, count // 4)


class Stack(Case):
    """A thread with 256 KB: the compiler says so, or is content."""

    def test_nested_programs_end_with_a_sentence(self):
        chain = " + ".join(["x"] * 990)
        programs = {
            "operators": f"var x: i16 = 1; task t() void {{ x = {chain}; }}",
            "comptime operators": f"const x = 1; var y: i16 = {chain}; task t() void {{ y = 1; }}",
            "calls": "fn f(n: i16) i16 { if (n == 0) { return 0; } return f(n - 1) + 1; }\n"
                     "var y: i16 = f(250); task t() void { y = 1; }",
            "brackets": f"var x: i16 = 1; task t() void {{ x = {'(' * 250}x{')' * 250}; }}",
            "blocks": f"var x: i16 = 1; task t() void {{ {'if (x > 0) {' * 120} x = 2; {'}' * 120} }}",
            "else": "var x: i16 = 1; task t() void { " + "if (x == 1) { x = 2; } else " * 200 + "{ x = 3; } }",
            "ifs": "var x: i16 = 1; task t() void { " + " ".join(f"if (x == {n}) {{ x = {n + 1}; }}" for n in range(900)) + " }",
            "prongs": "var x: i16 = 1; task t() void { switch (x) { " + " ".join(f"{n} => {{ x = {n + 1}; }}," for n in range(900)) + " else => {}, } }",
            "conditions": f"var x: i16 = 1; task t() void {{ if ({' and '.join(['x == 1'] * 900)}) {{ x = 2; }} }}",
            "returns": "var x: i16 = 1; fn f(n: i16) i16 { " + " ".join(f"if (n == {n}) {{ return {n + 1}; }}" for n in range(300)) +
                       " return 0; } task t() void { x = f(x); }",
            "functions": "".join(f"fn f{n}(n: i16) i16 {{ return f{n + 1}(n) + 1; }} " for n in range(300)) +
                         "fn f300(n: i16) i16 { return n; } var x: i16 = 1; task t() void { x = f0(x); }",
            "unary": f"var x: i16 = 1; task t() void {{ x = {'-' * 1}{'(-' * 120}x{')' * 120}; }}",
        }
        for name, text in programs.items():
            code = text + "\ncomptime { const id = @get_local_task_id(8); @bind_local_task(t, id); @activate(id); }"
            done = self.compile(code, preexec_fn=small_stack)
            self.assertIn(done.returncode, (0, 2), f"{name}: {done.returncode} {done.stderr}")
            self.assertEqual(bool(done.stderr), done.returncode == 2, name)
            self.assertEqual(self.compile(code).returncode, 0, name)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
