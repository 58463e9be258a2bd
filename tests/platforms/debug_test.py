"""The debugger of wse_platform (--debug, docs/debugger.md): stops, steps and what is seen there are the same in both structures;
a run that was debugged has the digest of the plain one; broken messages are answered; the prompt of `tessera debug`.

    debug_test.py WSE_PLATFORM ROOT
"""
import json
import os
import pathlib
import random
import re
import socket
import stat
import subprocess
import sys
import tempfile
import unittest

from debug_session import BIN, ROOT, Session, assert_is_plain_run, command_of, dap, report_of

GEMV = ["examples/csl/gemv/layout.csl", "--params", "width:4,height:3,M:12,N:16", "--launch", "compute"]
PROGRAMS = {
    "gemv.csl": GEMV,
    "gemv": ["examples/gemv_stream/layout.json"],
    "exchange": ["examples/exchange/layout.json", "--param", "ITER=2"],
    "reduce": ["examples/reduce_chain/layout.json"],
    "pe_loops": ["examples/pe_loops/layout.json"],
}


def lines_of(program):
    """[(file, line)] of a program that have code."""
    text = subprocess.run([str(BIN / "wse_platform"), *program, "--print-program"], cwd=ROOT, check=True, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL).stdout
    listed = re.findall(r'^line "([^"]+)" (\d+)', text, re.MULTILINE)
    if listed:
        return sorted({(file, int(line)) for file, line in listed if not file.startswith("<")})
    layout = ROOT / program[0]
    tasm = sorted(layout.parent.glob("*.tasm"))[0]
    count = len(tasm.read_text().splitlines())
    return [(str(tasm), line) for line in range(1, count + 1)]


