#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs kernels of our own on TileLang's header of PTO templates, and compares them with NumPy.

    scripts/pto_tilelang.py TILELANG_ASCEND [--preset a2a3|a5] [--only NAME] [--platform PATH]

TILELANG_ASCEND is a checkout of tile-ai/tilelang-ascend. The kernels (scripts/pto_tilelang/kernels.cpp) call its templates as its generator does.
"""
import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np

from pto_host import call

ROOT = Path(__file__).resolve().parent.parent
KERNELS = Path(__file__).resolve().parent / "pto_tilelang/kernels.cpp"
SORTED, TOP = 100, (200, 16)  # values among 128, and among 256 of which 16 are wanted


def arrays():
    rng = np.random.default_rng(45)
    f32 = lambda *shape: rng.uniform(-1, 1, shape).astype(np.float32)
    whole = lambda *shape: rng.integers(-4, 5, shape).astype(np.float16)
    return f32, whole


def sigmoid(x):
    return 1 / (1 + np.exp(-x.astype(np.float64)))


def pairs(values, count, dtype):
    """Values and indices as sort32 and its merges leave them: the largest first."""
    order = np.argsort(-values.astype(np.float32), kind="stable")[:count]
    index = order.astype(dtype) if dtype == np.float16 else order.astype(np.float32)
    return np.stack([values[order].astype(dtype), index], axis=1).reshape(-1)


def kernels():
    """Of each kernel: arguments in order, blocks, what the result is called, what it is, and how far it may be off."""
    f32, whole = arrays()
    a, b = whole(2, 2, 8, 256), whole(2, 2, 8, 256)
    yield "add", {"a": a, "b": b, "c": "f16[2,2,8,256]"}, 2, a + b, 0
    a = f32(8, 64)
    valid = np.zeros((8, 64), np.float32)
    valid[:5, :40] = a[:5, :40]
    yield "tail", {"a": a, "c": "f32[8,64]"}, 1, np.maximum(valid, 0) + 1, 0
    a, b = whole(64, 256), whole(256, 96)
    yield "gemm", {"a": a, "b": b, "c": "f32[64,96]"}, 1, a.astype(np.float32) @ b.astype(np.float32), 0
    yield "gemm_transposed", {"a": a, "b": np.ascontiguousarray(b.T), "c": "f32[64,96]"}, 1, a.astype(np.float32) @ b.astype(np.float32), 0
    a = rng_distinct(128)
    yield "sort", {"a": a, "c": "f32[256]"}, 1, pairs(a[:SORTED], SORTED, np.float32), 0
    a = rng_distinct(256).astype(np.float16)
    yield "top", {"a": a, "c": f"f16[{2 * TOP[1]}]"}, 1, pairs(a[:TOP[0]], TOP[1], np.float16), 0
    a = f32(16, 128) * 4
    e = np.exp(a.astype(np.float64) - a.max(axis=1, keepdims=True))
    yield "softmax", {"a": a, "c": "f32[16,128]"}, 1, e / e.sum(axis=1, keepdims=True), 1e-6
    a = f32(16, 64) * 4
    yield "silu", {"a": a, "c": "f32[16,64]"}, 1, a * sigmoid(a) + 0.5 * a, 1e-5
    a = f32(2, 2, 8, 64)
    yield "count", {"a": a, "c": "f32[8,64]"}, 2, (a > 0.25).sum(axis=(0, 1)).astype(np.float32), 0
    a, b = whole(32, 64), whole(64, 64)
    yield ("scaled", {"a": a, "b": b, "middle": "f32[32,64]", "c": "f32[32,64]", "ffts": 1}, 1,
           2 * np.maximum(a.astype(np.float32) @ b.astype(np.float32), 0), 0)
    a = f32(16, 32)
    yield "transposed", {"a": a, "c": "f16[32,16]"}, 1, a.T.astype(np.float16), 0


def rng_distinct(n):
    return (np.random.default_rng(n).permutation(n) - n / 2).astype(np.float32)


def run(options, name, arguments, blocks, folder):
    """The result of a kernel, or what stopped it."""
    command = [options.platform, KERNELS, "--function", name, "--preset", options.preset, "--quiet", "--hazards", "error",
               "--include", options.folder / "src/tl_templates/pto", "--set", f"launch.clusters={blocks}"]
    # The generator compiles for both kinds of core, so a block is a cube core with its two vector cores; tests of one vector core run on one.
    ratio = "1:0" if name.startswith("gemm") else "1:2" if blocks > 1 or name == "scaled" else "0:1"
    command += ["--set", f"launch.ratio={ratio}"]
    for key, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{key}.npy", value)
            value = f"{key}.npy"
        command += ["--arg", f"{key}={value}"]
    done = call([*command, "--output", "c=c.out.npy"], folder, 300)
    return (np.load(folder / "c.out.npy"), "") if done.returncode == 0 else (None, done.stderr.strip()[:700])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--preset", default="a2a3", choices=("a2a3", "a5"))
    parser.add_argument("--only", default="")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    if not (options.folder / "src/tl_templates/pto/common.h").is_file():
        sys.exit(f"pto_tilelang.py: {options.folder} has no src/tl_templates/pto/common.h")
    tried = equal = 0
    for name, arguments, blocks, expected, tolerance in kernels():
        if options.only not in ("", name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            got, why = run(options, name, arguments, blocks, Path(folder))
        if got is not None:
            got = got.reshape(-1)[:expected.size].reshape(expected.shape)
            off = np.max(np.abs(got.astype(np.float64) - expected))
            why = "" if off <= tolerance else f"values differ by {off:.4g}"
        tried, equal = tried + 1, equal + (not why)
        print(f"{name}: {why or 'equal'}", flush=True)
    print(f"{equal} of {tried} equal")
    sys.exit(0 if equal == tried and tried else 1)


if __name__ == "__main__":
    main()
