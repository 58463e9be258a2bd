"""The debugger of wse_platform (--debug, docs/debugger.md): stops, steps and what is seen there are the same in both structures;
a run that was debugged has the digest of the plain one; broken messages are answered. The prompt and those who attach have tests of their own.

    debug_test.py WSE_PLATFORM ROOT
"""
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

from debug_session import BIN, GEMV, ROOT, Session, assert_is_plain_run, command_of, dap, report_of

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

    def test_places_are_those_of_the_program(self):
        """Also of a program that leaves room for the host and does not begin at tile (0, 0). Elsewhere nothing stops or is watched."""
        session = Session.of([*GEMV, "--fabric-dims=12,6", "--fabric-offsets=4,1"])
        for condition, words in (("pe=(5,2)", "there is no program at '(5,2)'; the first one is at PE (0, 0)"), ("pe=(9,9)", "the machine has no place"),
                                 ("pe=(2,0)", None)):
            found = [session.request("setDataBreakpoints", breakpoints=[{"dataId": f"{condition} if left"}])["breakpoints"][0],
                     session.request("setBreakpoints", source={"path": self.pe}, breakpoints=[{"line": 60, "condition": condition}])["breakpoints"][0]]
            for answer in found:
                self.assertEqual(answer["verified"], words is None, condition)
                self.assertIn(words or "", answer.get("message", ""))
        session.request("setDataBreakpoints", breakpoints=[])
        self.assertIn("PE (2, 0)", session.go()["text"])
        self.assertTrue(session.ask("pe 3,2").startswith("PE (3, 2), "))
        self.assertIn("PE (0, 0) (tile (4, 1)): ", session.ask("why"))
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
            self.assertIn(f"left has changed from {values[-2]} to {values[-1]}, " if values[1:] else "left has changed from 0 to 4, ", session.stop["text"])
        self.assertEqual(values, ["4", "3", "2", "1", "0"])

    def test_data_of_arrays_and_expressions(self):
        for data, text in (("pe=(0,0) y", "y[2] has changed to 0.0, cycle"), ("pe=(1,0) left < 3", "left < 3 has become true, cycle")):
            session = Session.of(GEMV)
            session.ask("set y[2] = 1.5")
            session.request("setDataBreakpoints", breakpoints=[{"dataId": data}])
            self.assertIn(text, session.go()["text"])
            session.end()

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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
