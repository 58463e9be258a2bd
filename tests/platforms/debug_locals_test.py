"""Frames of CSL functions, their locals and the variables of the file in the debugger: what it says of them at each line of a run is what
the program has there, for each way of making code, also of functions whose code stands in place of their calls and of variables that a loop
keeps in registers; where the compiler has optimized a local away it says so. The same program stands here in Python, line beside line,
and says what is right.

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
    ("var tally: i16 = 0;", "tally = 0"),
    ("var kept_in = @zeros([4]f32);", "kept_in = [0.0] * 4"),
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
    ("fn pick(which: i16) void {", "def pick(which):"),
    ("  if (which > 100) {", "  if which > 100:"),
    ("    out[4] += far(1);", "    out[4] += far(1)"),
    ("  } else {", "  else:"),
    ("    out[4] += far(2);", "    out[4] += far(2)"),
    ("  }", "  pass"),
    ("  out[4] += far(which);", "  out[4] += far(which)"),
    ("}", ""),
    ("fn lift(value: i16) i16 { return clamp(value + 2, 90); }", "def lift(value): return clamp(value + 2, 90)"),
    ("fn count_up() void {", "def count_up():"),
    ("", "  global tally"),
    ("  tally = 2;", "  tally = 2"),
    ("  for (@range(i16, 60)) |i| {", "  for i in range(60):"),
    ("    const seen = data[i];", "    seen = data[i]"),
    ("    tally += seen;", "    tally += seen"),
    ("    kept_in[2] += 1.5;", "    kept_in[2] += 1.5"),
    ("    out[1] = i;", "    out[1] = i"),
    ("  }", "  pass"),
    ("  tally += 1;", "  tally += 1"),
    ("  out[5] += tally;", "  out[5] += tally"),
    ("  var x: i16 = data[2];", "  x = data[2]"),
    ("  out[2] += x;", "  out[2] += x"),
    ("  x = lift(x);", "  x = lift(x)"),
    ("  out[3] += x;", "  out[3] += x"),
    ("  x = lift(x + lift(x));", "  x = lift(x + lift(x))"),
    ("  out[3] += x + tally;", "  out[3] += x + tally"),
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
    ("  count_up();", "  count_up()"),
    ("  pick(out[1]);", "  pick(out[1])"),
    ("}", ""),
    ("comptime {", ""),
    ("  @export_symbol(compute);", ""),
    ("}", ""),
]
NO_VALUE = "no value here: not assigned yet, or optimized away"
COMMAND = ["layout.csl", "--launch", "compute"]


GLOBALS = ("tally", "kept_in[2]")


def expected():
    """{(line, line of the call, ..): [({names of the frames}, [locals of each frame], values of GLOBALS) before it, each time]} of the program
    in Python."""
    seen = {}

    def trace(frame, event, _):
        if frame.f_code.co_filename != "mirror":
            return None
        if event == "line" and frame.f_code.co_name != "<module>":
            frames = []
            while frame.f_code.co_filename == "mirror":
                frames.append(frame)
                frame = frame.f_back
            values = [{name: value for name, value in f.f_locals.items() if isinstance(value, (int, float))} for f in frames]
            seen.setdefault(tuple(f.f_lineno for f in frames), []).append(
                ([f.f_code.co_name for f in frames], values, (names["tally"], names["kept_in"][2])))
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
        """[([(name of a frame, line)], [{local: what is said} of each frame], {global: what is said})] of all stops."""
        prompt, stops = self.prompt(*options), []
        for line, (text, _) in enumerate(LINES, 1):
            if text.startswith("  ") and text.strip() != "}":
                prompt.onecmd(f"break pe.csl:{line}")
        for _ in range(1500):
            prompt.onecmd("continue")
            frames = [] if prompt.present_cycle() is None else re.findall(r"^#\d+ (?:task )?(\w+)(?: \(inlined\))? at pe\.csl:(\d+)$",
                                                                          prompt.ask("where"), re.M)
            if not frames:
                break
            said = []
            for number in range(len(frames)):
                prompt.ask(f"frame {number}")
                said.append(dict(re.findall(r"^(\w+): [^=]* = (.*)$", prompt.ask("info locals"), re.M)))
                printed = {name: prompt.ask(f"print {name}") for name, value in said[-1].items() if value != NO_VALUE}
                self.assertEqual(printed, {name: value for name, value in said[-1].items() if value != NO_VALUE})
            stops.append(([(name, int(line)) for name, line in frames], said, {name: prompt.ask(f"print {name}") for name in GLOBALS}))
        prompt.onecmd("quit")
        return stops

    def test_values_are_those_of_the_program(self):
        right = expected()
        for options, least in ((("--csl-code=vendor",), 0.6), (("--csl-code=best",), 0.6), (("--csl-code=plain",), 0.8)):
            for structure in ("modules", "dense"):
                with self.subTest(options, structure=structure):
                    self.check(self.seen(*options, "--structure", structure), right, least)

    def check(self, stops, right, least):
        self.known = self.all_of_them = self.inlined = 0
        lines = {key[0] for key in right}
        # No call goes away, and a line stops only where the program comes to it.
        calls = {line for line in lines if "far(" in LINES[line - 1][0] and "fn " not in LINES[line - 1][0]}
        self.assertEqual(calls - {frames[0][1] for frames, _, _ in stops}, set())
        self.assertEqual({LINES[frames[0][1] - 1][0] for frames, _, _ in stops if frames[0][1] not in lines}, set())
        self.assertGreater(len(stops), 20)
        for frames, said, values in stops:
            line = frames[0][1]
            text = LINES[line - 1][0]
            if text.strip().startswith("for"):
                continue  # the counter of Python does not leave its range
            there = right.get(tuple(line for _, line in frames))
            self.assertIsNotNone(there, (frames, text))
            self.assertEqual([name for name, _ in frames], there[0][0], text)
            self.inlined += len(frames) > 1
            for number, of_frame in enumerate(said):
                self.check_locals(of_frame, [locals_of[number] for _, locals_of, _ in there], (frames, number, text))
            for name, value, position in ((name, values[name], i) for i, name in enumerate(GLOBALS)):
                self.assertIn(float(value), [float(globals_of[position]) for _, _, globals_of in there], (frames, name, text))
        self.assertGreater(self.inlined, 20)
        self.assertGreater(self.known, least * self.all_of_them, "locals without a value")

    def check_locals(self, said, there, where):
        for name, value in said.items():
            before = [values[name] for values in there if name in values]
            if not before:
                continue  # before its declaration
            self.all_of_them += 1
            if value == NO_VALUE:
                continue
            self.known += 1
            self.assertIn(float(value), [float(number) for number in before], (*where, name))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
