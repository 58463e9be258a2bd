"""Locals of CSL functions in the debugger: what it says of them at each line of a run is what the program has there, for each way of
making code; where the compiler has optimized a local away it says so. The same program stands here in Python, line beside line, and
says what is right.

    debug_locals_test.py WSE_PLATFORM ROOT
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from debug_session import Session, command_of, dap
from commands.prompt import Prompt  # debug_session adds the folder

LAYOUT = """
layout {
  @set_rectangle(1, 1);
  @set_tile_code(0, 0, "pe.csl");
  @export_name("compute", fn()void);
}
"""
DATA = [4, -3, 9, 2, -8, 5, *((n * 37) % 61 - 30 for n in range(54))]  # more than are unrolled
# A line of CSL, and the same in Python; both have one statement a line, so that a line has the locals before it.
LINES = [
    (f"var data = [{len(DATA)}]i16{{ {', '.join(map(str, DATA))} }};", f"data = {DATA}"),
    ("var out = @zeros([8]i16);", "out = [0] * 8"),
    ("var sums = @zeros([60]f32);", "sums = [0.0] * 60"),
    ("fn clamp(value: i16, most: i16) i16 {", "def clamp(value, most):"),
    ("  var kept: i16 = value;", "  kept = value"),
    ("  if (kept > most) {", "  if kept > most:"),
    ("    kept = most;", "    kept = most"),
    ("  }", "  pass"),
    ("  out[7] += kept;", "  out[7] += kept"),
    ("  return kept;", "  return kept"),
    ("}", ""),
    ("noinline fn far(value: i16) i16 {", "def far(value):"),
    ("  const twice = value * 2;", "  twice = value * 2"),
    ("  out[6] += twice;", "  out[6] += twice"),
    ("  return twice + 1;", "  return twice + 1"),
    ("}", ""),
    ("fn scan() void {", "def scan():"),
    ("  var least: i16 = data[0];", "  least = data[0]"),
    ("  var at: i16 = 0;", "  at = 0"),
    ("  var total: f32 = 0.5;", "  total = 0.5"),
    ("  for (@range(i16, 60)) |i| {", "  for i in range(60):"),
    ("    const seen = data[i];", "    seen = data[i]"),
    ("    total += @as(f32, seen);", "    total += seen"),
    ("    if (seen < least) {", "    if seen < least:"),
    ("      least = seen;", "      least = seen"),
    ("      at = i;", "      at = i"),
    ("    }", "    pass"),
    ("    sums[i] = total;", "    sums[i] = total"),
    ("  }", "  pass"),
    ("  out[0] = least;", "  out[0] = least"),
    ("  out[1] = at;", "  out[1] = at"),
    ("}", ""),
    ("fn mixed() void {", "def mixed():"),
    ("  var step: i16 = 3;", "  step = 3"),
    ("  var count: i16 = data[3];", "  count = data[3]"),
    ("  const first = clamp(data[2], 7);", "  first = clamp(data[2], 7)"),
    ("  out[2] = first;", "  out[2] = first"),
    ("  var old: i16 = count;", "  old = count"),
    ("  count = count + first;", "  count = count + first"),
    ("  out[3] = old;", "  out[3] = old"),
    ("  old = 100;", "  old = 100"),
    ("  out[4] = count;", "  out[4] = count"),
    ("  const there = far(count);", "  there = far(count)"),
    ("  out[5] = count + there;", "  out[5] = count + there"),
    ("  while (count > 0) {", "  while count > 0:"),
    ("    count -= step;", "    count -= step"),
    ("    out[4] += count;", "    out[4] += count"),
    ("  }", "  pass"),
    ("  out[2] += clamp(old, 50);", "  out[2] += clamp(old, 50)"),
    ("  out[3] += old;", "  out[3] += old"),
    ("}", ""),
    ("fn few() void {", "def few():"),  # unrolled, and without branches
    ("  var top: i16 = data[0];", "  top = data[0]"),
    ("  var place: i16 = 0;", "  place = 0"),
    ("  for (@range(i16, 5)) |k| {", "  for k in range(5):"),
    ("    if (data[k] > top) {", "    if data[k] > top:"),
    ("      top = data[k];", "      top = data[k]"),
    ("      place = k;", "      place = k"),
    ("    }", "    pass"),
    ("  }", "  pass"),
    ("  out[6] += place;", "  out[6] += place"),
    ("  out[7] += top;", "  out[7] += top"),
    ("}", ""),
    ("fn compute() void {", "def compute():"),
    ("  few();", "  few()"),
    ("  scan();", "  scan()"),
    ("  mixed();", "  mixed()"),
    ("}", ""),
    ("comptime {", ""),
    ("  @export_symbol(compute);", ""),
    ("}", ""),
]
NO_VALUE = "no value here: not assigned yet, or optimized away"
COMMAND = ["layout.csl", "--launch", "compute"]


def expected():
    """{line: [locals before it, each time]} of the program in Python."""
    seen = {}

    def trace(frame, event, _):
        if frame.f_code.co_filename != "mirror":
            return None
        if event == "line" and frame.f_code.co_name != "<module>":
            seen.setdefault(frame.f_lineno, []).append({name: value for name, value in frame.f_locals.items()
                                                        if isinstance(value, (int, float))})
        return trace

    names = {}
    exec(compile("\n".join(line for _, line in LINES), "mirror", "exec"), names)  # pylint: disable=exec-used
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        names["compute"]()
    finally:
        sys.settrace(before)
    return seen


class Locals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.work.name)
        (cls.folder / "layout.csl").write_text(LAYOUT)
        (cls.folder / "pe.csl").write_text("\n".join(line for line, _ in LINES) + "\n")

    @classmethod
    def tearDownClass(cls):
        cls.work.cleanup()

    def prompt(self, *options):
        command = [command_of(["x.csl"])[0], "layout.csl", *COMMAND[1:], "--quiet", "--debug=stdio", *options]
        return Prompt(lambda: dap.Client.start(command, cwd=self.folder, stderr=subprocess.DEVNULL), shows=lambda text: None)

    def seen(self, *options):
        """[(line, {name: what is said})] of all stops; functions are expanded as the options have it."""
        prompt, stops = self.prompt(*options), []
        for line, (text, _) in enumerate(LINES, 1):
            if text.startswith("  ") and text.strip() != "}":
                prompt.onecmd(f"break pe.csl:{line}")
        for _ in range(1000):
            prompt.onecmd("continue")
            if prompt.present_cycle() is None or prompt.ask("where").count("#") == 0:
                break
            line = int(re.search(r"pe\.csl:(\d+)", prompt.ask("info line"))[1])
            said = dict(re.findall(r"^(\w+): [^=]* = (.*)$", prompt.ask("info locals"), re.M))
            stops.append((line, said))
            printed = {name: prompt.ask(f"print {name}") for name, value in said.items() if value != NO_VALUE}
            self.assertEqual(printed, {name: value for name, value in said.items() if value != NO_VALUE})
        prompt.onecmd("quit")
        return stops

    def test_values_are_those_of_the_program(self):
        right = expected()
        for options, least in ((("--csl-code=vendor",), 0.6), (("--csl-code=best",), 0.6), (("--csl-code=plain",), 0.8)):
            for structure in ("modules", "dense"):
                with self.subTest(options, structure=structure):
                    self.check(self.seen(*options, "--structure", structure), right, least)

    def check(self, stops, right, least):
        known = all_of_them = 0
        self.assertGreater(len(stops), 20)
        for line, said in stops:
            if LINES[line - 1][0].strip().startswith("for"):
                continue  # the counter of Python does not leave its range
            for name, value in said.items():
                there = [before[name] for before in right.get(line, []) if name in before]
                if not there:
                    continue  # before its declaration, or a line that Python steps over
                all_of_them += 1
                if value == NO_VALUE:
                    continue
                known += 1
                self.assertIn(float(value), [float(number) for number in there], (line, LINES[line - 1][0], name))
        self.assertGreater(known, least * all_of_them, "locals without a value")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
