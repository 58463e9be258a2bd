#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""Some tokens through all layers, compared with NumPy."""
import argparse
import json

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime  # pylint: disable=no-name-in-module
from cerebras.sdk.sdk_utils import input_array_to_u32, memcpy_view

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out")
parser.add_argument("--tokens", type=int, default=2)
args = parser.parse_args()
with open(f"{args.name}/out.json", encoding="utf-8") as file:
    P, d, f, L = (int(v) for k, v in sorted(json.load(file)["params"].items(), key=lambda pair: "PdfL".index(pair[0])))

rng = np.random.default_rng(4)
state = rng.normal(size=P * d).astype(np.float16)
up = (rng.normal(size=(L, P * d, P * f)) / np.sqrt(P * d)).astype(np.float16)
down = (rng.normal(size=(L, P * f, P * d)) / np.sqrt(P * f)).astype(np.float16)

runner = SdkRuntime(args.name, suppress_simfab_trace=True)
runner.load()
runner.run()
half = dict(streaming=False, order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_16BIT, nonblock=True)


def put(name, values):
    words = input_array_to_u32(np.ascontiguousarray(values).ravel(), 0, 1)
    runner.memcpy_h2d(runner.get_id(name), words, 0, 0, P, P, words.size // (P * P), **half)


put("state", np.tile(state, (P, 1)))
put("up", up.reshape(L, P, d, P, f).transpose(3, 1, 0, 2, 4))
put("down", down.reshape(L, P, f, P, d).transpose(1, 3, 0, 2, 4))
runner.launch("connect", nonblock=True)
runner.launch("decode", np.int16(args.tokens), nonblock=False)
words = np.zeros(P * P * d, np.uint32)
runner.memcpy_d2h(words, runner.get_id("state"), 0, 0, P, P, d, **dict(half, nonblock=False))
times = np.zeros((P, P), np.uint32)
runner.memcpy_d2h(times, runner.get_id("times"), 0, 0, P, P, 1,
                  **dict(half, nonblock=False, data_type=MemcpyDataType.MEMCPY_32BIT))
runner.stop()

wanted = state.astype(np.float32)
for _ in range(args.tokens):
    for layer in range(L):
        normed = wanted / np.sqrt(np.mean(wanted * wanted))
        hidden = normed @ up[layer].astype(np.float32)
        hidden /= 1 + np.exp(-hidden)
        wanted = wanted + hidden @ down[layer].astype(np.float32)
found = memcpy_view(words, np.dtype(np.float16)).reshape(P, P * d)
np.testing.assert_allclose(found, np.tile(wanted, (P, 1)), rtol=0.02, atol=0.02 * np.abs(wanted).max())
print(f"cycles of a token: {times.max() / args.tokens:.0f}")
print("SUCCESS")
