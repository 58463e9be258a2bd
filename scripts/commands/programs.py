# SPDX-License-Identifier: Apache-2.0
"""tessera run, compile, serve, sweep: which executable takes a program, and where it lies."""
import argparse
import json
import os
import shutil
import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
STARTED_IN = Path.cwd()  # goldens run elsewhere
BY_ENDING = {".csl": "wse_platform", ".pto": "ascend_platform", ".cpp": "ascend_platform", ".vps": "vp_platform", ".py": "cs_python"}


class Problem(Exception):
    """Something that the user has to put right; exit code 2."""


def folders():
    """Where executables may lie: the folder of TESSERA_BIN, those of an installation, of a build, PATH."""
    named = []
    if os.environ.get("TESSERA_BIN"):
        folder = STARTED_IN / os.environ["TESSERA_BIN"]
        named = [folder, folder.parent / "sdk" / "bin"]
    prefix = SCRIPTS.parent.parent.parent  # PREFIX/share/tessera/scripts
    build = SCRIPTS.parent / "build"
    return [Path(folder) for folder in [*named, prefix / "bin", prefix / "libexec/tessera/sdk/bin", build / "bin", build / "sdk/bin"]]


def executable(name):
    for folder in folders():
        if os.access(folder / name, os.X_OK) and (folder / name).is_file():
            return str(folder / name)
    found = shutil.which(name)
    if found:
        return found
    raise Problem(f"no executable {name}; build it, or name its folder with the environment variable TESSERA_BIN")


def platform_of(program):
    """The executable that takes a program, by its ending; of JSON by what it has."""
    path = Path(program)
    if path.suffix in BY_ENDING:
        return BY_ENDING[path.suffix]
    if path.suffix != ".json":
        raise Problem(f"{program}: expected .csl, .json, .pto, .cpp, .vps or .py")
    try:
        members = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Problem(f"{program}: {getattr(error, 'strerror', None) or error}") from error
    schema = members.get("schema") if isinstance(members, dict) else None
    if isinstance(schema, str) and schema.startswith("tessera-tasks"):
        return "ascend_platform"
    is_layout = isinstance(members, dict) and ("grid" in members or "tiles" in members)
    return "wse_platform" if is_layout else "numesh_platform"


def start(command):
    """Becomes the command: its output, its signals and its exit code are those of the user's shell."""
    sys.stdout.flush()
    os.execvp(command[0], command)


def run(arguments):
    name = platform_of(arguments.program)
    start([executable(name), arguments.program, *arguments.options])


def serve(arguments):
    start([executable(platform_of(arguments.program)), arguments.program, "--serve=0", *arguments.options])


def compile_(arguments):
    """CSL to the code of the PEs as cslc writes it; of the others what the executable has read."""
    name = platform_of(arguments.program)
    if arguments.program.endswith(".csl"):
        start([executable("cslc"), arguments.program, *arguments.options])
    if name == "cs_python":
        raise Problem(f"{arguments.program}: a host program is not compiled")
    start([executable(name), arguments.program, "--print-program", *arguments.options])


def sweep(arguments):
    start([sys.executable, str(SCRIPTS / "sweep.py"), *arguments.options])


OPTIONS_OF = "Options are those of the platform: wse_platform, ascend_platform, numesh_platform or vp_platform --help."


def add_passing(commands, name, call, text, options, program=True):
    """A command that passes its options on. `options` says whose they are; nothing: whoever gets them answers --help."""
    parser = commands.add_parser(name, help=text, description=text, epilog=options, prefix_chars="\0", add_help=False)
    if program:
        parser.add_argument("program", metavar="PROGRAM")
    parser.add_argument("options", nargs=argparse.REMAINDER, metavar="OPTION ..")

    def call_or_help(arguments):
        first = arguments.program if program else next(iter(arguments.options), "")
        if options and first in ("-h", "--help"):
            parser.print_help()
            return 0
        return call(arguments)
    parser.set_defaults(call=call_or_help)


def add_to(commands):
    add_passing(commands, "run", run, "runs a program on the platform that takes it", OPTIONS_OF)
    add_passing(commands, "compile", compile_, "compiles a program, and prints or writes its code",
                "Options of a CSL program are those of cslc --help, of others those of the platform.")
    add_passing(commands, "serve", serve, "runs a program with the live view in a browser", OPTIONS_OF)
    add_passing(commands, "sweep", sweep, "runs a program in every combination of settings (docs/sweeps.md)", None, program=False)
