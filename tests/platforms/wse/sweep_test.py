"""scripts/sweep.py (docs/sweeps.md) and `tessera diff`. sweep_test.py WSE_PLATFORM"""
import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import numpy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
import slurm  # noqa: E402 pylint: disable=wrong-import-position

ROOT = Path(__file__).resolve().parents[3]
BIN = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/wse_platform").resolve().parent
GEMV = ROOT / "examples/gemv_stream"
SWEEP = [sys.executable, "-B", ROOT / "scripts/sweep.py"]
DIFF = [sys.executable, "-B", ROOT / "scripts/tessera.py", "diff"]
AXES = ["--param", "M=24", "--param", "N=24", "--param", "W=1,2,4", "--set", "fabric.hop_latency=1..2"]


class WithFolder(slurm.Daemons, unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work, ignore_errors=True)
        self.out = self.work / "out"

    def sweep(self, what, *options, out=None, status=0, **keywords):
        done = subprocess.run([*SWEEP, what, "--bin", BIN, "--out", out or self.out, *options], capture_output=True, text=True,
                              check=False, timeout=600, **keywords)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def rows(self, out=None):
        with open((out or self.out) / "results.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


class Warm(WithFolder):
    def spec(self, text):
        file = self.work / "warm.yaml"
        file.write_text(f"program: {GEMV}/layout.json\nparams: {{M: 24, N: 24, W: 2, H: 2}}\n{text}\n")
        return file

    def test_points_that_differ_in_limits_begin_with_one_state(self):
        axes = "axes: {option.max-cycles: [150, 180, 100000], set.fabric.hop_latency: [1, 2]}\noptions: [--waits]"
        self.sweep(self.spec(f"{axes}\nwarm: {{cycle: 80}}"))
        whole = self.work / "whole"
        self.sweep(self.spec(axes), out=whole)
        plain = [{key: value for key, value in row.items() if key != "report"} for row in self.rows(whole)]
        self.assertEqual([{key: value for key, value in row.items() if key != "report"} for row in self.rows()], plain)
        self.assertEqual(len(list((self.out / "warm").glob("*.state"))), 2)
        states = {file: file.stat().st_mtime_ns for file in (self.out / "warm").glob("*.state")}
        self.assertIn("6 of them done", self.sweep(self.spec(f"{axes}\nwarm: {{cycle: 80}}")).stderr)
        self.assertEqual({file: file.stat().st_mtime_ns for file in states}, states)

    def test_what_restored_points_may_not_change_is_refused(self):
        for text, words in (("axes: {set.fabric.hop_latency: [1, 2]}\nwarm: {cycle: 10}", "have no beginning in common"),
                            ("axes: {option.preset: [1, 2]}", "options that may be axes are max-cycles, threads, skew"),
                            ("axes: {option.threads: [1, 2]}\nwarm: {cycles: 10}", "needs 'cycle'"),
                            ("axes: {option.threads: [1, 2]}\nwarm: {cycle: true}", "a number of cycles"),
                            ("axes: {option.max-cycles: [143, 200]}\nwarm: {cycle: 80}", "143 is not a number of 144 or more"),
                            ("axes: {option.threads: [1, 2]}\noptions: [--max-cycles=9]\nwarm: {cycle: 10}", "saves and restores by itself")):
            self.assertIn(words, self.sweep(self.spec(text), status=2).stderr)
        done = self.sweep(self.spec("axes: {option.threads: [1, 2]}\nwarm: {cycle: 1000000}"), status=1)
        self.assertIn("the warm-up ended before cycle 1000000", done.stderr)


class Sweeps(WithFolder):
    def test_112_points_interrupted_and_resumed_give_the_same_table(self):
        spec = ROOT / "examples/sweeps/gemv.yaml"
        whole = self.work / "whole"
        begin = time.monotonic()
        done = self.sweep(spec, out=whole)
        print(f"112 points in {time.monotonic() - begin:.1f} s", file=sys.stderr)
        self.assertIn("112 points, 0 of them done", done.stderr)
        rows = self.rows(whole)
        self.assertEqual([(row["W"], row["H"], row["fabric.hop_latency"]) for row in rows[:8]],
                         [("1", "1", str(latency)) for latency in range(1, 8)] + [("1", "2", "1")])
        self.assertEqual({(row["status"], row["checks_passed"]) for row in rows}, {("finished", "1")})
        for end, least in ((signal.SIGINT, 5), (signal.SIGKILL, 40), (signal.SIGTERM, 70)):
            sweep = subprocess.Popen([*SWEEP, spec, "--bin", BIN, "--out", self.out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.wait_for(lambda: len(list(self.out.glob("reports/*.key"))) >= least)  # pylint: disable=cell-var-from-loop
            sweep.send_signal(end)
            sweep.wait(60)
        self.assertNotIn(" 0 of them done", self.sweep(spec).stderr)
        self.assertEqual((self.out / "results.csv").read_bytes(), (whole / "results.csv").read_bytes())
        self.assertIn("112 points, 112 of them done", self.sweep(spec).stderr)
        self.assertEqual((self.out / "results.csv").read_bytes(), (whole / "results.csv").read_bytes())

    def test_a_point_runs_again_when_something_that_it_depends_on_changes(self):
        shutil.copytree(GEMV, self.work / "g")
        layout, code = self.work / "g/layout.json", self.work / "g/gemv.tasm"
        config = self.work / "c.json"
        config.write_text(json.dumps({"schema": "tessera-config-1", "machine": "wse", "base": "wse3"}), encoding="utf-8")
        options = [*AXES, "--option=--config", f"--option={config}"]

        def done(*more):
            return self.sweep(layout, *options, *more).stderr.split(", ")[1].split()[0]
        self.assertEqual(done(), "0")
        self.assertEqual(done(), "6")
        code.write_text(code.read_text() + "; another end\n", encoding="utf-8")
        self.assertEqual(done(), "0")
        config.write_text(json.dumps({"schema": "tessera-config-1", "machine": "wse", "base": "wse2"}), encoding="utf-8")
        self.assertEqual(done(), "0")
        self.assertEqual(done("--param", "H=1,3"), "0")
        self.assertEqual(done(), "6")
        self.assertEqual(len(self.rows()), 6)

    def test_files_that_an_option_names_in_one_word_are_looked_at(self):
        config, array = self.work / "c.json", self.work / "in/x.npy"
        array.parent.mkdir()
        numpy.save(array, numpy.ones(24, "f4"))

        def base(name):
            config.write_text(json.dumps({"schema": "tessera-config-1", "machine": "wse", "base": name}), encoding="utf-8")
        base("wse3")
        options = ["--param", "W=1,2", "--param", "M=24", "--param", "N=24", f"--option=--config={config}", "--option=--input=x=in/x.npy"]

        def done():
            return self.sweep(GEMV / "layout.json", *options, cwd=self.work).stderr.split(", ")[1].split()[0]
        self.assertEqual([done(), done()], ["0", "2"])
        numpy.save(array, numpy.full(24, 2, "f4"))
        self.assertEqual([done(), done()], ["0", "2"])
        base("wse2")
        self.assertEqual([done(), done()], ["0", "2"])

    def test_points_that_fail(self):
        done = self.sweep(GEMV / "layout.json", "--param", "M=24", "--param", "N=24", "--param", "W=4,5", status=1)
        self.assertIn("W=5: ", done.stderr)
        self.assertEqual([row["W"] for row in self.rows()], ["4"])
        done = self.sweep(GEMV / "layout.json", "--option=--max-cycles=20", "--param", "W=2,4")
        self.assertEqual([(row["status"], row["exit_code"]) for row in self.rows()], [("could_not_finish", "4")] * 2)
        # A report of a run that failed lacks members: the cell is empty, and the other points have theirs.
        spec = self.work / "s.yaml"
        spec.write_text(f"program: {ROOT}/examples/ascend/gemm.pto\npreset: a2a3\noptions: [--no-data]\n"
                        "params: {M: [256, 128], N: 512, K: 512, GM: 2, GN: 1}\nsettings: {launch.clusters: 2}\n"
                        "columns: {of_peak: compute.of_peak}\n", encoding="utf-8")
        self.sweep(spec)
        rows = self.rows()
        self.assertEqual([row["status"] for row in rows], ["finished", "could_not_finish"])
        self.assertGreater(float(rows[0]["of_peak"]), 0)
        self.assertEqual(rows[1]["of_peak"], "")

    def test_wrong_sweeps(self):
        spec = self.work / "s.yaml"
        layout = GEMV / "layout.json"
        for text, words in ((f"program: {layout}\naxis: []", "unknown key 'axis'"), ("axes: []", "'program'"), ("a: [", "s.yaml"),
                            (f"program: {layout}\naxes: [{{W: [1]}}]", "axis W: expected param.NAME"),
                            (f"program: {layout}\naxes: [{{param.W: [1, 2], param.H: [1]}}]", "same number of values"),
                            (f"program: {layout}\naxes: [{{template.T: [1, 2]}}]", "no program has ${T}"),
                            (f"program: {layout}\nparams: {{W: '=Q + 1'}}", "'Q' is no axis"),
                            (f"program: {layout}\nparams: {{W: 2}}\ncolumns: {{c: \"__import__('os')\"}}", "not allowed"),
                            ("program: nowhere.json", "no such program")):
            spec.write_text(text, encoding="utf-8")
            self.assertIn(words, self.sweep(spec, status=2).stderr, text)

    def test_axes_that_vary_together_and_expressions(self):
        spec = self.work / "s.yaml"
        spec.write_text(f"""
program: {GEMV / "layout.json"}
preset: [wse2, wse3]
params: {{H: 3, M: "=6 * H"}}
axes: [{{param.W: [1, 2, 4], param.N: [8, 16, 32]}}]
columns: {{per_tile: "M * N / (W * H)"}}
""", encoding="utf-8")
        self.sweep(spec)
        self.assertEqual([(row["preset"], row["W"], row["N"], row["per_tile"]) for row in self.rows()],
                         [(preset, w, n, "48.0") for preset in ("wse2", "wse3") for w, n in (("1", "8"), ("2", "16"), ("4", "32"))])
        report = json.loads((self.out / "reports" / self.rows()[0]["report"]).read_text())
        self.assertEqual((report["run"]["params"]["M"], report["preset"]), (18, "wse2"))

    def test_a_template_columns_and_plots(self):
        self.sweep(ROOT / "examples/sweeps/axpy.yaml")
        rows = self.rows()
        self.assertEqual(len(rows), 24)
        for row in rows:
            self.assertAlmostEqual(float(row["bytes_per_cycle"]), 12 * 262144 / int(row["cycles"]))
        self.assertLess(int(rows[-1]["cycles"]), int(rows[0]["cycles"]) / 10)
        for name in ("cycles_over_CHUNK.svg", "roofline.svg"):
            self.assertIn("</svg>", (self.out / name).read_text())
        before = (self.out / "roofline.svg").read_bytes()
        self.sweep(ROOT / "examples/sweeps/axpy.yaml")
        self.assertEqual((self.out / "roofline.svg").read_bytes(), before)

    def test_the_example_of_the_manual_is_the_shipped_one(self):
        manual = (ROOT / "docs/sweeps.md").read_text()
        shown = manual.split("```yaml\n")[1].split("```")[0]
        import yaml  # pylint: disable=import-outside-toplevel
        self.assertEqual(yaml.safe_load(shown), yaml.safe_load((ROOT / "examples/sweeps/axpy.yaml").read_text()))


class Clusters(WithFolder):
    def compare_with_a_sweep_here(self, *options, **keywords):
        here = self.work / "here"
        self.sweep(GEMV / "layout.json", *AXES, out=here)
        self.sweep(GEMV / "layout.json", *AXES, *options, **keywords)
        self.assertEqual(len(self.rows()), 6)
        self.assertEqual((self.out / "results.csv").read_bytes(), (here / "results.csv").read_bytes())
        self.assertIn("6 of them done", self.sweep(GEMV / "layout.json", *AXES, *options, **keywords).stderr)

    def test_slurm(self):
        environment = self.start_slurm()
        self.compare_with_a_sweep_here("--slurm=--time=5", "--jobs", "2", env=environment)

    def test_dask(self):
        if subprocess.run([sys.executable, "-c", "import distributed"], capture_output=True, check=False).returncode != 0:
            self.skipTest("python3-distributed is not installed")
        port = slurm.free_port()
        module = [sys.executable, "-m", "distributed.cli.dask_scheduler"]
        self.start(*module, "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        self.start(sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--nworkers", "2", "--nthreads", "1",
                   "--no-dashboard", "--local-directory", self.work)
        self.compare_with_a_sweep_here("--dask", f"tcp://127.0.0.1:{port}")


class Diff(WithFolder):
    def report(self, name, *options):
        path = self.work / name
        subprocess.run([BIN / "wse_platform", GEMV / "layout.json", "--quiet", "--report", path, *options], check=True)
        return path

    def diff(self, *arguments):
        done = subprocess.run([*DIFF, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def test_equal_runs(self):
        a, b = self.report("a.json"), self.report("b.json")
        self.assertEqual(self.diff(a, b), (0, "inputs are equal\nresults are equal\n"))
        contents = [json.loads(path.read_text()) for path in (a, b)]
        for content in contents:
            del content["wall"], content["run"]["argv"]
        self.assertEqual(*contents)

    def test_runs_with_other_inputs(self):
        a = self.report("a.json")
        status, text = self.diff(a, self.report("b.json", "--set", "fabric.hop_latency=3", "--param", "W=8"))
        self.assertEqual(status, 1)
        for words in ("settings.fabric.hop_latency  (absent) -> 3", "params.W", "4 -> 8", "config_digest", "results differ", "  cycles", "%)"):
            self.assertIn(words, text)
        self.assertNotIn("program_digest", text)
        dense = self.report("c.json", "--structure", "dense")
        self.assertEqual(self.diff(a, dense)[0], 1)
        self.assertEqual(self.diff("--results", a, dense)[0], 0)
        data = json.loads(self.diff("--json", a, dense)[1])
        self.assertEqual(data, {"inputs": [{"path": "structure", "a": "modules", "b": "dense"}], "results": []})

    def test_a_program_and_an_array_that_changed(self):
        shutil.copytree(GEMV, self.work / "g")
        reports = []
        for name, values in (("a.json", "6"), ("b.json", "5")):
            subprocess.run([sys.executable, "-c", f"import numpy; numpy.save('{self.work}/b.npy', numpy.full(6, {values}, 'f4'))"], check=True)
            with open(self.work / "g/gemv.tasm", "a", encoding="utf-8") as file:
                file.write(f"; {values}\n")
            reports.append(self.work / name)
            subprocess.run([BIN / "wse_platform", self.work / "g/layout.json", "--quiet", "--report", reports[-1],
                            "--input", f"b={self.work}/b.npy"], check=True)
        status, text = self.diff(*reports)
        self.assertEqual(status, 1)
        for words in ("program_digest", "files.gemv.tasm", "inputs.b", "digest"):
            self.assertIn(words, text)
        self.assertNotIn("files.layout.json", text)
        run = json.loads(reports[0].read_text())["run"]
        self.assertEqual(set(run["files"]), {"layout.json", "gemv.tasm"})
        self.assertEqual(set(run["inputs"]), {"b"})
        self.assertEqual(run["params"], {"H": 3, "M": 6, "N": 8, "SUM": 2, "W": 4, "X": 0})

    def test_lists_are_compared_by_what_their_members_are_about(self):
        """Waits by source line and reason, tiles by place: the order in which they stand says nothing."""
        a = self.report("a.json", "--report-detail")
        report = json.loads(a.read_text())
        for member in ("lines", "links"):
            report["waits"][member].reverse()
        report["tiles"].reverse()
        for row in report["waits"]["lines"]:
            row["place"] = row["place"].replace(str(ROOT), "/another/checkout")
        moved = self.work / "moved.json"
        moved.write_text(json.dumps(report), encoding="utf-8")
        self.assertEqual(self.diff(a, moved), (0, "inputs are equal\nresults are equal\n"))
        row = report["waits"]["lines"].pop(3)
        report["tiles"][5]["hops_east"] += 10
        moved.write_text(json.dumps(report), encoding="utf-8")
        status, text = self.diff(a, moved)
        self.assertEqual(status, 1)
        place = row["place"].rpartition("/")[2]
        for words in (f"waits.lines.{place} {row['reason']}", "-> (absent)", "tiles.({}, {}).hops_east".format(*report["tiles"][5]["tile"])):
            self.assertIn(words, text)
        leaves = set(row) - {"place", "reason", "what", "thread"}
        self.assertEqual(len(text.splitlines()), 2 + len(leaves) + 1, text)

    def test_every_platform_says_which_run_it_was(self):
        for name, program, options in (("numesh", "numesh/two_phases.json", []), ("ascend", "ascend/vector_add.pto", ["--param", "TILES=4"]),
                                       ("vp", "vp/gemv.vps", [])):
            path = self.work / f"{name}.json"
            subprocess.run([BIN / f"{name}_platform", ROOT / "examples" / program, "--quiet", "--report", path, *options], check=True)
            run = json.loads(path.read_text())["run"]
            self.assertRegex(run["config_digest"] + run["program_digest"], "^[0-9a-f]{32}$", name)
            self.assertEqual((run["seed"], run["threads"], run["argv"][1]), (1, 1, str(ROOT / "examples" / program)))

    def test_files_that_are_no_reports(self):
        (self.work / "no.json").write_text("{}", encoding="utf-8")
        (self.work / "cut.json").write_text("{", encoding="utf-8")
        a = self.report("a.json")
        for name, words in (("no.json", "is no report"), ("cut.json", "cut.json: "), ("nowhere.json", "No such file")):
            status, text = self.diff(a, self.work / name)
            self.assertEqual(status, 2)
            self.assertIn(words, text)


if __name__ == "__main__":
    unittest.main()
