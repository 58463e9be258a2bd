"""Executed lines (docs/coverage.md): lcov and listings are the same in both structures and for any number of threads, their counts
add up to the instructions that were issued, and runs add up.

coverage_test.py WSE_PLATFORM SOURCES: the other executables lie beside it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PLATFORM = pathlib.Path(sys.argv[1]).resolve()
SOURCES = pathlib.Path(sys.argv[2]).resolve()
EXAMPLES = SOURCES / "examples"
SDK = PLATFORM.parent.parent / "sdk" / "bin"
ROW = re.compile(r"^ *(?:(?P<executions>[\d,]+|#####) +(?P<places>[\d,]+)/(?P<all>[\d,]+) +(?P<instructions>[\d,]+)  (?P<wait>.{28}))? *(?P<line>\d+)"
                 r"(?:  (?P<text>.*))?$")

LAYOUT = """layout {
  @set_rectangle(2, 1);
  for (@range(i16, 2)) |x| { @set_tile_code(x, 0, "pe.csl", .{ .times = 3 + x }); }
}
"""
PE = """param times: i16;
var sum: i16 = 0;
fn twice(a: i16) i16 {
  return 2 * a;
}
task start() void {
  var i: i16 = 0;
  while (i < times) {
    sum += twice(i);
    i += 1;
  }
  if (sum > 1000) {
    @block(@get_local_task_id(9));
  }
}
task never() void {
  sum = 7;
}
comptime {
  @bind_local_task(start, @get_local_task_id(8));
  @bind_local_task(never, @get_local_task_id(9));
  @activate(@get_local_task_id(8));
}
"""


def number(text):
    return int(text.replace(",", ""))


def read_lcov(path):
    """{source: {"lines": {number: count}, "functions": {name: count}}}; every record is one that genhtml takes."""
    sources, source = {}, None
    for line in path.read_text().splitlines():
        kind, _, value = line.partition(":")
        if kind == "TN":
            assert source is None, line
        elif kind == "SF":
            source = sources.setdefault(value, {"lines": {}, "functions": {}, "at": {}})
            totals = {}
        elif kind == "FN":
            at, name = value.split(",", 1)
            assert int(at) > 0 and name not in source["at"], line
            source["at"][name] = int(at)
        elif kind == "FNDA":
            count, name = value.split(",", 1)
            assert name in source["at"], line
            source["functions"][name] = int(count)
        elif kind == "DA":
            at, count = (int(word) for word in value.split(","))
            assert at > 0 and at not in source["lines"], line
            source["lines"][at] = count
        elif kind in ("LF", "LH", "FNF", "FNH"):
            totals[kind] = int(value)
        else:
            assert line == "end_of_record", line
            lines, functions = source["lines"].values(), source["functions"].values()
            assert totals == {"LF": len(lines), "LH": sum(1 for n in lines if n), "FNF": len(functions), "FNH": sum(1 for n in functions if n)}, totals
            source = None
    assert source is None
    return sources


class Coverage(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_platform(self, name, program, *options, exit_code=0):
        command = [PLATFORM.parent / f"{name}_platform", program, *options]
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=300, cwd=self.folder,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, exit_code, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def coverage_of(self, name, program, *options, what="c", exit_code=0):
        """The counters of the report, and the texts of all files that were written."""
        shutil.rmtree(self.folder / what, ignore_errors=True)
        options = [*options, "--quiet", "--coverage", f"{what}.info", "--coverage-listing", what, "--report", f"{what}.json", "--report-detail"]
        self.run_platform(name, program, *options, exit_code=exit_code)
        report = json.loads((self.folder / f"{what}.json").read_text())
        texts = {path.name: path.read_text() for path in sorted((self.folder / what).iterdir())}
        texts["lcov"] = (self.folder / f"{what}.info").read_text()
        return report, texts

    def rows(self, text):
        found = {}
        for line in text.splitlines()[2:]:
            row = ROW.match(line)
            self.assertTrue(row, line)
            found[int(row["line"])] = row
        return found

    def check_sums(self, texts, instructions):
        """The instructions of all lines and those without one are the ones that were issued."""
        summary = dict(re.findall(r"^(.*): (?:.*, )?(\d+) instructions$", texts["summary.txt"], re.MULTILINE))
        self.assertEqual(int(summary["all"]), instructions)
        listed = 0
        for name, text in texts.items():
            if not name.endswith(".cov"):
                continue
            for row in self.rows(text).values():
                if row["executions"] is None:
                    continue
                listed += number(row["instructions"])
                executions = 0 if row["executions"] == "#####" else number(row["executions"])
                self.assertLessEqual(executions, number(row["instructions"]), row[0])
                self.assertLessEqual(number(row["places"]), min(number(row["all"]), number(row["instructions"])), row[0])
                self.assertEqual(executions > 0, number(row["places"]) > 0, row[0])
        self.assertEqual(listed + int(summary["without a line"]), instructions)

    def check_all_ways(self, program, *options):
        report, first = self.coverage_of("wse", program, *options, "--structure", "dense", "--threads", "1")
        self.check_sums(first, report["counters"]["instructions_issued"]["value"])
        for number_of, way in enumerate((["modules"], ["dense", "--threads", "3"], ["dense", "--shuffle-step-order"])):
            again, texts = self.coverage_of("wse", program, *options, "--structure", *way, what=f"way{number_of}")
            self.assertEqual(texts, first, way)
            self.assertEqual(again["digest"], report["digest"])
        return read_lcov(self.folder / "c.info"), first

    def write_csl(self):
        (self.folder / "layout.csl").write_text(LAYOUT)
        (self.folder / "pe.csl").write_text(PE)

    def test_lines_of_csl(self):
        self.write_csl()
        sources, texts = self.check_all_ways("layout.csl", "--csl-code", "plain")
        lines = sources["pe.csl"]["lines"]
        self.assertEqual(sources["pe.csl"]["functions"]["start"], 2)
        self.assertEqual(sources["pe.csl"]["functions"]["never"], 0)
        self.assertEqual(lines[10], 3 + 4)  # i += 1
        self.assertEqual(lines[13], 0)
        self.assertEqual(lines[17], 0)
        for without_code in (1, 5, 11, 20, 21):
            self.assertNotIn(without_code, lines)
        row = self.rows(texts["pe.csl.cov"])
        self.assertEqual((row[10]["executions"], row[10]["places"], row[10]["all"]), ("7", "2", "2"))
        self.assertEqual((row[17]["executions"], row[17]["places"], row[17]["all"]), ("#####", "0", "2"))
        self.assertEqual(row[10]["text"], "    i += 1;")

    def test_examples_of_layouts(self):
        for example, parameters in (("hello_wavelet", []), ("exchange", ["W=4", "H=4", "ITER=3"]), ("gemv_stream", ["W=4", "H=4", "M=8", "N=8"])):
            options = [word for value in parameters for word in ("--param", value)]
            with self.subTest(example):
                sources, _ = self.check_all_ways(EXAMPLES / example / "layout.json", *options)
                self.assertTrue(all(name.endswith(".tasm") for name in sources), sources.keys())
                self.assertTrue(any(count for source in sources.values() for count in source["lines"].values()))

    def test_runs_add_up(self):
        self.write_csl()
        self.coverage_of("wse", "layout.csl", what="a")
        self.coverage_of("wse", "layout.csl", what="b")
        tessera = [sys.executable, str(SOURCES / "scripts" / "tessera.py"), "coverage"]
        done = subprocess.run([*tessera, "a.info", "b.info", "-o", "sum.info"], cwd=self.folder, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("pe.csl: ", done.stdout)
        one, both = read_lcov(self.folder / "a.info")["pe.csl"], read_lcov(self.folder / "sum.info")["pe.csl"]
        for part in ("lines", "functions"):
            self.assertEqual(both[part], {name: 2 * count for name, count in one[part].items()})
        whole = (self.folder / "a.info").read_text()
        (self.folder / "cut.info").write_text(whole[:whole.index("end_of_record")])
        (self.folder / "negative.info").write_text("SF:x\nDA:1,-5\nend_of_record\n")
        (self.folder / "branches.info").write_text("SF:x\nDA:1,5\nBRDA:1,0,0,1\nend_of_record\n")
        for wrong in ("layout.csl", "absent.info", "cut.info", "negative.info", "branches.info"):
            done = subprocess.run([*tessera, wrong], cwd=self.folder, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(wrong, done.stderr)

    def test_a_run_that_fails_has_its_lines(self):
        (self.folder / "layout.csl").write_text(LAYOUT)
        (self.folder / "pe.csl").write_text(PE.replace("sum += twice(i);", "sum += twice(i);\n    @assert(i < 2);"))
        first = None
        for structure in ("modules", "dense"):
            report, texts = self.coverage_of("wse", "layout.csl", "--structure", structure, what=structure, exit_code=4)
            self.check_sums(texts, report["counters"]["instructions_issued"]["value"])
            first = first or texts
            self.assertEqual(texts, first)

    def test_host_programs(self):
        environment = {**os.environ, "PATH": f"{SDK}:{os.environ['PATH']}", "TESSERA_OPTIONS": "--coverage run.info --coverage-listing lines"}
        copy = pathlib.Path(shutil.copytree(EXAMPLES / "csl" / "gemv", self.folder / "gemv"))
        script = (copy / "commands.sh").read_text()
        done = subprocess.run(["bash", "-e"], input=script, cwd=copy, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        lines = read_lcov(copy / "run.info")["pe.csl"]["lines"]
        self.assertGreater(sum(lines.values()), 0)
        listing = self.rows((copy / "lines" / "pe.csl.cov").read_text())
        self.assertEqual({at for at, row in listing.items() if row["executions"]}, set(lines))

    def test_kernels(self):
        for kernel, options in (("vector_add.pto", ["--param", "TILES=4"]), ("kernels/softmax.pto", ["--param", "ROWS=24", "--param", "COLS=100"])):
            with self.subTest(kernel):
                report, first = self.coverage_of("ascend", EXAMPLES / "ascend" / kernel, *options, "--no-data", "--structure", "dense")
                self.check_sums(first, sum(core["s_instructions"] for core in report["cores"]))
                _, texts = self.coverage_of("ascend", EXAMPLES / "ascend" / kernel, *options, "--no-data", "--structure", "modules", what="m")
                self.assertEqual(texts, first)

    def test_genhtml_takes_it(self):
        if shutil.which("genhtml") is None:
            self.skipTest("genhtml of the package lcov is not installed")
        self.write_csl()
        self.coverage_of("wse", "layout.csl")
        subprocess.run(["genhtml", "c.info", "-o", "html"], cwd=self.folder, check=True, capture_output=True)
        self.assertTrue((self.folder / "html" / "index.html").exists())

    def test_what_cannot_be_written_is_refused_before_the_run(self):
        self.write_csl()
        for options in (["--coverage", "absent/c.info"], ["--coverage-listing", "pe.csl"]):
            self.assertIn(options[1], self.run_platform("wse", "layout.csl", *options, exit_code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
