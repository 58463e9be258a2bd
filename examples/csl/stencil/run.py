#!/usr/bin/env cs_python
"""Jacobi iterations on a grid of columns, against NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out", help="folder that cslc has written")
parser.add_argument("--iterations", type=int, default=10)
arguments = parser.parse_args()
with open(f"{arguments.name}/out.json", encoding="utf-8") as file:
    params = {key: int(value) for key, value in json.load(file)["params"].items()}
width, height, depth = (params[key] for key in ("width", "height", "depth"))

u = np.random.default_rng(2).random((height, width, depth), np.float32)
options = {"streaming": False, "order": MemcpyOrder.ROW_MAJOR, "data_type": MemcpyDataType.MEMCPY_32BIT, "nonblock": False}

runner = SdkRuntime(arguments.name)
symbol = runner.get_id("u")
runner.load()
runner.run()
runner.memcpy_h2d(symbol, u.ravel(), 0, 0, width, height, depth, **options)
runner.launch("iterate", np.uint16(arguments.iterations), nonblock=False)
result = np.zeros(u.size, np.float32)
runner.memcpy_d2h(result, symbol, 0, 0, width, height, depth, **options)
runner.stop()

for _ in range(arguments.iterations):
    mean = (u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1]) * np.float32(0.25)
    u[1:-1, 1:-1] = mean
np.testing.assert_allclose(result.reshape(u.shape), u, rtol=1e-5)
print("SUCCESS")
