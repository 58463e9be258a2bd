"""Types that the vendor's library takes or refuses, in C++: bits of floats with a number, powers, positions; and messages of cross-core flags
that the scalar unit stores. Against NumPy."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
HEAD = """#include <pto/pto-inst.hpp>
using namespace pto;
template <class T>
using Gm = GlobalTensor<T, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 256, 32, 1>>;
template <class T>
using Ub = Tile<TileType::Vec, T, 8, 32>;
"""
BITS = HEAD + """
template <class T>
AICORE inline void bits(__gm__ T* x, __gm__ T* y, T number) {
  Ub<T> a, c, t;
  TASSIGN(a, 0x0);
  TASSIGN(c, 0x2000);
  TASSIGN(t, 0x4000);
  TLOAD(a, Gm<T>(x));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  TANDS(c, a, number);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Gm<T>(y), c);
  PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
  TORS(c, a, number);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Gm<T>(y + 256), c);
  PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
  TXORS(c, a, number, t);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Gm<T>(y + 512), c);
}
extern "C" __global__ AICORE void kernel(__gm__ float* x, __gm__ half* h, __gm__ int8_t* b, __gm__ float* y, __gm__ half* z, __gm__ int8_t* c) {
#ifdef __DAV_VEC__
  bits(x, y, -1.5f);
  pipe_barrier(PIPE_ALL);
  bits(h, z, half(0.75f));
  pipe_barrier(PIPE_ALL);
  bits(b, c, int8_t(0x5A));
#endif
}
"""
# The cube frees a slot for the vector cores by hand, as a message that its scalar unit stores, and they answer with a flag of MTE3.
MESSAGES = HEAD + """
extern "C" __global__ AICORE void kernel(__gm__ float* x, __gm__ float* y, __gm__ uint64_t* base) {
  set_ffts_base_addr((uint64_t)base);
#ifdef __DAV_CUBE__
  for (int n = 0; n < FREES; ++n) st_dev(getFFTSMsg(0x2, 3), base, 0);
  for (int n = 0; n < 3; ++n) {
    wait_flag_dev(4);
    if (n + FREES < 3) st_dev(getFFTSMsg(0x2, 3), base, 0);
  }
#else
  Ub<float> t;
  TASSIGN(t, 0x0);
  TLOAD(t, Gm<float>(x));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  for (int n = 0; n < 3; ++n) {
    wait_flag_dev(3);
    TADDS(t, t, 1.0f);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    if (get_subblockid() == 0) TSTORE(Gm<float>(y + 256 * n), t);
    PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
    ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(0x2, 4));
  }
