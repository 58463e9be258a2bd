# SPDX-License-Identifier: Apache-2.0
"""`tessera sensitivity` (docs/ascend-platform.md#assumed-values-that-matter). sensitivity_test.py ASCEND_PLATFORM"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from sweeps import sensitivity  # noqa: E402

PLATFORM = pathlib.Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/bin/ascend_platform").resolve()
KERNEL = ROOT / "examples/ascend/vector_add.pto"
OPTIONS = ["--preset", "a5", "--no-data", "--param", "TILES=2"]


class Sensitivity(unittest.TestCase):
    def command(self, *words, status=0):
        done = subprocess.run([sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "sensitivity", *words], capture_output=True, text=True,
                              check=False, timeout=280, stdin=subprocess.DEVNULL, env={**os.environ, "TESSERA_BIN": str(PLATFORM.parent)})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_assumed_numbers_are_those_of_the_preset(self):
        found = sensitivity.assumed(str(PLATFORM), OPTIONS)
        self.assertIn("gm.l2_miss_latency", found)
        self.assertNotIn("gm.rate", found)  # calibrated
        self.assertNotIn("launch.clusters", found)
        self.assertNotIn("gm.l2_miss_latency", sensitivity.assumed(str(PLATFORM), [*OPTIONS, "--set", "gm.l2_miss_latency=90"]))

    def test_what_matters_comes_first_and_stands_in_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "r.json"
            subprocess.run([PLATFORM, KERNEL, *OPTIONS, "--quiet", "--report", report], check=True, timeout=100, stdin=subprocess.DEVNULL)
            said = self.command("--into", str(report), str(KERNEL), *OPTIONS)
            rows = json.loads(report.read_text())["sensitivity"]["assumed"]
        shares = [row["most_percent"] for row in rows]
        self.assertEqual(shares, sorted(shares, reverse=True))
        self.assertGreater(shares[0], 0)
        self.assertIn(rows[0]["key"], said.splitlines()[1])
        by_key = {row["key"]: row for row in rows}
        self.assertEqual(by_key["mad.depth"]["most_percent"] if "mad.depth" in by_key else 0, 0)  # the kernel has no product

    def test_what_cannot_be_asked(self):
        self.assertIn("expected .pto or .cpp", self.command(str(ROOT / "examples/gemv_stream/layout.json"), status=2))
        self.assertIn("--percent", self.command("--percent", "0", str(KERNEL), status=2))


if __name__ == "__main__":
    unittest.main()
