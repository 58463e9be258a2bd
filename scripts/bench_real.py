#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures real programs: those of bench/real, written in CSL, each with a host program that checks its results against NumPy.

    scripts/bench.sh --real [--json FILE] [--quick] ..     builds the executables and runs this script
    scripts/bench_real.py --show FILE                      prints the table of an earlier run

Instructions are those of a simulated processor (valgrind --tool=callgrind), which are the same on every computer: the difference of a long
and a short run of the smallest grid, by the busy tile-cycles between them. A tile-cycle is busy if the processor of the tile uses its issue
slot. docs/performance.md explains the columns.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

from files import write_text
from tables import print_table, read_sizes, scaled

ROOT = pathlib.Path(__file__).resolve().parent.parent
SIZES = [(8, 8), (32, 32), (64, 64)]
PYTHON = os.environ.get("TESSERA_PYTHON", "/usr/bin/python3")  # as sdk/bin/cs_python has it


@dataclasses.dataclass
class Case:
    """A program of bench/real; `params` of the compiler for a grid, and the option of its host program that says how much it does."""
    name: str
    params: dict          # beyond the grid
    grid: tuple           # names of the parameters of width and height, which may be the same
    option: str
    amount: int           # what the option gets
    short: int            # and for the two runs under valgrind
    long: int
    arch: str = "wse3"
    lays_out: bool = False  # the host program compiles

    def text(self, size):
        return ",".join(f"{name}:{value}" for name, value in {**dict(zip(self.grid, size)), **self.params}.items())


CASES = [
    Case("matrix_product", {"Mt": 8, "Kt": 8, "Nt": 8}, ("P", "P"), "--repeat", 1, 1, 2),
    Case("matvec", {"m": 8, "n": 8}, ("W", "H"), "--vectors", 8, 1, 9, lays_out=True),
    Case("life", {}, ("width", "height"), "--generations", 60, 5, 45),
    Case("star", {"nx": 8, "ny": 8, "R": 3}, ("W", "H"), "--steps", 4, 1, 3),
    Case("regression", {"rows": 8, "features": 8}, ("P", "P"), "--steps", 2, 1, 3),
    Case("switched", {"nz": 16, "R": 3}, ("width", "height"), "--steps", 3, 1, 3, "wse2"),
    Case("solver", {"nz": 32}, ("w", "h"), "--iterations", 4, 1, 4),
    Case("decode", {"d": 8, "f": 16, "L": 2}, ("P", "P"), "--tokens", 2, 1, 3),
]


class Failure(Exception):
    pass