class Structures(unittest.TestCase):
    def seen(self, program, structure, lines):
        """What a user sees at the stops of a run."""
        session = Session.of(program, "--structure", structure, lines=lines)
        seen = [[(b["verified"], b.get("line")) for b in session.answers]]
        for _ in range(40):
            if session.go() is None:
                return seen + [session.exit_code]
            frame = session.frames()
            scopes = session.request("scopes", frameId=(session.stop["threadId"] - 1) * 64)["scopes"]
            variables = [session.request("variables", variablesReference=scope["variablesReference"]) for scope in scopes]
            for body in variables:
                for variable in body["variables"]:
                    variable.pop("variablesReference")
            seen.append((session.stop, frame, variables, session.ask("why"), session.ask("info waits")))
        session.end()
        return seen

    def test_stops_are_the_same(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                choice = random.Random(name)
                lines = [(file, line, {}) for file, line in choice.sample(lines_of(program), 4)]
                modules, dense = (self.seen(program, structure, lines) for structure in ("modules", "dense"))
                self.assertEqual(len(modules), len(dense))
                for a, b in zip(modules, dense):
                    self.assertEqual(a, b)

    def test_steps_are_the_same(self):
        choice = random.Random(1)
        moves = [(choice.choice(["next", "stepIn", "stepOut"]), choice.choice(["statement", "instruction", "cycle", "task"]))
                 for _ in range(60)]
        seen = []
        for structure in ("modules", "dense"):
            session = Session.of(GEMV, "--structure", structure, functions=["compute"])
            session.go()
            stops = []
            for command, granularity in moves:
                if session.go(command, granularity=granularity) is None:
                    stops.append(session.exit_code)
                    break
                stops.append((session.stop, session.frames()))
            else:
                session.end()
            seen.append(stops)
        self.assertEqual(*seen)


class SameRun(unittest.TestCase):
    """A debugged run is the plain one, whatever is asked on the way."""

    def debugged(self, program, seed):
        choice = random.Random(seed)
        all_lines = lines_of(program)
        lines = [(*choice.choice(all_lines), choice.choice([{}, {"condition": "pe=(1,0)"}, {"condition": "r0 > 3"},
                                                            {"hitCondition": "%7"}, {"logMessage": "{r1} at {cycle}"}]))
                 for _ in range(3)]
        structure = choice.choice(["modules", "dense"])
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "r.json"
            session = Session.of(program, "--structure", structure, "--report", str(report), lines=lines)
            for _ in range(25):
                command, more = choice.choice([("continue", {}), ("next", {}), ("stepIn", {"granularity": "instruction"}),
                                               ("next", {"granularity": "cycle"}), ("stepOut", {})])
                if session.go(command, **more) is None:
                    break
                session.ask(choice.choice(["info regs", "info dsr", "info tasks", "info queues", "info globals", "where", "why", "hits"]))
            else:
                session.request("setBreakpoints", source={"path": lines[0][0]}, breakpoints=[])
                for file in {file for file, _, _ in lines}:
                    session.request("setBreakpoints", source={"path": file}, breakpoints=[])
                self.assertIsNone(session.go())
            return json.loads(report.read_text())

    def test_digest_and_counters(self):
        for name, program in PROGRAMS.items():
            plain = report_of(program)
            for seed in range(3):
                with self.subTest(name, seed=seed):
                    debugged = self.debugged(program, seed)
                    assert_is_plain_run(self, debugged, plain)


class Stops(unittest.TestCase):
    pe = str(ROOT / "examples/csl/gemv/pe.csl")

    def test_a_line_stops_every_place_that_comes_to_it(self):
        session = Session.of(GEMV, lines=[(self.pe, 47, {})])
        self.assertEqual([(b["verified"], b["line"]) for b in session.answers], [(True, 50)], "the next line with code")
        stop = session.go()
        self.assertEqual(stop["reason"], "breakpoint")
        places = []
        while stop is not None:
            self.assertEqual(session.frames()[0][:2], ("compute", 50))
            hits = session.ask("hits").splitlines()
            self.assertTrue(len(hits) == 2 or f"{len(hits) - 1} places" in hits[0], hits)
            places += [line.partition(":")[0] for line in hits[1:]]
            stop = session.go()
        self.assertEqual(sorted(places), [f"PE ({x}, {y})" for x in range(4) for y in range(3)])
        self.assertEqual(session.exit_code, 0)

    def test_conditions_and_counts(self):
        hits = []
        for more in ({}, {"condition": "left == 2"}, {"condition": "pe=(3,0) if left == 2"}, {"condition": "pe=row 1"},
                     {"hitCondition": "5", "condition": "pe=(0,0)"}, {"hitCondition": ">=3", "condition": "pe=(0,0)"}):
            session = Session.of(GEMV, lines=[(self.pe, 60, more)])
            stops = []
            while session.go() is not None:
                stops.append(session.ask("print left") + " " + str(session.stop["threadId"]))
            hits.append(stops)
        everywhere, twos, one, row, fifth, from_third = hits
        self.assertTrue(len(everywhere) >= 4)
        self.assertTrue(all(stop.startswith("2 ") for stop in twos))
        self.assertEqual(one, ["2 4"])
        self.assertTrue(all(5 <= int(stop.split()[1]) <= 8 for stop in row), row)
        self.assertEqual(fifth, [], "4 values of x come to each PE")
        self.assertEqual(len(from_third), 2)

    def test_a_wrong_condition_is_said(self):
        session = Session.of(GEMV, lines=[(self.pe, 60, {"condition": "left =="}), (self.pe, 61, {"condition": "nothing > 1"})])
        self.assertEqual([b["verified"] for b in session.answers], [False, True])
        self.assertIn("column 8", session.answers[0]["message"])
        self.assertIn("has no 'nothing'", session.go()["text"])
        session.end()

    def test_places_of_code_that_there_is_not(self):
        session = Session.of(GEMV, lines=[("nowhere.csl", 3, {}), (self.pe, 5000, {})])
        session.end()
        session = Session.of(GEMV)
        for request, source in (("there is code of", {"path": "nowhere.csl"}), ("no program has code", {"path": self.pe})):
            answer = session.request("setBreakpoints", source=source, breakpoints=[{"line": 5000}])["breakpoints"][0]
            self.assertFalse(answer["verified"])
            self.assertIn(request, answer["message"])
        answer = session.request("setFunctionBreakpoints", breakpoints=[{"name": "redduce"}])["breakpoints"][0]
        self.assertIn("did you mean 'reduce'", answer["message"])
        session.end()

    def test_places_that_the_machine_does_not_have(self):
        session = Session.of(GEMV)
        for condition, words in (("pe=(9,9)", "the machine has no place '(9,9)'"), ("pe=(1..0,0)", "names no places"), ("pe=row 7", "the machine has no place")):
            found = session.request("setBreakpoints", source={"path": self.pe}, breakpoints=[{"line": 60, "condition": condition}])["breakpoints"][0]
            self.assertFalse(found["verified"], condition)
            self.assertIn(words, found["message"])
            watch = session.request("setDataBreakpoints", breakpoints=[{"dataId": f"{condition} if y[0]"}])["breakpoints"][0]
            self.assertFalse(watch["verified"], condition)
            self.assertIn(words, watch["message"])
        session.end()

    def test_a_place_without_a_program_has_no_breakpoint(self):
        """A program that leaves room for the host does not begin at tile (0, 0)."""
        session = Session.of([*GEMV, "--fabric-dims=12,6", "--fabric-offsets=4,1"])
        for condition, words in (("pe=(2,0)", "there is no program at '(2,0)'; the first one is at PE (4, 1)"), ("pe=(5,2)", None)):
            found = session.request("setBreakpoints", source={"path": self.pe}, breakpoints=[{"line": 60, "condition": condition}])["breakpoints"][0]
            self.assertEqual(found["verified"], words is None, condition)
            self.assertIn(words or "", found.get("message", ""))
        session.end()

    def test_data(self):
        session = Session.of(GEMV)
        info = session.request("dataBreakpointInfo", name="left", frameId=0)
        self.assertEqual(info["dataId"], "pe=(0,0) left")
        answer = session.request("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]},
                                                                    {"dataId": "pe=(9,9) left"}])["breakpoints"]
        self.assertEqual([b["verified"] for b in answer], [True, False])
        values = []
        while session.go() is not None:
            self.assertEqual(session.stop["reason"], "data breakpoint")
            values.append(session.ask("print left"))
        self.assertEqual(values, ["4", "3", "2", "1", "0"])

    def test_variables_are_of_the_types_of_the_program(self):
        """Also of those that no instruction takes."""
        folder = ROOT / "tests/platforms/wse/programs/types"
        program = [str(folder / "layout.csl"), "--fp16-format", "bf16", "--launch", "go:0.5"]
        session = Session.of(program, lines=[(str(folder / "pe.csl"), 25, {})])
        session.go()
        seen = {"bytes[0..5]": "[-1, 3, -3, 4, -128]", "bytes[4]": "-128", "small[0..3]": "[1, 255, 3]", "large[0..2]": "[-5000000000, -1]",
                "huge": "5000000000", "halves[0..3]": "[1.5, 2.5, -3.0]", "words[0..2]": "[-1, 300]", "len(bytes)": "5"}
        self.assertEqual({name: session.ask(f"print {name}") for name in seen}, seen)
        for name, value in {"bytes[0]": "-7", "small[1]": "200", "large[0]": "-123456789012", "huge": "77", "halves[2]": "0.5"}.items():
            session.ask(f"set {name} = {value}")
            self.assertEqual(session.ask(f"print {name}"), value)
        self.assertEqual(session.ask("print bytes[0..5]"), "[-7, 3, -3, 4, -128]")
        self.assertEqual(session.ask("print large[1]"), "-1")
        with self.assertRaisesRegex(dap.Refused, "200 is no value of type i8"):
            session.ask("set bytes[1] = 200")
        self.assertEqual(session.request("dataBreakpointInfo", name="bytes[1]", frameId=0)["dataId"], "pe=(0,0) bytes[1]")
        session.end()

    def test_memory_and_registers_can_be_changed(self):
        session = Session.of(GEMV, lines=[(self.pe, 60, {"condition": "pe=(0,0)"})])
        session.go()
        session.ask("set y[1] = 2.5")
        self.assertEqual(session.ask("print y[1]"), "2.5")
        self.assertEqual(session.ask("print y[0..4]").count(","), 3)
        address = int(session.ask("print &y[1]"), 0)
        read = session.request("readMemory", memoryReference=f"0,0:{address}", count=4)
        self.assertEqual(read["data"], "AAAgQA==")
        session.request("writeMemory", memoryReference=f"0,0:{address}", data="AACAPw==")
        self.assertEqual(session.ask("x/1f &y[1]").split()[-1], "1.0")
        session.ask("set r3 = 77")
        self.assertEqual(session.ask("print r3 + 1"), "78")
        session.ask("set r3 = -1")
        self.assertEqual(session.ask("print r3"), "65535")
        for text, words in (("r3 = 65536", "65536 does not fit into a word of 16 bits"), ("d4 = -1 << 32", "does not fit into a word of 32 bits"),
                            ("r3 = 1.5", "a whole number is expected"), ("y[0] = 1e39", "is no value of type f32")):
            with self.assertRaisesRegex(dap.Refused, re.escape(words)):
                session.ask("set " + text)
        session.end()

    def test_what_is_seen_before_the_first_cycle(self):
        """Nothing has run, so all that there is can be asked for, in both structures with the same answers."""
        for program in (GEMV, PROGRAMS["exchange"]):
            seen = []
            for structure in ("modules", "dense"):
                session = Session.of(program, "--structure", structure)
                asked = ["print r0", "print flag", "info queues", "info tasks", "info registers", "info waits", "info routes", "why", "info fifos"]
                answers = []
                for text in asked:
                    try:
                        answers.append(session.ask(text))
                    except dap.Refused as refused:
                        answers.append(str(refused))
                with self.assertRaisesRegex(dap.Refused, "nosuch"):
                    session.ask("print nosuch")
                seen.append(answers)
                self.assertIsNone(session.go())
                self.assertEqual(session.exit_code, 0)
            self.assertEqual(*seen)

    def test_expressions(self):
        session = Session.of(GEMV)
        for text, value in {"1 + 2 * 3": "7", "(1 + 2) * 3": "9", "7 / 2": "3", "-7 % 3": "-1", "1 << 4 | 3": "19", "3 > 2 and not 2 > 3": "1",
                            "0x10": "16", "1.5 + 1": "2.5", "2 == 2.0": "1", "~0": "-1", "!0": "1", "5 & 3 ^ 1": "0", "not 1 == 2": "1",
                            "1 < 2 || nothing": "1", "8 >> 1 >> 1": "2", "10 - 3 - 2": "5", "r3 + r4": "0", "len(y)": "4", "1e3 / 4": "250.0",
                            "y[1 + 1]": "0.0", "s1ds2.length": "0"}.items():
            self.assertEqual(session.ask("print " + text), value, text)
        session.end()

    def test_disassembly_and_instructions(self):
        session = Session.of(GEMV, functions=["task reduce"])
        session.go()
        pointer = session.frames()[0][2]
        listed = session.request("disassemble", memoryReference=pointer, instructionCount=3)["instructions"]
        self.assertEqual(listed[0]["instruction"], "blk on_x")
        session.request("setFunctionBreakpoints", breakpoints=[])
        answer = session.request("setInstructionBreakpoints", breakpoints=[{"instructionReference": listed[2]["address"]}])["breakpoints"]
        self.assertTrue(answer[0]["verified"])
        session.go()
        self.assertEqual(session.frames()[0][2], listed[2]["address"])
        session.end()

    def test_a_deadlock_can_be_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            text = (ROOT / "examples/csl/gemv/pe.csl").read_text().replace("@unblock(on_x_id);", "")
            (work / "pe.csl").write_text(text)
            (work / "layout.csl").write_text((ROOT / "examples/csl/gemv/layout.csl").read_text())
            session = Session.of([str(work / "layout.csl"), *GEMV[1:]])
            stop = session.go()
            self.assertEqual(stop["reason"], "exception")
            self.assertIn("deadlock", stop["text"])
            self.assertIn("blocked", session.ask("info tasks"))
            self.assertTrue(session.ask("why"))
            self.assertIsNone(session.go())
            self.assertEqual(session.exit_code, 4)


