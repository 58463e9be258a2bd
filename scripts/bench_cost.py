#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures what a step of an engine, a hop, a tile and a thread cost on this computer, with a few small runs, predicts larger
runs from that, measures them, and prints both (docs/performance.md, "What a run costs"). The exit code is 1 if a
prediction is off by more than a quarter. At the end it says what more cores and computers would give.

    scripts/bench.sh --cost [--json FILE] [--quick] ..    builds the executable and runs this script
"""
import argparse
import dataclasses
import json
import math
import os
import pathlib
import sys
import tempfile

from bench_run import run_platform
from files import write_text
from tables import print_table

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOLERANCE = 0.25
CROSSING_BYTES = 48  # a wavelet or credit between strips (models/wafer/sharing/rims.h)
WINDOW_BYTES = 4200  # memory that a busy tile uses
NEAR_BYTES = 4e6     # where a busy tile begins to miss the cache
FAR_BYTES = 64e6     # where all of them do
AHEAD_TILES = 8192   # busy ones from which on blocks are stepped ahead of others
# Other computers, for predictions only: a message between two of them, and the rate of their network.
NODE_MESSAGE_S = 3e-6
NODE_BYTES_PER_S = 10e9


@dataclasses.dataclass
class Run:
    """A program, its grid and parameters, and what became of it."""
    example: str
    width: int
    height: int
    params: dict
    threads: int = 1
    level: bool = False  # all tiles in the same cycle
    seconds: float = 0.0
    cycles: int = 0
    counters: dict = dataclasses.field(default_factory=dict)

    @property
    def tiles(self):
        return self.width * self.height

    @property
    def steps(self):
        """Steps of engines; a program without any is paid by its hops."""
        return self.counters["busy_issue_cycles"]

    @property
    def units(self):
        return self.steps or self.counters["hops"]

    def crossings(self, strips):
        """Wavelets over the borders between `strips`, and the credits that come back for them."""
        vertical = self.counters["hops_north"] + self.counters["hops_south"]
        return 2 * vertical * (strips - 1) / max(1, self.height - 1)

    def is_ahead(self):
        """Are blocks of tiles stepped ahead of others (models/wafer/sharing/strips.cpp)?"""
        return not self.level and self.steps / self.cycles >= max(AHEAD_TILES, self.tiles / 4)

    def distance(self):
        """0: the busy tiles of a cycle fit the cache; 1: none of them is there from the last cycle."""
        window = max(1.0, self.steps / self.cycles * WINDOW_BYTES)
        share = math.log(window / NEAR_BYTES) / math.log(FAR_BYTES / NEAR_BYTES)
        return min(1.0, max(0.0, share))


@dataclasses.dataclass
class Costs:
    """Costs on this computer, in seconds."""
    unit: dict = dataclasses.field(default_factory=dict)  # a step or hop, by program, with the busy tiles in the cache
    first: dict = dataclasses.field(default_factory=dict)  # by program, the first pass over a tile: its lines come from memory
    far: float = 0.0       # what a step takes longer beyond the cache
    far_ahead: float = 0.0  # the same where blocks of tiles are stepped ahead of others
    handover: float = 0.0  # handing a cycle over to the other threads and back

    def one_thread(self, run):
        near = self.unit[run.example] * run.units
        far = self.far_ahead if run.is_ahead() else self.far
        return near + far * run.distance() * run.steps + self.first.get(run.example, 0.0) * run.tiles

    def seconds(self, run, threads=1):
        """The strips are whole rows, and the largest one decides."""
        share = math.ceil(run.height / threads) / run.height
        return self.one_thread(run) * share + (self.handover * run.cycles if threads > 1 else 0.0)

    def on_computers(self, run, computers, cores):
        """A cycle takes a message in each direction, and what crosses a border goes over the network."""
        bytes_over_border = run.crossings(computers) / max(1, computers - 1) * CROSSING_BYTES
        return (self.seconds(run, computers * cores) + 2 * NODE_MESSAGE_S * run.cycles
                + 2 * bytes_over_border / NODE_BYTES_PER_S)


def small_runs():
    """Each program twice: long on few tiles, for what a step costs in the cache, and short on many, for the first pass
    over a tile."""
    return [(Run("stream_rows", 128, 128, {"B": 1000}), None),
            (Run("exchange", 16, 16, {"ITER": 200}), Run("exchange", 32, 32, {"ITER": 1})),
            (Run("reduce_chain", 32, 32, {"B": 1000}), Run("reduce_chain", 128, 128, {"B": 64})),
            (Run("reduce_two_phase", 32, 32, {"B": 1000, "S": 6}), Run("reduce_two_phase", 128, 128, {"B": 64, "S": 11})),
            (Run("gemv_stream", 32, 32, {"M": 1024, "N": 1024}), Run("gemv_stream", 128, 128, {"M": 512, "N": 512}))]


FAR_RUN = Run("exchange", 128, 128, {"ITER": 5}, level=True)
AHEAD_RUN = Run("exchange", 128, 128, {"ITER": 5})
HANDOVER_RUN = Run("exchange", 64, 64, {"ITER": 20}, threads=2)


def points(quick):
    """What is predicted and measured."""
    grids = [(256, 256)] if quick else [(256, 256), (750, 994)]
    found = [Run("exchange", 64, 64, {"ITER": 20})]
    for w, h in grids:
        for threads in (1, 2):
            if threads > (os.cpu_count() or 1):
                continue
            found += [Run("exchange", w, h, {"ITER": 2 if w < 512 else 1}, threads),
                      Run("stream_rows", w, h, {"B": 1024 if w < 512 else 256}, threads),
                      Run("reduce_chain", w, h, {"B": 64}, threads)]
    found += [Run("reduce_two_phase", 256, 256, {"B": 64, "S": 16}), Run("gemv_stream", 256, 256, {"M": 1024, "N": 1024})]
    return found


class Bench:
    def __init__(self, arguments, folder):
        self.platform = arguments.platform
        self.preset = arguments.preset
        self.repeats = arguments.repeat
        self.report = pathlib.Path(folder) / "report.json"

    def measure(self, run):
        """The fastest of some runs."""
        print(f"{run.example} {run.width}x{run.height} {run.threads}", file=sys.stderr, flush=True)
        layout = ROOT / "examples" / run.example / "layout.json"
        options = ["--preset", self.preset, "--threads", run.threads, *(["--skew", "1,1,1"] if run.level else [])]
        params = {"W": run.width, "H": run.height, **run.params}
        reports = [run_platform(self.platform, layout, self.report, "dense", params, options) for _ in range(self.repeats)]
        seconds = min(report["wall"]["run_s"] for report in reports)
        report = reports[-1]
        counters = {name: counter["value"] for name, counter in report["counters"].items()}
        return dataclasses.replace(run, seconds=seconds, cycles=report["cycles"], counters=counters)


def calibrate(bench):
    """Each constant from one run whose other parts are known. A long run contains the first pass over its tiles, and a
    short one contains steps; rounds settle how much."""
    costs = Costs()
    for long, short in small_runs():
        long, short = bench.measure(long), short and bench.measure(short)
        name, first = long.example, 0.0
        for _ in range(16 if short else 1):
            costs.unit[name] = (long.seconds - first * long.tiles) / long.units
            if short:
                first = max(0.0, (short.seconds - costs.unit[name] * short.units) / short.tiles)
                costs.first[name] = first
    far, ahead, handover = (bench.measure(run) for run in (FAR_RUN, AHEAD_RUN, HANDOVER_RUN))
    costs.far = max(0.0, (far.seconds - costs.one_thread(far)) / (far.distance() * far.steps))
    costs.far_ahead = max(0.0, (ahead.seconds - costs.one_thread(ahead)) / (ahead.distance() * ahead.steps))
    costs.handover = max(0.0, (handover.seconds - costs.seconds(handover, 2)) / handover.cycles)
    return costs


def show_costs(costs):
    rows = [[("hop" if name == "stream_rows" else "step with its hops") + f", {name}", value] for name, value in costs.unit.items()]
    rows += [[f"first pass over a tile, {name}", value] for name, value in costs.first.items()]
    rows += [["more for a step beyond the cache", costs.far], ["the same, tiles ahead of others", costs.far_ahead],
             ["cycle with several threads", costs.handover]]
    print_table(["what", "ns"], [[what, f"{1e9 * value:,.3g}" if value < 1e-6 else f"{1e9 * value:,.0f}"] for what, value in rows])


def show_points(rows):
    print()
    print_table(["program", "size", "threads", "cycles", "predicted s", "measured s", "predicted / measured"],
                [[r["program"], r["size"], str(r["threads"]), f"{r['cycles']:,}", f"{r['predicted_s']:.3g}",
                  f"{r['measured_s']:.3g}", f"{r['ratio']:.2f}"] for r in rows])


def show_predictions(costs, runs):
    """For machines that nobody has measured here."""
    print("\nPredictions, not measurements: this computer with more cores, and several of them in a network")
    rows = []
    for run in runs:
        one = costs.seconds(run)
        many = [costs.seconds(run, cores) for cores in (16, 64)]
        nodes = costs.on_computers(run, 16, 16)
        rows.append([run.example, f"{run.width}x{run.height}", f"{one:.3g}", *(f"{s:.3g}" for s in many), f"{nodes:.3g}"])
    print_table(["program", "size", "1 core: s", "16 cores: s", "64 cores: s", "16 computers of 16 cores: s"], rows)


def read_arguments():
    parser = argparse.ArgumentParser(prog="bench.sh --cost", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="grids up to 256x256")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each; the fastest counts (3)")
    parser.add_argument("--preset", default="wse2", help="the machine (wse2)")
    parser.add_argument("--json", metavar="FILE", help="write costs and points as data")
    parser.add_argument("--platform", type=pathlib.Path, default=ROOT / "build-bench/bin/wse_platform", help="the executable")
    arguments = parser.parse_args()
    if arguments.repeat < 1:
        parser.error("--repeat: expected a number from 1 on")
    return arguments


def main():
    arguments = read_arguments()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments, folder)
        costs = calibrate(bench)
        show_costs(costs)
        measured = [bench.measure(run) for run in points(arguments.quick)]
    rows = [{"program": run.example, "size": f"{run.width}x{run.height}", "threads": run.threads, "cycles": run.cycles,
             "predicted_s": costs.seconds(run, run.threads), "measured_s": run.seconds,
             "ratio": costs.seconds(run, run.threads) / run.seconds} for run in measured]
    if arguments.json:
        write_text(arguments.json, json.dumps({"costs": dataclasses.asdict(costs), "points": rows}, indent=2) + "\n")
    show_points(rows)
    show_predictions(costs, [run for run in measured if run.threads == 1 and run.width > 64])
    off = [r for r in rows if not 1 / (1 + TOLERANCE) <= r["ratio"] <= 1 + TOLERANCE]
    if off:
        sys.exit(f"{len(off)} of {len(rows)} predictions are off by more than {TOLERANCE:.0%}")


main()
