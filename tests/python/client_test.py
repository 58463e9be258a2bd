#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Launch scripts of clusters: compile, stage, run, download. client_test.py FOLDER, which has cs_python."""
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from contextlib import redirect_stderr
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SDK = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/sdk/bin").resolve()
sys.path.insert(0, str(ROOT / "python"))
os.environ["TESSERA_BIN"] = str(SDK.parent.parent / "bin")

from cerebras.appliance import logger  # noqa: E402, F401
from cerebras.appliance.pb.sdk.sdk_common_pb2 import MemcpyDataType, MemcpyOrder  # noqa: E402
from cerebras.sdk.client import SdkCompiler, SdkLauncher, SdkRuntime, sdk_utils  # noqa: E402, F401
from cerebras.sdk.client._version import __version__  # noqa: E402, F401
from cerebras.sdk.client.debug_util import debug_util  # noqa: E402
from cerebras.sdk.runtime import sdkruntimepybind as sdk  # noqa: E402
from tessera_csl import client  # noqa: E402

LAYOUT = """
param memcpy_params_width: u16;
const memcpy = @import_module("<memcpy/get_params>", .{ .width = memcpy_params_width, .height = 1 });
layout {
  @set_rectangle(memcpy_params_width, 1);
  for (@range(u16, memcpy_params_width)) |x| { @set_tile_code(x, 0, "pe.csl", .{ .memcpy_params = memcpy.get_params(x) }); }
  @export_name("y", [*]f32, true);
  @export_name("twice", fn () void);
}
"""
PE = """
param memcpy_params: PARAMS;
const sys = @import_module("<memcpy/memcpy>", memcpy_params);
const print = @import_module("<simprint>", .{ .enable = true });
export var y = @constants([4]f32, 1.5);
var y_ptr: [*]f32 = &y;
fn twice() void {
  for (@range(u16, 4)) |i| { y[i] = 2.0 * y[i]; }
  print.print_string("doubled\\n");
  sys.unblock_cmd_stream();
}
comptime { @export_symbol(y_ptr, "y"); @export_symbol(twice); }
"""
HOST = """
import argparse
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
parser = argparse.ArgumentParser()
parser.add_argument("--name")
parser.add_argument("--cmaddr")
args = parser.parse_args()
runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
runner.load()
runner.run()
runner.launch("twice", nonblock=False)
y = np.zeros(8, np.float32)
runner.memcpy_d2h(y, runner.get_id("y"), 0, 0, 2, 1, 4, streaming=False, order=MemcpyOrder.ROW_MAJOR,
                  data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
runner.stop()
print("SUCCESS" if list(y) == 8 * [3.0] else f"wrong: {y}")
"""
OPTIONS = "--arch=wse3 --fabric-dims=9,3 --fabric-offsets=4,1 --params=memcpy_params_width:2 --memcpy --channels=1 -o out"
COPY = {"streaming": False, "data_type": MemcpyDataType.MEMCPY_32BIT, "order": MemcpyOrder.ROW_MAJOR, "nonblock": False}


class Base(unittest.TestCase):
    """A program in src/ and its host program."""

    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(work.name)
        Path("src").mkdir()
        for name, text in (("layout.csl", LAYOUT), ("pe.csl", PE.replace("PARAMS", "comptime_struct"))):
            (Path("src") / name).write_text(text, encoding="utf-8")
        Path("run.py").write_text(HOST, encoding="utf-8")
        self.said = io.StringIO()
        silence = redirect_stderr(self.said)
        silence.__enter__()
        self.addCleanup(silence.__exit__, None, None, None)
        environment = mock.patch.dict(os.environ)
        environment.start()
        self.addCleanup(environment.stop)
        os.environ["TESSERA_CSL_VERSION"] = "1.4"

    def compile(self, options=OPTIONS, out="."):
        with SdkCompiler(disable_version_check=True, resource_cpu=1000) as compiler:
            return compiler.compile("./src", "layout.csl", options, out)

    def check(self, **keywords):
        y = np.zeros(8, np.float32)
        with SdkRuntime(self.artifact, **keywords) as runner:
            runner.launch("twice", nonblock=False)
            runner.memcpy_d2h(y, runner.get_id("y"), 0, 0, 2, 1, 4, **COPY)
        self.assertEqual(y.tolist(), 8 * [3.0])


ACTIVE = """
const trace = @import_module("<debug>", .{ .buffer_size = 20 });
export var total: u32 = 0;
const first = @get_local_task_id(8);
task start() void { total = 7; trace.trace_u16(5); }
comptime { @bind_local_task(start, first); @activate(first); }
layout { @set_rectangle(2, 1); @set_tile_code(0, 0); @set_tile_code(1, 0); }
"""


