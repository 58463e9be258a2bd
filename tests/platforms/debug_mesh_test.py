"""The debugger on a scheduled mesh (--debug, docs/debugger.md): stops at phases and operators, steps from phase to phase, memory and queues
of nodes, the same in both structures; a run that was debugged has the digest of the plain one.

    debug_mesh_test.py NUMESH_PLATFORM ROOT
"""
import json
import sys
import unittest

from debug_session import ROOT, SameRuns, Session, dap

TOUR = ["examples/numesh/tour.json"]
PROGRAMS = {
    "tour": TOUR,
    "jacobi": ["examples/numesh/jacobi.json"],
    "continuing": ["examples/numesh/continuing.json"],
    "online": ["examples/numesh/online.json"],
}


def line_of(program, text):
    lines = (ROOT / program[0]).read_text().splitlines()
    return next(n for n, line in enumerate(lines, 1) if text in line)


def places_of(session):
    """The places of the stops up to the end of the run."""
    places = []
    while session.go() is not None:
        places += [line.partition(":")[0] for line in session.ask("hits").splitlines()[1:]]
    return sorted(places)


class Mesh(unittest.TestCase):
    def test_operators_and_phases(self):
        session = Session.of(TOUR, lines=[(TOUR[0], line_of(TOUR, '"east"'), {})])
        self.assertEqual([(b["verified"], b["line"]) for b in session.answers], [(True, line_of(TOUR, '"east"'))])
        self.assertEqual(places_of(session), [f"node ({n})" for n in range(6)])
        session = Session.of(TOUR, functions=["send"])
        self.assertIn("before the first cycle, 2 places, first (0)", session.go()["text"])
        self.assertIn("send = under way", session.ask("info task"))
        self.assertEqual(session.frames()[0][:2], ("send in phase send", line_of(TOUR, '"send"')))
        self.assertEqual(places_of(session), ["node (0)", "node (5)"], "it is used a second time")
        self.assertEqual(session.exit_code, 0)

    def test_steps_follow_a_node(self):
        session = Session.of(TOUR)
        session.ask("node 3")
        seen = []
        while session.go("next", threadId=4) is not None:
            self.assertIn("node (3)", session.stop["text"] + session.ask("where"))
            seen.append(session.frames()[0][0])
        self.assertEqual(seen, [f"{name} in phase {name}" for name in ("spread", "east", "ring", "total", "scan")])

    def test_memory(self):
        session = Session.of(TOUR)
        self.assertEqual([session.ask("print " + text) for text in ("v[3]", "v[0..3]", "len(v)", "turn")], ["3", "[0, 1, 2]", "48", "0"])
        self.assertEqual(session.ask("x/2i &v[2]").split()[1:], ["2", "3"])
        session.request("setDataBreakpoints", breakpoints=[{"dataId": "node=(5) if send.out[47]"}])
        stop = session.go()
        self.assertEqual(stop["reason"], "data breakpoint")
        self.assertIn("node (5)", stop["text"])
        self.assertEqual(session.ask("print send.out[47]"), "47", "node 0 has sent its last word")
        self.assertEqual(session.ask("set v[46] = 9"), "9")
        self.assertTrue(session.ask("info queues") and session.ask("info waits") and session.ask("why"))
        for command, words in (("print w", "the node has no 'w'"), ("print v[48]", "is no word of v"), ("node 9", "is no place"),
                               ("set v[0] = 0.5", "a whole number"),
                               ("set v[0] = 1 << 32", "does not fit into a word of 32 bits")):
            with self.assertRaises(dap.Refused) as refused:
                session.ask(command)
            self.assertIn(words, str(refused.exception))
        session.end()

    def test_places_have_the_coordinates_of_the_mesh(self):
        session = Session.of(TOUR)
        answers = session.request("setFunctionBreakpoints", breakpoints=[
            {"name": "east", "condition": condition} for condition in ("node=(2)", "node=(2,0)", "node=(2..3)", "node=col 2")])["breakpoints"]
        self.assertEqual([b["verified"] for b in answers], [True, False, True, True])
        self.assertIn("names 2 coordinates, and a place here has 1", answers[1]["message"])
        self.assertEqual(places_of(session), ["node (2)", "node (3)"])

    def test_a_deadlock_can_be_looked_at(self):
        session = Session.of(["examples/numesh/ring_wrong.json"])
        stop = session.go()
        self.assertEqual(stop["reason"], "exception")
        self.assertTrue(session.ask("why"))
        self.assertIsNone(session.go())
        self.assertEqual(session.exit_code, 4)


class SameRun(SameRuns, unittest.TestCase):
    programs = PROGRAMS
    moves = [("continue", {}), ("next", {}), ("stepOut", {}), ("next", {"granularity": "cycle"})]
    questions = ("info task", "info arrays", "info queues", "info waits", "why", "hits")
    rounds = 25

    def lines_for(self, program, _):
        return [(program[0], 8, {})]


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