class Programs:
    """Compiles and runs the programs with executables of a build, and the Python modules of its source tree."""

    def __init__(self, binaries, folder, root=ROOT):
        self.binaries, self.folder, self.root = pathlib.Path(binaries).resolve(), pathlib.Path(folder), pathlib.Path(root).resolve()
        self.counted = self.folder / "counted"  # executables that run under valgrind
        self.counted.mkdir()
        (self.counted / "tessera_cslc").symlink_to(self.binaries / "tessera_cslc")
        server = self.counted / "tessera_csl_server"
        server.write_text("#!/bin/sh\nexec valgrind --tool=callgrind --callgrind-out-file=/dev/null --log-file="
                          f"{self.folder / 'valgrind.txt'} {self.binaries / 'tessera_csl_server'} \"$@\"\n", encoding="utf-8")
        server.chmod(0o755)
        self.compiled = {}
        self.user_s = 0.0  # of the last run, host program included

    def run(self, command, where, options="", binaries=None):
        environment = dict(os.environ, TESSERA_BIN=str(binaries or self.binaries), TESSERA_OPTIONS=options, PYTHONDONTWRITEBYTECODE="1",
                           PYTHONPATH=":".join(filter(None, (str(self.root / "python"), os.environ.get("PYTHONPATH")))))
        done = subprocess.run([str(part) for part in command], cwd=where, env=environment, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            raise Failure(f"{' '.join(map(str, command))}\nended with exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def compile(self, case, size):
        """The folder of a compiled program."""
        out = self.folder / f"{case.name}.{size[0]}x{size[1]}"
        if out in self.compiled or case.lays_out:
            return out
        width, height = size
        self.run([self.binaries / "tessera_cslc", ROOT / "bench/real" / case.name / "layout.csl", f"--arch={case.arch}",
                  f"--fabric-dims={width + 7},{height + 2}", "--fabric-offsets=4,1", f"--params={case.text(size)}", "--memcpy",
                  "--channels=1", "-o", out], self.folder)
        self.compiled[out] = True
        return out

    def report(self, case, size, amount, threads=1, binaries=None, more=""):
        """The report of a run that was right."""
        out, report = self.compile(case, size), self.folder / "report.json"
        command = [PYTHON, ROOT / "bench/real" / case.name / "run.py", "--name", out]
        if case.lays_out:
            command += ["--arch", case.arch, "--params", f"{case.text(size)},{case.option[2:]}:{amount}"]
        else:
            command += [case.option, amount]
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        text = self.run(command, self.folder, f"--report {report} --threads {threads} {more}", binaries)
        self.user_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        if "SUCCESS" not in text:
            raise Failure(f"{case.name}: the host program did not say that the results are right\n{text}")
        return json.loads(report.read_text(encoding="utf-8"))

    def instructions(self, case, size):
        """Instructions of a busy tile-cycle, host commands left out as far as both runs have them."""
        counts = []
        for amount in (case.short, case.long):
            report = self.report(case, size, amount, binaries=self.counted, more="--no-waits")
            total = re.search(r"Collected\s*:\s*([\d,]+)", (self.folder / "valgrind.txt").read_text(encoding="utf-8"))
            counts.append((int(total[1].replace(",", "")), busy(report)))
        (short, few), (long, many) = counts
        return (long - short) / (many - few)


def busy(report):
    return report["counters"]["busy_issue_cycles"]["value"]


def run_in_turn(programs, other, case, size, threads, repeats):
    """Reports and user seconds of runs; and of those of an other version, each after one of these."""
    runs, others = [], []
    for _ in range(repeats):
        for one, found in ((programs, runs), (other, others)):
            if one is not None:
                found.append((one.report(case, size, case.amount, threads, more="--no-waits"), one.user_s))
    return runs, others


def compare(runs, others):
    """How much longer the other version takes, pair by pair: in all, and a busy tile-cycle, because cycles may differ."""
    if not others:
        return {}
    ratios = [theirs[1] / ours[1] for ours, theirs in zip(runs, others)]
    each = statistics.median(ratios) * busy(runs[0][0]) / busy(others[0][0])
    return {"against_cycles": others[0][0]["cycles"], "against_user_s": min(run[1] for run in others),
            "ratio": statistics.median(ratios), "ratio_busy": each}


def measure(programs, case, size, threads, smallest, repeats, other=None):
    """A row of the table; `smallest` is the report of the smallest grid, where memory is counted from."""
    runs, others = run_in_turn(programs, other, case, size, threads, repeats)
    report = min((run[0] for run in runs), key=lambda one: one["wall"]["run_s"])
    wall, tiles = report["wall"], size[0] * size[1]
    fewer = tiles - smallest[0]
    row = {"bench": case.name, "arch": case.arch, "size": f"{size[0]}x{size[1]}", "params": case.text(size), "amount": case.amount,
           "threads": report["run"]["threads"], "ranks": report["run"]["ranks"], "structure": report["structure"],
           "cycles": report["cycles"], "run_s": wall["run_s"], "elaborate_s": wall["elaborate_s"], "user_s": min(run[1] for run in runs),
           "tile_cycles_per_s": report["cycles"] * tiles / wall["run_s"], "busy_tile_cycles": busy(report),
           "busy_tile_cycles_per_s": busy(report) / wall["run_s"], "digest": report["digest"],
           "bytes_per_tile": round((wall["peak_rss_bytes"] - smallest[1]) / fewer) if fewer > 0 else None}
    return {**row, **compare(runs, others)}


def measure_all(programs, options, other=None):
    rows = []
    counts_instructions = not options.no_instructions and shutil.which("valgrind") is not None
    for case in options.cases:
        least, smallest = (4, 4), (16, 0)
        if any(size[0] * size[1] > smallest[0] for size in options.sizes):
            smallest = (16, programs.report(case, least, case.short, more="--no-waits")["wall"]["peak_rss_bytes"])
        instructions = None
        if counts_instructions:
            print(f"{case.name} {SIZES[0][0]}x{SIZES[0][1]} under valgrind", file=sys.stderr, flush=True)
            instructions = programs.instructions(case, SIZES[0])
        for size in options.sizes:
            for threads in options.threads or [1]:
                print(f"{case.name} {size[0]}x{size[1]}, {threads} threads", file=sys.stderr, flush=True)
                repeats = 1 if options.once else 3 if other else 2
                row = measure(programs, case, size, threads, smallest, repeats, other)
                rows.append({**row, "instructions_per_tile_cycle": instructions})
    return rows


def show(rows):
    text = lambda value, form: "-" if value is None else format(value, form)
    head = ["bench", "arch", "size", "threads", "cycles", "run s", "user s", "tile-cycles/s", "busy tile-cycles/s", "ns busy", "instructions busy",
            "bytes/tile"]
    more = [["against cycles", "against user s", "ratio", "ratio busy"]] if any("ratio" in r for r in rows) else []
    print_table(head + sum(more, []), [[r["bench"], r["arch"], r["size"], str(r["threads"]), f"{r['cycles']:,}", f"{r['run_s']:.3g}", f"{r['user_s']:.3g}",
                        scaled(r["tile_cycles_per_s"]), scaled(r["busy_tile_cycles_per_s"]), f"{1e9 / r['busy_tile_cycles_per_s']:.0f}",
                        text(r["instructions_per_tile_cycle"], ",.0f"), text(r["bytes_per_tile"], ",")] +
                       [text(r.get(key), form) for _ in more for key, form in (
                           ("against_cycles", ","), ("against_user_s", ".3g"), ("ratio", ".2f"), ("ratio_busy", ".2f"))] for r in rows])


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the results as data")
    parser.add_argument("--quick", action="store_true", help="the smallest grid only")
    parser.add_argument("--size", action="append", metavar="WxH", help="this grid instead (repeatable); squares for programs on P x P PEs")
    parser.add_argument("--bench", action="append", choices=[case.name for case in CASES], help="only this one (repeatable)")
    parser.add_argument("--threads", action="append", type=int, metavar="N", help="this number of threads (repeatable; 1)")
    parser.add_argument("--once", action="store_true", help="one run of each in place of the faster one of two")
    parser.add_argument("--no-instructions", action="store_true", help="do not count instructions with valgrind")
    parser.add_argument("--against", metavar="TREE", help="also run another version in turn, three times each: a source tree with "
                        "executables in its build/bin")
    parser.add_argument("--show", metavar="FILE", help="print the table of a file that --json wrote, measure nothing")
    parser.add_argument("--bin", default=str(ROOT / "build-bench/bin"), help="the folder of the executables")
    options = parser.parse_args()
    options.sizes = read_sizes(parser, options.size, 3) or (SIZES[:1] if options.quick else SIZES)
    options.cases = [case for case in CASES if not options.bench or case.name in options.bench]
    for case in options.cases:
        if case.grid[0] == case.grid[1] and any(w != h for w, h in options.sizes):
            parser.error(f"--size: {case.name} runs on as many rows as columns")
    return options


def main():
    options = read_arguments()
    if options.show:
        show(json.loads(pathlib.Path(options.show).read_text(encoding="utf-8")))
        return
    if missing := [name for name in ("tessera_cslc", "tessera_csl_server") if not (pathlib.Path(options.bin) / name).is_file()]:
        sys.exit(f"{options.bin} has no {' and no '.join(missing)}; scripts/bench.sh --real builds them, --bin names their folder")
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as beside:
        other = Programs(pathlib.Path(options.against, "build/bin"), beside, options.against) if options.against else None
        try:
            rows = measure_all(Programs(options.bin, folder), options, other)
        except Failure as failure:
            sys.exit(str(failure))
    if options.json:
        write_text(options.json, json.dumps(rows, indent=2) + "\n")
    show(rows)


if __name__ == "__main__":
    main()
