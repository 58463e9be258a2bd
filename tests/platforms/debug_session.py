"""A session of the Debug Adapter Protocol with a run, for tests:

    TEST.py PLATFORM ROOT
"""
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

BIN = pathlib.Path(sys.argv[1]).resolve().parent
ROOT = pathlib.Path(sys.argv[2]).resolve()
sys.path.insert(0, str(ROOT / "scripts"))
from commands import dap, programs  # noqa: E402 pylint: disable=wrong-import-position

GEMV = ["examples/csl/gemv/layout.csl", "--params", "width:4,height:3,M:12,N:16", "--launch", "compute"]


def command_of(program, *options):
    """The executable that takes the program, with its options."""
    return [str(BIN / programs.platform_of(ROOT / program[0])), *program, "--quiet", *options]


class Session(dap.Client):
    """A run that is held before its first cycle, with the breakpoints of `lines`: [(file, line, {..})]."""

    @classmethod
    def of(cls, program, *options, lines=(), functions=()):
        session = cls.start(command_of(program, "--debug=stdio", *options), cwd=ROOT, stderr=subprocess.DEVNULL)
        session.request("initialize", adapterID="test")
        session.wait_for("initialized")
        session.request("launch", stopOnEntry=True)
        for file in sorted({file for file, _, _ in lines}):
            session.answers = session.request("setBreakpoints", source={"path": file}, breakpoints=[
                {"line": line, **more} for other, line, more in lines if other == file])["breakpoints"]
        if functions:
            session.request("setFunctionBreakpoints", breakpoints=[{"name": name} for name in functions])
        session.request("configurationDone")
        session.stop = session.wait_for("stopped")[0]["body"]
        return session

    def go(self, command="continue", **arguments):
        """The next stop; None: the run is over, and `exit_code` has been said."""
        self.request(command, **{"threadId": self.stop["threadId"], **arguments})
        event, before = self.wait_for("stopped", "terminated")
        self.said = [e["body"]["output"] for e in before if e["event"] == "output"]
        if event["event"] == "terminated":
            self.exit_code = [e["body"]["exitCode"] for e in before if e["event"] == "exited"][0]
            self.request("disconnect")
            assert self.close() == self.exit_code
            return None
        self.stop = event["body"]
        return self.stop

    def ask(self, text):
        return self.request("evaluate", expression=text, context="repl")["result"]

    def frames(self):
        frames = self.request("stackTrace", threadId=self.stop["threadId"])["stackFrames"]
        return [(frame["name"], frame["line"], frame.get("instructionPointerReference")) for frame in frames]

    def cycle(self):
        return int(re.search(r"cycle (\d+)", self.stop["text"])[1])

    def end(self):
        self.request("disconnect", terminateDebuggee=True)
        return self.close()


def report_of(program, *options):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "r.json"
        subprocess.run(command_of(program, "--report", str(report), *options), cwd=ROOT, check=True, stdin=subprocess.DEVNULL,
                       capture_output=True)
        return json.loads(report.read_text())


def counts_in(file):
    """Executions by (source, line), of a file of --coverage."""
    counts, source = {}, None
    for line in pathlib.Path(file).read_text().splitlines():
        word, _, rest = line.partition(":")
        if word == "SF":
            source = rest
        elif word == "DA":
            number, _, count = rest.partition(",")
            counts[(source, int(number))] = int(count)
    return counts


def counted(program, *options):
    """Executions by (source, line) of a plain run."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "run.info"
        subprocess.run(command_of(program, "--coverage", str(file), *options), cwd=ROOT, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        return counts_in(file)


def set_counters(client, lines):
    """Breakpoints at (source, line) that count and never stop. The answers, by what was asked."""
    answers = {}
    for source in sorted({source for source, _ in lines}):
        asked = sorted(line for of, line in lines if of == source)
        given = client.request("setBreakpoints", source={"path": source},
                               breakpoints=[{"line": line, "hitCondition": ">4000000000"} for line in asked])["breakpoints"]
        answers.update({(source, line): answer for line, answer in zip(asked, given)})
    return answers


def hits_at_end(client, lines):
    """Lets the run go to its end. Hits of the breakpoints that set_counters has set at these lines."""
    event, _ = client.wait_for("stopped", "terminated")
    if event["event"] == "stopped":  # by an error
        client.request("continue", threadId=event["body"]["threadId"])
        client.wait_for("terminated")
    hits = {at: answer["hits"] for at, answer in set_counters(client, lines).items() if answer["line"] == at[1]}
    client.request("disconnect")
    client.close()
    return hits


def hits_of(program, lines, *options):
    """How often a breakpoint at each (source, line) is hit."""
    session = Session.of(program, *options)
    set_counters(session, lines)
    session.request("continue", threadId=1)
    return hits_at_end(session, lines)


def assert_is_plain_run(test, debugged, plain):
    for member in ("digest", "cycles", "counters", "outputs", "checks", "status"):
        test.assertEqual(debugged[member], plain[member], member)


class SameRuns:
    """Of the programs of a test: what is seen is the same in both structures, and a debugged run is the plain one. A test case besides has
    `programs`, `moves`, `questions`, `rounds` and lines_for()."""

    def seen(self, program, structure):
        """What a user sees at the stops of a run, and its report."""
        choice = random.Random(program[0])
        lines = self.lines_for(program, choice)
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "r.json"
            session = Session.of(program, "--structure", structure, "--report", str(report), lines=lines)
            seen = [[b["verified"] for b in session.answers]]
            for _ in range(self.rounds):
                command, more = choice.choice(self.moves)
                if session.go(command, **more) is None:
                    break
                seen.append((session.stop, session.frames(), [session.ask(text) for text in self.questions]))
            else:
                session.request("setBreakpoints", source={"path": program[0]}, breakpoints=[])
                self.assertIsNone(session.go())
            return seen, json.loads(report.read_text())

    def test_structures_and_the_plain_run(self):
        for name, program in self.programs.items():
            with self.subTest(name):
                plain = report_of(program)
                modules, dense = (self.seen(program, structure) for structure in ("modules", "dense"))
                self.assertEqual(modules[0], dense[0])
                for _, debugged in (modules, dense):
                    assert_is_plain_run(self, debugged, plain)
