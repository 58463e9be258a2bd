#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""Some steps of the star stencil from random points, compared with NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import (  # pylint: disable=no-name-in-module
    MemcpyDataType, MemcpyOrder, SdkRuntime)


def star(points, radius):
    height, width = points.shape
    wide = np.pad(points, radius)
    total, weight = np.float32(0.5) * points, np.float32(0.0625)
    for d in range(1, radius + 1):
        for dy, dx in ((0, d), (0, -d), (d, 0), (-d, 0)):
            total = total + weight * wide[radius + dy:radius + dy + height, radius + dx:radius + dx + width]
        weight *= np.float32(0.5)
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True)
    parser.add_argument("--cmaddr")
    parser.add_argument("--steps", type=int, default=2)
    args = parser.parse_args()
    with open(f"{args.name}/out.json", encoding="utf8") as f:
        p = {k: int(v) for k, v in json.load(f)["params"].items()}
    W, H, nx, ny, R = p["W"], p["H"], p["nx"], p["ny"], p["R"]
    pitch, lines = nx + 2 * R, ny + 2 * R

    start = np.random.default_rng(5).random((H * ny, W * nx), np.float32)
    tiles = np.zeros((H, W, 2, lines, pitch), np.float32)
    tiles[:, :, 0, R:R + ny, R:R + nx] = start.reshape(H, ny, W, nx).transpose(0, 2, 1, 3)

    simulator = SdkRuntime(args.name, cmaddr=args.cmaddr)
    simulator.load()
    simulator.run()
    common = dict(streaming=False, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False, order=MemcpyOrder.ROW_MAJOR)
    u = simulator.get_id("u")
    simulator.memcpy_h2d(u, tiles.ravel(), 0, 0, W, H, tiles[0, 0].size, **common)
    simulator.launch("iterate", np.uint16(args.steps), nonblock=False)
    result = np.empty_like(tiles)
    simulator.memcpy_d2h(result.ravel(), u, 0, 0, W, H, tiles[0, 0].size, **common)
    change = np.zeros(W * H, np.float32)
    simulator.memcpy_d2h(change, simulator.get_id("max_change"), 0, 0, W, H, 1, **common)
    simulator.stop()

    before, after = start, start
    for _ in range(args.steps):
        before, after = after, star(after, R)
    plane = result[:, :, args.steps % 2, R:R + ny, R:R + nx].transpose(0, 2, 1, 3).reshape(H * ny, W * nx)
    np.testing.assert_allclose(plane, after, rtol=1e-5)
    np.testing.assert_allclose(change.max(), np.abs(after - before).max(), rtol=1e-4)
    print("SUCCESS")


if __name__ == "__main__":
    main()
