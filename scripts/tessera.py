#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The command in front of the executables, and tools for the reports of runs (docs/report-and-traces.md#two-reports).

    tessera run|serve PROGRAM [OPTION ..]      runs it on the platform that takes it; serve: with the live view
    tessera debug PROGRAM [OPTION ..]          runs it under the debugger (docs/debugger.md)
    tessera attach [PATH]                      the debugger for a run that waits for it (--debug=PATH)
    tessera dap                                the debugger for editors
    tessera compile PROGRAM [OPTION ..]        compiles it, and prints or writes its code
    tessera sweep WHAT [OPTION ..]             every combination of settings (docs/sweeps.md)
    tessera golden add|check|update|show       what a program of yours takes, and what moved since then (docs/command.md)
    tessera coverage A.info B.info -o C.info   adds what runs executed (docs/coverage.md)
    tessera info [--cite]                      what is installed, and how to cite it
    tessera checkpoint FILE                    what is in a saved state of a run (docs/checkpoints.md)
    tessera diff A.json B.json    says what differs between two runs: in what they were given, and in what they gave
    tessera show REPORT.json [--svg FILE]      a report in words, and as a picture of the machine
    tessera tune PROGRAM --axis ..             the values with which a program takes the fewest cycles (docs/sweeps.md#tuning)
    tessera sensitivity KERNEL [OPTION ..]     what the assumed values of an Ascend machine do to a run
    tessera ptoas-costmodel ACTION             predicts candidates of the public assembler (docs/ptoas-costmodel.md)

Exit codes of diff: 0 nothing differs, 1 something differs, 2 a file is no report.
"""
import argparse
import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import commands as front  # noqa: E402
from costmodel import command as costmodel  # noqa: E402
from sweeps import sensitivity, tune  # noqa: E402

SCHEMA = "tessera-report-1"
# Beside `run`: what a report says of what a run was given.
GIVEN = ("platform", "preset", "program", "structure")
# What two equal runs may have different.
IGNORED = ("run.argv", "run.threads", "run.ranks", "wall")
MOST_LINES = 40
ABSENT = object()


class BadFile(Exception):
    """A file that is no report."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        raise BadFile(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise BadFile(f"{path}: is no report of a run (schema {SCHEMA})")
    return report


def flat(value, path=""):
    """{"counters.hops": 12, ..}: every number and text of a report by its path."""
    if path in IGNORED:
        return {}
    if isinstance(value, dict):
        if set(value) == {"value", "unit", "description"}:  # a counter
            return {path: value["value"]}
        members = value.items()
    elif isinstance(value, list):
        members = enumerate(value)
    else:
        return {path: value}
    return {key: leaf for name, member in members for key, leaf in flat(member, f"{path}.{name}" if path else str(name)).items()}


def differences(before, after):
    """{"inputs": [(path, before, after)], "results": ..}"""
    before, after = flat(before), flat(after)
    found = {"inputs": [], "results": []}
    for path in {**before, **after}:
        values = before.get(path, ABSENT), after.get(path, ABSENT)
        if values[0] != values[1]:
            is_given = path.startswith("run.") or path in GIVEN
            found["inputs" if is_given else "results"].append((path.removeprefix("run."), *values))
    return found


def shown(value):
    if value is ABSENT:
        return "(absent)"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return value if isinstance(value, str) and value else json.dumps(value)


def line(path, before, after, width):
    text = f"  {path:<{width}}  {shown(before)} -> {shown(after)}"
    numbers = [isinstance(value, (int, float)) and not isinstance(value, bool) for value in (before, after)]
    if all(numbers) and before:
        text += f"  ({(after - before) / abs(before):+.1%})"
    return text


def diff(arguments):
    found = differences(read(arguments.a), read(arguments.b))
    if arguments.json:
        print(json.dumps({part: [dict(path=path, **{name: value for name, value in (("a", a), ("b", b)) if value is not ABSENT})
                                 for path, a, b in rows] for part, rows in found.items()}, indent=2))
    else:
        for part, rows in found.items():
            print(f"{part} differ" if rows else f"{part} are equal")
            width = max((len(path) for path, _, _ in rows[:MOST_LINES]), default=0)
            for row in rows[:MOST_LINES]:
                print(line(*row, width))
            if len(rows) > MOST_LINES:
                print(f"  and {len(rows) - MOST_LINES} more; --json has all")
    return 1 if found["results"] or (found["inputs"] and not arguments.results) else 0


def main():
    parser = argparse.ArgumentParser(prog="tessera", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    command = commands.add_parser("diff", help="says what differs between two reports")
    command.add_argument("a", metavar="A.json")
    command.add_argument("b", metavar="B.json")
    command.add_argument("--json", action="store_true", help="writes the differences as data")
    command.add_argument("--results", action="store_true", help="only results decide about the exit code")
    command.set_defaults(call=diff)
    front.add_to(commands)
    costmodel.add_to(commands)
    tune.add_to(commands)
    sensitivity.add_to(commands)
    words, of_platform = front.split(sys.argv[1:])
    arguments = parser.parse_args(words)
    arguments.of_platform = of_platform
    try:
        status = arguments.call(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # `tessera diff .. | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (BadFile, front.programs.Problem) as error:
        print(f"tessera: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
