"""TTRANS of a ConvTile against NumPy: maps with channels in blocks and back, with and without groups, to the matrix of a filter, and volumes;
sizes of whole blocks of 32 bytes and others."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
RANDOM = np.random.default_rng(7)

# The result begins as zeros.
HEAD = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int up(int n) { return (n + 31) / 32 * 32; }
template <class From, class To, int N, int M, int Scratch, class T>
AICORE void move(__gm__ T* x, __gm__ T* y) {
  Tile<TileType::Vec, T, 1, up(N), BLayout::RowMajor, 1, N> in;
  Tile<TileType::Vec, T, 1, up(M), BLayout::RowMajor, 1, M> out;
  Tile<TileType::Vec, T, 1, up(Scratch)> scratch;
  From from;
  To to;
  TASSIGN(in, 0);
  TASSIGN(from, 0);
  TASSIGN(out, 0x8000);
  TASSIGN(to, 0x8000);
  TASSIGN(scratch, 0x18000);
  TLOAD(in, GlobalTensor<T, Shape<1, 1, 1, 1, N>, Stride<1, 1, 1, 1, 1>>(x));
  TEXPANDS(out, T(0));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  pipe_barrier(PIPE_V);
  TTRANS(to, from, scratch);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(GlobalTensor<T, Shape<1, 1, 1, 1, M>, Stride<1, 1, 1, 1, 1>>(y), out);
}
"""


def kernel(name, kind, layouts, source, result, scratch):
    n, m = int(np.prod(source)), int(np.prod(result))
    tiles = [f"ConvTile<TileType::Vec, {kind}, {size}, Layout::{layout}, ConvTileShape<{', '.join(map(str, shape))}>>"
             for layout, shape, size in zip(layouts, (source, result), (n, m))]
    return f"  move<{tiles[0]}, {tiles[1]}, {n}, {m}, {scratch}>(({kind}*)x_{name}, ({kind}*)y_{name});\n  pipe_barrier(PIPE_ALL);\n"


def blocked(x, c0):
    """[.., C, H, W] with channels in blocks that follow the pixels."""
    *outer, c, h, w = x.shape
    return np.moveaxis(x.reshape(*outer, c // c0, c0, h, w), -3, -1)


def filters(x, count):
    """[N, C1, H, W, C0] as [C1 H W, count, C0]: filters that are not there are zero."""
    n, c1, h, w, c0 = x.shape
    matrix = np.zeros((c1 * h * w, count, c0), x.dtype)
    matrix[:, :n] = x.transpose(1, 2, 3, 0, 4).reshape(-1, n, c0)
    return matrix


def integers(kind, shape):
    return RANDOM.integers(-50, 50, shape).astype({"float": np.float32, "half": np.float16, "int8_t": np.int8}[kind])


def plan():
    """Name, source text, array, expected array."""
    for n, (kind, shape, c0) in enumerate([("float", (2, 16, 4, 6), 8), ("half", (2, 32, 4, 4), 16), ("int8_t", (1, 32, 4, 8), 32), ("half", (3, 16, 3, 5), 16)]):
        x = integers(kind, shape)
        y = blocked(x, c0)
        yield f"map{n}", kernel(f"map{n}", kind, ("NCHW", "NC1HWC0"), x.shape, y.shape, 2048), x, y
        yield f"back{n}", kernel(f"back{n}", kind, ("NC1HWC0", "NCHW"), y.shape, x.shape, 2048), y, x
        yield (f"filter{n}", kernel(f"filter{n}", kind, ("NC1HWC0", "FRACTAL_Z"), y.shape, (y.shape[1] * y.shape[2] * y.shape[3], 1, 16, c0), 64), y,
               filters(y, 16))
    x = integers("half", (2, 2, 16, 2, 8))
    y = blocked(x, 16)
    yield "groups", kernel("groups", "half", ("GNCHW", "GNC1HWC0"), x.shape, y.shape, 2048), x, y
    padded = np.concatenate([y, integers("half", (2, 14, *y.shape[2:]))], 1)  # a group of the source has room for 16 maps
    text = kernel("group_filter", "half", ("GNC1HWC0", "FRACTAL_Z"), y.shape, (2 * y.shape[2] * 16, 1, 16, 16), 64).replace(f", {y.size}, ", f", {padded.size}, ", 1)
    yield "group_filter", text.replace(f">>, {y.size}, ", f">>, {padded.size}, "), padded, np.concatenate([filters(part[:2], 16) for part in padded])
    for n, (kind, shape, c0) in enumerate([("half", (3, 6, 2, 2, 8), 16), ("float", (2, 5, 3, 1, 3), 8)]):
        x = integers(kind, shape)
        c = -(-shape[1] // c0) * c0
        whole = np.zeros((shape[0], c, *shape[2:]), x.dtype)
        whole[:, : shape[1]] = x
        y = np.concatenate([filters(blocked(whole[:, :, d], c0), 16) for d in range(shape[2])])
        yield f"volume{n}", kernel(f"volume{n}", kind, ("NCDHW", "FRACTAL_Z_3D"), x.shape, (y.shape[0], 1, 16, c0), 4096), x, y


def check(folder, preset):
    everything = list(plan())
    parameters = ", ".join(f"GM_ADDR x_{name}, GM_ADDR y_{name}" for name, *_ in everything)
    (folder / "conv.cpp").write_text(HEAD + f'extern "C" __global__ __vector__ void run({parameters}) {{\n' + "".join(text for _, text, *_ in everything) + "}\n")
    command = [PLATFORM, "conv.cpp", "--preset", preset, "--quiet", "--hazards", "error"]
    for name, _, x, expected in everything:
        np.save(folder / f"{name}.npy", np.ascontiguousarray(x).ravel().view(np.uint8))
        command += ["--arg", f"x_{name}={name}.npy", "--arg", f"y_{name}=u8[{expected.nbytes}]", "--output", f"y_{name}={name}.out.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (preset, done.stderr)
    for name, _, x, expected in everything:
        assert np.array_equal(np.load(folder / f"{name}.out.npy").view(x.dtype), expected.ravel()), (preset, name)


with tempfile.TemporaryDirectory() as path:
    for machine in "a2a3", "a5":
        check(pathlib.Path(path), machine)
print("TTRANS of a ConvTile equals NumPy")
