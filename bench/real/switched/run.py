#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""A pulse in the middle of a box, some steps of time, compared with NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk import sdk_utils
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime  # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument("--name", type=str)
parser.add_argument("--cmaddr", type=str)
parser.add_argument("--steps", type=int, default=2)
args = parser.parse_args()
with open(f"{args.name}/out.json", encoding="utf-8") as json_file:
    size = {k: int(v) for k, v in json.load(json_file)["params"].items()}
width, height, nz, R = size["width"], size["height"], size["nz"], size["R"]


def laplacian(u):
    wide = np.pad(u, R)
    weights = [np.float32(1.0) / np.float32(d * d + 1) for d in range(1, R + 1)]
    total = np.float32(-6.0 * sum(weights)) * u
    for d, w in enumerate(weights, 1):
        for axis in range(3):
            for sign in (-d, d):
                part = [slice(R, R + n) for n in u.shape]
                part[axis] = slice(R + sign, R + sign + u.shape[axis])
                total = total + w * wide[tuple(part)]
    return total


u = np.zeros((height, width, nz), np.float32)
u[height // 2, width // 2, nz // 2] = 1.0
u += np.random.default_rng(2).random(u.shape, np.float32) / 8
before = u.copy()

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
runner.load()
runner.run()
u_id, before_id, stamps_id = runner.get_id("u"), runner.get_id("before"), runner.get_id("stamps")
wide = {"streaming": False, "data_type": MemcpyDataType.MEMCPY_32BIT, "order": MemcpyOrder.ROW_MAJOR, "nonblock": False}
runner.memcpy_h2d(u_id, np.pad(u, ((0, 0), (0, 0), (R, R))).ravel(), 0, 0, width, height, nz + 2 * R, **wide)
runner.memcpy_h2d(before_id, before.ravel(), 0, 0, width, height, nz, **wide)
runner.launch("run_steps", np.int16(args.steps), nonblock=False)
found = np.zeros((height, width, nz + 2 * R), np.float32)
runner.memcpy_d2h(found.reshape(-1), u_id, 0, 0, width, height, nz + 2 * R, **wide)
words = np.zeros(width * height * 6, np.uint32)
runner.memcpy_d2h(words, stamps_id, 0, 0, width, height, 6, **dict(wide, data_type=MemcpyDataType.MEMCPY_16BIT))
runner.stop()

for _ in range(args.steps):
    u, before = 2 * u - before + np.float32(0.125) * laplacian(u), u
np.testing.assert_allclose(found[:, :, R:R + nz], u, rtol=1e-4, atol=1e-5)
stamps = sdk_utils.memcpy_view(words, np.dtype(np.uint16)).reshape(-1, 6).astype(int)
print("cycles of a step:", max((stamps[:, 3:] - stamps[:, :3]) @ [1, 1 << 16, 1 << 32]) // args.steps)
print("SUCCESS")
