#!/usr/bin/env python3
"""scripts/bench_cost.py with a platform whose runs take as long as its rule says: it finds the constants of the rule,
predicts what the platform then takes, and fails when a program gets slower than that.

    bench_cost_test.py WSE_PLATFORM ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv[2])

# In a program with engines the busy tiles of a cycle decide whether they fit the cache: a step takes 90 ns more when there are 15,239
# and more (50 where tiles are stepped ahead of others), and nothing more below 952. The first use of a tile takes 5 us, and each cycle of two threads 20 us.
PLATFORM = """#!/usr/bin/env python3
import json, math, pathlib, sys
values = dict(part.split("=") for part in (a.removeprefix("--param=") for a in sys.argv if a.startswith("--param=")))
name, threads = pathlib.Path(sys.argv[1]).parent.name, int(sys.argv[sys.argv.index("--threads") + 1])
tiles = int(values["W"]) * int(values["H"])
cycles = {"ITER": 150, "B": 4, "N": 2}[next(n for n in ("ITER", "B", "N") if n in values)]
ahead = "--skew" not in sys.argv
cycles *= int(values.get("ITER", values.get("B", values.get("N"))))
busy = {"stream_rows": 0, "exchange": 0.9, "reduce_chain": 0.05, "reduce_two_phase": 0.05, "gemv_stream": 0.04}[name] * tiles
steps, hops = busy * cycles, tiles * cycles // 2
seconds = hops * 12e-9
if steps:
    far = min(1, max(0, math.log(busy * 4200 / 4e6) / math.log(16)))
    far *= 50e-9 if ahead and busy >= max(8192, tiles / 4) else 90e-9
    seconds = steps * (80e-9 + far) + tiles * 5e-6
seconds = seconds / threads + (20e-6 * cycles if threads > 1 else 0)
seconds *= SLOWER if values["W"] == "256" and name == "exchange" else 1
counters = {"busy_issue_cycles": steps, "hops": hops, "hops_north": hops // 2, "hops_south": hops // 2}
report = {"cycles": cycles, "wall": {"run_s": seconds}, "counters": {k: {"value": v} for k, v in counters.items()}}
pathlib.Path(sys.argv[sys.argv.index("--report") + 1]).write_text(json.dumps(report))
"""


class Cost(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.platform = pathlib.Path(self.folder.name) / "platform"
        self.json = pathlib.Path(self.folder.name) / "cost.json"

    def tearDown(self):
        self.folder.cleanup()

    def run_cost(self, slower):
        self.platform.write_text(PLATFORM.replace("SLOWER", str(slower)))
        self.platform.chmod(0o755)
        return subprocess.run([ROOT / "scripts" / "bench_cost.py", "--quick", "--repeat", "1", "--platform", self.platform,
                               "--json", self.json], capture_output=True, text=True, check=False)

    def test_finds_the_constants_of_the_rule(self):
        result = self.run_cost(1)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        costs = json.loads(self.json.read_text())["costs"]
        self.assertAlmostEqual(costs["unit"]["exchange"] * 1e9, 80, delta=1)
        self.assertAlmostEqual(costs["unit"]["stream_rows"] * 1e9, 12, delta=0.1)
        self.assertAlmostEqual(costs["first"]["gemv_stream"] * 1e6, 5, delta=0.1)
        self.assertAlmostEqual(costs["far"] * 1e9, 90, delta=1)
        self.assertAlmostEqual(costs["far_ahead"] * 1e9, 50, delta=1)
        self.assertAlmostEqual(costs["handover"] * 1e6, 20, delta=0.5)
        for point in json.loads(self.json.read_text())["points"]:
            self.assertAlmostEqual(point["ratio"], 1, delta=0.02, msg=point)
        self.assertIn("Predictions, not measurements", result.stdout)

    def test_a_program_that_takes_longer_than_predicted_is_an_error(self):
        result = self.run_cost(1.6)
        self.assertEqual(result.returncode, 1)
        self.assertIn("predictions are off by more than 25%", result.stderr)


unittest.main(argv=sys.argv[:1])
