#!/usr/bin/env python3
"""Runs the loops of examples/pe_loops and prints their rates and set-ups beside the published ones.

    scripts/loop_rates.py [--platform build/bin/wse_platform] [--json FILE] [--set KEY=VALUE ..]
    scripts/loop_rates.py --check      only whether every run passes its checks

What is run, and what was published, stands in examples/pe_loops/published.json. Every program stores the cycle counter
before and behind its loop; the fit is T = set-up + N / rate, by least squares. Exit code 1: a run failed.
"""
import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

EXAMPLE = pathlib.Path(__file__).resolve().parent.parent / "examples" / "pe_loops"
READING = 1  # cycles between two readings of the counter with nothing between them


def read_u32(path):
    """The values of a little endian u32 .npy file of version 1.0."""
    data = path.read_bytes()
    (header,) = struct.unpack_from("<H", data, 8)
    assert data[:8] == b"\x93NUMPY\x01\x00" and b"'<u4'" in data[10:10 + header], path
    return struct.unpack_from(f"<{(len(data) - 10 - header) // 4}I", data, 10 + header)


class Bench:
    """Runs loops, each once."""

    def __init__(self, platform, settings, folder):
        self.platform = platform
        self.settings = settings
        self.file = pathlib.Path(folder) / "cycles.npy"
        self.known = {}

    def cycles(self, case, **params):
        """Cycles that the loop takes with these parameters, which replace those of the case."""
        params = {**case["params"], **params}
        preset = case.get("preset", "wse3")
        key = (case["layout"], preset, *sorted(params.items()))
        if key not in self.known:
            self.known[key] = self.run(case["layout"], preset, params)
        return self.known[key]

    def run(self, layout, preset, params):
        command = [self.platform, str(EXAMPLE / layout), "--preset", preset, "--quiet", "--output", f"cycles={self.file}"]
        command += [f"--param={name}={value}" for name, value in params.items()]
        command += [f"--set={setting}" for setting in self.settings]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)}\nended with exit code {result.returncode}\n{result.stdout}{result.stderr}")
        start, end = read_u32(self.file)
        return end - start - READING


def fit(points):
    """Set-up and cycles per element of the line nearest to the points (elements, cycles)."""
    mean_n = sum(n for n, _ in points) / len(points)
    mean_t = sum(t for _, t in points) / len(points)
    slope = sum((n - mean_n) * (t - mean_t) for n, t in points) / sum((n - mean_n) ** 2 for n, _ in points)
    return mean_t - slope * mean_n, slope


def measure_rate(bench, case):
    elements = case.get("elements", 1)  # per unit of N
    points = [(elements * n, bench.cycles(case, N=n)) for n in case["lengths"]]
    setup, slope = fit(points)
    unit = case.get("unit", "elements/cycle")
    return {"loop": case["loop"], "unit": unit, "points": points, "setup": setup,
            "rate": slope if unit == "cycles/element" else 1 / slope, "published": case["published"]}


def measure_cycles(bench, case):
    return {"loop": case["loop"], "cycles": bench.cycles(case), "published": case["published"], "source": case["source"]}


def measure_ratio(bench, case):
    total = [sum(bench.cycles(case, **params) for params in case[side]) for side in ("of", "over")]
    return {"loop": case["loop"], "ratio": total[0] / total[1], "published": case["published"], "source": case["source"]}


def print_table(head, rows):
    rows = [head, *rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for k, row in enumerate(rows):
        print("| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths)) + " |")
        if k == 0:
            print("| " + " | ".join("-" * width for width in widths) + " |")
    print()


def print_results(results):
    rows = []
    for r in results["rates"]:
        for p in r["published"]:
            rows.append([r["loop"], r["unit"], f"{p['rate']:.2f}", str(p.get("setup", "")), p["source"],
                         f"{r['rate']:.2f}", f"{r['setup']:.0f}", f"{r['rate'] / p['rate']:.2f}"])
    print_table(["loop", "unit", "published rate", "set-up", "source", "rate", "set-up", "ratio"], rows)
    rows = [[r["loop"], str(r["published"]), r["source"], str(r["cycles"]), f"{r['cycles'] / r['published']:.2f}"]
            for r in results["cycles"]]
    print_table(["loop", "published cycles", "source", "cycles", "ratio"], rows)
    rows = [[r["loop"], f"{r['published']:.2f}", r["source"], f"{r['ratio']:.2f}"] for r in results["ratios"]]
    print_table(["times of two loops", "published", "source", "model"], rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="build/bin/wse_platform", help="the executable")
    parser.add_argument("--json", metavar="FILE", help="write the results as data")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a config value, as of wse_platform")
    parser.add_argument("--check", action="store_true", help="print no table, only whether every run passes")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.platform).is_file():
        parser.error(f"no executable {arguments.platform}; build it or name it with --platform")

    cases = json.loads((EXAMPLE / "published.json").read_text())
    measures = {"rates": measure_rate, "cycles": measure_cycles, "ratios": measure_ratio}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.platform, arguments.set, folder)
        results = {kind: [measure(bench, case) for case in cases[kind]] for kind, measure in measures.items()}
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(results, indent=2) + "\n")
    if arguments.check:
        print(f"{len(bench.known)} runs passed their checks")
    else:
        print_results(results)


main()
