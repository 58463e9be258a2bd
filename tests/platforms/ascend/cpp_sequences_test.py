"""Kernels in C++ against NumPy where the instructions of an operation decide: the valid part of the result says what is computed, whatever is
valid of the sources, a reciprocal root is a root and a division, and a scatter clears its result."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]

HEAD = """#include <pto/pto-inst.hpp>
using namespace pto;
template <int Rows, int Cols> using Gm = GlobalTensor<float, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Cols, 1>>;
using Whole = Tile<TileType::Vec, float, 8, 16>;
"""

SIZES = HEAD + """
extern "C" __global__ AICORE void sizes(__gm__ float* x, __gm__ float* y, __gm__ float* larger, __gm__ float* spread) {
#ifdef __DAV_VEC__
  Whole a, b, c, d;
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 8, 2> narrow;
  Tile<TileType::Vec, float, 1, 16, BLayout::RowMajor, 1, 4> line;
  Tile<TileType::Vec, float, 8, 8> small;
  Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor> column;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  TASSIGN(narrow, 0x1000);
  TASSIGN(line, 0x1000);
  TASSIGN(small, 0x1000);
  TASSIGN(column, 0x1000);
  TASSIGN(c, 0x2000);
  TASSIGN(d, 0x3000);
  TLOAD(a, Gm<8, 16>(x));
  TLOAD(b, Gm<8, 16>(y));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  OPERATION;
  TCOLEXPAND(d, line);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Gm<8, 16>(larger), c);
  TSTORE(Gm<8, 16>(spread), d);
#endif
}
"""

ROOTS = HEAD + """
extern "C" __global__ AICORE void roots(__gm__ float* x, __gm__ float* r, __gm__ float* s) {
#ifdef __DAV_VEC__
  Whole a, b, c, scratch;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  TASSIGN(c, 0x2000);
  TASSIGN(scratch, 0x3000);
  TLOAD(a, Gm<8, 16>(x));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TRSQRT(b, a, scratch);
  TRSQRT(c, a);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Gm<8, 16>(r), b);
  TSTORE(Gm<8, 16>(s), c);
#endif
}
"""

SCATTER = HEAD + """
extern "C" __global__ AICORE void scatter(__gm__ float* x, __gm__ float* y, __gm__ int32_t* at, __gm__ float* out) {
#ifdef __DAV_VEC__
  Tile<TileType::Vec, float, 4, 16> a;
  Tile<TileType::Vec, int32_t, 4, 16> index;
  Whole b;
  TASSIGN(a, 0x0);
  TASSIGN(index, 0x1000);
  TASSIGN(b, 0x2000);
  TLOAD(a, Gm<4, 16>(x));
  TLOAD(index, GlobalTensor<int32_t, Shape<1, 1, 1, 4, 16>, Stride<1, 1, 1, 16, 1>>(at));
  TLOAD(b, Gm<8, 16>(y));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TSCATTER(b, a, index);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Gm<8, 16>(out), b);
#endif
}
"""


COMPARE = HEAD + """
using Line = GlobalTensor<uint32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
using Words = GlobalTensor<uint32_t, Shape<1, 1, 1, 4, 80>, Stride<1, 1, 1, 80, 1>>;
extern "C" __global__ AICORE void compare(__gm__ float* x, __gm__ uint32_t* limits, __gm__ uint32_t* places, __gm__ uint32_t* counts) {
#ifdef __DAV_VEC__
  using From = Tile<TileType::Vec, float, 4, 80>;
  using Limits = Tile<TileType::Vec, uint32_t, 8, 1, BLayout::ColMajor>;
  using Places = Tile<TileType::Vec, uint32_t, 4, 80>;
  using Counts = Tile<TileType::Vec, uint32_t, 1, 8>;
  using Scratch = Tile<TileType::Vec, uint8_t, 4, 32>;
  From from;
  Limits wanted;
  Places to;
  Counts n;
  Scratch scratch;
  Tile<TileType::Vec, uint32_t, 1, 8> line;
  TASSIGN(from, 0x0);
  TASSIGN(wanted, 0x1000);
  TASSIGN(line, 0x1000);
  TASSIGN(to, 0x2000);
  TASSIGN(n, 0x3000);
  TASSIGN(scratch, 0x4000);
  TLOAD(from, Gm<4, 80>(x));
  TLOAD(line, Line(limits));
  TLOAD(to, Words(places));
  TLOAD(n, Line(counts));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TGATHER<Places, From, Limits, Counts, Scratch, CmpMode::MODE>(to, from, wanted, n, scratch, 7);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Words(places), to);
  TSTORE(Line(counts), n);
