"""What the device does in kernels in C++ where a stricter rule would refuse them: products that are wider than the valid part of their tile, parts of
tiles that begin at any element (A5), pairs of floats of 4 bits in UB, tiles of L1 in code of a vector core (A5), remainders with high precision and
sums of rows of 64 bits (A5). Against NumPy."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
HEAD = """#include <pto/pto-inst.hpp>
using namespace pto;
template <class T, int R, int C>
using Gm = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<1, 1, R * C, C, 1>>;
template <class T, int R, int C, int RV = R, int CV = C>
using Ub = Tile<TileType::Vec, T, R, C, BLayout::RowMajor, RV, CV>;
"""

# L0C has 45 x 24 valid elements, the product 48 x 32. FIX stores the valid ones.
PRODUCT = HEAD + """
extern "C" __global__ AICORE void kernel(__gm__ half* a, __gm__ half* b, __gm__ float* y) {
  Tile<TileType::Mat, half, 48, 64, BLayout::ColMajor, 48, 64, SLayout::RowMajor> am;
  Tile<TileType::Mat, half, 64, 32, BLayout::ColMajor, 64, 32, SLayout::RowMajor> bm;
  TileLeft<half, 48, 64> left;
  TileRight<half, 64, 32> right;
  TileAcc<float, 48, 32, 45, 24> sum;
  TASSIGN(am, 0x0);
  TASSIGN(bm, 0x8000);
  TASSIGN(left, 0x0);
  TASSIGN(right, 0x0);
  TASSIGN(sum, 0x0);
  TLOAD(am, Gm<half, 48, 64>(a));
  TLOAD(bm, Gm<half, 64, 32>(b));
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left, am);
  TMOV(right, bm);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sum, left, right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(Gm<float, 45, 24>(y), sum);
}
"""

VECTOR = HEAD + """
template <class A, class B>
AICORE inline void load_both(A& a, B& b, __gm__ typename A::DType* x, __gm__ typename B::DType* y) {
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x8000);
  TLOAD(a, Gm<typename A::DType, A::Rows, A::Cols>(x));
  TLOAD(b, Gm<typename B::DType, B::Rows, B::Cols>(y));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
}
template <class T>
AICORE inline void store(T& t, __gm__ typename T::DType* y) {
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Gm<typename T::DType, T::Rows, T::ValidCol>(y), t);
}
"""
PARTS = VECTOR + """
extern "C" __global__ AICORE void kernel(__gm__ float* x, __gm__ float* y) {
  Ub<float, 16, 16> from, to;
  load_both(from, to, x, y);
  Ub<float, 8, 8> part;
  TASSIGN(part, 0x4000);
  TEXTRACT(part, from, 4, 3);
  pipe_barrier(PIPE_V);
  TINSERT(to, part, 2, 5);
  store(to, y);
}
"""
PAIRS = VECTOR + """
extern "C" __global__ AICORE void kernel(__gm__ int8_t* x, __gm__ int8_t* y) {
  Ub<int8_t, 16, 64> from;
  Ub<int8_t, 8, 32> to;
  load_both(from, to, x, y);
  Ub<float4_e2m1x2_t, 16, 64> pairs;
  Ub<float4_e2m1x2_t, 8, 32> part;
  TASSIGN(pairs, 0x0);
  TASSIGN(part, 0x8000);
  TEXTRACT(part, pairs, 4, 32);
  store(to, y);
}
"""
REST = VECTOR + """
extern "C" __global__ AICORE void kernel(__gm__ float* x, __gm__ float* z, __gm__ float* fmod, __gm__ float* rem, __gm__ float* rough) {
  Ub<float, 16, 64> a, b, c, d, e, s;
  load_both(a, b, x, z);
  TASSIGN(c, 0x10000);
  TASSIGN(d, 0x12000);
  TASSIGN(e, 0x14000);
  TASSIGN(s, 0x16000);
  TFMOD<FmodAlgorithm::HIGH_PRECISION>(c, a, b);
  TREM<RemAlgorithm::HIGH_PRECISION>(d, a, b, s);
  TFMOD(e, a, b);
  store(c, fmod);
  store(d, rem);
  store(e, rough);
}
"""
SUMS = VECTOR + """
extern "C" __global__ AICORE void kernel(__gm__ int64_t* x, __gm__ int64_t* z, __gm__ int64_t* sum, __gm__ int64_t* most) {
  Ub<int64_t, 8, 16> a, b, s;
  load_both(a, b, x, z);
  Ub<int64_t, 8, 4, 8, 1> c, d;
  TASSIGN(c, 0x10000);
  TASSIGN(d, 0x12000);
  TASSIGN(s, 0x14000);
  TROWSUM(c, a, s);
  TROWMAX(d, a, s);
  store(c, sum);
  store(d, most);
}
"""
# The vector cores run the loads of L1 too, which do nothing there.
MIXED = HEAD + """
extern "C" __global__ AICORE void kernel(__gm__ half* x, __gm__ half* y) {
  Tile<TileType::Mat, half, 16, 64> in_l1;
  Ub<half, 16, 64> in_ub;
  TASSIGN(in_l1, 0x0);
  TASSIGN(in_ub, 0x0);
  TLOAD(in_l1, Gm<half, 16, 64>(x));
#ifdef __DAV_CUBE__
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  for (int aiv = 0; aiv < 2; ++aiv) {
    copy_cbuf_to_ubuf((__ubuf__ void*)in_ub.data(), (__cbuf__ void*)in_l1.data(), aiv, 1, 64, 0, 0);
    set_intra_block(PIPE_MTE1, 16 * aiv);
  }
#endif
#ifdef __DAV_VEC__
  wait_intra_block(PIPE_MTE3, 0);
  if (get_subblockid() == 1) TSTORE(Gm<half, 16, 64>(y), in_ub);
#endif
}
"""
# Overloads that g++ tells apart in a call only; the kernel is instantiated as public texts do it.
OVERLOADS = HEAD + """
template <uint32_t Case, class T>
AICORE inline void kernel(__gm__ float* y, T by) {
  Ub<float, 8, 8> t;
  TASSIGN(t, 0x0);
  TEXPANDS(t, float(by) * Case);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Gm<float, 8, 8>(y), t);
}
template <uint32_t Case>
__global__ AICORE void kernel(__gm__ float* y, float by) {
  kernel<Case, float>(y, by + 1);
}
struct Other {
  template <int N> void run() const {}
};
AICORE inline void calls(Other o) { o.template run<1>(); }
template void kernel<3, float>(__gm__ float*, float);
template void kernel<3>(__gm__ float*, float);
"""


def run(folder, text, arrays, preset="a5", *options, fails=False):
    """The arrays after the run; or what the run says, if it `fails`."""
    (folder / "kernel.cpp").write_text(text, encoding="utf-8")
    function = [] if "--function" in options else ["--function", "kernel"]
    command = [PLATFORM, "kernel.cpp", *function, "--preset", preset, "--quiet", "--hazards", "error", *options]
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        command += ["--arg", f"{name}={name}.npy", "--output", f"{name}={name}.out.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=280)
    if fails:
        assert done.returncode == 4, done
        return done.stderr
    assert done.returncode == 0, done.stderr
    return {name: np.load(folder / f"{name}.out.npy").reshape(array.shape) for name, array in arrays.items()}


def equal(what, got, expected):
    assert np.array_equal(got, expected), f"{what}: {got} instead of {expected}"


def check_products(folder, random):
    a, b = random.integers(-4, 5, (48, 64)).astype(np.float16), random.integers(-4, 5, (64, 32)).astype(np.float16)
    expected = (a.astype(np.float32) @ b.astype(np.float32))[:45, :24]
    for preset in ("a2a3", "a5"):
        got = run(folder, PRODUCT, {"a": a, "b": b, "y": np.zeros((45, 24), np.float32)}, preset)
        equal("product on " + preset, got["y"], expected)


def check_parts(folder, random):
    x, y = random.random((16, 16)).astype(np.float32), random.random((16, 16)).astype(np.float32)
    expected = y.copy()
    expected[2:10, 5:13] = x[4:12, 3:11]
    equal("parts", run(folder, PARTS, {"x": x, "y": y})["y"], expected)
    said = run(folder, PARTS, {"x": x, "y": y}, "a2a3", fails=True)
    assert "begins at byte" in said, said
    x = random.integers(-128, 128, (16, 64)).astype(np.int8)
    got = run(folder, PAIRS, {"x": x, "y": np.zeros((8, 32), np.int8)})
    equal("pairs of floats of 4 bits", got["y"], x[4:12, 32:64])


def check_arithmetic(folder, random):
    x = ((random.random((16, 64)) - 0.5) * 2e30).astype(np.float32)
    z = ((random.random((16, 64)) - 0.5) * 2e3).astype(np.float32)
    empty = np.zeros_like(x)
    got = run(folder, REST, {"x": x, "z": z, "fmod": empty, "rem": empty, "rough": empty})
    exact = np.fmod(x.astype(np.float64), z.astype(np.float64))
    equal("fmod", got["fmod"], exact.astype(np.float32))
    equal("rem", got["rem"], np.where(exact * z < 0, exact + z, exact).astype(np.float32))
    assert not np.array_equal(got["rough"], got["fmod"]), "without high precision a large quotient leaves another rest"
    x = random.integers(-2**62, 2**62, (8, 16))
    column = np.zeros((8, 1), np.int64)
    got = run(folder, SUMS, {"x": x, "z": x, "sum": column, "most": column})
    with np.errstate(over="ignore"):
        equal("sums", got["sum"][:, 0], x.sum(axis=1))
    equal("largest", got["most"][:, 0], x.max(axis=1))


def check_mixed(folder, random):
    x = random.random((16, 64)).astype(np.float16)
    equal("through L1", run(folder, MIXED, {"x": x, "y": np.zeros_like(x)})["y"], x)


def check_overloads(folder, _):
    got = run(folder, OVERLOADS, {"y": np.zeros((8, 8), np.float32)}, "a5", "--function", "kernel<3u>(float*, float)", "--arg", "by=1.5")
    equal("overload", got["y"], np.full((8, 8), 7.5, np.float32))


with tempfile.TemporaryDirectory() as scratch:
    for check in (check_products, check_parts, check_arithmetic, check_mixed, check_overloads):
        check(pathlib.Path(scratch), np.random.default_rng(7))
print("products, parts, arithmetic and mixed kernels: equal")
