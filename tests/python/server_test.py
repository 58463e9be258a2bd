#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Host programs against the real server: server_test.py FOLDER, which has cs_python.

The compiled program is that of server_program.py.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import server_program  # noqa: E402

SDK = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/sdk/bin").resolve()
PRELUDE = """
import os, signal, time
import numpy as np
from cerebras.sdk.debug.debug_util import debug_util
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
WIDE = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR)
NARROW = dict(WIDE, data_type=MemcpyDataType.MEMCPY_16BIT)
COLUMN = dict(WIDE, order=MemcpyOrder.COL_MAJOR)
def pid(runtime): return runtime._server._process.pid
def expect(kind, words, call, *args, **keywords):
    try:
        call(*args, **keywords)
    except kind as error:
        assert all(word in str(error) for word in words), f"{words} not in: {error}"
    else:
        raise AssertionError(f"no exception with {words}")
runner = SdkRuntime("out", cmaddr=None)
"""
START = "runner.load(); runner.run(); A = runner.get_id('A'); B = runner.get_id('B')\n"


def without_remark(stderr):
    """What a host program wrote, without the remark about NumPy 2 (docs/csl-host.md)."""
    return "".join(line for line in stderr.splitlines(True) if not line.startswith("tessera: remark: NumPy "))


def version():
    done = subprocess.run([str(SDK / "cslc"), "--version"], capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


class ServerTest(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        server_program.write(self.work / "out", version())

    def host(self, script, start=START, **environment):
        (self.work / "run.py").write_text("#!/usr/bin/env cs_python\n" + PRELUDE + start + textwrap.dedent(script), encoding="utf-8")
        (self.work / "run.py").chmod(0o755)
        path = f"{SDK}:{os.environ['PATH']}"
        return subprocess.run(["./run.py"], cwd=self.work, capture_output=True, text=True, timeout=100, check=False,
                              env=dict(os.environ, PATH=path, **environment))

    def passes(self, script, start=START, **environment):
        done = self.host(script, start, **environment)
        self.assertEqual((done.returncode, without_remark(done.stderr)), (0, ""), done.stdout + done.stderr)
        return done.stdout


class Runs(ServerTest):
    def test_copies_in_both_orders_and_sizes(self):
        self.passes("""
            values = np.arange(24, dtype=np.float32)
            runner.memcpy_h2d(A, values, 0, 0, 3, 2, 4, **WIDE)
            runner.launch("double", nonblock=False)
            back = np.zeros((2, 3, 4), np.float32)
            runner.memcpy_d2h(back, A, 0, 0, 3, 2, 4, **WIDE)
            np.testing.assert_array_equal(back.ravel(), 2 * values)
            column = np.zeros((4, 3, 2), np.float32)
            runner.memcpy_d2h(column, A, 0, 0, 3, 2, 4, **COLUMN)
            np.testing.assert_array_equal(column, back.transpose(2, 1, 0))
            words = np.full(6, 0xABCD0005, np.uint32)
            runner.memcpy_h2d(B, words, 0, 0, 3, 2, 1, **NARROW)
            low = np.full(4, 0xFFFFFFFF, np.uint32)
            runner.memcpy_d2h(low, B, 1, 1, 2, 1, 2, **NARROW)
            assert list(low) == [5, 0, 5, 0], low
            runner.stop()
            """)

    def test_broadcasts_and_strides(self):
        self.passes("""
            zeros, back = np.zeros(6, np.uint32), np.zeros((2, 3), np.uint32)
            runner.memcpy_h2d_rowbcast(A, np.array([1, 2], np.uint32), 0, 0, 3, 2, 1, **WIDE)
            runner.memcpy_d2h(back, A, 0, 0, 3, 2, 1, **WIDE)
            assert back.tolist() == [[1, 1, 1], [2, 2, 2]], back
            runner.memcpy_h2d_colbcast(A, np.array([1, 2, 3], np.uint32), 0, 0, 3, 2, 1, **WIDE)
            runner.memcpy_d2h(back, A, 0, 0, 3, 2, 1, **WIDE)
            assert back.tolist() == [[1, 2, 3], [1, 2, 3]], back
            runner.memcpy_h2d(A, zeros, 0, 0, 3, 2, 1, **WIDE)
            runner.memcpy_h2d_stride(A, np.array([7, 8], np.uint32), 0, 0, 3, 2, 1, row_stride=2, col_stride=2, **WIDE)
            runner.memcpy_d2h(back, A, 0, 0, 3, 2, 1, **WIDE)
            assert back.tolist() == [[7, 0, 8], [0, 0, 0]], back
            runner.stop()
            """)

    def test_memory_is_read_while_running_after_stop_and_from_elsewhere(self):
        self.passes("""
            runner.call("put", [1.5, np.int16(-3)], nonblock=True)
            runner.launch("double")
            assert runner.read_symbol(4, 1, "A", np.float32)[0] == 3
            runner.stop()
            assert runner.read_symbol(6, 2, "A", np.float32)[0] == 3
            assert list(runner.read_symbol(6, 2, "B").view(np.int16)) == [-3, 0, 0, 0]
            assert debug_util("out").get_symbol_rect(((4, 1), (3, 2)), "A", np.float32).shape == (3, 2, 4)
            assert runner.coord_logical_to_physical((1, 1)) == (5, 2)
            """)
        self.assertTrue((self.work / "sim.log").is_file())

    def test_several_runtimes_and_a_second_run_of_a_folder(self):
        self.passes("""
            other = SdkRuntime("out")
            other.load(); other.run()
            for each, value in ((runner, 1.0), (other, 2.0)):
                each.launch("put", value, 0)
            other.stop()
            assert other.read_symbol(4, 1, "A", np.float32)[0] == 2
            runner.stop()
            assert runner.read_symbol(4, 1, "A", np.float32)[0] == 1
            """)

    def test_two_runs_of_a_folder_at_a_time(self):
        """A run that ends between the end of another one and its look at the memory has to wait: each sees its own."""
        self.passes("""
            import subprocess, sys
            from tessera_csl import runtime
            own, opened = int(sys.argv[1]) if len(sys.argv) > 1 else 1, runtime.MemoryDump
            def open_late(*arguments, **keywords):
                other = subprocess.Popen([sys.argv[0], "2"])
                try:
                    other.wait(3)
                    print("the other run has ended")
                except subprocess.TimeoutExpired:
                    pass
                return opened(*arguments, **keywords)
            runner.launch("put", np.float32(own), np.int16(own), nonblock=False)
            if own == 1:
                runtime.MemoryDump = open_late
            runner.stop()
            assert runner.read_symbol(5, 1, "A", np.float32)[0] == own, runner.read_symbol(5, 1, "A", np.float32)
            """)

    def test_options_of_the_environment_and_the_report(self):
        report = self.work / "r.json"
        self.passes("runner.launch('double'); runner.stop()", TESSERA_PRESET="wse3",
                    TESSERA_OPTIONS=f"--report {report} --shuffle-step-order --seed 5 --structure modules --set memcpy.command_cycles=100")
        fast = json.loads(report.read_text(encoding="utf-8"))
        self.passes("runner.launch('double'); runner.stop()", TESSERA_OPTIONS=f"--report {report}")
        slow = json.loads(report.read_text(encoding="utf-8"))
        self.assertEqual((fast["status"], fast["structure"], slow["structure"]), ("finished", "modules", "dense"))
        self.assertLess(fast["cycles"], slow["cycles"])

    def test_large_arrays(self):
        self.passes("""
            big = np.zeros(6 * 12288, np.uint32)
            expect(ValueError, ["address"], runner.memcpy_h2d, A, big, 0, 0, 3, 2, 12288, **WIDE)
            import tessera_csl.shared as shared
            shared.LARGE = 16
            values = np.arange(24, dtype=np.uint32)
            runner.memcpy_h2d(A, values, 0, 0, 3, 2, 4, **WIDE)
            back = np.zeros(24, np.uint32)
            runner.memcpy_d2h(back, A, 0, 0, 3, 2, 4, **WIDE)
            np.testing.assert_array_equal(back, values)
            runner.stop()
            """)


class Streams(ServerTest):
    def setUp(self):
        super().setUp()
        shutil.rmtree(self.work / "out")
        server_program.write_echo(self.work / "out", version())

    def stream(self, script):
        done = self.host(script, start="runner.load(); runner.run()\n")
        self.assertEqual((done.returncode, without_remark(done.stderr)), (0, ""))

    def test_both_directions_at_once(self):
        self.stream("""
            back = np.zeros(6, np.float32)
            task = runner.receive("z", back, nonblock=True)
            assert not runner.is_task_done(task)
            runner.send("x", np.arange(4, dtype=np.float32), nonblock=True)
            assert not runner.is_task_done(task)
            sent = runner.send("x", np.arange(4, 6, dtype=np.float32), nonblock=True)
            runner.stop()
            assert list(back) == [0, 1, 2, 3, 4, 5], back
            """)

    def test_to_a_file(self):
        self.stream("""
            runner.receive_tofile("z", "words")
            runner.send("x", np.arange(6, dtype=np.float32))
            runner.stop()
            assert list(np.fromfile("words", np.float32)) == [0, 1, 2, 3, 4, 5]
            """)

    def test_halves(self):
        self.stream("""
            runner.send("x", np.arange(-3, 3, dtype=np.int16), 6)
            back = np.zeros(6, np.int16)
            runner.receive("z", back, 5)
            assert list(back) == [-3, -2, -1, 0, 1, 0], back
            runner.stop()
            """)

    def test_a_stream_that_cannot_end(self):
        self.stream("""
            runner.send("x", np.zeros(2, np.uint32))
            expect(RuntimeError, ["deadlock"], runner.receive, "z", np.zeros(6, np.uint32))
            """)

    def test_values_at_the_start(self):
        self.stream("""
            runner.stop()
            import tessera_csl.initial as initial
            initial.write("out", [{"place": [0, 0], "size": [1, 1], "symbols": [{"name": "last", "blocks": [np.array([7], np.uint32)]}]}])
            runner = SdkRuntime("out"); runner.load(); runner.run()
            assert list(runner.read_symbol(0, 0, "last", np.uint32)) == [7]
            runner.stop()
            """)


class Layouts(unittest.TestCase):
    """SdkLayout, compiled and run."""

    CODE = """
        param count: u16;
        param from: color;
        param to: PARAM_TYPE;
        param step: f32;
        const to_color = TO_COLOR;
        const in_queue = @get_input_queue(2);
        const out_queue = @get_output_queue(2);
        const in = @get_dsd(fabin_dsd, .{ .extent = count, .fabric_color = from, .input_queue = in_queue });
        const out = @get_dsd(fabout_dsd, .{ .extent = count, .fabric_color = to_color, .output_queue = out_queue });
        export var offsets = @zeros([3]f32);
        const all = @get_dsd(mem1d_dsd, .{ .tensor_access = |i|{count} -> offsets[i] });
        task add() void { @fadds(all, all, step); @fadds(out, in, all); }
        comptime {
          @bind_local_task(add, @get_local_task_id(8));
          @activate(@get_local_task_id(8));
          @initialize_queue(in_queue, .{ .color = from });
          if (@is_arch("wse3")) @initialize_queue(out_queue, .{ .color = to_color });
        }
        """
    RUN = """
        import sys
        import numpy as np
        from cerebras.geometry.geometry import IntVector
        from cerebras.sdk.runtime.sdkruntimepybind import (Edge, Route, RoutingPosition, SdkLayout, SdkRuntime, SdkTarget,
                                                           SimfabConfig, get_platform)
        platform = get_platform("", SimfabConfig(dump_core=True), SdkTarget[sys.argv[1].upper()])
        layout = SdkLayout(platform)
        ports = []
        for name, x, y in (("first", 2, 1), ("second", 4, 3)):
            region = layout.create_code_region("add.csl", name, 1, 1)
            region.place(x, y)
            region.set_param_all("count", 3)
            region.set_param_all("step", 0.5)
            region.set_symbol_all("offsets", np.array([1, 2, 3], np.float32) * (10 if name == "second" else 1), 3, 1)
            colors = [region.color("from"), region.color("to")]
            for color in colors:
                region.set_param_all(color)
            ports.append(region.create_input_port(colors[0], Edge.LEFT, [RoutingPosition().set_output([Route.RAMP])], 3))
            ports.append(region.create_output_port(colors[1], Edge.LEFT, [RoutingPosition().set_input([Route.RAMP])], 3))
        layout.connect(ports[1], ports[2])
        x, y = layout.create_input_stream(ports[0]), layout.create_output_stream(ports[3])
        artifacts = layout.compile(out_prefix="out")
        assert colors[0].get_value() is not None
        runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
        runtime.load()
        runtime.run()
        back = np.zeros(3, np.float32)
        runtime.receive(y, back, 3, nonblock=True)
        runtime.send(x, np.array([100, 200, 300], np.float32), nonblock=True)
        runtime.stop()
        assert list(back) == [112, 223, 334], back
        assert list(runtime.read_symbol(4, 3, "offsets", np.float32)) == [10.5, 20.5, 30.5]
        """

    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)

    def run_layout(self, arch, code):
        (self.work / "add.csl").write_text(textwrap.dedent(code), encoding="utf-8")
        (self.work / "run.py").write_text(textwrap.dedent(self.RUN), encoding="utf-8")
        return subprocess.run([str(SDK / "cs_python"), "run.py", arch], cwd=self.work, capture_output=True, text=True, timeout=60,
                              check=False)

    def test_regions_with_a_connection_streams_and_initial_values(self):
        for parameter, color in (("color", "to"), ("u16", "@get_color(to)")):
            for arch in ("wse2", "wse3"):
                done = self.run_layout(arch, self.CODE.replace("PARAM_TYPE", parameter).replace("TO_COLOR", color))
                self.assertEqual((done.returncode, without_remark(done.stderr)), (0, ""), arch)

    def test_a_mistake_in_the_code_is_told_with_its_place(self):
        done = self.run_layout("wse3", self.CODE.replace("PARAM_TYPE", "color").replace("TO_COLOR", "nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("RuntimeError: the layout cannot be compiled: error: ", done.stderr)
        self.assertIn("add.csl:6", done.stderr)
        self.assertIn("nowhere", done.stderr)

    def test_streams_on_the_command_line(self):
        layout = self.work / "layout.csl"
        layout.write_text('layout { @set_rectangle(2, 1); for (@range(i16, 2)) |x| { @set_tile_code(x, 0, "<empty>"); } }',
                          encoding="utf-8")
        for stream, words in (("x:in:0,0:WEST:1", None), ("x:in:0,0:EAST:1", "does not lie on the rim"), ("x:in:0,0:UP:1", "NAME:in:X,Y"),
                              ("x:out:1,0:EAST:24", "no color 24"), ("x:out:2,0:EAST:2", "does not lie on the rim")):
            done = subprocess.run([str(SDK / "cslc"), str(layout), "-o", str(self.work / "out"), f"--host-stream={stream}"],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2 if words else 0, done.stderr)
            self.assertIn(words or "", done.stderr)
        done = subprocess.run([str(SDK / "cslc"), str(layout), "-o", str(self.work / "out"), "--host-stream=x:in:0,0:WEST:1",
                               "--host-stream=x:in:0,0:NORTH:1"], capture_output=True, text=True, check=False)
        self.assertIn("two streams 'x'", done.stderr)


class BadUse(ServerTest):
    def test_a_command_that_cannot_end(self):
        done = self.host("""
            runner.launch("silent")
            expect(RuntimeError, ["launch of 'silent'", "PE (0, 0)", "unblock_cmd_stream"], runner.launch, "double")
            expect(RuntimeError, ["has ended", "silent"], runner.launch, "double")
            runner.stop()
            assert runner.read_symbol is not None
            """, TESSERA_OPTIONS="--report r.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no further command can begin", done.stderr)
        report = json.loads((self.work / "r.json").read_text(encoding="utf-8"))
        self.assertEqual((report["status"], report["exit_code"]), ("could_not_finish", 4))
        self.assertIn("silent", report["message"])

    def test_a_last_launch_that_leaves_the_stream_blocked(self):
        """As a tutorial has it that is published: the function is done, and nobody asks for more."""
        for nonblock in (False, True):
            done = self.host(f"""
                runner.launch("silent", nonblock={nonblock})
                runner.stop()
                """, TESSERA_OPTIONS="--report r.json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("have not called unblock_cmd_stream; no further command can begin", done.stderr)
            report = json.loads((self.work / "r.json").read_text(encoding="utf-8"))
            self.assertEqual(report["status"], "finished")

    def test_illegal_behaviour(self):
        done = self.host("""
            runner.launch("illegal", nonblock=True)
            expect(RuntimeError, ["PE (4, 1)", "fn illegal", "odd"], runner.stop)
            """)
        self.assertEqual(done.returncode, 0, done.stderr)  # the server prints the rule before anything unwinds
        self.assertIn("tessera_csl_server: cycle", done.stderr)

    def test_each_error_of_a_call_that_nobody_waited_for(self):
        self.passes("""
            os.kill(pid(runner), signal.SIGSTOP)  # so that no reply comes before all copies are given
            for size in (3000, 5000, 7000):
                runner.memcpy_h2d(A, np.zeros(size, np.float32), 0, 0, 1, 1, size, nonblock=True, **WIDE)
            os.kill(pid(runner), signal.SIGCONT)
            expect(Exception, ["3000"], runner.launch, "double")
            expect(Exception, ["5000"], runner.launch, "double")
            expect(Exception, ["7000"], runner.launch, "double")
            runner.stop()
            """)

    def test_a_bound_of_the_run(self):
        self.passes("""
            expect(RuntimeError, ["launch of 'spin'", "5000"], runner.launch, "spin")
            """, TESSERA_OPTIONS="--max-cycles 5000")

    def test_a_killed_server(self):
        done = self.host("""
            runner.launch("spin", nonblock=True)
            os.kill(pid(runner), signal.SIGKILL)
            expect(RuntimeError, ["tessera_csl_server", "SIGKILL"], runner.launch, "double")
            expect(RuntimeError, ["has ended"], runner.launch, "double")
            """)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_host_that_ends_early_leaves_no_server(self):
        for end in ("raise SystemExit(7)", "os.kill(os.getpid(), signal.SIGKILL)"):
            done = self.host(f"runner.launch('spin', nonblock=True); print(pid(runner), flush=True); time.sleep(0.2); {end}")
            process = int(done.stdout)
            deadline = time.monotonic() + 20
            while os.path.exists(f"/proc/{process}/exe") and time.monotonic() < deadline:
                time.sleep(0.01)
            self.assertFalse(os.path.exists(f"/proc/{process}/exe"))
            self.assertIn("the host program ended without stop()", done.stderr)
            self.assertEqual(list(self.work.glob("*.tmp-*")), [])

    def test_an_interrupt_is_for_the_script(self):
        self.passes("""
            def interrupt(*_): raise KeyboardInterrupt
            signal.signal(signal.SIGALRM, interrupt)
            signal.setitimer(signal.ITIMER_REAL, 0.3)
            try:
                runner.launch("spin")
            except KeyboardInterrupt:
                os.kill(pid(runner), signal.SIGTERM)
                expect(RuntimeError, ["SIGTERM"], runner.launch, "double")
            """)

    def test_a_signal_leaves_a_report(self):
        for begin in ("runner.launch('spin', nonblock=True); time.sleep(0.3)", "runner.launch('double')"):
            report = self.work / "r.json"
            done = self.host(begin + """
os.kill(pid(runner), signal.SIGTERM)
while not os.path.exists(os.environ["TESSERA_OPTIONS"].split()[1]): time.sleep(0.02)
os._exit(0)
""", TESSERA_OPTIONS=f"--report {report}")
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads(report.read_text())
            self.assertIn("stopped by SIGTERM", result["message"])
            self.assertEqual((result["exit_code"], result["run"]["threads"]), (4, 1))
            self.assertEqual(list(self.work.glob("*.tmp-*")), [])
            report.unlink()

    def test_wrong_options(self):
        for options, words in (("--sett a=1", ["TESSERA_OPTIONS", "--sett", "did you mean"]), ("--help", ["TESSERA_OPTIONS", "run"]),
                               ("--validate", ["run"]), ("--csl-version 1.4", ["has been compiled"])):
            done = self.host("", start="", TESSERA_OPTIONS=options)
            self.assertNotEqual(done.returncode, 0)
            for word in words:
                self.assertIn(word, done.stderr.splitlines()[-1])
        done = self.host("", TESSERA_PRESET="wse2")
        self.assertIn("compiled for wse3; the machine is wse2", done.stderr)
        done = self.host("", start="", TESSERA_OPTIONS="--set 'x")
        self.assertIn("RuntimeError: TESSERA_OPTIONS cannot be split", done.stderr)
        done = self.host("", TESSERA_OPTIONS="--set no.such=1")
        self.assertIn("no.such", done.stderr.splitlines()[-1])

    def test_a_folder_of_another_version_or_none(self):
        self.passes("""
            import json
            facts = json.load(open("out/tessera.json"))
            for version, words in (("0.0.1", ["Tessera 0.0.1", "compile it again"]), (None, ["out/tessera.json", "no compiled program"])):
                if version:
                    json.dump(dict(facts, version=version), open("out/tessera.json", "w"))
                else:
                    os.remove("out/tessera.json")
                expect(RuntimeError, words, SdkRuntime, "out")
            runner.stop()
            """)

    def test_an_edited_folder(self):
        self.passes("""
            import json
            runner.stop()
            facts = json.load(open("out/tessera.json"))
            for edit in (dict(rectangle=[4, 1, 6, 3]), dict(streams_in=1), dict(codes=[dict(facts["codes"][0], pointers=dict(A=65535))]),
                         dict(codes=[dict(facts["codes"][0], functions=dict(double="nowhere"))])):
                json.dump(dict(facts, **edit), open("out/tessera.json", "w"))
                expect(RuntimeError, ["out/tessera.json", "not as tessera_cslc has written it"], SdkRuntime, "out")
            """)
        import server_program as programs  # pylint: disable=import-outside-toplevel
        facts = json.loads((self.work / "out/tessera.json").read_text(encoding="utf-8"))
        code = facts["codes"][0]
        for edit, words in ((dict(rectangle=[4, 1, 6, 3]), "tile (7, 1) in it has no code"),
                            (dict(codes=[dict(code, pointers={"A": 65535})]), "address 65535"),
                            (dict(codes=[dict(code, functions={"double": "nowhere"})]), "no function 'nowhere'")):
            shutil.rmtree(self.work / "out")
            programs.write(self.work / "out", version())
            original = json.loads((self.work / "out/tessera.json").read_text(encoding="utf-8"))
            programs.sign(self.work / "out", dict(original, **edit))
            done = self.host("", start="runner.load(); runner.run()")
            self.assertIn(words, done.stderr.splitlines()[-1])
            done = subprocess.run([SDK.parent.parent / "bin/wse_platform", self.work / "out"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)

    def test_commands_that_no_package_sends(self):
        self.passes("""
            server = runner._server
            copy = {"cmd": "d2h", "symbol": "A", "region": [0, 0, 3, 2], "elements": 4, "order": "row", "bits": 32}
            for edit in (dict(strides=[0, 0]), dict(strides=[1]), dict(strides=[-1, 1]), dict(region=[0, 0, 1 << 32, 2]), dict(bits=24),
                         dict(region=[0, 0, 3]), dict(region=[0.5, 0, 3, 2]), dict(order="diagonal"), dict(broadcast="all"),
                         dict(elements=-1), dict(elements=1 << 50), dict(region=[0, 0, 2147483647, 2147483647], elements=1 << 39),
                         dict(symbol=5), dict(color=256 + 7), dict(color=-1), dict(cmd="nothing"), dict(file="/nowhere", bytes=96),
                         dict(cmd="read", x=1 << 32, y=0), dict(cmd="launch", function="put", arguments=[1 << 32, 0]),
                         dict(cmd="wait", transfer=5), dict(cmd="receive", port="z", words=1)):
                expect(ValueError, [], server.call, dict(copy, **edit))
            words = np.zeros(24, np.uint32)
            runner.memcpy_d2h(words, A, 0, 0, 3, 2, 4, **WIDE)
            runner.stop()
            """)

    def test_a_folder_that_cannot_be_written_is_known_at_the_start(self):
        self.passes("""
            os.mkdir("out/memory.bin")
            expect(RuntimeError, ["memory.bin"], runner.run)
            """, start="runner.load()\n")

    def test_a_full_disk(self):
        done = self.host("""
            os.symlink("/dev/full", "out/memory.bin")
            runner.launch("put", 1.0, 1)
            expect(RuntimeError, ["memory.bin"], runner.stop)
            """)
        self.assertEqual(done.returncode, 0, done.stderr)
        (self.work / "out/memory.bin").unlink()
        done = self.host("expect(RuntimeError, ['/dev/full'], runner.stop)", TESSERA_OPTIONS="--report /dev/full")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_the_server_says_how_it_is_used(self):
        server = subprocess.run([str(SDK / "../../bin/tessera_csl_server")], stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual((server.returncode, server.stdout), (0, b""))
        server = subprocess.run([str(SDK / "../../bin/tessera_csl_server")], input=b"x" * 40, capture_output=True, text=False, check=False)
        self.assertEqual(server.returncode, 5)
        self.assertIn(b"no frame", server.stderr)


if __name__ == "__main__":
    unittest.main()
