"""scripts/sweep.py with sweeps that are wrong: each ends in bounded time with one sentence and exit code 2, and nothing is
written outside of --out. sweep_errors_test.py WSE_PLATFORM"""
import contextlib
import csv
import io
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/wse_platform").resolve().parent
LAYOUT = ROOT / "examples/gemv_stream/layout.json"
HANGS = 60  # seconds; a refusal takes some milliseconds

sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))
import sweep  # noqa: E402 pylint: disable=wrong-import-position

PROGRAM = f"program: {LAYOUT}\n"
SMALL = PROGRAM + "params: {M: 24, N: 24, W: [1, 2]}\n"
LAUGHS = "a0: &a0 {x: 1}\n" + "".join(f"a{i + 1}: &a{i + 1} {{<<: [{', '.join([f'*a{i}'] * 9)}]}}\n" for i in range(9))

# (what is wrong, text of the file, words of the sentence)
SPECS = [
    # The document.
    ("empty", "", "expected a mapping"),
    ("a text", "hello", "expected a mapping"),
    ("a list", "[1, 2]", "expected a mapping"),
    ("two documents", "program: a\n---\nprogram: b\n", "s.yaml"),
    ("not closed", "program: [", "s.yaml"),
    ("not UTF-8", b"program: \xff\xfe\n", "s.yaml"),
    ("NUL", b"program: a\0b\n", "s.yaml"),
    ("an object of Python", "program: !!python/object/apply:os.system ['true']\n", "s.yaml"),
    ("a number with 5,000 digits", PROGRAM + "params: {W: " + "9" * 5000 + "}\n", "s.yaml"),
    ("a list in a list 5,000 times", PROGRAM + "params: {W: " + "[" * 5000 + "]" * 5000 + "}\n", "nested too deeply"),
    ("a million keys in ten lines", LAUGHS + PROGRAM, "'<<' takes one mapping"),
    ("2 MB", PROGRAM + "#" * (2 << 20), "too long for a sweep"),
    ("a key twice", PROGRAM + "params: {W: 1, W: 2}\n", "'W' is given twice"),
    ("an unknown key", PROGRAM + "axis: []\n", "unknown key 'axis'"),
    ("a key that is no text", PROGRAM + "7: []\n", "unknown key '7'"),
    ("no program", "axes: []\n", "'program'"),
    # Program and platform.
    ("program is a list", "program: [a]\n", "program: expected a text, found a list"),
    ("program is nothing", "program:\n", "program: expected a text, found nothing"),
    ("program is missing", "program: nowhere.json\n", "no such program"),
    ("program is a folder", "program: /\n", "no such program"),
    ("program is a device", "program: /dev/zero\n", "no such program"),
    ("program is a loop of links", "program: loop/a.json\n", "loop"),
    ("program is of no known kind", "program: other.json\n", "what runs it is unknown"),
    ("unknown platform", PROGRAM + "platform: tpu\n", "platform: expected wse"),
    ("platform is a path", PROGRAM + "platform: ../../bin/wse\n", "platform: expected wse"),
    # Axes and values.
    ("params is a list", PROGRAM + "params: [W]\n", "params: expected a mapping, found a list"),
    ("params is nothing", PROGRAM + "params:\n", "params: expected a mapping, found nothing"),
    ("a name is a number", PROGRAM + "params: {1: 2}\n", "expected a text, found a int"),
    ("no values", PROGRAM + "params: {W: []}\n", "axis param.W: has no values"),
    ("nothing is a value", PROGRAM + "params: {W: [1, null]}\n", "found nothing"),
    ("a mapping is a value", PROGRAM + "params: {W: [1, {a: 1}]}\n", "found a mapping"),
    ("a list that holds itself", PROGRAM + "params: {W: &a [1, *a]}\n", "found a list"),
    ("a date", PROGRAM + "params: {W: 2020-01-01}\n", "found a date"),
    ("NaN", PROGRAM + "params: {W: [1, .nan]}\n", "nan is no finite number"),
    ("infinity", PROGRAM + "params: {W: -.inf}\n", "-inf is no finite number"),
    ("65 bits", PROGRAM + "params: {W: [36893488147419103232]}\n", "at most 64 bits"),
    ("a step of 0", PROGRAM + "params: {W: 1..5..0}\n", "has a step of 0"),
    ("a range downwards", PROGRAM + "params: {W: 5..1}\n", "5..1 has no values"),
    ("a huge range", PROGRAM + "params: {W: 1..1000000000000}\n", "more than 100000 values"),
    ("a huge grid", PROGRAM + "params: {W: 1..1000, H: 1..1000, M: 1..1000}\n", "1000000000 points, more than 100000"),
    ("a value twice", PROGRAM + "params: {W: [1, 2, 1]}\n", "the same run"),
    ("an axis twice", PROGRAM + "params: {W: [1, 2]}\naxes: [{param.W: [3, 4]}]\n", "axis param.W: is given twice"),
    ("one name for two axes", PROGRAM + "params: {W: [1, 2]}\ntemplates: {W: [1, 2]}\n", "the same name"),
    ("an axis with the name of a column", PROGRAM + "params: {cycles: [1, 2]}\n", "a column 'cycles' of its own"),
    ("axes is a text", PROGRAM + "axes: param.W\n", "axes: expected a list, found a text"),
    ("an entry is a number", PROGRAM + "axes: [1]\n", "axes: expected a mapping"),
    ("an entry is empty", PROGRAM + "axes: [{}]\n", "an entry has no axis"),
    ("an axis of no kind", PROGRAM + "axes: [{W: [1]}]\n", "axis W: expected param.NAME"),
    ("an axis without a name", PROGRAM + "axes: [{param.: [1, 2]}]\n", "axis param.: expected param.NAME"),
    ("other lengths", PROGRAM + "axes: [{param.W: [1, 2], param.H: [1]}]\n", "same number of values"),
    ("a control character", PROGRAM + 'params: {W: "a\\x01b"}\n', "cannot stand in a command"),
    ("half a character", PROGRAM + 'params: {W: "\\uD800"}\n', "cannot stand in a command"),
    ("preset is nothing", PROGRAM + "preset:\n", "found nothing"),
    # Expressions.
    ("an expression of itself", PROGRAM + "params: {W: '=W + 1'}\n", "'=W + 1' is no number"),
    ("an unknown name", PROGRAM + "params: {W: '=Q + 1'}\n", "'Q' is no axis"),
    ("a tower of powers", PROGRAM + "params: {W: '=9**9**9**9'}\n", "too large"),
    ("a long text by multiplication", PROGRAM + "preset: [wse2, wse3]\nparams: {W: '=preset * 1000000000'}\n", "is no number"),
    ("a division by zero", PROGRAM + "params: {W: '=1 / 0'}\n", "divides by zero"),
    ("a root of a negative number", PROGRAM + "params: {W: '=(0 - 1) ** 0.5'}\n", "root of a negative number"),
    ("brackets 1,000 deep", PROGRAM + "params: {W: '=" + "(" * 900 + "1" + ")" * 900 + "'}\n", "axis param.W"[5:]),
    ("code", SMALL + "columns: {c: \"__import__('os')\"}\n", "not allowed"),
    # Options, columns, plots, templates.
    ("options is a text", PROGRAM + "options: --no-data\n", "options: expected a list, found a text"),
    ("a run that waits for a browser", PROGRAM + "options: [--serve=0]\n", "cannot be used in a sweep"),
    ("a run that waits for a debugger", PROGRAM + "options: [--debug, d.sock]\n", "cannot be used in a sweep"),
    ("a command that is no run", PROGRAM + "options: [--print-schema]\n", "cannot be used in a sweep"),
    ("a column that is infinite", SMALL + "columns: {q: '1e308*1e308'}\nplots: [{x: W, y: q}]\n", "no finite number"),
    ("a column that no point has", SMALL + "columns: {q: 'log2(0)'}\n", "math domain error"),
    ("a roofline out of range", SMALL + 'roofline: {operations: "1e300", bytes: "1e-300", peak: "1e-300", bandwidth: "1e300"}\n', "expected a number between"),
    ("two pictures of one file", SMALL + "plots: [{x: W, y: cycles}, {x: W, y: cycles, log: xy}]\n", "two pictures have the file"),
    ("names of pictures that become equal", SMALL + "plots: [{x: W, y: cycles, name: a/b}, {x: W, y: cycles, name: a_b}]\n", "two pictures have the file"),
    ("a picture that is hidden", SMALL + "plots: [{x: W, y: cycles, name: ..}]\n", "no name of a picture"),
    ("a report of one's own", PROGRAM + "options: [--report, x.json]\n", "cannot be used in a sweep"),
    ("columns is a list", SMALL + "columns: [a]\n", "columns: expected a mapping"),
    ("a column is a list", SMALL + "columns: {a: [1]}\n", "an expression is a number or a text"),
    ("a column of the table", SMALL + "columns: {cycles: '1'}\n", "a column 'cycles' already"),
    ("plots is a mapping", SMALL + "plots: {x: W, y: cycles}\n", "plots: expected a list"),
    ("a plot is a text", SMALL + "plots: [W]\n", "plots, number 1: expected a mapping"),
    ("a plot without y", SMALL + "plots: [{x: W}]\n", "'y' is missing"),
    ("a plot with a further key", SMALL + "plots: [{x: W, y: cycles, z: 1}]\n", "unknown key 'z'"),
    ("an unknown scale", SMALL + "plots: [{x: W, y: cycles, log: z}]\n", "expected x, y or xy"),
    ("roofline is a list of its keys", SMALL + "roofline: [operations, bytes, peak, bandwidth]\n", "roofline: expected a mapping"),
    ("half a roofline", SMALL + "roofline: {operations: '1'}\n", "roofline: needs operations"),
    ("a template without a place", PROGRAM + "axes: [{template.T: [1, 2]}]\n", "no program has ${T}"),
]
PLOTS = [  # seen only when the points have run
    ("a plot of an unknown column", SMALL + "plots: [{x: Q, y: cycles}]\n", "'Q' has no numbers"),
    ("a curve for an unknown column", SMALL + "plots: [{x: W, y: cycles, by: Q}]\n", "'Q' is no column"),
    ("a plot with more panels than a picture has", PROGRAM + "params: {M: 24, N: 24, W: [1, 2], H: [1, 2]}\nsettings: {fabric.hop_latency: 1..9}\n"
     "plots: [{x: W, y: cycles, by: H}]\n", "9 panels for the axes fabric.hop_latency; name some of them in 'by'"),
    ("a bandwidth of 0", SMALL + "roofline: {operations: 1, bytes: 1, peak: 1, bandwidth: 0}\n", "bandwidth has the value '0'"),
]