STREAMS = """
const x = @get_color(1);
const y = @get_color(2);
export var total: i16 = 0;
export var offset: i16 = 0;
const out = @get_dsd(fabout_dsd, .{ .extent = 1, .fabric_color = y });
export var numbers: u16 = 0;
task add(value: i16, number: u16) void { total += value; numbers += number; }
task end() void { @mov16(out, total + offset); }
comptime { @bind_data_task(add, @get_data_task_id(x)); @bind_control_task(end, @get_control_task_id(43)); }
layout {
  @set_rectangle(1, 2);
  for (@range(u16, 2)) |row| {
    @set_tile_code(0, row);
    @set_color_config(0, row, x, .{ .routes = .{ .rx = .{ WEST }, .tx = .{ RAMP } } });
    @set_color_config(0, row, y, .{ .routes = .{ .rx = .{ RAMP }, .tx = .{ EAST } } });
  }
}
"""


class OldHost(unittest.TestCase):
    """Programs of SDK 0.4 to 0.9 that are active from the start, and their host."""

    def streams(self, layout=STREAMS):
        """A runner of a program of 1x2 PEs whose edges tensors cross, in its folder."""
        from cerebras.elf.cs_elf_runner import CSELFRunner
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(work.name)
        Path("layout.csl").write_text(layout, encoding="utf-8")
        subprocess.run([SDK / "cslc", "layout.csl", "--arch=wse2", "--csl-version=1.4", "--fabric-dims=3,4", "--fabric-offsets=1,1", "-o=out"], check=True,
                       capture_output=True, stdin=subprocess.DEVNULL)
        return CSELFRunner(["out/bin/out_0_0.elf"])

    def test_tensors_cross_the_edges(self):
        from cerebras.elf.cself import ELFMemory
        runner = self.streams()
        runner.add_input_tensor(1, "{x[row=0:1, k=0:2] -> [PE[-1, row] -> index[k]]}", np.array([[1, 2, 3], [-4, 5, 7]], np.int16), sentinel=43)
        runner.add_output_tensor(2, "{y[row=0:1] -> [PE[1, 1 - row] -> index[0]]}", np.dtype(">i2"))
        runner.set_symbol_rect("offset", np.array([[100, -200]], ">i2"), offset=(1, 1))
        runner.connect_and_run()
        self.assertEqual(runner.out_tensor_dict["y"].tolist(), [-192, 106])
        self.assertEqual(runner.get_symbol(1, 2, "total", np.int16).tolist(), [8])
        self.assertEqual(runner.get_symbol_rect(((1, 1), (1, 2)), "total", np.int16).tolist(), [[[6], [8]]])
        self.assertEqual(runner.get_symbol(1, 1, "numbers", np.uint16).tolist(), [3])  # 0 + 1 + 2: of the elements of a PE
        self.assertEqual(ELFMemory("out/bin/out_0_0.elf").iter_coordinates(), [(1, 1), (1, 2)])

    def test_variables_that_the_host_sets_are_no_constants(self):
        runner = self.streams(STREAMS.replace("export var", "var").replace("@bind_data_task(add, @get_data_task_id(x))", "@bind_task(add, x)"))
        runner.add_input_tensor(1, "{x[row=0:1] -> [PE[-1, row] -> index[0]]}", np.array([1, 2], np.int16), sentinel=43)
        runner.add_output_tensor(2, "{y[row=0:1] -> [PE[1, row] -> index[0]]}", np.int16)
        runner.set_symbol_rect("offset", np.array([[100, -200]], np.int16), offset=(1, 1))
        runner.connect_and_run()
        self.assertEqual(runner.out_tensor_dict["y"].tolist(), [101, -198])

    def test_rows_of_an_array_cross_an_edge(self):
        runner = self.streams()
        runner.add_input_array("x", 1, "W", np.array([[1, 2], [3, 4]], np.int16), sentinel=43)
        runner.add_input_tensor(1, ("WEST", 1), np.array([10], np.int16))
        runner.add_output_array("y", 2, "E", np.zeros((2, 1), np.int16))
        runner.connect_and_run()
        self.assertEqual(runner.out_tensor_dict["y"].tolist(), [[3], [7]])
        self.assertEqual(runner.get_symbol(1, 2, "total", np.int16).tolist(), [17])

    def test_what_does_not_fit_is_refused(self):
        runner = self.streams()
        with self.assertRaisesRegex(ValueError, "shape"):
            runner.add_input_tensor(1, "{x[k=0:2] -> [PE[-1, 0] -> index[k]]}", np.zeros(2, np.int16))
        with self.assertRaisesRegex(ValueError, "int64"):
            runner.add_input_tensor(1, "{x[k=0:1] -> [PE[-1, 0] -> index[k]]}", np.zeros(2, np.int64))
        with self.assertRaisesRegex(ValueError, "3 rows, and the edge W has 2 PEs"):
            runner.add_input_array("x", 1, "W", np.zeros((3, 1), np.int16))
        runner.add_input_tensor(1, "{x[k=0:1] -> [PE[0, k] -> index[0]]}", np.zeros(2, np.int16))
        with self.assertRaisesRegex(ValueError, r"PE\[0, 0\] does not lie next to an edge"):
            runner.connect_and_run()

    def test_sources_are_those_that_were_compiled(self):
        runner = self.streams()
        runner.add_input_tensor(1, ("WEST", 0), np.zeros(1, np.int16))
        Path("layout.csl").write_text(STREAMS.replace("+ offset", "- offset"), encoding="utf-8")
        with self.assertRaisesRegex(RuntimeError, "has changed"):
            runner.connect_and_run()
        Path("layout.csl").unlink()
        with self.assertRaisesRegex(RuntimeError, "cannot be compiled again"):
            runner.connect_and_run()

    def test_a_program_runs_and_is_read(self):
        from cerebras.elf.cs_elf_runner import CSELFRunner
        from cerebras.elf.cs_elf_runner.lib import csl_utils
        from cerebras.elf.cself import ELFLoader
        with tempfile.TemporaryDirectory() as work:
            (Path(work) / "layout.csl").write_text(ACTIVE, encoding="utf-8")
            subprocess.run([SDK / "sdk_debug_shell", "compile", "layout.csl", "--fabric-dims=2,1", "-o=out"], cwd=work, check=True,
                           capture_output=True, stdin=subprocess.DEVNULL)
            runner = CSELFRunner([f"{work}/out/bin/out_0_0.elf"], cmaddr=None)
            with self.assertRaises(RuntimeError):
                runner.get_symbol(0, 0, "total", np.uint32)
            with self.assertRaisesRegex(ValueError, "no port map"):
                runner.add_input_tensor(1, "", np.zeros(1, np.int16))
            here = os.getcwd()
            os.chdir(work)
            self.addCleanup(os.chdir, here)
            runner.connect_and_run("core.out")
            os.chdir(here)
            self.assertEqual(ELFLoader(f"{work}/out/bin/out_0_0.elf", "core.out").get_as_array("total", 1, np.uint32).tolist(), [[[7]], [[7]]])
            with self.assertRaisesRegex(RuntimeError, "other.out"):
                ELFLoader(f"{work}/out/bin/out_0_0.elf", "other.out")
            self.assertEqual(runner.get_symbol(1, 0, "total", np.uint32).tolist(), [7])
            self.assertEqual(runner.get_symbol_rect(((0, 0), (2, 1)), "total", np.uint32).tolist(), [[[7]], [[7]]])
            self.assertEqual(csl_utils.read_trace(runner, 1, 0, "times"), [5])


