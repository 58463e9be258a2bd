# SPDX-License-Identifier: Apache-2.0
"""tessera sensitivity: what the assumed values of an Ascend machine do to one run (docs/ascend-platform.md#assumed-values-that-matter).

Each number of the preset that no source states is made smaller and larger, one at a time, and the program runs with it.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from commands import programs
from sweeps.engine import run_here
from sweeps.point import Point, read_json

LINE = re.compile(r"^(?P<key>[\w.]+) = (?P<value>\d+)\b[^\[]*\[(?P<origin>.*)\]$")
# Not of the machine: what is run, and where registers lie.
LEFT_OUT = re.compile(r"^(launch\.(clusters|blocks)|scalar\.control_)")
REFUSED = "refused"


def add_to(commands):
    command = commands.add_parser("sensitivity", help="what the assumed values of an Ascend machine do to one run", description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("--percent", type=int, default=50, metavar="N", help="how far each value goes down and up, default 50")
    command.add_argument("--into", type=Path, metavar="REPORT.json", help="a report of the run, which gets the group 'sensitivity'")
    command.add_argument("--jobs", type=int, help="runs at a time (default: one a core)")
    command.add_argument("program", metavar="PROGRAM")
    command.add_argument("options", nargs=argparse.REMAINDER, metavar="OPTION", help="of ascend_platform")
    command.set_defaults(call=run)


def assumed(executable, options):
    """{key: value} of the numbers that are assumed."""
    machine = [word for n, word in enumerate(options) if re.match(r"--(preset|config|set)(=|$)", word) or
               n and options[n - 1] in ("--preset", "--config", "--set")]
    done = subprocess.run([executable, "--print-config", *machine], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise programs.Problem((done.stderr.strip().splitlines() or ["no configuration"])[0].removeprefix("ascend_platform: "))
    found = {}
    for line in done.stdout.splitlines():
        match = LINE.match(line)
        if match and re.search(r", assumed\b", match["origin"]) and not LEFT_OUT.match(match["key"]) and int(match["value"]) > 0:
            found[match["key"]] = int(match["value"])
    return found


def run(arguments):
    if not 1 <= arguments.percent <= 99:
        raise programs.Problem("--percent: expected a number from 1 to 99")
    executable = programs.executable("ascend_platform")
    if programs.platform_of(arguments.program) != "ascend_platform":
        raise programs.Problem(f"{arguments.program}: expected .pto or .cpp")
    values = assumed(executable, arguments.options)
    with tempfile.TemporaryDirectory(prefix="tessera-sensitivity-") as folder:
        def point(*more):
            return Point({}, {}, [executable, arguments.program, *arguments.options, *more, "--quiet", "--no-waits"], Path(folder))
        plain = point()
        changed = {}
        for key, value in values.items():
            step = max(1, value * arguments.percent // 100)
            changed[key] = [(n, point("--set", f"{key}={n}")) for n in (value - step, value + step)]
        run_here([plain, *(p for pair in changed.values() for _, p in pair)], arguments.jobs or len(os.sched_getaffinity(0)), None)
        base = read_json(plain.report)
        if not base or base["status"] != "finished":
            raise programs.Problem(f"the run itself: {plain.problem()}")
        rows = [row_of(key, values[key], pair, base["cycles"]) for key, pair in changed.items()]
    rows.sort(key=lambda row: (-row["most_percent"], row["key"]))
    show(rows, base["cycles"], arguments.percent)
    if arguments.into:
        write_into(arguments.into, rows, arguments.percent)
    return 0


def row_of(key, value, pair, cycles):
    row = {"key": key, "value": value, "most_percent": 0.0}
    for side, (number, point) in zip(("less", "more"), pair):
        report = read_json(point.report)
        finished = report and report["status"] == "finished"
        row[side] = {"value": number, "cycles": report["cycles"] if finished else None}
        if finished:
            row["most_percent"] = max(row["most_percent"], abs(report["cycles"] - cycles) / cycles * 100)
    return row


def show(rows, cycles, percent):
    matter = [row for row in rows if row["most_percent"] > 0]
    print(f"{cycles:,} cycles; {len(rows)} assumed numbers, each {percent} % less and more: {len(matter)} matter")
    width = max((len(row["key"]) for row in matter), default=0)

    def side(row, name):
        change = row[name]["cycles"]
        return f"{row[name]['value']}: " + (REFUSED if change is None else f"{(change - cycles) / cycles:+.1%}")
    for row in matter:
        print(f"  {row['key']:<{width}}  {row['value']:>8}   {side(row, 'less'):<20} {side(row, 'more')}")


def write_into(path, rows, percent):
    report = read_json(path)
    if not isinstance(report, dict) or report.get("schema") != "tessera-report-1":
        raise programs.Problem(f"{path}: is no report of a run")
    report["sensitivity"] = {"percent": percent, "assumed": rows}
    path.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    sys.stdout.flush()
