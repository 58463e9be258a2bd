#!/usr/bin/env cs_python
"""y = A x + b on a grid of PEs, against NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out", help="folder that cslc has written")
name = parser.parse_args().name
with open(f"{name}/out.json", encoding="utf-8") as file:
    params = {key: int(value) for key, value in json.load(file)["params"].items()}
width, height, M, N = (params[key] for key in ("width", "height", "M", "N"))
rows, columns = M // height, N // width

random = np.random.default_rng(1)
A, x, b = (random.random(shape, np.float32) for shape in ((M, N), N, M))
words = {"streaming": False, "order": MemcpyOrder.ROW_MAJOR, "data_type": MemcpyDataType.MEMCPY_32BIT, "nonblock": False}
halves = {**words, "data_type": MemcpyDataType.MEMCPY_16BIT}

runner = SdkRuntime(name)
runner.load()
runner.run()
blocks = A.reshape(height, rows, width, columns).transpose(0, 2, 3, 1)  # of PE (px, py): [py, px], column after column
runner.memcpy_h2d(runner.get_id("A"), blocks.ravel(), 0, 0, width, height, rows * columns, **words)
runner.memcpy_h2d(runner.get_id("x"), x, 0, 0, width, 1, columns, **words)
runner.memcpy_h2d(runner.get_id("b"), b, 0, 0, 1, height, rows, **words)
runner.launch("compute", nonblock=False)
y = np.zeros(M, np.float32)
runner.memcpy_d2h(y, runner.get_id("y"), width - 1, 0, 1, height, rows, **words)
stamps = np.zeros(width * height * 6, np.uint32)
runner.memcpy_d2h(stamps, runner.get_id("stamps"), 0, 0, width, height, 6, **halves)
runner.stop()

np.testing.assert_allclose(y, A @ x + b, rtol=1e-5)
times = stamps.reshape(-1, 2, 3).astype(np.int64) @ (1 << 16 * np.arange(3))
print(f"the slowest PE takes {(times[:, 1] - times[:, 0]).max()} cycles")
print("SUCCESS")
