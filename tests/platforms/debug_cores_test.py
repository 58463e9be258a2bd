"""The debugger on AI cores (--debug, docs/debugger.md): stops, steps and what is seen there are the same in both structures, a run that
was debugged has the digest of the plain one, breakpoints count what coverage counts, and values have the names of the text.

    debug_cores_test.py ASCEND_PLATFORM ROOT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
from debug_session import BIN, ROOT, SameRuns, Session, counted, dap, hits_of

ADD = ["examples/ascend/vector_add.pto", "--param", "TILES=4", "--set", "launch.clusters=2"]
PROGRAMS = {
    "add": ADD,
    "both": ["examples/ascend/c2v_a5.pto", "--param", "TILES=2", "--set", "launch.clusters=1"],
    "locks": ["examples/ascend/kernels/locks_a5.pto", "--param", "TILES=4", "--set", "launch.clusters=1"],
    "cross": ["examples/ascend/kernels/cross_core.pto", "--param", "TILES=3", "--set", "launch.clusters=2"],
    "loops": ["examples/ascend/kernels/relaxation.pto", "--param", "ROWS=32", "--param", "ROUNDS=3", "--param", "NEGATE=1", "--set",
              "launch.clusters=1"],
}
# The body of a vector function, lines 6 to 8, runs as a whole.
FUNCTION = """module { func.func @k(%p: !pto.ptr<f32, ub>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
%i = arith.constant 1 : index
%n = arith.constant 3 : index
scf.for %k = %i to %n step %i {
pto.vecscope {
%m = pto.pset_b32 "PAT_VL8" : !pto.mask<b32>
%v = pto.vlds %p[%i] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
pto.vsts %v, %p[%i], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
}
pto.barrier <PIPE_ALL>
}
return } }
"""
TEXT = (ROOT / ADD[0]).read_text().splitlines()


def line_of(text):
    """The first line of vector_add.pto that has it."""
    return next(n for n, line in enumerate(TEXT, 1) if text in line)


class Cores(unittest.TestCase):
    def test_a_session(self):
        session = Session.of(ADD, lines=[(ADD[0], line_of("tadd ins(%a0"), {"condition": "core=(1,2) if i == 2"})])
        stop = session.go()
        self.assertIn("core (1, 2), AIV1 of cluster 1", stop["text"])
        self.assertEqual(session.frames()[0][:2], ("vector_add", line_of("tadd ins(%a0")))
        self.assertEqual([session.ask("print " + name) for name in ("i", "offset", "TILES", "row1 - row0", "len(a0)", "len(S)")],
                         ["2", "32", "4", "16", "8192", "0"])
        self.assertIn("in its queue, first wait_flag(MTE2, V, id 0)", session.ask("info pipes"))
        self.assertIn("busy: pipe", session.ask("info waits"))
        self.assertEqual(session.ask("print MTE2.busy + 2 * S.waits"), "1")
        self.assertGreater(int(session.ask("print len(V)")), 1)
        self.assertIn("a0: [16, 512]f32 in UB", session.ask("info tiles"))
        for flag in session.ask("info flags").splitlines():
            name, _, sets = flag.partition(" = ")
            self.assertEqual(session.ask("print " + name), sets)
        self.assertIn("=> 23: vector", session.ask("disas"))
        self.assertIn("> " + str(line_of("tadd ins(%a0")), session.ask("list"))
        self.assertTrue(session.ask("why"))
        for command, words in (("set TILES = 3", "it was known before the run"), ("set MTE2.busy = 1", "only numbers in registers"),
                               ("set a0 = 1", "name one, such as a0[0]"), ("set i = 0.5", "takes a whole number"), ("print nothing", "the core has no 'nothing'"),
                               ("print a0[9999]", "is no element of a0"), ("print len(i)", "is no pipe, tile or array")):
            with self.assertRaises(dap.Refused) as refused:
                session.ask(command)
            self.assertIn(words, str(refused.exception))
        before = session.cycle()
        session.go("next")
        self.assertEqual(session.frames()[0][1], line_of("tadd ins(%a0") + 1)
        session.go("next", granularity="cycle")
        self.assertGreater(session.cycle(), before)
        session.request("setBreakpoints", source={"path": ADD[0]}, breakpoints=[])
        session.request("setDataBreakpoints", breakpoints=[{"dataId": "core=(1,2) if V.busy"}])
        stop = session.go()
        self.assertEqual(stop["reason"], "data breakpoint")
        session.end()

    def test_the_first_instruction_can_be_stopped_at(self):
        session = Session.of(ADD, functions=["vector_add"])
        stop = session.go()
        self.assertIn("before the first cycle, 4 places", stop["text"])
        self.assertEqual(session.ask("hits").count("AIV"), 4)
        self.assertIsNone(session.go())
        self.assertEqual(session.exit_code, 0)

    def test_values_are_those_of_the_run(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = 16 * 4 * 4
            a, b = (numpy.arange(rows * 512, dtype=numpy.float32).reshape(rows, 512) * factor for factor in (1, 2))
            for name, values in (("a", a), ("b", b)):
                numpy.save(f"{folder}/{name}.npy", values)
            out = f"{folder}/c.npy"
            session = Session.of([*ADD, "--input", f"a={folder}/a.npy", "--input", f"b={folder}/b.npy", "--output",
                                  f"c={out}"], lines=[(ADD[0], line_of("tstore ins(%o0") + 1, {"condition": "core=(1,2) if i == 2"})])
            session.go()
            session.request("setBreakpoints", source={"path": ADD[0]}, breakpoints=[])
            session.request("setDataBreakpoints", breakpoints=[{"dataId": "core=(1,2) if MTE3.busy == 1"}])
            session.go()
            first = 3 * 16 * 4 * 512  # the pipe stores the tiles of i == 0 while the scalar unit is at i == 2
            self.assertEqual(session.ask("print o0[5]"), f"{3.0 * (first + 5):.1f}")
            self.assertEqual(session.ask("print o0[0..3]"), "[" + ", ".join(f"{3.0 * (first + n):.1f}" for n in range(3)) + "]")
            self.assertEqual(session.ask("x/1f &o0").split()[-1], f"{3.0 * first:.1f}")
            self.assertEqual(session.ask(f"print b[{first}]"), f"{2.0 * first:.1f}")
            session.request("setDataBreakpoints", breakpoints=[])
            self.assertIsNone(session.go())
            self.assertTrue((numpy.load(out) == a + b).all())

    def test_values_can_be_set(self):
        """A loop that is told to be further ends earlier; what is put into a tile and an array is what is added."""
        outcomes = []
        first = 3 * 4 * 16  # rows of the last core
        expected = numpy.full((16 * 4 * 4, 512), 2, dtype=numpy.float32)
        expected[first, 4:7] = 3.5, 7.5, 3
        expected[first + 32:] = 0
        for structure in ("modules", "dense"):
            with tempfile.TemporaryDirectory() as folder:
                numpy.save(f"{folder}/one.npy", numpy.ones_like(expected))
                out = f"{folder}/c.npy"
                session = Session.of([*ADD, "--input", f"a={folder}/one.npy", "--input", f"b={folder}/one.npy", "--output", f"c={out}"],
                                     "--structure", structure,
                                     lines=[(ADD[0], line_of("wait_flag[<PIPE_V>, <PIPE_MTE2>, <EVENT_ID0>]"), {"condition": "core=(1,2) if i == 0"})])
                session.go()
                self.assertEqual(session.ask(f"set b[{first * 512 + 4}] = 2.5"), "2.5")
                self.assertEqual(session.ask("set i = 2"), "2")
                session.request("setBreakpoints", source={"path": ADD[0]}, breakpoints=[])
                session.request("setDataBreakpoints", breakpoints=[{"dataId": "core=(1,2) if b0[5]"}])
                session.go()
                self.assertEqual(session.ask("set a0[5] = 6.5"), "6.5")
                address = int(session.ask("print &a0"), 0)
                session.request("writeMemory", memoryReference=f"1,2:{address + 24}", data="AAAAQA==")
                self.assertEqual(session.ask("print a0[4..8]"), "[1.0, 6.5, 2.0, 1.0]")
                session.request("setDataBreakpoints", breakpoints=[])
                self.assertIsNone(session.go())
                outcomes.append(session.exit_code)
                numpy.testing.assert_array_equal(numpy.load(out), expected)
        self.assertEqual(outcomes, [0, 0])

    def test_a_deadlock_can_be_looked_at(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "k.pto"
            file.write_text("\n".join(line for n, line in enumerate(TEXT, 1) if n != line_of("set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID1>]")))
            session = Session.of([str(file), *ADD[1:]])
            stop = session.go()
            self.assertEqual(stop["reason"], "exception")
            self.assertIn("the flag MTE2 to V, event 1", stop["text"])
            self.assertIn("the flag MTE2 to V, event 1", session.ask("why"))
            self.assertIn("has waited since cycle", session.ask("info pipes"))
            self.assertIsNone(session.go())
            self.assertEqual(session.exit_code, 4)

    def test_a_vector_function_is_one_step(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "k.pto"
            file.write_text(FUNCTION)
            program = [str(file), "--preset", "a5", "--set", "launch.clusters=1"]
            executions = counted(program)
            body = {(str(file), line) for line in (6, 7, 8)}
            self.assertLessEqual(body, set(executions))
            outside = {line: count for line, count in executions.items() if line not in body}
            self.assertEqual(hits_of(program, outside), outside)
            session = Session.of(program, lines=[(str(file), 7, {})])
            self.assertGreater(session.answers[0]["line"], 8)
            session.end()

    def test_native_code_is_refused(self):
        result = subprocess.run([str(BIN / "ascend_platform"), "k.cpp", "--debug=stdio"], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("a kernel in C++ is native code", result.stderr)


class SameRun(SameRuns, unittest.TestCase):
    programs = PROGRAMS
    moves = [("continue", {}), ("next", {}), ("stepIn", {"granularity": "instruction"}), ("next", {"granularity": "cycle"})]
    questions = ("info locals", "info tiles", "info arrays", "info pipes", "info flags", "info regs", "info waits", "why", "hits")
    rounds = 30

    def lines_for(self, program, choice):
        lines = sorted(line for _, line in counted(program))
        return [(program[0], line, {}) for line in choice.sample(lines, 4)]

    def test_hits_are_executions(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                executions = counted(program)
                self.assertEqual(hits_of(program, executions), executions)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
