# SPDX-License-Identifier: Apache-2.0
"""Runs every COUNT-th point of a list from INDEX on: worker.py POINTS.json INDEX COUNT. What a cluster calls."""
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from sweeps.point import run_point  # noqa: E402

if __name__ == "__main__":
    listed, index, count = sys.argv[1:]
    for point in json.loads(Path(listed).read_text(encoding="utf-8"))[int(index)::int(count)]:
        run_point(**point)
