#!/usr/bin/env cs_python
"""The sum of a vector over all PEs, on every PE, against NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out", help="folder that cslc has written")
name = parser.parse_args().name
with open(f"{name}/out.json", encoding="utf-8") as file:
    params = {key: int(value) for key, value in json.load(file)["params"].items()}
width, height, length = (params[key] for key in ("width", "height", "length"))

vectors = np.random.default_rng(3).integers(-1000, 1000, (height, width, length)).astype(np.float32)
words = {"streaming": False, "order": MemcpyOrder.ROW_MAJOR, "data_type": MemcpyDataType.MEMCPY_32BIT, "nonblock": False}
halves = {**words, "data_type": MemcpyDataType.MEMCPY_16BIT}

runner = SdkRuntime(name)
runner.load()
runner.run()
runner.memcpy_h2d(runner.get_id("send"), vectors.ravel(), 0, 0, width, height, length, **words)
runner.launch("all_reduce", nonblock=False)
totals = np.zeros(vectors.size, np.float32)
runner.memcpy_d2h(totals, runner.get_id("total"), 0, 0, width, height, length, **words)
stamps = np.zeros(width * height * 6, np.uint32)
runner.memcpy_d2h(stamps, runner.get_id("stamps"), 0, 0, width, height, 6, **halves)
runner.stop()

np.testing.assert_array_equal(totals.reshape(-1, length), np.tile(vectors.sum(axis=(0, 1)), (width * height, 1)))
times = stamps.reshape(-1, 2, 3).astype(np.int64) @ (1 << 16 * np.arange(3))
print(f"the slowest PE takes {(times[:, 1] - times[:, 0]).max()} cycles")
print("SUCCESS")
