#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs whole programs on wse_platform, measures how fast it simulates them and how much memory a tile takes, and
compares that with bench/limit, which moves wavelets and does nothing else. docs/performance.md explains the columns.

    scripts/bench.sh [--json FILE] [--quick] ..     builds both executables and runs this script
    scripts/bench.py --show FILE                    prints the table of an earlier run
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

from bench_run import run_platform
from files import write_text
from tables import print_table, read_sizes, scaled

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [(8, 8), (32, 32), (128, 128), (512, 512), (750, 994)]
QUICK_SIZES = SIZES[:2]
MODULES_LIMIT = 128 * 128  # tiles; 65536 is what the structure allows, at 1 GB for every 16384
REPEAT_BELOW = 4.0  # seconds: shorter runs are repeated, up to three times, and the fastest counts

# About how much work a run is given, in hops or tile-cycles.
WORK = {"modules": 4e6, "dense": 40e6}
QUICK_WORK = {"modules": 0.5e6, "dense": 4e6}


def amount(work, per_unit, smallest):
    """Wavelets or iterations for that much work, at least `smallest`; 1 for no work."""
    return max(smallest, round(work / per_unit)) if work else 1


class Case:
    """A benchmark: an example, and its parameters on a grid of w x h tiles for `work` hops or tile-cycles; 0: as little
    as it can do."""

    def __init__(self, name, example, params, rate="hops_per_s", smallest=None):
        self.name = name
        self.layout = ROOT / "examples" / example / "layout.json"
        self.params = params
        self.rate = rate  # what is compared with the limit
        self.smallest = smallest or {}  # parameters of the smallest grid, where memory is counted from


CASES = [
    Case("stream_rows", "stream_rows", lambda w, h, work: {"W": w, "H": h, "B": amount(work, w * h, w)}),
    Case("exchange", "exchange", lambda w, h, work: {"W": w, "H": h, "ITER": amount(work, 155 * w * h, 2)},
         rate="tile_cycles_per_s", smallest={"W": 2, "H": 2}),
    Case("reduce_chain", "reduce_chain", lambda w, h, work: {"W": w, "H": h, "B": 64 if work else 1}),
    Case("reduce_two_phase", "reduce_two_phase",
         lambda w, h, work: {"W": w, "H": h, "B": 64 if work else 1, "S": round(w ** 0.5)}),
    Case("gemv_stream", "gemv_stream",
         lambda w, h, work: {"W": w, "H": h, "M": (4 if work else 1) * h, "N": (4 if work else 1) * w}),
    Case("one_row_of_many", "stream_rows", lambda w, h, work: {"W": w, "H": h, "ROWS": 1, "B": amount(work, 10 * w, w)}),
    Case("row_alone", "stream_rows", lambda w, h, work: {"W": w, "H": 1, "B": amount(work, 10 * w, w)}),
]


