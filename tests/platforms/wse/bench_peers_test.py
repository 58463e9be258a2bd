#!/usr/bin/env python3
"""scripts/bench_peers.py with programs that answer as BookSim2, Noxim and MuchiSim do: what it asks of them, what it
reads from their output, and what it says when one of them cannot be compared.

    bench_peers_test.py WSE_PLATFORM ROOT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLATFORM, ROOT = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])

BOOKSIM = """#!/usr/bin/env python3
import pathlib, sys
config = dict(line.rstrip(";").split(" = ") for line in pathlib.Path(sys.argv[1]).read_text().splitlines())
assert config["traffic"] == "neighbor" and config["sim_type"] == "batch" and config["topology"] == "mesh", config
assert config["k"] == "4" and config["batch_size"] == "20" and config["packet_size"] == "1", config
print("Time taken is 60 cycles")
print("Hops average = 4 (1 samples)")
sys.exit(255)
"""
NOXIM = """#!/usr/bin/env python3
import pathlib, sys
options = dict(zip(sys.argv[1:], sys.argv[2:]))
assert options["-dimx"] == "4" and options["-dimy"] == "4" and options["-traffic"] == "table", options
table = [line.split() for line in pathlib.Path(sys.argv[sys.argv.index("table") + 1]).read_text().splitlines()]
assert len(table) == 16 and table[0][:2] == ["0", "5"] and table[15][:2] == ["15", "0"], table
print("Noxim simulation completed. (1.05e+03 cycles executed)")
print("% Total received flits: 320")
"""
MUCHISIM = """#!/usr/bin/env python3
import pathlib
assert pathlib.Path("sim_counters").is_dir()
print("Runtime in K cycles: 2.5")
print("All traffic (msg): 1,600")
"""


def add(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


class Peers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.peers = pathlib.Path(self.folder.name) / "peers"
        self.peers.mkdir()
        self.json = pathlib.Path(self.folder.name) / "peers.json"

    def tearDown(self):
        self.folder.cleanup()

    def run_peers(self, *arguments):
        return subprocess.run([ROOT / "scripts" / "bench_peers.py", "--peers", self.peers, "--platform", PLATFORM, "--size",
                               "4x4", "--words", "20", "--repeat", "1", "--json", self.json, *arguments],
                              capture_output=True, text=True, check=False)

    def rows(self):
        return {row["simulator"]: row for row in json.loads(self.json.read_text())}

    def test_reads_what_each_simulator_says(self):
        add(self.peers / "booksim2" / "src" / "booksim", BOOKSIM)
        add(self.peers / "noxim" / "bin" / "noxim", NOXIM)
        add(self.peers / "noxim" / "bin" / "power.yaml", "")
        add(self.peers / "noxim" / "config_examples" / "default_configMeshNoHUB.yaml", "")
        add(self.peers / "muchisim" / "bin" / "B3a6g4-f.run", MUCHISIM)
        result = self.run_peers()
        self.assertEqual(result.returncode, 0, result.stderr)
        rows = self.rows()
        self.assertEqual(list(rows), ["wse_platform dense", "wse_platform modules", "BookSim2", "Noxim", "MuchiSim"])
        # A word crosses 3 links on average on a mesh of 4x4 nodes: 2 * 3 / 4 in each dimension.
        self.assertEqual([rows[name]["hops"] for name in rows], [960, 960, 960, 960, 1600])
        self.assertEqual([rows[name]["cycles"] for name in list(rows)[2:]], [60, 1050, 2500])
        self.assertEqual(rows["wse_platform dense"]["cycles"], rows["wse_platform modules"]["cycles"])
        self.assertEqual(rows["wse_platform dense"]["slower"], 1)
        self.assertIsNone(rows["MuchiSim"]["slower"])
        self.assertIn("its own FFT", result.stdout)

    def test_says_why_a_simulator_is_left_out(self):
        add(self.peers / "booksim", "#!/bin/sh\necho 'k must be a power of two' >&2\nexit 3\n")
        add(self.peers / "noxim", NOXIM)
        add(self.peers / "a6g8.run", MUCHISIM)
        result = self.run_peers()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(list(self.rows()), ["wse_platform dense", "wse_platform modules"])
        self.assertIn("BookSim2 4x4 is left out: its output has no line for hops; exit code 3, k must be a power of two",
                      result.stderr)
        self.assertIn("default_configMeshNoHUB.yaml is missing", result.stderr)
        self.assertIn("MuchiSim 4x4 is left out: it was compiled for 8x8", result.stderr)

    def test_a_folder_without_simulators_is_an_error(self):
        result = self.run_peers()
        self.assertEqual(result.returncode, 1)
        self.assertIn("no executable booksim, noxim or *a6g*.run in", result.stderr)
        result = self.run_peers("--size", "2x2")
        self.assertIn("--size: expected width and height, at least 3", result.stderr)


unittest.main(argv=sys.argv[:1])
