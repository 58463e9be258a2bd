#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""Steps of gradient descent on random data, compared with NumPy."""
import argparse
import json

import numpy as np

from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime, MemcpyDataType, MemcpyOrder  # pylint: disable=no-name-in-module

parser = argparse.ArgumentParser()
parser.add_argument('--name', help='the test name')
parser.add_argument('--cmaddr', help='IP:port for CS system')
parser.add_argument('--steps', type=int, default=3)
args = parser.parse_args()

with open(f"{args.name}/out.json", encoding='utf-8') as json_file:
    compile_params = json.load(json_file)['params']
P, rows, features = (int(compile_params[k]) for k in ('P', 'rows', 'features'))

np.random.seed(11)
X = np.random.uniform(-1, 1, (P * rows, P * features)).astype(np.float32)
target = X @ np.random.uniform(-1, 1, P * features).astype(np.float32)
weights = np.zeros(P * features, np.float32)
rate = np.float32(0.5 / X.shape[0])

runner = SdkRuntime(args.name, cmaddr=args.cmaddr)
data_symbol = runner.get_id('data')
wanted_symbol = runner.get_id('wanted')
weights_symbol = runner.get_id('all_weights')
runner.load()
runner.run()

options = {'streaming': False, 'order': MemcpyOrder.ROW_MAJOR, 'data_type': MemcpyDataType.MEMCPY_32BIT}
blocks = X.reshape(P, rows, P, features).transpose(0, 2, 1, 3)
runner.memcpy_h2d(data_symbol, blocks.ravel(), 0, 0, P, P, rows * features, nonblock=True, **options)
runner.memcpy_h2d(wanted_symbol, target, 0, 0, 1, P, rows, nonblock=True, **options)
runner.memcpy_h2d(weights_symbol, weights, 0, 0, 1, 1, P * features, nonblock=True, **options)
runner.launch('descend', np.uint16(args.steps), rate, nonblock=False)
found = np.zeros(P * features, np.float32)
runner.memcpy_d2h(found, weights_symbol, 0, 0, 1, 1, P * features, nonblock=False, **options)
ticks = np.zeros(P * P, np.uint32)
runner.memcpy_d2h(ticks, runner.get_id('ticks'), 0, 0, P, P, 1, nonblock=False, **options)
runner.stop()

for _ in range(args.steps):
    weights = weights - rate * ((X @ weights - target) @ X)
np.testing.assert_allclose(found, weights, rtol=1e-3, atol=1e-5)
print(f"cycles of a step: {ticks.max() / args.steps:.0f}")
print("SUCCESS")
