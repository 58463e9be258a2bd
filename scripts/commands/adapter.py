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

    def write_own(self, message):
        with self.lock:
            self.sequence += 1
            message["seq"] = self.sequence
        self.write(message)

    def answer(self, request, body=None, problem=None):
        message = {"type": "response", "request_seq": request.get("seq", 0), "command": request.get("command", ""),
                   "success": problem is None, "body": body or {}}
        if problem:
            message["message"] = problem
        self.write_own(message)

    def event(self, name, body):
        self.write_own({"type": "event", "event": name, "body": body})


class Printed:
    """What the processes of a run print, as events. The end of the run is told after it: clients drop what comes later."""

    def __init__(self, editor):
        self.editor = editor
        self.readers = []

    def forward(self, stream, category):
        reader = threading.Thread(target=self._read, args=(stream, category), daemon=True)
        reader.start()
        self.readers.append(reader)

    def _read(self, stream, category):
        for line in stream:
            self.editor.event("output", {"category": category, "output": line.decode(errors="replace")})

    def wait(self):
        for reader in self.readers:
            reader.join()


def launched(arguments, printed):
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
        printed.forward(client.process.stderr, "stderr")
        return client
    path = os.path.join(tempfile.mkdtemp(prefix="tessera-debug-"), "socket")
    options = f"{os.environ.get('TESSERA_OPTIONS', '')} --debug={path}".strip()
    process = subprocess.Popen([programs.executable("cs_python"), host, *words], cwd=folder or os.path.dirname(host) or None,
                               env={**os.environ, "TESSERA_OPTIONS": options, "PYTHONUNBUFFERED": "1"}, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed.forward(process.stdout, "stdout")
    printed.forward(process.stderr, "stderr")
    while not os.path.exists(path):
        if process.poll() is not None:
            raise programs.Problem("the host program has ended before it began to run")
        time.sleep(0.02)
    return Client.connect(path)


def begin(editor, printed):
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
                run = launched(arguments, printed) if command == "launch" else Client.connect(arguments["socket"])
                return run, first or request, request
            except (KeyError, OSError, programs.Problem) as error:
                problem = f"the configuration needs {error}" if isinstance(error, KeyError) else str(error)
                editor.answer(request, problem=problem)
        elif command == "disconnect":
            editor.answer(request)
            return None, None, None
        else:
            editor.answer(request, problem=f"'{command}' comes before launch")


def raw(run, message):
    body = json.dumps(message).encode()
    data = b"Content-Length: %d\r\n\r\n" % len(body) + body
    while data:
        data = data[os.write(run.write_to, data):]


class Passage:
    """Requests of the editor go to the run, all that the run says to the editor. What a run that has ended leaves open is answered
    here, so that no request waits for ever."""

    INITIALIZE = -1  # the number of the request that the editor has its answer to

    def __init__(self, editor, run, printed):
        self.editor = editor
        self.run = run
        self.printed = printed
        self.open = {}
        self.over = False
        self.lock = threading.Lock()

    def to_editor(self):
        try:
            while True:
                message = self.run.receive()
                if message.get("event") == "exited":
                    self.end()
                elif message.get("event") == "terminated":
                    self.editor.write(message)
                    return
                if message["type"] == "response":
                    with self.lock:
                        self.open.pop(message["request_seq"], None)
                if message.get("request_seq") != self.INITIALIZE:
                    self.editor.write(message)
        except Gone:
            self.end()
            self.editor.event("terminated", {})

    def end(self):
        with self.lock:
            self.over = True
            left = list(self.open.values())
            self.open.clear()
        for request in left:
            self.answer_after_end(request)
        self.printed.wait()

    def answer_after_end(self, request):
        harmless = request.get("command") in ("disconnect", "terminate")
        self.editor.answer(request, problem=None if harmless else "the run is over")

    def to_run(self, request):
        with self.lock:
            forward = not self.over
            if forward:
                self.open[request.get("seq", 0)] = request
        try:
            if forward:
                raw(self.run, request)
                return
        except OSError:
            with self.lock:
                self.open.pop(request.get("seq", 0), None)
        self.answer_after_end(request)


def serve(_):
    editor = Editor()
    printed = Printed(editor)
    try:
        run, first, launch = begin(editor, printed)
        if run is None:
            return 0
        passage = Passage(editor, run, printed)
        raw(run, {**first, "command": "initialize", "seq": Passage.INITIALIZE})
        passage.to_run(launch)
        threading.Thread(target=passage.to_editor, daemon=True).start()
        request = {}
        while request.get("command") != "disconnect":
            request = editor.messages.receive()
            passage.to_run(request)
        while passage.open:
            time.sleep(0.01)
    except (Gone, OSError):
        pass
    return 0


def add_to(commands):
    text = "a debug adapter for editors, on standard input and output (docs/debugger.md)"
    commands.add_parser("dap", help=text, description=text).set_defaults(call=serve)
