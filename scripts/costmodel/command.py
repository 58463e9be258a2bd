# SPDX-License-Identifier: Apache-2.0
"""tessera ptoas-costmodel: the adapter process of the exchange."""
import sys
from pathlib import Path

from commands import programs

from . import model
from .package import Package
from .wire import MOST_BYTES, Refused, need, read_request, text_of

PRESET = "a5_950dt"


def add_to(commands):
    command = commands.add_parser("ptoas-costmodel", help="predicts candidates of the public assembler (docs/ptoas-costmodel.md)",
                                  description="Speaks the cost-model exchange of PTOAS, version 2: one JSON document on standard output.")
    command.add_argument("--preset", default=PRESET, help=f"machine, default {PRESET}")
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a config value, as of ascend_platform")
    command.add_argument("--bin", type=Path, metavar="FOLDER", help="folder of ascend_platform")
    command.add_argument("--jobs", type=int, help="runs at a time (default: one a core)")
    command.add_argument("action", choices=("capabilities", "evaluate", "propose"))
    command.add_argument("--package", metavar="DIR", help="folder that the compiler has exported")
    command.add_argument("--request", metavar="FILE", help="candidates")
    command.set_defaults(call=run)


def executable(folder):
    if folder is None:
        try:
            return programs.executable("ascend_platform")
        except programs.Problem as problem:
            raise Refused("ADAPTER_CONFIG", str(problem)) from problem
    need((folder / "ascend_platform").is_file(), "ADAPTER_CONFIG", f"{folder}: no ascend_platform")
    return folder / "ascend_platform"


def answer(arguments):
    need(arguments.jobs is None or 1 <= arguments.jobs <= 1024, "ADAPTER_CONFIG", "--jobs: expected a number from 1 to 1024")
    if arguments.action == "capabilities":
        return model.capabilities(model.Machine(executable(arguments.bin), arguments.preset, arguments.set, arguments.jobs))
    need(arguments.package and arguments.request, "ADAPTER_CONFIG", f"{arguments.action} needs --package DIR and --request FILE")
    package, request = Package(arguments.package), read_request(arguments.request)
    machine = model.Machine(executable(arguments.bin), arguments.preset, arguments.set, arguments.jobs)
    return model.evaluate(package, request, machine, propose=arguments.action == "propose")


def run(arguments):
    """0 with the document on standard output; 2 with one line on standard error and nothing on standard output."""
    try:
        text = text_of(answer(arguments))
        need(len(text) <= MOST_BYTES, "ADAPTER_OUTPUT", "the answer is larger than 16 MiB")
    except Refused as refused:
        print(f"ptoas-costmodel: {refused.code}: {' '.join(str(refused).split())}", file=sys.stderr)
        return 2
    sys.stdout.write(text)
    return 0
