#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""Sends the blocks of the first step, multiplies, and compares with NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime  # pylint: disable=no-name-in-module
from cerebras.sdk.sdk_utils import input_array_to_u32, memcpy_view

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out", help="the folder of the compiler")
parser.add_argument("--cmaddr", help="IP:port of the machine")
parser.add_argument("--repeat", type=int, default=1)
args = parser.parse_args()

with open(f"{args.name}/out.json", encoding="utf-8") as file:
    params = {name: int(value) for name, value in json.load(file)["params"].items()}
P, Mt, Kt, Nt = (params[name] for name in ("P", "Mt", "Kt", "Nt"))

rng = np.random.default_rng(1)
A = rng.integers(-2, 3, (P, P, Mt, Kt)).astype(np.float16)  # blocks
B = rng.integers(-2, 3, (P, P, Kt, Nt)).astype(np.float16)
# The n-th PE of a folded ring; blocks move to the next one, so that step s finds those of s places before.
order = [*range(0, P, 2), *reversed(range(1, P, 2))]
place = np.argsort(order)


def first_block(x, y):
    """Which block of the sum PE (x, y) has in the first step."""
    return (-int(place[x]) - int(place[y])) % P


runner = SdkRuntime(args.name, cmaddr=args.cmaddr, suppress_simfab_trace=True)
symbols = {name: runner.get_id(name) for name in ("A", "B", "C", "stamps")}
runner.load()
runner.run()
copies = {"streaming": False, "order": MemcpyOrder.ROW_MAJOR, "data_type": MemcpyDataType.MEMCPY_16BIT, "nonblock": False}


def send(name, blocks):
    words = input_array_to_u32(np.stack(blocks).ravel(), 0, 1)
    runner.memcpy_h2d(symbols[name], words, 0, 0, P, P, words.size // P ** 2, **copies)


def receive(name, count, dtype):
    words = np.zeros(P * P * count, np.uint32)
    runner.memcpy_d2h(words, symbols[name], 0, 0, P, P, count, **copies)
    return memcpy_view(words, np.dtype(dtype)).reshape(P, P, count)


# Row `place[y]` of the blocks lies in row y of the PEs.
send("A", [A[place[y], first_block(x, y)].T for y in range(P) for x in range(P)])
send("B", [B[first_block(x, y), place[x]].T for y in range(P) for x in range(P)])
runner.launch("multiply", np.int16(args.repeat), nonblock=False)
C = receive("C", Mt * Nt, np.float16)
stamps = receive("stamps", 6, np.uint16).astype(np.int64)
runner.stop()

wanted = np.einsum("ikab,kjbc->ijac", A.astype(np.float32), B.astype(np.float32)) * args.repeat
for y in range(P):
    for x in range(P):
        np.testing.assert_allclose(C[y, x].reshape(Nt, Mt).T, wanted[place[y], place[x]], rtol=0.01)
cycles = (stamps[..., 3:] - stamps[..., :3]) @ [1, 1 << 16, 1 << 32]
print(f"cycles of a product: {cycles.max() / args.repeat:.0f}")
print("SUCCESS")