class Hang(Exception):
    """Not an OSError, which the sweep would print."""


def ends(*_):
    raise Hang


class WrongSweeps(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.out = self.work / "out"
        self.spec = self.work / "s.yaml"
        (self.work / "loop").symlink_to("loop")
        (self.work / "other.json").write_text("[" * 100000, encoding="utf-8")
        signal.signal(signal.SIGALRM, ends)
        self.addCleanup(signal.alarm, 0)

    def run_sweep(self, *arguments, bin_folder=BIN):
        """Exit code and messages."""
        messages, handlers = io.StringIO(), (signal.getsignal(signal.SIGTERM), sys.argv)
        sys.argv = ["sweep.py", *map(str, arguments), "--bin", str(bin_folder)]
        signal.alarm(HANGS)
        try:
            with contextlib.redirect_stderr(messages), contextlib.redirect_stdout(io.StringIO()):
                code = sweep.main()
        except SystemExit as end:
            code = end.code
        finally:
            signal.alarm(0)
            sys.argv = handlers[1]
            signal.signal(signal.SIGTERM, handlers[0])
        return code, messages.getvalue()

    def refuses(self, words, *arguments, **keywords):
        code, said = self.run_sweep(*arguments, **keywords)
        lines = [line for line in said.splitlines() if not line.endswith("of them done") and not line.startswith(("usage", " "))]
        self.assertEqual((code, len(lines)), (2, 1), said[:2000])
        self.assertTrue(lines[0].startswith("sweep.py: "), said[:2000])
        self.assertIn(words, lines[0][:3000])
        self.assertLess(len(lines[0]), 8000)

    def refuses_specs(self, specs):
        for what, text, words in specs:
            with self.subTest(what):
                self.spec.write_bytes(text if isinstance(text, bytes) else text.encode())
                self.refuses(words, self.spec, "--out", self.out)

    def test_specs(self):
        self.assertGreaterEqual(len(SPECS), 48)
        self.refuses_specs(SPECS)

    def test_plots(self):
        self.refuses_specs(PLOTS)

    def test_command_lines(self):
        for words, arguments in (("has not the form NAME=VALUES", ["--param", "W"]), ("is given twice", ["--param", "W=1", "--param", "W=2"]),
                                 ("expected param.NAME", ["--set", "=1"]), ("has a step of 0", ["--param", "W=1..2..0"]),
                                 ("--jobs: expected", ["--jobs", "0"]), ("--jobs: expected", ["--jobs", "100000"]),
                                 ("--timeout: expected", ["--timeout", "nan"]), ("--timeout: expected", ["--timeout=-1"]),
                                 ("has not the form X:Y", ["--plot", "W"]), ("cannot be used in a sweep", ["--option=--serve"])):
            with self.subTest(arguments):
                self.refuses(words, LAYOUT, "--out", self.out, *arguments)

    def test_names_that_no_report_has_end_the_sweep_with_its_first_run(self):
        for text in ("columns: {c: 1 / no_such_number}", "columns: {c: 9**9**9 + cycles}", "plots: [{x: W, y: no_such_number}]",
                     "plots: [{x: W, y: cycles, by: no_such_axis}]"):
            with self.subTest(text):
                self.spec.write_text(PROGRAM + "params: {M: 24, N: 24, W: [1, 2, 3, 4, 6, 8, 12, 24]}\n" + text, encoding="utf-8")
                code, said = self.run_sweep(self.spec, "--out", self.out, "--jobs", "1")
                self.assertEqual(code, 2, said)
                self.assertIn("no_such" if "no_such" in text else "too large", said)
                self.assertLessEqual(len(list(self.out.glob("reports/*.key"))), 2)  # the next one may have begun
                shutil.rmtree(self.out)

    def test_a_run_that_is_refused_before_its_report_says_why(self):
        code, said = self.run_sweep(LAYOUT, "--out", self.out, "--param", "W=1,2", "--option=--no-such-option")
        self.assertEqual(code, 1)
        self.assertIn("sweep.py: W=1: wse_platform: ", said)
        self.assertIn("--no-such-option", said)

    def test_files_that_are_none(self):
        os.mkfifo(self.work / "pipe.yaml")
        self.refuses("is no file", self.work / "pipe.yaml", "--out", self.out)
        (self.work / "folder.yaml").mkdir()
        self.refuses("is no file", self.work / "folder.yaml", "--out", self.out)
        self.refuses("No such file", self.work / "none.yaml", "--out", self.out)
        self.refuses("loop", self.work / "loop/s.yaml", "--out", self.out)

    def test_outputs_that_cannot_be_written(self):
        self.spec.write_text(SMALL, encoding="utf-8")
        (self.work / "file").write_text("", encoding="utf-8")
        self.refuses("file", self.spec, "--out", self.work / "file")
        self.refuses("file", self.spec, "--out", self.work / "file/out")
        self.refuses("loop", self.spec, "--out", self.work / "loop/out")
        self.refuses("null", self.spec, "--out", "/dev/null")
        (self.out / "results.csv").mkdir(parents=True)
        self.refuses("results.csv", self.spec, "--out", self.out)

    def test_executables_that_are_none(self):
        self.spec.write_text(SMALL, encoding="utf-8")
        self.refuses("wse_platform is not in", self.spec, "--out", self.out, bin_folder=self.work)
        (self.work / "wse_platform").write_text("", encoding="utf-8")
        self.refuses("wse_platform", self.spec, "--out", self.out, bin_folder=self.work)

    def test_results_that_were_damaged_are_made_again(self):
        self.spec.write_text(SMALL, encoding="utf-8")
        self.assertEqual(self.run_sweep(self.spec, "--out", self.out)[0], 0)
        table = (self.out / "results.csv").read_bytes()
        for ending in ("json", "key"):
            for text in ("", "[]", "{}", "null", '{"status": "finished"}', '{"command": [], "files": 3}', "[" * 100000, "\xff"):
                for file in self.out.glob(f"reports/*.{ending}"):
                    file.write_text(text, encoding="latin-1")
                code, said = self.run_sweep(self.spec, "--out", self.out)
                self.assertEqual((code, said), (0, "2 points, 0 of them done\n"), text[:50])
                self.assertEqual((self.out / "results.csv").read_bytes(), table)

    def test_values_of_templates_stay_in_the_folder(self):
        program = self.work / "g"
        shutil.copytree(LAYOUT.parent, program)
        with open(program / "gemv.tasm", "a", encoding="utf-8") as file:
            file.write("; ${T} ${U_V}\n")
        values = ["../../../escaped", "/escaped", "a/b", "..", ".", "a_U_V=1", "x" * 300, "a b", "\u00e9"]
        self.spec.touch()
        before = {path for path in self.work.rglob("*") if self.out not in path.parents}
        self.spec.write_text(f"program: {program}/layout.json\nparams: {{M: 24, N: 24}}\n"
                             f"templates: {{T: {values}, U_V: ['1', '1_U_V=1']}}\n", encoding="utf-8")
        code, said = self.run_sweep(self.spec, "--out", self.out)
        self.assertEqual(code, 0, said)
        self.assertEqual({path for path in self.work.rglob("*") if self.out not in path.parents}, before | {self.out})
        folders = list((self.out / "programs").iterdir())
        self.assertEqual(len(folders), 2 * len(values))  # one for each point
        for folder in folders:
            self.assertTrue((folder / "gemv.tasm").is_file(), folder)
        with open(self.out / "results.csv", encoding="utf-8", newline="") as file:
            self.assertEqual({row["T"] for row in csv.DictReader(file)}, set(values))

    def test_links_do_not_lead_out_of_the_folder(self):
        self.spec.write_text(SMALL, encoding="utf-8")
        for place in ("results.csv", "reports", "programs/W=1"):
            shutil.rmtree(self.out, ignore_errors=True)
            (self.out / place).parent.mkdir(parents=True)
            (self.out / place).symlink_to(self.work / "victim")
            self.refuses("is a link that leads out", self.spec, "--out", self.out)
            self.assertFalse((self.work / "victim").exists())

    def test_an_interrupted_sweep_does_not_wait_for_its_runs(self):
        (self.work / "wse_platform").write_text("#!/bin/sh\necho $$ >>" + f"{self.work}/runs\nexec sleep 1000\n", encoding="utf-8")
        (self.work / "wse_platform").chmod(0o755)
        for end in (signal.SIGINT, signal.SIGTERM):
            process = subprocess.Popen([sys.executable, "-B", ROOT / "scripts/sweep.py", LAYOUT, "--param", "W=1..9", "--jobs", "2", "--bin",
                                        self.work, "--out", self.out], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            begin = time.monotonic()
            while not (self.work / "runs").exists() or len((self.work / "runs").read_text().split()) < 2:
                self.assertLess(time.monotonic() - begin, HANGS)
                time.sleep(0.02)
            process.send_signal(end)
            _, said = process.communicate(timeout=HANGS)
            self.assertEqual(process.returncode, 130, said)
            self.assertNotIn("Traceback", said)
            for run in (self.work / "runs").read_text().split():
                self.assertFalse(os.path.exists(f"/proc/{run}"), "a run goes on")
            (self.work / "runs").unlink()


if __name__ == "__main__":
    unittest.main()
