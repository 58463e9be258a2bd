# SPDX-License-Identifier: Apache-2.0
"""tessera dap: a debug adapter for editors. It reads `launch` or `attach`, starts the right executable or host program, and passes all
other messages through (docs/debugger.md#editors)."""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from commands import programs
from commands.dap import Client, Gone

CAPABILITIES = [
    "supportsConfigurationDoneRequest", "supportsFunctionBreakpoints", "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
    "supportsLogPoints", "supportsEvaluateForHovers", "supportsSetVariable", "supportsSetExpression", "supportsDataBreakpoints",
    "supportsDataBreakpointBytes", "supportsInstructionBreakpoints", "supportsReadMemoryRequest", "supportsWriteMemoryRequest",
    "supportsDisassembleRequest", "supportsSteppingGranularity", "supportsExceptionInfoRequest", "supportsTerminateRequest",
    "supportTerminateDebuggee", "supportsCompletionsRequest", "supportsDelayedStackTraceLoading"]


class Editor:
    """The editor at the other end of standard input and output."""

    def __init__(self):
        self.messages = Client(sys.stdin.fileno(), sys.stdout.fileno())
        self.sequence = 0
        self.lock = threading.Lock()

    def write(self, message):
        body = json.dumps(message).encode()
        with self.lock:
            sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            sys.stdout.buffer.flush()

    def answer(self, request, body=None, problem=None):
        self.sequence += 1
        message = {"seq": self.sequence, "type": "response", "request_seq": request.get("seq", 0), "command": request.get("command", ""),
                   "success": problem is None, "body": body or {}}
        if problem:
            message["message"] = problem
        self.write(message)

    def event(self, name, body):
        self.sequence += 1
        self.write({"seq": self.sequence, "type": "event", "event": name, "body": body})


def forward_errors(process, editor):
    for line in process.stderr:
        editor.event("output", {"category": "stderr", "output": line.decode(errors="replace")})


def launched(arguments, editor):
    """The run that `launch` describes, as a Client."""
    if arguments.get("bin"):
        os.environ["TESSERA_BIN"] = arguments["bin"]
    words = [str(word) for word in arguments.get("args", [])]
    folder = arguments.get("cwd") or None
    host = arguments.get("host")
    if not host:
        program = arguments["program"]
        command = [programs.executable(programs.platform_of(program)), program, "--debug=stdio", *words]
        client = Client.start(command, cwd=folder, stderr=subprocess.PIPE)
        threading.Thread(target=forward_errors, args=(client.process, editor), daemon=True).start()
        return client
    path = os.path.join(tempfile.mkdtemp(prefix="tessera-debug-"), "socket")
    options = f"{os.environ.get('TESSERA_OPTIONS', '')} --debug={path}".strip()
    process = subprocess.Popen([programs.executable("cs_python"), host, *words], cwd=folder or os.path.dirname(host) or None,
                               env={**os.environ, "TESSERA_OPTIONS": options}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
    threading.Thread(target=forward_errors, args=(process, editor), daemon=True).start()
    while not os.path.exists(path):
        if process.poll() is not None:
            raise programs.Problem("the host program has ended before it began to run")
        time.sleep(0.02)
    return Client.connect(path)


def begin(editor):
    """Answers until the run is known; the run, and the requests initialize and launch."""
    first = None
    while True:
        request = editor.messages.receive()
        command = request.get("command")
        if command == "initialize":
            first = request
            editor.answer(request, {name: True for name in CAPABILITIES})
        elif command in ("launch", "attach"):
            arguments = request.get("arguments", {})
            try:
                run = launched(arguments, editor) if command == "launch" else Client.connect(arguments["socket"])
                return run, first or request, request
            except (KeyError, OSError, programs.Problem) as error:
                problem = f"the configuration needs {error}" if isinstance(error, KeyError) else str(error)
                editor.answer(request, problem=problem)
        elif command == "disconnect":
            editor.answer(request)
            return None, None, None
        else:
            editor.answer(request, problem=f"'{command}' comes before launch")


def pass_on(run, editor, dropped):
    """From the run to the editor."""
    try:
        while True:
            message = run.receive()
            if message.get("request_seq") != dropped:
                editor.write(message)
    except Gone:
        editor.event("terminated", {})


def raw(run, message):
    body = json.dumps(message).encode()
    data = b"Content-Length: %d\r\n\r\n" % len(body) + body
    while data:
        data = data[os.write(run.write_to, data):]


def serve(_):
    editor = Editor()
    try:
        run, first, launch = begin(editor)
        if run is None:
            return 0
        raw(run, {**first, "command": "initialize", "seq": -1})
        raw(run, launch)
        reader = threading.Thread(target=pass_on, args=(run, editor, -1), daemon=True)
        reader.start()
        while reader.is_alive():
            raw(run, editor.messages.receive())
    except (Gone, OSError):
        pass
    return 0


def add_to(commands):
    text = "a debug adapter for editors, on standard input and output (docs/debugger.md)"
    commands.add_parser("dap", help=text, description=text).set_defaults(call=serve)
