#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""Lets a random plane live for some generations and compares each cell with NumPy."""
import json
import sys
from pathlib import Path

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime  # pylint: disable=no-name-in-module

folder = Path(sys.argv[sys.argv.index("--name") + 1])
generations = int(sys.argv[sys.argv.index("--generations") + 1]) if "--generations" in sys.argv else 5
params = json.loads((folder / "out.json").read_text())["params"]
width, height = int(params["width"]), int(params["height"])


def next_generation(cells):
    wide = np.pad(cells, 1)
    total = sum(wide[1 + dy:height + 1 + dy, 1 + dx:width + 1 + dx] for dy in (-1, 0, 1) for dx in (-1, 0, 1))
    return ((total == 3) | ((total == 4) & (cells == 1))).astype(np.uint32)


cells = np.random.default_rng(7).integers(0, 2, (height, width)).astype(np.uint32)
wanted = cells
for _ in range(generations):
    wanted = next_generation(wanted)

runner = SdkRuntime(str(folder), suppress_simfab_trace=True)
alive = runner.get_id("alive")
runner.load()
runner.run()
how = {"streaming": False, "data_type": MemcpyDataType.MEMCPY_32BIT, "order": MemcpyOrder.COL_MAJOR, "nonblock": False}
runner.memcpy_h2d(alive, cells.T.ravel(), 0, 0, width, height, 1, **how)
runner.launch("live", np.uint16(generations), nonblock=False)
found = np.zeros((width, height, 1), np.uint32)
runner.memcpy_d2h(found, alive, 0, 0, width, height, 1, **how)
runner.stop()
assert (found[:, :, 0].T == wanted).all(), f"\n{found[:, :, 0].T}\n{wanted}"
print(f"{int(wanted.sum())} of {wanted.size} cells are alive after {generations} generations")
print("SUCCESS")