class Client(Base):
    def test_jobs_leave_notes_that_scripts_remove(self):
        self.artifact = self.compile()
        self.check(simulator=True)
        for name in ("wsjob-tessera.json", "run_meta.json"):
            Path(name).unlink()

    def test_an_artifact_is_run_and_read(self):
        self.artifact = self.compile()
        self.assertTrue(re.fullmatch(r"(\./)?cs_[0-9a-f]{16}\.tar\.gz", self.artifact), self.artifact)
        self.check(simulator=True, suppress_simfab_trace=True)
        self.assertEqual(debug_util(self.artifact, simulator=True).get_symbol(4, 1, "y", np.float32).tolist(), 4 * [3.0])
        self.check(simulator=True)  # once more, from the start
        log = Path("sim.log").read_text(encoding="utf-8")
        self.assertEqual(log.count(" doubled\n"), 2)

    def test_older_names_and_a_compiler_without_with(self):
        self.artifact = SdkCompiler().compile(app_path="src", csl_main="layout.csl", options=OPTIONS.replace("-o out", "-o=deep/er"),
                                              out_path="made/artifact.tar.gz")
        self.assertEqual(self.artifact, "made/artifact.tar.gz")
        with tarfile.open(self.artifact) as archive:
            self.assertIn("deep/er/out.json", archive.getnames())
        self.check(simulator=True)

    def test_commands_run_where_the_artifact_is(self):
        artifact = self.compile(out="artifacts")
        with SdkLauncher(artifact, simulator=False, disable_version_check=True) as launcher:
            launcher.stage("run.py")
            launcher.stage("src")
            response = launcher.run("cs_python run.py --name out --cmaddr %CMADDR%", "echo note > note; ls src/*.csl")
            self.assertEqual(response.splitlines(), ["SUCCESS", "src/layout.csl", "src/pe.csl"])
            self.assertEqual(launcher.run("cat note"), "note\n")
            self.assertEqual(launcher.download_artifact("sim.log", "."), "sim.log")
            self.assertEqual(launcher.download_artifact("out", "results.tar.gz"), "results.tar.gz")
            self.assertEqual(launcher.run("cs_python run.py --name nowhere", "echo never"), "")
            with self.assertRaisesRegex(FileNotFoundError, "no 'lost'"):
                launcher.download_artifact("lost", ".")
            with self.assertRaisesRegex(ValueError, "not the name"):
                launcher.download_artifact("../run.py", ".")
            with self.assertRaisesRegex(FileNotFoundError, "nothing.py"):
                launcher.stage("nothing.py")
            folder = launcher.run("pwd").strip()
        self.assertFalse(os.path.exists(folder))
        self.assertTrue(Path("sim.log").read_text(encoding="utf-8").startswith("@0 "))
        self.assertIn("exit status 1", self.said.getvalue())
        self.assertTrue(Path("src/out/out.json").is_file())

    def test_without_a_cluster_the_simulator_is_named_once(self):
        self.artifact = self.compile()
        with mock.patch.object(client._use_simulator, "told", False):
            self.check()
            self.check(simulator=False)
            self.assertEqual(self.said.getvalue().count("so the program runs on the simulator"), 1)
        with mock.patch.object(client._use_simulator, "told", False), mock.patch.dict(os.environ, {"TESSERA_APPLIANCE": "simulate"}):
            self.check(simulator=False)
            self.assertEqual(self.said.getvalue().count("so the program runs on the simulator"), 1)
        for mode, words in (("refuse", "reaches none"), ("maybe", "simulate or refuse")):
            with mock.patch.dict(os.environ, {"TESSERA_APPLIANCE": mode}), self.assertRaisesRegex(RuntimeError, words):
                SdkRuntime(self.artifact, simulator=False)

    def test_mistakes(self):
        with self.assertRaisesRegex(RuntimeError, "nowhere.csl"):
            SdkCompiler().compile("src", "nowhere.csl", OPTIONS, ".")
        with self.assertRaisesRegex(RuntimeError, "no folder lost"):
            SdkCompiler().compile("lost", "layout.csl", OPTIONS, ".")
        for arguments, named in ((("src", "layout.csl"), {}), (("src", "layout.csl", OPTIONS), {"options": OPTIONS})):
            with self.assertRaisesRegex(TypeError, "'args' once"):
                SdkCompiler().compile(*arguments, **named)
        with self.assertRaisesRegex(ValueError, "names '../out'"):
            self.compile(OPTIONS.replace("-o out", "-o ../out"))
        for kind in (SdkRuntime, SdkLauncher):
            with self.assertRaisesRegex(RuntimeError, "no artifact lost.tar.gz"):
                kind("lost.tar.gz", simulator=True)
            with self.assertRaisesRegex(RuntimeError, "run.py is no artifact"):
                kind("run.py", simulator=True)
        with tarfile.open("evil.tar.gz", "w:gz") as archive:
            archive.add("run.py", arcname="../run.py")
        with self.assertRaisesRegex(RuntimeError, r"holds '../run.py'"):
            SdkLauncher("evil.tar.gz", simulator=True)
        artifact = self.compile()
        with self.assertRaisesRegex(ValueError, "no %CMADDR%"):
            SdkLauncher(artifact, simulator=True).run("cs_python run.py --cmaddr %CMADDR%")
        with self.assertRaisesRegex(KeyError, "the body"):
            with SdkRuntime(artifact, simulator=True):
                raise KeyError("the body")
        shutil.rmtree("src/out")


