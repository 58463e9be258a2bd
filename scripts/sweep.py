#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a program in every combination of settings, and writes a table, the reports and plots (docs/sweeps.md).

    sweep.py SPEC.yaml --out DIR
    sweep.py examples/gemv_stream/layout.json --param W=1,2,4,8 --param M=64 --param N=64 --set fabric.hop_latency=1..3 --out DIR

A point that DIR has a result of is not run again, unless something that it depends on has changed: program, arrays,
configuration, options, or the executable. An interrupted sweep therefore goes on where it ended.
"""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import startup  # noqa: E402 isort: skip
import argparse  # noqa: E402
import signal  # noqa: E402
from pathlib import Path  # noqa: E402

from sweeps import cluster  # noqa: E402
from sweeps.document import check_text  # noqa: E402
from sweeps.engine import check_limits, check_names, conclude, run_here  # noqa: E402
from sweeps.expression import BadSpec  # noqa: E402
from sweeps.plots import check_files  # noqa: E402
from sweeps.spec import Spec, from_command_line, from_file, resolved  # noqa: E402

def run_all(options, points, check=lambda point: None):
    if options.slurm is not None:
        cluster.run_slurm(points, options.out, options.timeout, options.jobs, options.slurm.split())
    elif options.dask:
        cluster.run_dask(points, options.out, options.timeout, options.dask)
    else:
        run_here(points, options.jobs or len(os.sched_getaffinity(0)), options.timeout, check)


def main():
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", metavar="SPEC.yaml|PROGRAM", help="a sweep (.yaml, .yml), or a program with axes as options")
    parser.add_argument("--out", type=Path, required=True, help="folder for results.csv, the reports and the plots")
    axes = parser.add_argument_group("axes (VALUES: 1,2,4 or 1..8; repeatable; with a SPEC they are added to its own)")
    axes.add_argument("--param", action="append", default=[], metavar="NAME=VALUES")
    axes.add_argument("--set", action="append", default=[], metavar="KEY=VALUES")
    axes.add_argument("--preset", metavar="NAMES")
    axes.add_argument("--template", action="append", default=[], metavar="NAME=VALUES", help="replaces ${NAME} in the program")
    axes.add_argument("--define", action="append", default=[], metavar="NAME=VALUES", help="a macro of a kernel in C++")
    parser.add_argument("--option", action="append", default=[], metavar="TEXT", help="a further option of the platform, e.g. --option=--no-data")
    parser.add_argument("--platform", choices=("wse", "ascend", "numesh", "vp"), help="default: by the ending of the program")
    parser.add_argument("--plot", action="append", default=[], metavar="X:Y[:BY]", help="a curve, e.g. W:cycles:M")
    parser.add_argument("--jobs", type=int, help="runs at a time (default: one a core; with --slurm: no limit)")
    parser.add_argument("--timeout", type=float, metavar="SECONDS", help="of each run")
    parser.add_argument("--bin", type=Path, help="folder of the executables")
    parser.add_argument("--again", action="store_true", help="runs every point, also those with a result")
    parser.add_argument("--slurm", nargs="?", const="", metavar="OPTIONS", help="runs through a job array of Slurm; OPTIONS go to sbatch")
    parser.add_argument("--dask", metavar="ADDRESS", help="runs on the workers of a Dask scheduler")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))
    return sweep(options)


def sweep(options):
    try:
        check_limits(options.jobs, options.timeout)
        for text in (options.what, str(options.out), str(options.bin), *options.option):
            check_text(text, "command line")
        spec = from_file(Path(options.what)) if Path(options.what).suffix in (".yaml", ".yml") else Spec(options.what)
        spec = from_command_line(spec, options)
        options.out = resolved(options.out)
        check_files(spec)
        points = spec.points(options.out, options.bin)
        todo = [point for point in points if options.again or point.result() is None]
        print(f"{len(points)} points, {len(points) - len(todo)} of them done", file=sys.stderr)
        interrupted = False
        warm = list({point.warm.state: point.warm for point in todo if point.warm}.values())
        try:
            run_all(options, [point for point in warm if options.again or point.result() is None])
            run_all(options, todo, lambda point: check_names(spec, point))
        except KeyboardInterrupt:
            interrupted = True
        missing = conclude(spec, points, options.out)
    except (BadSpec, OSError) as error:
        print("sweep.py:", " ".join(str(error).split()), file=sys.stderr)  # one line
        return 2
    print(options.out / "results.csv")
    return startup.EXIT_INTERRUPTED if interrupted else 1 if missing else 0


if __name__ == "__main__":
    sys.exit(startup.run(main, "sweep.py"))