class Hostile(unittest.TestCase):
    def test_broken_messages_are_answered(self):
        session = Session.of(GEMV)
        for data in (b"Content-Length: -5\r\n\r\n", b"Content-Length: 99999999999\r\n\r\n", b"Nothing: 1\r\n\r\n",
                     b"Content-Length: 3\r\n\r\n{]}", b"Content-Length: 2\r\n\r\n[]", b"Content-Length: 2\r\n\r\n{}",
                     b"\xff" * 5000 + b"\r\n\r\n"):
            os.write(session.write_to, data)
            while True:
                message = session.receive(30)
                if message["type"] == "response":
                    break
            self.assertFalse(message["success"], data)
        self.assertIn("12", session.ask("print 3 * 4"))
        session.end()

    def test_requests_that_make_no_sense(self):
        session = Session.of(GEMV)
        for command, arguments in (
                ("fly", {}), ("stackTrace", {}), ("stackTrace", {"threadId": 10 ** 9}), ("stackTrace", {"threadId": "a"}),
                ("variables", {"variablesReference": 77}), ("scopes", {"frameId": -1}), ("evaluate", {"expression": "(" * 3000}),
                ("evaluate", {"expression": "1 / 0"}), ("evaluate", {"expression": "y"[:0]}), ("readMemory", {"memoryReference": "x", "count": 1}),
                ("evaluate", {"expression": "y[99999]", "context": "watch"}), ("evaluate", {"expression": "info nonsense", "context": "repl"}),
                ("readMemory", {"memoryReference": "99,99:0", "count": 1}), ("disassemble", {"memoryReference": "0xffffffffff00", "instructionCount": 1}),
                ("setBreakpoints", {"source": 3}), ("setBreakpoints", {"source": {"path": "a"}, "breakpoints": [1]}),
                ("setBreakpoints", {"source": {"path": "a"}, "breakpoints": [{"line": "x"}]}), ("tessera/until", {"cycle": -3}),
                ("writeMemory", {"memoryReference": "0,0:49151", "data": "AAAA"}), ("writeMemory", {"memoryReference": "0,0:0", "data": "?"}),
                ("setInstructionBreakpoints", {"breakpoints": [{"instructionReference": "zz"}]}), ("source", {"sourceReference": 999})):
            with self.assertRaises(dap.Refused, msg=(command, arguments)) as refused:
                session.request(command, **arguments)
            self.assertTrue(str(refused.exception))
        self.assertEqual(session.request("readMemory", memoryReference="0,0:49150", count=100)["unreadableBytes"], 98)
        self.assertIsNone(session.go())
        self.assertEqual(session.exit_code, 0)

    def test_random_bytes(self):
        choice = random.Random(3)
        for _ in range(5):
            process = subprocess.Popen(command_of(GEMV, "--debug=stdio"), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL)
            try:
                process.communicate(choice.randbytes(20000), timeout=120)
            except BrokenPipeError:
                pass
            self.assertIn(process.returncode, (0, 4))