#endif
}
"""


def run(folder, text, preset, inputs, outputs):
    """The results; of a run that fails its message."""
    (folder / "k.cpp").write_text(text)
    command = [PLATFORM, "k.cpp", "--preset", preset, "--quiet"]
    for key, value in inputs.items():
        np.save(folder / f"{key}.npy", value)
        command += ["--arg", f"{key}={key}.npy"]
    for key in outputs:
        command += ["--arg", f"{key}=f32[8,16]", "--output", f"{key}={key}.out.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280, check=False)
    return done.stderr if done.returncode else [np.load(folder / f"{key}.out.npy") for key in outputs]


def check(condition, what):
    if not condition:
        sys.exit(f"{sys.argv[0]}: {what}")


def sizes(folder, rng):
    x, y = (rng.uniform(-1, 1, (8, 16)).astype("f4") for _ in range(2))
    for preset in ("a2a3", "a5"):
        got = run(folder, SIZES.replace("OPERATION", "TMAX(c, a, narrow)"), preset, {"x": x, "y": y}, ("larger", "spread"))
        check(isinstance(got, list), f"{preset}: {got}")
        check(np.array_equal(got[0], np.maximum(x, y)), f"{preset}: TMAX computes what is valid of its result")
        check(np.array_equal(got[1], np.broadcast_to(y[0], (8, 16))), f"{preset}: TCOLEXPAND computes what is valid of its result")
        got = run(folder, SIZES.replace("OPERATION", "TROWEXPANDMUL(c, a, column)"), preset, {"x": x, "y": y}, ("larger", "spread"))
        check(isinstance(got, list) and np.array_equal(got[0], x * y.ravel()[:8, None]), f"{preset}: a column that is longer than the result: {got}")
    for wrong in ("TADDS(c, narrow, 1.0f)", "TMAX(c, a, small)"):  # the library leaves the first one out; the second would read beyond a tile
        got = run(folder, SIZES.replace("OPERATION", wrong), "a2a3", {"x": x, "y": y}, ("larger", "spread"))
        check(isinstance(got, str) and "expected the same valid rows and columns" in got, f"{wrong}: {got}")


def roots(folder, rng):
    x = rng.uniform(0.1, 9, (8, 16)).astype("f4")
    twice, once = np.float32(1) / np.sqrt(x), (1 / np.sqrt(x.astype("f8"))).astype("f4")
    check(not np.array_equal(twice, once), "the two ways have to differ")
    for preset in ("a2a3", "a5"):
        with_scratch, plain = run(folder, ROOTS, preset, {"x": x}, ("r", "s"))
        check(np.array_equal(with_scratch, twice), f"{preset}: a root with scratch is rounded")
        check(np.array_equal(plain, twice if preset == "a5" else once), f"{preset}: a root without scratch")


def scatter(folder, rng):
    x, y = rng.uniform(1, 2, (4, 16)).astype("f4"), rng.uniform(1, 2, (8, 16)).astype("f4")
    at = rng.permutation(128)[:64].astype("i4").reshape(4, 16)
    expected = np.zeros((8, 16), "f4")
    expected.flat[at.ravel()] = x.ravel()
    for preset in ("a2a3", "a5"):
        got = run(folder, SCATTER, preset, {"x": x, "y": y, "at": at}, ("out",))
        check(isinstance(got, list) and np.array_equal(got[0], expected), f"{preset}: what no index names becomes 0: {got}")


def compare(folder, rng):
    """Positions count elements of the tile on A2/A3; on A5 a row begins at the next 64."""
    x = rng.integers(0, 6, (4, 80)).astype("f4")
    limits = np.array([1, 2, 3, 4] + [9] * 4, "u4")
    for preset in ("a2a3", "a5"):
        for mode, holds in (("GT", np.greater), ("EQ", np.equal)):
            (folder / "k.cpp").write_text(COMPARE.replace("MODE", mode))
            np.save(folder / "x.npy", x)
            np.save(folder / "limits.npy", limits)
            command = [PLATFORM, "k.cpp", "--preset", preset, "--quiet", "--arg", "x=x.npy", "--arg", "limits=limits.npy"]
            command += ["--arg", "places=u32[4,80]", "--output", "places=p.npy", "--arg", "counts=u32[8]", "--output", "counts=c.npy"]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280, check=False)
            check(done.returncode == 0, f"{preset} {mode}: {done.stderr}")
            places, counts = np.load(folder / "p.npy"), np.load(folder / "c.npy")
            for r in range(4):
                wanted = np.flatnonzero(holds(x[r], limits[r])) + 7 + r * (80 if preset == "a2a3" else 128)
                check(counts[r] == len(wanted), f"{preset} {mode}: row {r} has {counts[r]} matches, not {len(wanted)}")
                check(np.array_equal(places[r, : len(wanted)], wanted), f"{preset} {mode}: row {r}: {places[r]}, not {wanted}")
                check(not places[r, len(wanted):].any(), f"{preset} {mode}: what lies behind the matches of row {r} changes")


def selected(folder, rng):
    """What a pattern selects of all rows lies one after the other, in a result with room for more."""
    x = rng.uniform(-1, 1, (8, 16)).astype("f4")
    for preset in ("a2a3", "a5"):
        got = run(folder, SIZES.replace("OPERATION", "TGATHER<Whole, Whole, MaskPattern::P1010>(c, a)"), preset, {"x": x, "y": x}, ("larger", "spread"))
        check(isinstance(got, list) and np.array_equal(got[0].ravel()[:64], x[:, 1::2].ravel()), f"{preset}: {got}")


def sums(folder, rng):
    """A sum of rows writes a number for each, whatever columns of its result are valid."""
    x = rng.integers(-9, 9, (8, 16)).astype("f4")
    for preset in ("a2a3", "a5"):
        got = run(folder, SIZES.replace("OPERATION", "TROWSUM(c, a, d)"), preset, {"x": x, "y": x}, ("larger", "spread"))
        check(isinstance(got, list) and np.array_equal(got[0][:, 0], x.sum(1)), f"{preset}: {got}")


def bits(folder, rng):
    """TAND moves bits of floats; A5 packs a mask into words of 32 bits."""
    x, y = (rng.uniform(-1, 1, (8, 16)).astype("f4") for _ in range(2))
    for preset in ("a2a3", "a5"):
        got = run(folder, SIZES.replace("OPERATION", "TAND(c, a, b)"), preset, {"x": x, "y": y}, ("larger", "spread"))
        check(isinstance(got, list) and np.array_equal(got[0].view("u4"), x.view("u4") & y.view("u4")), f"{preset}: TAND of floats: {got}")
    masked = "Tile<TileType::Vec, uint32_t, 8, 8, BLayout::RowMajor, 8, 1> m; TASSIGN(m, 0x4000); TCMP(m, a, b, CmpMode::GT); TSEL(c, m, a, b, d)"
    got = run(folder, SIZES.replace("OPERATION", masked), "a5", {"x": x, "y": y}, ("larger", "spread"))
    check(isinstance(got, list) and np.array_equal(got[0], np.maximum(x, y)), f"a mask of 32 bits: {got}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        sizes(pathlib.Path(folder), np.random.default_rng(1))
        roots(pathlib.Path(folder), np.random.default_rng(2))
        scatter(pathlib.Path(folder), np.random.default_rng(3))
        compare(pathlib.Path(folder), np.random.default_rng(4))
        selected(pathlib.Path(folder), np.random.default_rng(6))
        sums(pathlib.Path(folder), np.random.default_rng(7))
        bits(pathlib.Path(folder), np.random.default_rng(5))


if __name__ == "__main__":
    main()