#endif
}
"""
# One row is what the scalar unit counts in, so that it is a tile of its own.
REFUSED = HEAD + """
template <class T>
using Row = Tile<TileType::Vec, T, 1, 32>;
extern "C" __global__ AICORE void kernel(int n) {
  Ub<float> f;
  Ub<half> h;
  Ub<bfloat16_t> b, p, q, s;
  Ub<int16_t> i;
  Ub<int32_t> l;
  Ub<uint8_t> m;
  Row<int64_t> w;
  TASSIGN(f, 0x0); TASSIGN(h, 0x1000); TASSIGN(b, 0x2000); TASSIGN(i, 0x3000); TASSIGN(l, 0x4000); TASSIGN(m, 0x5000); TASSIGN(w, 0x6000);
  TASSIGN(p, 0x7000); TASSIGN(q, 0x8000); TASSIGN(s, 0x9000);
  if (n == 0) TSCATTER(f, f, i);
  if (n == 1) TSCATTER(h, h, l);
  if (n == 2) TADDRELUCONV(m, f, f);
  if (n == 3) TCI<Row<int64_t>, int64_t, 0>(w, 1);
  if (n == 4) TPOW(p, b, q, s);
  if (n == 5) TPOW<PowAlgorithm::HIGH_PRECISION>(p, b, q, s);
  if (n == 6) TSELS(b, m, b, s, bfloat16_t(1.0f));
  if (n == 7) TPARTARGMAX(f, f, f, i, i, i);
  if (n == 8) TGATHER(f, f, i, i);
  if (n == 9) ffts_cross_core_sync(PIPE_S, getFFTSMsg(0x2, 3));
}
"""
REFUSALS = {  # what is said, by machine; None: nothing
    0: ("TSCATTER of f32 has an index of i32 or ui32",) * 2,
    1: ("TSCATTER of f16 has an index of i16 or ui16",) * 2,
    2: ("TADDRELUCONV of f32 has a result of f16",) * 2,
    3: ("TCI works on i16",) * 2,
    4: ("TPOW works on i8", "TPOW works on i8"),
    5: ("TPOW works on i8", None),
    6: (None, "TSELS works on i8"),
    7: ("TPARTARGMAX of f32 has positions of i32 or ui32",) * 2,
    8: ("TGATHER of f32 has an index of i32 or ui32", None),
    9: ("pipe S cannot trigger a cross-core flag",) * 2,
}


def run(folder, text, preset, *words, expect=0, flags=()):
    (folder / "k.cpp").write_text(text)
    command = [PLATFORM, "k.cpp", "--preset", preset, "--quiet", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, stdin=subprocess.DEVNULL)
    assert expect is None or done.returncode == expect, done.stdout + done.stderr
    return done


def bits_of_floats(folder, preset):
    rng = np.random.default_rng(1)
    given = {"x": rng.normal(size=(8, 32)).astype(np.float32), "h": rng.normal(size=(8, 32)).astype(np.float16),
             "b": rng.integers(-128, 127, (8, 32)).astype(np.int8)}
    results = {"y": ("f32", "x", np.float32(-1.5)), "z": ("f16", "h", np.float16(0.75)), "c": ("i8", "b", np.int8(0x5A))}
    words = ["--set", "launch.clusters=1", "--set", "launch.ratio=0:1", "--hazards", "error"]
    for name, values in given.items():
        np.save(folder / f"{name}.npy", values)
        words += ["--arg", f"{name}={name}.npy"]
    for name, (kind, _, _) in results.items():
        words += ["--arg", f"{name}={kind}[3,8,32]", "--output", f"{name}={name}.out.npy"]
    run(folder, BITS, preset, *words)
    for name, (_, source, number) in results.items():
        found, x = np.load(folder / f"{name}.out.npy"), given[source]
        unsigned = {4: np.uint32, 2: np.uint16, 1: np.uint8}[x.itemsize]
        raw, mask = x.view(unsigned), np.array(number).view(unsigned)
        for n, expected in enumerate((raw & mask, raw | mask, raw ^ mask)):
            np.testing.assert_array_equal(found[n].view(unsigned), expected, err_msg=f"{preset} {name} {n}")


def stored_messages(folder):
    x = np.random.default_rng(2).normal(size=(8, 32)).astype(np.float32)
    np.save(folder / "x.npy", x)
    words = ["--arg", "x=x.npy", "--arg", "y=f32[3,8,32]", "--arg", "base=u64[8]", "--output", "y=y.npy", "--set", "launch.clusters=1",
             "--hazards", "error"]
    for frees in (1, 3):  # one after the other, or all of them ahead
        run(folder, MESSAGES.replace("FREES", str(frees)), "a2a3", *words)
        one = np.float32(1)
        np.testing.assert_array_equal(np.load(folder / "y.npy"), np.stack([x + one, x + one + one, x + one + one + one]))
    done = run(folder, MESSAGES.replace("FREES", "0").replace("n + 0 < 3", "n > 5"), "a2a3", *words, expect=None)
    assert done.returncode != 0 and "deadlock" in done.stderr, done.stdout + done.stderr  # nobody frees the first slot


def refusals(folder):
    for column, preset in enumerate(("a2a3", "a5")):
        for n, said in REFUSALS.items():
            done = run(folder, REFUSED, preset, "--arg", f"n={n}", "--no-data", "--set", "launch.clusters=1", "--set", "launch.ratio=0:1",
                       expect=None)
            if said[column] is None:
                assert done.returncode == 0, (n, preset, done.stderr)
            else:
                assert done.returncode != 0 and said[column] in done.stderr, (n, preset, said[column], done.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for preset in ("a2a3", "a5"):
            bits_of_floats(folder, preset)
        stored_messages(folder)
        refusals(folder)


main()