class Socket(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name) / "d.sock"

    def start(self):
        return subprocess.Popen(command_of(GEMV, f"--debug={self.path}"), cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_only_this_user_and_a_client_that_goes(self):
        run = self.start()
        client = Session.connect(self.path, 60)
        self.assertEqual(stat.S_IMODE(os.stat(self.path).st_mode), 0o600)
        client.request("initialize")
        client.request("attach")
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "done"}])
        client.request("configurationDone")
        client.wait_for("stopped")
        client.close()
        said = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, said)
        self.assertIn(f"debugger: tessera attach {self.path}", said[1])
        self.assertFalse(self.path.exists())

    def test_the_second_client_gets_the_run(self):
        run = self.start()
        first = Session.connect(self.path, 60)
        first.request("initialize")
        first.close()
        second = Session.connect(self.path)
        second.request("initialize")
        second.request("attach", stopOnEntry=True)
        second.request("configurationDone")
        second.wait_for("stopped")
        second.request("disconnect", terminateDebuggee=True)
        second.close()
        self.assertIn("ended by the debugger", run.communicate(timeout=120)[1])
        self.assertEqual(run.returncode, 4)

    def test_a_path_that_is_taken(self):
        self.path.write_text("a file")
        run = self.start()
        self.assertIn("no socket", run.communicate(timeout=120)[1])
        self.assertEqual(run.returncode, 2)
        self.path.unlink()
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.close()  # as a killed run leaves it
        run = self.start()
        client = Session.connect(self.path, 60)
        client.request("disconnect")
        client.close()
        run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0)

    def test_what_cannot_be_together(self):
        for options, word in ((["--debug=stdio", "--threads=4"], "--debug"), (["--debug=/tmp/" + "a" * 200], "107 characters")):
            result = subprocess.run(command_of(GEMV, *options), cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn(word, result.stderr)
        result = subprocess.run([str(BIN / "vp_platform"), "--debug=stdio", "x.vps"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("vp_platform has no debugger", result.stderr)


class Editor(unittest.TestCase):
    """tessera dap: what an editor starts."""

    def test_a_session(self):
        client = dap.Client.start([sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "dap"], cwd=ROOT,
                                  env={**os.environ, "TESSERA_BIN": str(BIN)})
        self.assertTrue(client.request("initialize", adapterID="tessera")["supportsFunctionBreakpoints"])
        with self.assertRaises(dap.Refused):
            client.request("launch")
        client.request("launch", program=GEMV[0], args=GEMV[1:], pes="(1..2,1)")
        client.wait_for("initialized")
        client.request("setFunctionBreakpoints", breakpoints=[{"name": "reduce", "condition": "pe=(2,1)"}])
        client.request("setExceptionBreakpoints", filters=[])
        client.request("configurationDone")
        stop = client.wait_for("stopped")[0]["body"]
        self.assertIn("PE (2, 1)", stop["text"])
        self.assertEqual([t["name"] for t in client.request("threads")["threads"]], ["PE (1, 1)", "PE (2, 1)"])
        frame = client.request("stackTrace", threadId=stop["threadId"])["stackFrames"][0]
        self.assertTrue(frame["source"]["path"].endswith("examples/csl/gemv/pe.csl"))
        client.request("continue", threadId=stop["threadId"])
        _, before = client.wait_for("exited")
        self.assertIn("digest", "".join(e["body"]["output"] for e in before if e["event"] == "output"))
        self.assertEqual(client.wait_for("terminated")[1], [])
        with self.assertRaisesRegex(dap.Refused, "the run is over"):
            client.request("threads")
        client.request("disconnect")
        self.assertEqual(client.close(), 0)

    def test_what_a_host_program_prints_comes_before_the_end(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([BIN / "tessera_cslc", "--arch=wse3", ROOT / "examples/csl/gemv/layout.csl", "--fabric-dims=11,5",
                            "--fabric-offsets=4,1", "--params=width:4,height:3,M:12,N:16", "-o", "out", "--memcpy", "--channels=1"],
                           cwd=folder, check=True, stderr=subprocess.DEVNULL)
            client = dap.Client.start([sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "dap"], cwd=folder,
                                      env={**os.environ, "TESSERA_BIN": str(BIN)})
            client.request("initialize", adapterID="tessera")
            client.request("launch", host=str(ROOT / "examples/csl/gemv/run.py"), args=["--name", "out"], cwd=folder)
            client.request("configurationDone")
            events = client.wait_for("terminated")[1]
            self.assertIn(("output", "SUCCESS\n"), [(e["event"], e["body"].get("output")) for e in events])
            self.assertEqual([e["body"] for e in events if e["event"] == "exited"], [{"exitCode": 0}])
            client.request("disconnect")
            self.assertEqual(client.close(), 0)


class Prompt(unittest.TestCase):
    def tessera(self, script, *program, expect=0):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "script"
            file.write_text(script)
            command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "debug", *program, "-x", str(file), "--batch"]
            result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300,
                                    env={**os.environ, "TESSERA_BIN": str(BIN)})
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        return result.stdout

    def test_a_session(self):
        said = self.tessera("""break pe.csl:60 pe=(2,1) if left == 2
run
where
print left
print y[0..4]
x/4f &y
info regs
info tasks
info queues
info dsr
info routes
info waits
list
disas
stepi
next
delete 1
tbreak done pe=(3,0)
continue
pe 0,0
why 0,0
watch left pe=(0,0)
continue
info breakpoints
""", *GEMV)
        for words in ("breakpoint 1 at pe.csl:60", "breakpoint 1, examples/csl/gemv/pe.csl:60", "PE (2, 1)", "#0 task on_x",
                      "(tessera) print left\n2\n", "r15: u16", "on_x: data task", "> 60", "=> ", "PE (3, 0)", "task done",
                      "PE (0, 0)", "the run is over, exit code 0", "3: watch left, 0 hits"):
            self.assertIn(words, said)

    def test_numbers_of_breakpoints_stay(self):
        """They are the user's, for the whole session: going back runs again, a refused one takes none, ignore changes one."""
        said = self.tessera("""break pe.csl:50
break pe.csl:0
break nowhere.csl:3
break pe.csl:53
break pe.csl:60
delete 1
run
ignore 3 1
stepi
back
info breakpoints
delete 2
info breakpoints
step -1
step abc
continue 0
stepi -1
back x
""", *GEMV, expect=1)  # some are refused
        self.assertIn("breakpoint 2 at pe.csl:53", said)
        self.assertIn("breakpoint 3 at pe.csl:60", said)
        self.assertIn("the first line of a file has the number 1", said)
        lists = [part.partition("(tessera)")[0] for part in said.split("(tessera) info breakpoints\n")[1:]]
        for numbers, text in zip((["2", "3"], ["3"]), lists):
            self.assertEqual(re.findall(r"^ *(\d+)[ :]", text, re.MULTILINE), numbers, text)
        for words in ("step takes nothing more: '-1'", "step takes nothing more: 'abc'", "continue takes nothing more: '0'",
                      "expected such as stepi 10", "expected such as back 10"):
            self.assertIn(words, said)

    def test_going_back(self):
        said = self.tessera("""tbreak done pe=(3,0)
run
print left
back 5
print cycle
goto 300
print cycle
goto 200
print cycle
stepc
print cycle
""", *GEMV)
        cycles = [int(n) for n in re.findall(r"\(tessera\) print cycle\n(\d+)", said)]
        self.assertEqual(len(cycles), 4, said)
        self.assertTrue(cycles[1] >= 300 and 200 <= cycles[2] < cycles[3], cycles)

    def test_mistakes_are_said(self):
        said = self.tessera("break nowhere.csl:3\nprint nothing\nfly\nrun\nrun\n", *GEMV, expect=1)
        self.assertIn("error: no program has code of nowhere.csl", said)
        self.assertIn("error: the PE has no 'nothing'", said)

    def test_a_line_before_the_run_is_of_the_file_that_the_program_has(self):
        self.assertIn("breakpoint 1 at pe.csl:60", self.tessera("break 60\n", *GEMV))
        self.assertIn("breakpoint 1 at gemv.tasm:", self.tessera("break 12\n", *PROGRAMS["gemv"]))
        self.assertIn("there is no source here; name it, as in receiver.tasm:73; files: receiver.tasm, sender.tasm",
                      self.tessera("break 12\n", "examples/hello_wavelet/layout.json", expect=1))

    def test_what_is_no_text_is_said(self):
        """Bytes that are no UTF-8 come to the debugger as no request; it answers, and nobody waits for another answer."""
        for options, text, expect in ((["-ex", b"print \xff\xfe", "--batch"], b"", 1), ([], b"print \xff\xfe\nprint 41 + 1\n", 0)):
            command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "debug", *GEMV, *options]
            result = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, check=False, timeout=300,
                                    env={**os.environ, "TESSERA_BIN": str(BIN), "PYTHONUTF8": "1"})
            self.assertEqual(result.returncode, expect, result.stderr)
            self.assertIn(b"error: the message is no JSON object", result.stdout)
            self.assertEqual(b"42" in result.stdout, not options)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "script").write_bytes(b"\xff\n")
            for script in ("script", "absent", "."):
                command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "debug", *GEMV, "-x", str(pathlib.Path(folder) / script), "--batch"]
                result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
                                        env={**os.environ, "TESSERA_BIN": str(BIN)})
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertNotIn("Traceback", result.stderr)

    def test_attaching_to_what_is_no_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "socket"
            for words in ("nobody waits", "is no socket of a run"):
                command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "attach", str(path)]
                result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual(result.returncode, 2)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)
                path.write_text("a file")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
