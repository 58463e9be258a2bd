# SPDX-License-Identifier: Apache-2.0
"""tessera debug, tessera attach: a prompt for the debugger of the executables (docs/debugger.md)."""
import argparse
import glob
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from commands import programs
from commands.dap import Client, Gone
from commands.prompt import Prompt


def run_script(prompt, lines):
    """Whether the session goes on."""
    for line in lines:
        if line.strip() and not line.startswith("#"):
            print(f"(tessera) {line.rstrip()}", flush=True)
        if prompt.onecmd(line):
            return False
    return True


def talk(prompt, options):
    goes_on = True
    for file in options.script or []:
        try:
            lines = list(sys.stdin) if file == "-" else Path(file).read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise programs.Problem(f"{file}: {getattr(error, 'strerror', None) or error}") from error
        goes_on = goes_on and run_script(prompt, lines)
    for line in options.execute or []:
        goes_on = goes_on and run_script(prompt, [line])
    if options.batch or not goes_on:
        if goes_on:
            prompt.do_quit("")
        return 1 if prompt.failed else 0
    try:
        import readline
        readline.set_completer_delims(" \t=(")
    except ImportError:
        pass
    while True:
        try:
            prompt.cmdloop("" if sys.stdin.isatty() else None)
            return 0
        except KeyboardInterrupt:
            print()


def own_options(name):
    parser = argparse.ArgumentParser(prog=f"tessera {name}", add_help=False, allow_abbrev=False)
    parser.add_argument("-x", dest="script", action="append", metavar="FILE")
    parser.add_argument("-ex", dest="execute", action="append", metavar="COMMAND")
    parser.add_argument("--batch", action="store_true")
    return parser


def debug(arguments):
    options, rest = own_options("debug").parse_known_args(arguments.options)
    name = programs.platform_of(arguments.program)
    if name == "cs_python":
        return debug_host(arguments.program, options, rest)
    command = [programs.executable(name), arguments.program, "--debug=stdio", *rest]
    return with_prompt(lambda: Client.start(command), options)


def with_prompt(make, options, attached=False):
    try:
        prompt = Prompt(make, attached=attached)
    except Gone as error:
        raise programs.Problem("the program cannot be debugged; its message stands above") from error
    try:
        return talk(prompt, options)
    finally:
        if not prompt.over:
            prompt.stop()


def debug_host(program, options, rest):
    """A host program in Python starts the server itself, which waits at a socket."""
    folder = tempfile.mkdtemp(prefix="tessera-debug-")
    path = os.path.join(folder, "socket")
    environment = dict(os.environ)
    environment["TESSERA_OPTIONS"] = (environment.get("TESSERA_OPTIONS", "") + f" --debug={shlex.quote(path)}").strip()
    processes = []

    def make():
        process = subprocess.Popen([programs.executable("cs_python"), program, *rest], env=environment, start_new_session=True)
        processes.append(process)
        while not os.path.exists(path):
            if process.poll() is not None:
                raise Gone("the host program has ended before it began to run")
            time.sleep(0.02)
        return Client.connect(path)

    try:
        return with_prompt(make, options)
    finally:
        for process in processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGTERM)
        if os.path.exists(path):
            os.unlink(path)
        os.rmdir(folder)


def attach(arguments):
    options, rest = own_options("attach").parse_known_args(arguments.options)
    path = rest[0] if rest else ""
    if not path or path.isdecimal():
        folder = os.environ.get("XDG_RUNTIME_DIR", tempfile.gettempdir())
        found = glob.glob(os.path.join(folder, f"tessera-{path or '*'}.sock"))
        if len(found) != 1:
            raise programs.Problem("tessera attach needs the path that the run has printed")
        path = found[0]
    if not Path(path).is_socket():
        raise programs.Problem(f"{path}: {'is no socket of a run' if Path(path).exists() else 'nobody waits for a debugger there'}")

    def make():
        try:
            return Client.connect(path)
        except OSError as error:  # of a run that has ended
            raise programs.Problem(f"{path}: nobody waits for a debugger there: {error.strerror}") from error

    return with_prompt(make, options, attached=True)


def add_to(commands):
    own = "-x FILE runs the debugger's commands in a file, -ex COMMAND one command, and --batch ends after them."
    programs.add_passing(commands, "debug", debug, "runs a program under the debugger (docs/debugger.md)",
                         f"{own} {programs.OPTIONS_OF.replace('Options', 'Other options')}")
    programs.add_passing(commands, "attach", attach, "attaches the debugger to a run that waits for it (--debug=PATH)",
                         f"The option is the path that the run has printed. {own}", program=False)