class Bench:
    def __init__(self, arguments, folder):
        self.platform = arguments.platform
        self.limit = arguments.limit
        self.preset = arguments.preset
        self.threads = 1
        self.work = QUICK_WORK if arguments.quick else WORK
        self.repeats = 1 if arguments.quick else 3
        self.report = pathlib.Path(folder) / "report.json"
        self.rss = {}  # memory that a run of the smallest grid takes, by example and structure

    def run(self, case, structure, params):
        """The report of one run, which must pass its checks."""
        options = ["--preset", self.preset] + (["--threads", self.threads] if structure == "dense" else [])
        return run_platform(self.platform, case.layout, self.report, structure, params, options)

    def has(self, structure):
        command = [self.platform, str(CASES[0].layout), "--preset", self.preset, "--structure", structure, "--quiet"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0

    def limit_hops(self, size):
        output = subprocess.run([self.limit, *map(str, size)], capture_output=True, text=True, check=True).stdout
        return json.loads(output)["hops_per_s"]

    def fastest(self, case, structure, params):
        best = None
        for _ in range(self.repeats):
            report = self.run(case, structure, params)
            if best is None or report["wall"]["run_s"] < best["wall"]["run_s"]:
                best = report
            if report["wall"]["run_s"] + report["wall"]["elaborate_s"] > REPEAT_BELOW:
                break
        return best

    def bytes_per_tile(self, case, structure, params):
        """Bytes per tile of the run with `params`, beyond what the smallest grid takes."""
        if (case.layout, structure) not in self.rss:
            smallest = {**params, "W": 1, "H": 1, "M": 1, "N": 1, **case.smallest}
            smallest = {name: value for name, value in smallest.items() if name in params}
            self.rss[case.layout, structure] = self.run(case, structure, smallest)["wall"]["peak_rss_bytes"]
        used = self.run(case, structure, params)["wall"]["peak_rss_bytes"] - self.rss[case.layout, structure]
        return max(0, round(used / (params["W"] * params["H"])))

    def measure(self, case, structure, size):
        report = self.fastest(case, structure, case.params(*size, self.work[structure]))
        wall = report["wall"]
        return {"bench": case.name, "size": f"{size[0]}x{size[1]}", "structure": structure,
                "threads": report["run"]["threads"], "ranks": report["run"]["ranks"],
                "hops_per_s": wall["hops_per_s"], "tile_cycles_per_s": wall["tile_cycles_per_s"],
                "cycles_per_s": wall["cycles_per_s"], "cycles": report["cycles"], "run_s": wall["run_s"],
                "elaborate_s": wall["elaborate_s"], "rate": case.rate,
                # A run with next to nothing to do, so that the arrays of the host do not count.
                "bytes_per_tile": self.bytes_per_tile(case, structure, case.params(*size, 0))}


def variants(size, structures, threads):
    """Structure and number of threads of every run of a benchmark; `modules` has one thread."""
    tiles = size[0] * size[1]
    return [(s, n) for s in structures for n in threads if s == "dense" or (n == 1 and tiles <= MODULES_LIMIT)]


def measure_all(bench, sizes, structures, threads, cases):
    results = []
    for size in sizes:
        found = []
        limit = bench.limit_hops(size)
        for case in cases:
            for structure, bench.threads in variants(size, structures, threads):
                print(f"{case.name} {size[0]}x{size[1]} {structure} {bench.threads}", file=sys.stderr, flush=True)
                found.append(bench.measure(case, structure, size))
        limit = max(limit, bench.limit_hops(size))
        for result in found:
            result["limit_hops_per_s"] = limit
            result["ratio"] = result[result["rate"]] / limit
        results += found
    return results


def show(results):
    head = ["bench", "size", "structure", "threads", "cycles/s", "tile-cycles/s", "hops/s", "limit hops/s", "ratio", "bytes/tile"]
    print_table(head, [[r["bench"], r["size"], r["structure"], str(r.get("threads", 1)), scaled(r["cycles_per_s"]),
                        scaled(r["tile_cycles_per_s"]), scaled(r["hops_per_s"]), scaled(r["limit_hops_per_s"]),
                        f"{100 * r['ratio']:.2g} %", f"{r['bytes_per_tile']:,}"] for r in results])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the results as data")
    parser.add_argument("--quick", action="store_true", help="the two smallest grids, short runs, each once")
    parser.add_argument("--size", action="append", metavar="WxH", help="this grid instead (repeatable)")
    parser.add_argument("--bench", action="append", choices=[case.name for case in CASES], help="only this one (repeatable)")
    parser.add_argument("--structure", action="append", choices=["modules", "dense"], help="only this one (repeatable)")
    parser.add_argument("--threads", action="append", type=int, metavar="N",
                        help="this number of threads of structure dense (repeatable; 1)")
    parser.add_argument("--preset", default="wse2", help="the machine (wse2)")
    parser.add_argument("--show", metavar="FILE", help="print the table of a file that --json wrote, measure nothing")
    parser.add_argument("--platform", default=str(ROOT / "build-bench/bin/wse_platform"), help="the executable")
    parser.add_argument("--limit", default=str(ROOT / "build-bench/bench/limit"), help="the executable of the limit")
    arguments = parser.parse_args()
    arguments.sizes = read_sizes(parser, arguments.size) or (QUICK_SIZES if arguments.quick else SIZES)
    return arguments


def main():
    arguments = read_arguments()
    if arguments.show:
        show(json.loads(pathlib.Path(arguments.show).read_text()))
        return
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        structures = [s for s in arguments.structure or ("modules", "dense") if bench.has(s)]
        cases = [case for case in CASES if not arguments.bench or case.name in arguments.bench]
        results = measure_all(bench, arguments.sizes, structures, arguments.threads or [1], cases)
    if arguments.json:
        write_text(arguments.json, json.dumps(results, indent=2) + "\n")
    show(results)


main()
