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
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import startup  # noqa: E402 isort: skip
import argparse  # noqa: E402

import commands as front  # noqa: E402
from costmodel import command as costmodel  # noqa: E402
from sweeps import sensitivity, tune  # noqa: E402


def main():
    parser = argparse.ArgumentParser(prog="tessera", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    front.add_to(commands)
    costmodel.add_to(commands)
    tune.add_to(commands)
    sensitivity.add_to(commands)
    words, of_platform = front.split(sys.argv[1:])
    arguments = parser.parse_args(words)
    arguments.of_platform = of_platform
    try:
        return arguments.call(arguments)
    except front.programs.Problem as error:
        print(f"tessera: {error}", file=sys.stderr)
        return startup.EXIT_USAGE


if __name__ == "__main__":
    sys.exit(startup.run(main, "tessera"))
