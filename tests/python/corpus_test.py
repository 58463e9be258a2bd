#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scripts/csl_corpus.py on a collection of a few scripts, with commands that only tell how they are called."""
import json
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

RUNNER = Path(__file__).resolve().parent.parent.parent / "scripts/csl_corpus.py"
CSLC = """#!/bin/sh
for argument; do case "$argument" in bad.csl) echo "error: bad.csl:1:1: no" >&2; exit 2;; esac; done
mkdir -p out
"""
CS_PYTHON = f"""#!/bin/sh
exec {sys.executable} "$@"
"""
RUN = """
import json, os, random, sys, time
words = os.environ["TESSERA_OPTIONS"].split()
json.dump({"cycles": 70 + words.count("--fast")}, open(words[words.index("--report") + 1], "w"))
random.seed(5)
with open(os.environ["LOG"], "a") as log: log.write(f"{random.random()} {os.environ['TESSERA_OPTIONS'].split(' --report')[0].strip()}\\n")
if "--hang" in sys.argv: time.sleep(60)
if "--fail" in sys.argv: raise ValueError("a wrong result")
if "--beside" in sys.argv: print(open("../lib/helper.txt").read())
print("cycles_send = 0")
print("Max cycles ( 0 ,  0 ):  858")
"""


class Corpus(unittest.TestCase):
    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        self.sdk = self.work / "sdk"
        self.sdk.mkdir()
        for name, text in (("cslc", CSLC), ("cs_python", CS_PYTHON)):
            (self.sdk / name).write_text(text, encoding="utf-8")
            (self.sdk / name).chmod(0o755)
        self.collection = self.work / "collection"

    def program(self, name, commands, arch="wse3"):
        folder = self.collection / "group" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "run.py").write_text(textwrap.dedent(RUN), encoding="utf-8")
        (folder / f"commands_{arch}.sh").write_text(f"#!/usr/bin/env bash\nset -e\n{commands}\n", encoding="utf-8")

    def run_collection(self, *options):
        json_file, table = self.work / "r.json", self.work / "table.txt"
        done = subprocess.run([sys.executable, "-B", str(RUNNER), str(self.collection), "--sdk", str(self.sdk), "--json", str(json_file),
                               "--markdown", str(table), *options], capture_output=True, text=True, check=False, timeout=60,
                              env={"PATH": "/usr/bin:/bin", "LOG": str(self.work / "log")})
        self.assertEqual(done.stderr, "")
        return done, json.loads(json_file.read_text(encoding="utf-8")), table.read_text(encoding="utf-8")

    def test_commands_are_listed_with_cycles(self):
        self.program("good", "cslc layout.csl -o out\ncs_python run.py \\\n  --name out")
        done, rows, table = self.run_collection()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([row["command"] for row in rows], ["cslc layout.csl -o out", "cs_python run.py --name out"])
        self.assertEqual([row["cycles"] for row in rows], [None, 70])
        self.assertEqual({key for row in rows for key in row} & {"program", "arch", "passed", "reason", "wall_s"},
                         {"program", "arch", "passed", "reason", "wall_s"})
        self.assertIn("| group/good | wse3 | 1 of 1 | 70 |", table)
        self.assertFalse((self.collection / "group/good/out").exists())

    def test_failures_have_reasons(self):
        self.program("compiler", "cslc bad.csl\ncs_python run.py")
        self.program("result", "cs_python run.py --fail")
        self.program("time", "cs_python run.py --hang")
        self.program("bandwidth-test", "cs_python run.py")
        done, rows, table = self.run_collection("--timeout", "10")
        self.assertEqual(done.returncode, 1)
        reasons = {row["program"].split("/")[1]: row["reason"] for row in rows}
        self.assertEqual(reasons["compiler"], "error: bad.csl:1:1: no")
        self.assertEqual(reasons["result"], "ValueError: a wrong result")
        self.assertIn("time limit", reasons["time"])
        self.assertIn("cycles_send", reasons["bandwidth-test"])
        self.assertIn("0 of 4 runs pass", done.stdout)
        self.assertIn("| group/time | wse3 | 0 of 1 |", table)

    def test_seeds_and_options_vary(self):
        self.program("good", "cs_python run.py")
        _, rows, _ = self.run_collection("--seeds", "2", "--vary=--fast", "--options=--quiet", "--jobs", "1")
        self.assertEqual([(row["seed"], row["options"], row["cycles"]) for row in rows], [(0, "", 70), (1, "", 70), (0, "--fast", 71)])
        log = [line.split(" ", 1) for line in (self.work / "log").read_text(encoding="utf-8").splitlines()]
        self.assertEqual([line[1] for line in log], ["--quiet", "--quiet", "--quiet --fast"])
        self.assertEqual(log[0][0], log[2][0])
        self.assertNotEqual(log[0][0], log[1][0])

    def test_published_cycles_stand_beside_those_of_the_program(self):
        for arch in ("wse2", "wse3"):
            self.program("single-tile-matvec", "cs_python run.py", arch)
        _, _, table = self.run_collection()
        self.assertIn("| group/single-tile-matvec | wse3 | 780 | 858 | +10.0 % | wse_timing_2.md B1 |", table)
        self.assertEqual(table.count("858"), 1)

    def test_selection_neighbours_and_placeholders(self):
        (self.collection / "group/lib").mkdir(parents=True)
        (self.collection / "group/lib/helper.txt").write_text("help", encoding="utf-8")
        self.program("beside", "cs_python run.py --beside")
        self.program("beside", "%python_sdk_paint --arch=wse2", arch="wse2")
        self.program("other", "cs_python run.py --fail")
        done, rows, _ = self.run_collection("--only", "beside")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertEqual([row["arch"] for row in rows], ["wse2", "wse3"])
        done, rows, _ = self.run_collection("--only", "beside", "--arch", "wse2")
        self.assertEqual([row["command"] for row in rows], ["cs_python run.py --arch=wse2"])

    def test_layouts_are_evaluated_only(self):
        self.program("good", "cslc layout.csl --params=a:1 \\\n -o out\ncs_python run.py --fail")
        self.program("compiler", "cslc bad.csl -o=out")
        done, rows, _ = self.run_collection("--evaluate")
        self.assertEqual(sorted((row["passed"], row["command"]) for row in rows),
                         [(False, "cslc bad.csl"), (True, "cslc layout.csl --params=a:1")])
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
