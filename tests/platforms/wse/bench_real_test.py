"""The CSL programs of bench/real are right on a small grid, and scripts/bench_real.py writes the rows that outside checks read.

    bench_real_test.py <wse_platform> <root of the source tree>
"""
import json
import pathlib
import subprocess
import sys
import tempfile


def main():
    platform, root = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.json"
        command = [sys.executable, root / "scripts/bench_real.py", "--bin", platform.parent, "--size", "4x4", "--threads", "1", "--threads",
                   "2", "--once", "--no-instructions", "--json", file]
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{done.stdout}{done.stderr}")
        rows = json.loads(file.read_text(encoding="utf-8"))
    digests = {}
    for row in rows:
        for name in ("bench", "size", "tile_cycles_per_s", "instructions_per_tile_cycle", "bytes_per_tile", "threads", "ranks"):
            if name not in row:
                sys.exit(f"a row has no {name}: {row}")
        digests.setdefault(row["bench"], set()).add((row["digest"], row["cycles"]))
    if len(digests) != 8 or len(rows) != 16:
        sys.exit(f"{len(rows)} rows of {len(digests)} programs")
    if wrong := [name for name, found in digests.items() if len(found) != 1]:
        sys.exit(f"one and two threads differ: {', '.join(wrong)}")


main()