class Together(Base):
    def test_two_compilers_and_a_reader_of_one_folder(self):
        self.compile()
        os.chdir("src")
        sizes = set()
        for _ in range(4):
            compilers = [subprocess.Popen([str(SDK / "cslc"), "layout.csl", "--arch=wse3", f"--fabric-dims={width + 7},3", "--fabric-offsets=4,1",
                                           f"--params=memcpy_params_width:{width}", "--memcpy", "--channels=1", "-o", "out"])
                         for width in (2, 3)]
            while any(compiler.poll() is None for compiler in compilers):
                sizes.add(self.loaded())
            self.assertEqual([compiler.returncode for compiler in compilers], [0, 0])
            sizes.add(self.loaded())
        self.assertLessEqual(sizes, {(2, 1), (3, 1)})

    @staticmethod
    def loaded():
        """The size of the program; a folder with files of both is refused."""
        runtime = sdk.SdkRuntime("out")
        runtime._give_up()  # pylint: disable=protected-access
        return tuple(runtime._program["size"])  # pylint: disable=protected-access


class Container(unittest.TestCase):
    def test_variables_for_the_container_have_their_names_there(self):
        given = {"SINGULARITYENV_STEPS": "3 '$(echo no)' \"x\"", "APPTAINERENV_ROWS": "a\nAPPTAINERENV_NOT=1", "APPTAINERENV_PATH": "/nowhere",
                 "APPTAINERENV_PYTHONPATH": "/other"}
        shown = "import os; print([os.environ.get(n) for n in ('STEPS', 'ROWS', 'NOT')], os.environ['PATH'] != '/nowhere'); import tessera_csl"
        done = subprocess.run([SDK / "cs_python", "-c", shown], env=dict(os.environ, **given), capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout, done.stderr), (f"{[given['SINGULARITYENV_STEPS'], given['APPTAINERENV_ROWS'], None]} True\n", ""))


