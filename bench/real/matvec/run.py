#!/usr/bin/env cs_python
# SPDX-License-Identifier: Apache-2.0
"""y = A * x for several x, laid out by this script: x streams in, y streams out, no memcpy. Compared with NumPy."""
import argparse
from pathlib import Path

import numpy as np
from cerebras.geometry.geometry import IntRectangle, IntVector
from cerebras.sdk.runtime.sdkruntimepybind import (Color, Edge, Route, RoutingPosition, SdkLayout,  # pylint: disable=no-name-in-module
                                                   SdkRuntime, SdkTarget, SimfabConfig, get_platform)

parser = argparse.ArgumentParser()
parser.add_argument("--name", default="out", help="where the compiled program goes")
parser.add_argument("--arch", default="wse3", choices=["wse2", "wse3"])
parser.add_argument("--params", default="W:4,H:4,m:4,n:4,vectors:2", help="PEs of a row and of a column, block of A, number of vectors")
args = parser.parse_args()
params = {name: int(value) for name, value in (pair.split(":") for pair in args.params.split(","))}
W, H, m, n, vectors = (params[name] for name in ("W", "H", "m", "n", "vectors"))
assert W > 1 and H > 1

platform = get_platform("", SimfabConfig(suppress_trace=True), SdkTarget.WSE3 if args.arch == "wse3" else SdkTarget.WSE2)
layout = SdkLayout(platform)
pes = layout.create_code_region(str(Path(__file__).parent / "pe.csl"), "matvec", W, H)
pes.place(1, 0)

x_colors = [Color("x_even"), Color("x_odd")]
sums = [Color("sum_even"), Color("sum_odd")]
ys = [Color("y_even"), Color("y_odd")]
down = Color("down")


def position(rx, *tx):
    return RoutingPosition().set_input([rx]).set_output(list(tx))


FROM_WEST, TO_EAST = position(Route.WEST, Route.RAMP), position(Route.RAMP, Route.EAST)
FROM_NORTH, TO_SOUTH = position(Route.NORTH, Route.RAMP), position(Route.RAMP, Route.SOUTH)

for name in ("m", "n", "vectors"):
    pes.set_param_all(name, params[name])
pes.set_param_all(down)
pes.paint_range(IntRectangle(IntVector(0, 0), IntVector(W, 1)), down, [TO_SOUTH])
if H > 2:
    pes.paint_range(IntRectangle(IntVector(0, 1), IntVector(W, H - 1)), down, [position(Route.NORTH, Route.RAMP, Route.SOUTH)])
pes.paint_range(IntRectangle(IntVector(0, H - 1), IntVector(W, H)), down, [FROM_NORTH])

for x in range(W):
    column = IntRectangle(IntVector(x, 0), IntVector(x + 1, H))
    top = IntVector(x, 0)
    pes.set_param(top, "is_top", True)
    pes.set_param(top, "rest", (W - 1 - x) * n)
    # The color of a link is that of its western end.
    pes.set_param_range(column, "x_in", x_colors[(x + 1) % 2])
    pes.set_param_range(column, "x_out", x_colors[x % 2])
    pes.set_param_range(column, "sum_in", sums[(x + 1) % 2])
    pes.set_param_range(column, "sum_out", sums[x % 2])
    pes.paint(top, x_colors[(x + 1) % 2], [FROM_WEST])
    if x > 0:
        pes.paint_range(column, sums[(x + 1) % 2], [FROM_WEST])
    if x + 1 < W:
        pes.paint(top, x_colors[x % 2], [TO_EAST])
        pes.paint_range(column, sums[x % 2], [TO_EAST])
pes.set_param_range(IntRectangle(IntVector(0, 0), IntVector(1, H)), "is_left", True)
pes.set_param_range(IntRectangle(IntVector(W - 1, 0), IntVector(W, H)), "is_right", True)
pes.set_param_range(IntRectangle(IntVector(0, H - 1), IntVector(W, H)), "is_bottom", True)

for y in range(H):
    row = IntRectangle(IntVector(0, y), IntVector(W, y + 1))
    pes.set_param_range(row, "y_in", ys[(y + 1) % 2])
    pes.set_param_range(row, "y_out", ys[y % 2])
    last = IntVector(W - 1, y)
    pes.set_param(last, "above", y * m)
    if y > 0:
        pes.paint(last, ys[(y + 1) % 2], [FROM_NORTH])
    pes.paint(last, ys[y % 2], [TO_SOUTH if y + 1 < H else TO_EAST])


def relay(name, x, y, count, source, target):
    """A PE at (x, y) that passes words on."""
    region = layout.create_code_region(str(Path(__file__).parent / "relay.csl"), name, 1, 1)
    region.place(x, y)
    region.set_param_all("count", count)
    region.set_param_all("source", source)
    region.set_param_all("target", target)
    return region


first = relay("first", 0, 0, W * n * vectors, Color("feed"), x_colors[1])
first.paint_all(x_colors[1], [TO_EAST])
x_port = first.create_input_port(Color("feed"), Edge.LEFT, [RoutingPosition().set_output([Route.RAMP])], W * n * vectors)
last = relay("last", W + 1, H - 1, H * m * vectors, ys[(H - 1) % 2], Color("result"))
last.paint_all(ys[(H - 1) % 2], [FROM_WEST])
y_port = last.create_output_port(Color("result"), Edge.RIGHT, [RoutingPosition().set_input([Route.RAMP])], H * m * vectors)

rng = np.random.default_rng(3)
A = rng.normal(size=(H * m, W * n)).astype(np.float32)
pes.set_symbol_all("A", A, W * n, H * m)
x_stream, y_stream = layout.create_input_stream(x_port), layout.create_output_stream(y_port)
artifacts = layout.compile(out_prefix=args.name)

x = rng.normal(size=(vectors, W * n)).astype(np.float32)
y = np.zeros((vectors, H * m), np.float32)
runtime = SdkRuntime(artifacts, platform, memcpy_required=False)
runtime.load()
runtime.run()
runtime.send(x_stream, x.ravel(), nonblock=True)
runtime.receive(y_stream, y.reshape(-1), y.size, nonblock=False)
runtime.stop()
np.testing.assert_allclose(y, x @ A.T, rtol=1e-4, atol=1e-4)
print("SUCCESS")
