# SPDX-License-Identifier: Apache-2.0
"""`tessera tune` (docs/sweeps.md#tuning). tune_test.py WSE_PLATFORM"""
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from sweeps.spec import Spec  # noqa: E402
from sweeps.tune import Grid  # noqa: E402

BIN = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/wse_platform").resolve().parent
GEMV = ROOT / "examples/gemv_stream/layout.json"
FIXED = ["--param", "M=24", "--param", "N=24"]


class WithFolder(unittest.TestCase):
    def setUp(self):
        self.out = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.out, ignore_errors=True)

    def tune(self, *options, program=GEMV, status=0):
        command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "tune", str(program), "--bin", str(BIN), "--out", str(self.out), *options]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=500)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def rows(self):
        with open(self.out / "tune.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))


class Mistakes(WithFolder):
    def test_what_every_run_refuses_is_a_mistake_of_the_user(self):
        said = self.tune("--axis", "nosuch=2,3", status=2).stderr
        self.assertIn("nosuch", said)
        self.assertIn("no combination came to its end", said)

    def test_a_value_twice(self):
        self.assertIn("has a value twice", self.tune("--axis", "W=2,2", status=2).stderr)


class Runs(WithFolder):
    def test_a_small_grid_is_run_whole_and_the_best_is_checked(self):
        said = self.tune(*FIXED, "--axis", "W=1,2,4", "--axis", "set.fabric.hop_latency=1,3", "--budget", "10").stdout
        rows = self.rows()
        self.assertEqual(len(rows), 6)
        best = min(rows, key=lambda row: int(row["cycles"]))
        self.assertIn(f"W={best['W']}, fabric.hop_latency={best['fabric.hop_latency']}, {int(best['cycles']):,} cycles", said)
        self.assertIn("checks of the program", said)
        self.assertTrue((self.out / "tune.svg").read_text().startswith("<svg"))

    def test_a_second_call_runs_nothing(self):
        self.tune(*FIXED, "--axis", "W=1,2")
        before = {path: path.stat().st_mtime_ns for path in (self.out / "reports").glob("*.key")}
        self.tune(*FIXED, "--axis", "W=1,2")
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in (self.out / "reports").glob("*.key")})

    def test_the_budget_holds_and_neighbours_are_tried(self):
        self.tune(*FIXED, "--axis", "W=1,2,3,4,6,8", "--axis", "H=1,2,3,4,6", "--budget", "9")
        self.assertLessEqual(len(self.rows()), 9)

    def test_rounds_with_a_scale_halve_the_combinations(self):
        self.tune("--param", "N=24", "--axis", "W=1,2,4,8", "--scale", "M=6,24", "--budget", "6")
        by_size = [[row for row in self.rows() if row["M"] == size] for size in ("6", "24")]
        self.assertEqual([len(rows) for rows in by_size], [4, 2])

    def test_what_cannot_be_searched(self):
        for options in (["--axis", "W"], ["--axis", "W=1", "--axis", "W=2"], ["--axis", "W=1,2", "--budget", "0"],
                        ["--axis", "define.W=1,2"], ["--axis", "W=1,2", "--tolerance", "nan"], ["--axis", "W=1,2", "--tolerance=-1"],
                        ["--axis", "W=1,2", "--option=--serve=0"], ["--axis", "W=1,2", "--option=--debug", "--option=d.sock"],
                        ["--axis", "W=1,2", "--expect", "y"], ["--axis", "W=1,2", "--expect", "y=nofile.npy"],
                        ["--axis", "W=1,2", "--timeout", "0"], ["--axis", "W=1,2", "--timeout", "inf"]):
            said = self.tune(*options, status=2).stderr
            self.assertEqual(said.count("\n"), 1, said)
        self.assertIn("no combination", self.tune(*FIXED, "--axis", "W=5,7", status=2).stderr)


class Parts(WithFolder):
    def test_a_spread_has_every_value_of_every_axis(self):
        grid = Grid([("param.A", list(range(8))), ("param.B", list(range(5)))])
        chosen = grid.spread(10)
        self.assertEqual(len(set(chosen)), 10)
        self.assertEqual({c[0] for c in chosen}, set(range(8)))
        self.assertEqual({c[1] for c in chosen}, set(range(5)))
        self.assertEqual(chosen, grid.spread(10))
        self.assertEqual(sorted(grid.neighbours((0, 4))), [(0, 3), (1, 4)])

    def test_macros_of_a_kernel_stand_at_its_top(self):
        kernel = self.out / "source" / "kernel.cpp"
        kernel.parent.mkdir()
        kernel.write_text("#ifndef ROWS\n#define ROWS 8\n#endif\n")
        spec = Spec(kernel)
        path = spec.instance({}, {"ROWS": 64}, self.out)
        self.assertEqual(path.read_text(), '#define ROWS 64\n#line 1 "kernel.cpp"\n' + kernel.read_text())
        with self.assertRaisesRegex(Exception, "no program has the macro COLUMNS"):
            spec.instance({}, {"COLUMNS": 1}, self.out)


if __name__ == "__main__":
    unittest.main()