class Log(Base):
    def log(self, **environment):
        with mock.patch.dict(os.environ, environment):
            self.artifact = self.compile()
            self.check(simulator=True)
        return Path("sim.log").read_text(encoding="utf-8").splitlines()

    def test_the_end_of_the_log_has_the_figures_of_the_run(self):
        lines = self.log()
        self.assertIn("@0 dimX=9, dimY=3", lines)
        cycles = int(re.search(r"cycles=([0-9]+)", "\n".join(lines))[1])
        idle = int(re.search(r"([0-9]+) cycles since a wavelet landed", "\n".join(lines))[1])
        self.assertGreater(cycles, idle)
        at = f"@{cycles} "
        self.assertIn(at + "Stopping due to user request", lines)
        self.assertTrue(lines[-1].startswith(at + "CTF Stats: num_inst_pipe"), lines[-1])
        numbers = [int(line[1:].split()[0]) for line in lines]
        self.assertEqual(numbers, sorted(numbers))
        statistics = json.loads(Path("sim_stats.json").read_text(encoding="utf-8"))
        self.assertEqual((statistics["cycle_count"], statistics["fabric_x"], statistics["hwtile_count"]), (cycles, 9, 2))

    def test_traces_that_the_environment_asks_for(self):
        for name in ("SIMFABRIC_DEBUG", "SINGULARITYENV_SIMFABRIC_DEBUG", "APPTAINERENV_SIMFABRIC_DEBUG"):
            lines = self.log(**{name: "inst_trace,hwtile"})
            self.assertTrue(any("[IS OP]" in line for line in lines))
            self.assertFalse(any(" landing C" in line for line in lines))
            numbers = [int(line[1:].split()[0]) for line in lines]
            self.assertEqual(numbers, sorted(numbers))
        self.assertEqual([name for name in os.listdir(".") if "trace" in name], ["simfab_traces"])
        shutil.rmtree("simfab_traces")
        self.check(simulator=True, suppress_simfab_trace=True)
        self.assertFalse(os.path.exists("simfab_traces"))
        with self.assertRaisesRegex(RuntimeError, "'everything' is no trace"):
            self.log(SIMFABRIC_DEBUG="everything")

    def test_traces_of_some_tiles(self):
        every = [line.split()[1].rstrip(":") for line in self.log(SIMFABRIC_DEBUG="inst_trace") if "[IS OP]" in line]
        self.assertGreater(len(set(every)), 1)
        for tiles in (set(every[:1]), set(every)):
            words = ",".join(f"inst_trace@{tile},landing@{tile}" for tile in tiles)
            found = [line.split()[1].rstrip(":") for line in self.log(SIMFABRIC_DEBUG=words) if "[IS OP]" in line]
            self.assertEqual(found, [tile for tile in every if tile in tiles])
        with self.assertRaisesRegex(RuntimeError, "'5' is no tile"):
            self.log(SIMFABRIC_DEBUG="inst_trace@5")


if __name__ == "__main__":
    unittest.main()
