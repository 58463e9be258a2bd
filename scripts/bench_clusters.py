#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what AI-core clusters cost the host: an instruction of the scalar unit, an operation on tiles, a byte of a tile, a call of a
kernel in C++, the start of a compiled one, and 1,024 clusters in one process.

    scripts/bench.sh --clusters [--json FILE] [--quick]     builds the executables and runs this script
    scripts/bench_clusters.py [--bin build/bin] ..

Times are CPU time, the least of several runs, less that of a run with nothing to do. The machine is a2a3.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

from files import write_text
from tables import print_table

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples/ascend"
CLUSTERS = 24

TILE = "!pto.tile_buf<loc=vec, dtype=f32, rows={rows}, cols=64, v_row={rows}, v_col=64, blayout=row_major, slayout=none_box, fractal=512, pad=0>"
# N rounds of a loop on each AIV: with an operation on a tile of `rows` rows, or with nothing.
LOOP = """module {{
  func.func @loop(%x: !pto.ptr<f32>, %N: i32) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %one = arith.constant 1.0 : f32
    %n = arith.index_cast %N : i32 to index
    %t = pto.alloc_tile : {tile}
    %0 = pto.get_block_idx
    {operation}
    scf.for %i = %c0 to %n step %c1 {{
      {body}
    }}
    return
  }}
}}
"""
# N calls that come to one instruction of the scalar unit each, on all 72 cores; the first operations say that both kinds take part.
CALLS = """#include <pto/pto-inst.hpp>
extern "C" __global__ AICORE void calls(int n) {
#ifdef __DAV_CUBE__
  pipe_barrier(PIPE_M);
#else
  pipe_barrier(PIPE_V);
#endif
  for (int i = 0; i < n; ++i) get_sys_cnt();
}
"""
# One of the functions of a kernel of 200 lines: tiles of its own shape, and ten operations.
STEP = """AICORE inline void step{n}(__gm__ float* x, __gm__ float* y) {{
  Tile<TileType::Vec, float, {n}, 64> a;
  TASSIGN(a, 0);
  GlobalTensor<float, Shape<1, 1, 1, {n}, 64>, Stride<1, 1, 1, 64, 1>> from(x), to(y);
  TLOAD(a, from);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0), wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(a, a, 1.0f), TMUL(a, a, a), TEXP(a, a);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0), wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(to, a);
}}
"""
# 1,024 clusters are 32 devices, each a machine of its own in one process; every AIV adds four tiles.
DEVICES = """import resource, sys, time
import numpy as np, tessera
program, count, clusters = sys.argv[1], int(sys.argv[2]), 32
values = np.random.default_rng(1).random(8 * clusters * 16 * 512, np.float32)
begin = time.process_time()
machines = [tessera.Machine(program, "--preset", "a2a3", "--set", f"launch.clusters={clusters}", "--param", "TILES=4") for _ in range(count)]
for machine in machines:
    machine.set_array("a", values)
    machine.set_array("b", values)
    machine.launch(machine.functions[0])
for machine in machines:
    machine.run()
took = time.process_time() - begin
for machine in machines:
    np.testing.assert_array_equal(machine.array("c", np.float32), values + values)
print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


class Bench:
    def __init__(self, bin_folder, folder, quick):
        self.bin, self.folder = pathlib.Path(bin_folder).resolve(), pathlib.Path(folder)
        self.repeats = 2 if quick else 5
        self.amount = 5_000 if quick else 50_000
        os.environ["TESSERA_CACHE"] = str(self.folder / "cache")
        os.environ["TESSERA_LIBRARY"] = str(self.bin.parent / "lib/libtessera.so")
        os.environ["PYTHONPATH"] = str(ROOT / "python")

    @staticmethod
    def used():
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    def seconds(self, *words, times=None):
        """Processor time of one run: the least of several runs."""
        command = [str(self.bin / "ascend_platform"), *map(str, words), "--preset", "a2a3", "--quiet", "--no-waits"]
        found = []
        for _ in range(times or self.repeats):
            before = self.used()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{' '.join(command)}\nended with exit code {done.returncode}\n{done.stderr}")
            found.append(self.used() - before)
        return min(found)

    def loop(self, name, amount, body="", rows=1, data=False):
        """Nanoseconds of a round of a loop on each of 48 AIVs."""
        tile = TILE.format(rows=rows)
        operation = f"pto.tadds ins(%t, %one : {tile}, f32) outs(%t : {tile})"
        text = LOOP.format(tile=tile, operation=operation, body=body and operation)
        (self.folder / f"{name}.pto").write_text(text)
        options = ["--set", f"launch.clusters={CLUSTERS}", "--set", "launch.ratio=0:2", "--hazards", "off", *([] if data else ["--no-data"])]
        times = [self.seconds(self.folder / f"{name}.pto", "--param", f"N={n}", *options) for n in (0, amount)]
        return (times[1] - times[0]) / (amount * 2 * CLUSTERS) * 1e9

    def calls(self, amount):
        """Nanoseconds of a call of a kernel in C++ on each of 72 cores."""
        (self.folder / "calls.cpp").write_text(CALLS)
        options = ["--set", f"launch.clusters={CLUSTERS}", "--set", "launch.ratio=1:2", "--hazards", "off", "--no-data"]
        self.seconds(self.folder / "calls.cpp", "--arg", "n=0", *options, times=1)  # compiles it
        times = [self.seconds(self.folder / "calls.cpp", "--arg", f"n={n}", *options) for n in (0, amount)]
        return (times[1] - times[0]) / (amount * 3 * CLUSTERS) * 1e9

    def compilation(self):
        """Seconds of the first run of a kernel of 200 lines, and of the next one."""
        functions = range(1, 20)
        body = "".join(f"  step{n}(x, y);\n" for n in functions)
        text = "#include <pto/pto-inst.hpp>\nusing namespace pto;\n" + "".join(STEP.format(n=n) for n in functions)
        text += f"extern \"C\" __global__ AICORE void steps(__gm__ float* x, __gm__ float* y) {{\n{body}}}\n"
        assert text.count("\n") >= 200
        (self.folder / "steps.cpp").write_text(text)
        words = [self.folder / "steps.cpp", "--arg", "x=f32[64,64]", "--arg", "y=f32[64,64]", "--set", "launch.clusters=1"]
        return self.seconds(*words, times=1), self.seconds(*words)

    def softmax(self):
        """Seconds of the same kernel in PTO text and in C++."""
        rows = 400 if self.repeats == 2 else 4000
        common = ["--set", f"launch.clusters={CLUSTERS}"]
        text = [EXAMPLES / "kernels/softmax.pto", "--param", f"ROWS={rows}", "--param", "COLS=1000", *common]
        cpp = [EXAMPLES / "cpp/softmax.cpp", "--arg", f"x=f32[{rows},1000]", "--arg", f"y=f32[{rows},1000]", "--arg", f"ROWS={rows}",
               "--arg", "COLS=1000", "--auto-sync", *common]
        self.seconds(*cpp, times=1)
        return self.seconds(*text), self.seconds(*cpp)

    def devices(self, count):
        done = subprocess.run([sys.executable, "-c", DEVICES, str(EXAMPLES / "vector_add.pto"), str(count)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        return [float(word) for word in done.stdout.split()]

    def rows(self):
        cores = f"{2 * CLUSTERS} AIVs"
        scalar = self.loop("scalar", 3 * self.amount) / 3  # a round is three instructions
        operation = self.loop("operation", self.amount // 3, "tadds")
        # With values, and tiles of 512 B and 64 KB.
        small, large = (self.loop(f"rows{rows}", amount, "tadds", rows, data=True)
                        for rows, amount in ((2, self.amount // 5), (256, self.amount // 100)))
        call = self.calls(self.amount)
        text, cpp = self.softmax()
        first, next_ = self.compilation()
        seconds, memory = self.devices(4 if self.repeats == 2 else 32)
        row = lambda bench, size, value, unit: {"bench": f"cluster_{bench}", "size": size, "structure": "dense", "value": value, "unit": unit}
        return [row("scalar", cores, scalar, "ns an instruction of the scalar unit"),
                row("operation", cores, operation, "ns an operation on a tile, without values"),
                row("byte", cores, (large - small) / (254 * 256), "ns a byte of a tile that an operation writes"),
                row("call", "72 cores", call, "ns a call of a kernel in C++, with its instruction"),
                row("switch", "72 cores", call - scalar, "ns of that for native code and two switches of stacks"),
                row("cpp", "softmax", cpp / text, "times the run of the same kernel in PTO text"),
                row("compile", "200 lines", first, "s for the first run of a kernel in C++, which compiles it for both kinds of core"),
                row("start", "200 lines", next_, "s for the next run"),
                row("devices", f"{4 if self.repeats == 2 else 32} x 32 clusters", seconds, "s for 64 vector cores a device with 4 additions of 32 KB each"),
                row("memory", f"{4 if self.repeats == 2 else 32} x 32 clusters", memory / 1e6, "MB, of which arrays 12.6 MB a device")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the results as data")
    parser.add_argument("--quick", action="store_true", help="short runs")
    parser.add_argument("--bin", default=str(ROOT / "build/bin"), help="the folder of the executables")
    arguments = parser.parse_args()
    if importlib.util.find_spec("numpy") is None:
        sys.exit("bench_clusters.py: NumPy is missing (Debian package python3-numpy)")
    with tempfile.TemporaryDirectory() as folder:
        rows = Bench(arguments.bin, folder, arguments.quick).rows()
    if arguments.json:
        write_text(arguments.json, json.dumps(rows, indent=2) + "\n")
    print_table(["bench", "size", "value", "unit"], [[r["bench"], r["size"], f"{r['value']:.3g}", r["unit"]] for r in rows])


if __name__ == "__main__":
    main()
