"""What a Perfetto trace adds to the memory of a run (docs/report-and-traces.md#part-of-a-run): less than 200 MB on 750 x 994 tiles.
trace_memory_test.py WSE_PLATFORM"""
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TILES = 300 * 300
MOST_A_TILE = 200e6 / (750 * 994)


def peak_bytes(*options):
    """The peak memory of a run, from the operating system: a parent's memory does not count."""
    run = subprocess.Popen([sys.argv[1], ROOT / "examples/reduce_chain/layout.json", "--quiet", "--structure=dense", "--param=W=300",
                            "--param=H=300", "--param=B=8", *options])
    _, status, usage = os.wait4(run.pid, 0)
    assert status == 0, (options, status)
    return usage.ru_maxrss * 1024


with tempfile.TemporaryDirectory() as work:
    without, traced = peak_bytes(), peak_bytes(f"--trace-perfetto={work}/t.json.gz")
    a_tile = (traced - without) / TILES
    assert 100 < a_tile < MOST_A_TILE, f"{a_tile:.0f} bytes a tile more than {without / TILES:.0f}"
print(f"{a_tile:.0f} bytes a tile")
