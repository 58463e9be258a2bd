#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""Solves for a random right side and compares x and the residual with NumPy after the same number of iterations."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime  # pylint: disable=no-name-in-module


def poisson(p):
    wide = np.pad(p, 1)
    return 6 * p - (wide[2:, 1:-1, 1:-1] + wide[:-2, 1:-1, 1:-1] + wide[1:-1, 2:, 1:-1] + wide[1:-1, :-2, 1:-1]
                    + wide[1:-1, 1:-1, 2:] + wide[1:-1, 1:-1, :-2])


def conjugate_gradients(b, iterations):
    x, r, p = np.zeros_like(b), b.copy(), b.copy()
    rho = (r * r).sum()
    for _ in range(iterations):
        q = poisson(p)
        alpha = rho / (p * q).sum()
        x, r = x + alpha * p, r - alpha * q
        rho, before = (r * r).sum(), rho
        p = r + rho / before * p
    return x, rho


parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out")
parser.add_argument("--iterations", type=int, default=3)
args = parser.parse_args()
with open(f"{args.name}/out.json", encoding="utf-8") as file:
    sizes = json.load(file)["params"]
w, h, nz = (int(sizes[name]) for name in ("w", "h", "nz"))

with_seed = np.random.default_rng(6)
b = with_seed.random((h, w, nz), np.float32)
wanted, rest = conjugate_gradients(b.astype(np.float64), args.iterations)

runner = SdkRuntime(args.name)
runner.load()
runner.run()


def copy(function, *arguments):
    function(*arguments, streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False)


copy(runner.memcpy_h2d, runner.get_id("b"), b.ravel(), 0, 0, w, h, nz)
runner.launch("solve", np.uint16(args.iterations), nonblock=False)
x = np.zeros((h, w, nz), np.float32)
copy(runner.memcpy_d2h, x.reshape(-1), runner.get_id("x"), 0, 0, w, h, nz)
residual = np.zeros((h, w), np.float32)
copy(runner.memcpy_d2h, residual, runner.get_id("residual"), 0, 0, w, h, 1)
runner.stop()
np.testing.assert_allclose(x, wanted, rtol=1e-3, atol=1e-4)
np.testing.assert_allclose(residual, rest, rtol=1e-2)
print(f"residual {rest:.3g} after {args.iterations} iterations")
print("SUCCESS")
