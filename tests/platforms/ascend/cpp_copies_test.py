"""Copies of kernels in C++ between GM and UB: what stands behind rows that end within a block, and atomic stores."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int kRows = 4, kValid = 61, kWidth = 96;
template <class T, PadValue P>
AICORE inline void load(__gm__ T* x, __gm__ T* y) {
  Tile<TileType::Vec, T, kRows, kWidth, BLayout::RowMajor, kRows, kValid, SLayout::NoneBox, 512, P> part;
  Tile<TileType::Vec, T, kRows, kWidth> whole;
  TASSIGN(part, 0);
  TASSIGN(whole, 0);
  GlobalTensor<T, Shape<1, 1, 1, kRows, kValid>, Stride<1, 1, 1, kValid, 1>> from(x);
  GlobalTensor<T, Shape<1, 1, 1, kRows, kWidth>, Stride<1, 1, 1, kWidth, 1>> to(y);
  TEXPANDS(whole, T(7));
  pipe_barrier(PIPE_ALL);
  TLOAD(part, from);
  pipe_barrier(PIPE_ALL);
  TSTORE(to, whole);
  pipe_barrier(PIPE_ALL);
}
extern "C" __global__ AICORE void pads(__gm__ TYPE* x, __gm__ TYPE* y) {
#ifdef __DAV_VEC__
  load<TYPE, PadValue::Null>(x, y);
  load<TYPE, PadValue::Zero>(x, y + kRows * kWidth);
  load<TYPE, PadValue::Max>(x, y + 2 * kRows * kWidth);
  load<TYPE, PadValue::Min>(x, y + 3 * kRows * kWidth);
#endif
}
extern "C" __global__ AICORE void columns(__gm__ TYPE* x, __gm__ TYPE* y) {
#ifdef __DAV_VEC__
  Tile<TileType::Vec, TYPE, kWidth, kRows, BLayout::ColMajor, kValid, kRows, SLayout::NoneBox, 512, PadValue::Min> part;
  Tile<TileType::Vec, TYPE, kRows, kWidth> whole;
  TASSIGN(part, 0);
  TASSIGN(whole, 0);
  GlobalTensor<TYPE, Shape<1, 1, 1, kValid, kRows>, Stride<1, 1, 1, 1, kValid>, Layout::DN> from(x);
  GlobalTensor<TYPE, Shape<1, 1, 1, kRows, kWidth>, Stride<1, 1, 1, kWidth, 1>> to(y);
  TEXPANDS(whole, TYPE(7));
  pipe_barrier(PIPE_ALL);
  TLOAD(part, from);
  pipe_barrier(PIPE_ALL);
  TSTORE(to, whole);
#endif
}
extern "C" __global__ AICORE void own(__gm__ TYPE* x) {
#ifdef __DAV_VEC__
  Tile<TileType::Vec, float, kRows, kWidth, BLayout::RowMajor, kRows, kValid, SLayout::NoneBox, 512, PadValueCustom(-1.0f)> part;
  TASSIGN(part, 0);
  TLOAD(part, GlobalTensor<float, Shape<1, 1, 1, kRows, kValid>, Stride<1, 1, 1, kValid, 1>>((__gm__ float*)x));  // own
#endif
}
extern "C" __global__ AICORE void atomic(__gm__ TYPE* x) {
#ifdef __DAV_VEC__
  using V = Tile<TileType::Vec, TYPE, 1, 64>;
  using G = GlobalTensor<TYPE, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
  V a;
  TASSIGN(a, 0);
  G g(x);
  TEXPANDS(a, TYPE(1));
  pipe_barrier(PIPE_ALL);
  TSTORE<V, G, AtomicType::WHICH>(g, a);  // atomic
#endif
}
"""
TYPES = {"float": np.float32, "half": np.float16, "int32_t": np.int32, "int16_t": np.int16, "uint8_t": np.uint8}
ROWS, VALID, WIDTH = 4, 61, 96


def run(executable, folder, function, preset, kind, arguments, *more, which="AtomicAdd"):
    (folder / "k.cpp").write_text(KERNEL.replace("TYPE", kind).replace("WHICH", which))
    command = [executable, "k.cpp", "--function", function, "--preset", preset, "--quiet", "--hazards", "error", *more]
    for name, value in arguments.items():
        command += ["--arg", f"{name}={value}"]
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)


def extremes(dtype):
    if np.issubdtype(dtype, np.floating):
        return np.inf, -np.inf
    return np.iinfo(dtype).max, np.iinfo(dtype).min


def check_pads(executable, folder, preset, kind):
    """A row grows to whole blocks of 32 bytes, and no further; without a pad value it does not grow."""
    dtype = TYPES[kind]
    short = {"float32": "f32", "float16": "f16", "int32": "i32", "int16": "i16", "uint8": "u8"}[np.dtype(dtype).name]
    x = np.arange(ROWS * VALID).reshape(ROWS, VALID).astype(dtype)
    np.save(folder / "x.npy", x)
    largest, least = extremes(dtype)
    in_block = 32 // np.dtype(dtype).itemsize
    end = -(-VALID // in_block) * in_block
    for function, pads in (("pads", (7, 0, largest, least)), ("columns", (least,))):
        done = run(executable, folder, function, preset, kind, {"x": "x.npy", "y": f"{short}[{len(pads)},{ROWS},{WIDTH}]"}, "--output", "y=y.npy")
        assert done.returncode == 0, done.stderr
        expected = np.full((len(pads), ROWS, WIDTH), 7, dtype)
        for n, pad in enumerate(pads):
            expected[n, :, :VALID], expected[n, :, VALID:end] = x, dtype(pad)
        found = np.load(folder / "y.npy")
        assert np.array_equal(found, expected), (preset, kind, function, found[:, 0, VALID - 1:], expected[:, 0, VALID - 1:])


def check_refusals(executable, folder, preset):
    """What has no values in the model says so, and does not lay it on the device."""
    def line(mark):
        return 1 + KERNEL[:KERNEL.index(mark)].count("\n")

    done = run(executable, folder, "own", preset, "float", {"x": "f32[4,61]"})
    assert done.returncode == 4 and f"k.cpp:{line('// own')}:" in done.stderr and "pads that are none of zero" in done.stderr, done.stderr
    assert "the device would report" not in done.stderr and "/tessera/cluster/no_values]" in done.stderr, done.stderr
    done = run(executable, folder, "own", preset, "float", {"x": "f32[4,61]"}, "--no-data")
    assert done.returncode == 0, done.stderr
    for which, word in (("AtomicMax", "atomic_max"), ("AtomicMin", "atomic_min")):
        done = run(executable, folder, "atomic", preset, "int32_t", {"x": "i32[64]"}, which=which)
        message = f"stores to GM with {word} are not modelled"
        assert done.returncode == 4 and f"k.cpp:{line('// atomic')}:" in done.stderr and message in done.stderr, done.stderr
    for which in ("AtomicNone", "AtomicAdd"):
        assert run(executable, folder, "atomic", preset, "int32_t", {"x": "i32[64]"}, which=which).returncode == 0, which


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ.setdefault("TESSERA_CACHE", str(folder / "cache"))
        executable = pathlib.Path(sys.argv[1]).resolve()
        for preset in ("a2a3", "a5"):
            for kind in ("float", "int16_t"):
                check_pads(executable, folder, preset, kind)
            check_refusals(executable, folder, preset)
        for kind in ("half", "int32_t", "uint8_t"):
            check_pads(executable, folder, "a2a3", kind)


if __name__ == "__main__":
    main()
