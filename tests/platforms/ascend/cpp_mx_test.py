"""Products with scales in C++: e4m3, e5m2 and packed e2m1 with e8m0 scales, in the layouts of scales that pto-isa has, against Python that decodes
the formats by their definition. All sums are exact in f32. And products of f32 whose factors M rounds to HF32 or TF32."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
// Each class of operations has the pipe that executes it.
static_assert(Event<Op::TMOV_M2L, Op::TMATMUL>::from == PIPE_MTE1 && Event<Op::TMOV_M2L, Op::TMATMUL>::to == PIPE_M);
static_assert(Event<Op::TMOV_V2M, Op::TIMG2COL>::from == PIPE_MTE3 && Event<Op::TMOV_V2M, Op::TIMG2COL>::to == PIPE_MTE1);
static_assert(Event<Op::TEXTRACT_A2M, Op::TPREFETCH>::from == PIPE_FIX && Event<Op::TEXTRACT_A2M, Op::TPREFETCH>::to == PIPE_MTE2);
static_assert(Event<Op::THISTOGRAM, Op::TPRINT>::from == PIPE_V && Event<Op::THISTOGRAM, Op::TPRINT>::to == PIPE_S);
constexpr int M = 32, K = 128, N = 64, S = K / 32;
template <class T> using InA = GlobalTensor<T, Shape<1, 1, 1, M, K>, Stride<M * K, M * K, M * K, K, 1>>;
template <class T> using InB = GlobalTensor<T, Shape<1, 1, 1, K, N>, Stride<K * N, K * N, K * N, N, 1>>;
template <class T, Layout A, Layout B>
AICORE inline void product(__gm__ T* a, __gm__ T* b, __gm__ float8_e8m0_t* sa, __gm__ float8_e8m0_t* sb, __gm__ float* c) {
  using E = float8_e8m0_t;
  GlobalTensor<E, TileShape2D<E, M, S, A>, BaseShape2D<E, M, S, A>, A> scales_a(sa);
  GlobalTensor<E, TileShape2D<E, S, N, B>, BaseShape2D<E, S, N, B>, B> scales_b(sb);
  GlobalTensor<float, Shape<1, 1, 1, M, N>, Stride<M * N, M * N, M * N, N, 1>> to(c);
  Tile<TileType::Mat, T, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor, 512> am;
  Tile<TileType::Mat, T, K, N, BLayout::ColMajor, K, N, SLayout::RowMajor, 512> bm;
  Tile<TileType::Mat, E, M, S, BLayout::RowMajor, M, S, SLayout::RowMajor, 32> sam;
  Tile<TileType::Mat, E, S, N, BLayout::ColMajor, S, N, SLayout::ColMajor, 32> sbm;
  TileLeft<T, M, K> left;
  TileRight<T, K, N> right;
  TileLeftScale<E, M, S> left_scales;
  TileRightScale<E, S, N> right_scales;
  TileAcc<float, M, N> sum;
  TASSIGN(am, 0x0);
  TASSIGN(bm, 0x10000);
  TASSIGN(sam, 0x20000);
  TASSIGN(sbm, 0x21000);
  TASSIGN(left, 0x1000);
  TASSIGN(right, 0x2000);
  TASSIGN(sum, 0x0);
  TASSIGN(left_scales, GetScaleAddr(left.data()));
  TGET_SCALE_ADDR(right_scales, right);
  TLOAD(am, InA<T>(a));
  TLOAD(bm, InB<T>(b));
  TLOAD(sam, scales_a);
  TLOAD(sbm, scales_b);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left, am);
  TMOV(right, bm);
  TMOV(left_scales, sam);
  TMOV(right_scales, sbm);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL_MX(sum, left, left_scales, right, right_scales);
  pipe_barrier(PIPE_M);
  TMATMUL_MX(sum, sum, left, left_scales, right, right_scales);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(to, sum);
}
extern "C" __global__ AICORE void mx(__gm__ TYPE* a, __gm__ TYPE* b, __gm__ float8_e8m0_t* sa, __gm__ float8_e8m0_t* sb, __gm__ float* c) {
  product<TYPE, Layout::A_ORDER, Layout::B_ORDER>(a, b, sa, sb, c);
}
"""
M, K, N, S = 32, 128, 64, 4


def decoded(codes, exponent_bits, fraction_bits):
    """A float without infinities among the codes that the test uses."""
    codes = codes.astype(np.int64)
    sign = np.where(codes >> (exponent_bits + fraction_bits) & 1, -1.0, 1.0)
    exponent = codes >> fraction_bits & ((1 << exponent_bits) - 1)
    fraction = (codes & ((1 << fraction_bits) - 1)) / (1 << fraction_bits)
    bias = (1 << (exponent_bits - 1)) - 1
    return sign * np.where(exponent == 0, fraction * 2.0 ** (1 - bias), (1 + fraction) * 2.0 ** (exponent - bias))


def ordered(scales, order):
    """Scales as (rows of A or columns of B, k) in the order of a layout."""
    n, k = scales.shape
    pairs = scales.reshape(n, k // 2, 2)
    if order in ("MX_A_ZZ", "MX_B_NN"):
        return pairs.reshape(n // 16, 16, k // 2, 2).transpose(0, 2, 1, 3)
    return pairs if order in ("MX_A_ND", "MX_B_DN") else pairs.transpose(1, 0, 2)


def check(folder, kind, a_order, b_order):
    rng = np.random.default_rng(7)
    if kind == "float4_e2m1x2_t":
        a, b = rng.integers(0, 16, (M, K)), rng.integers(0, 16, (K, N))
        stored = [(x[:, 0::2] | x[:, 1::2] << 4).astype(np.uint8) for x in (a, b)]
        left, right = decoded(a, 2, 1), decoded(b, 2, 1)
    else:
        bits = (4, 3) if kind == "float8_e4m3_t" else (5, 2)
        # Exponents around the middle, both signs.
        make = lambda *shape: rng.integers(0, 2, shape) << 7 | rng.integers((1 << bits[0] - 1) - 3, (1 << bits[0] - 1) + 2, shape) << bits[1] | \
            rng.integers(0, 1 << bits[1], shape)
        a, b = make(M, K), make(K, N)
        stored = [a.astype(np.uint8), b.astype(np.uint8)]
        left, right = decoded(a, *bits), decoded(b, *bits)
    sa, sb = rng.integers(125, 130, (M, S)), rng.integers(125, 130, (N, S))
    expected = 2 * ((left * np.repeat(2.0 ** (sa - 127), 32, axis=1)) @ (right * np.repeat(2.0 ** (sb.T - 127), 32, axis=0)))
    arrays = {"a": stored[0], "b": stored[1], "sa": ordered(sa, a_order).astype(np.uint8), "sb": ordered(sb, b_order).astype(np.uint8)}
    (folder / "k.cpp").write_text(KERNEL.replace("TYPE", kind).replace("A_ORDER", a_order).replace("B_ORDER", b_order))
    words = [PLATFORM, "k.cpp", "--preset", "a5", "--quiet", "--hazards", "error", "--set", "launch.clusters=1", "--arg", f"c=f32[{M},{N}]", "--output", "c=c.npy"]
    for name, value in arrays.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(value))
        words += ["--arg", f"{name}={name}.npy"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    got = np.load(folder / "c.npy")
    assert np.array_equal(got, expected.astype(np.float32)), (kind, a_order, b_order, np.abs(got - expected).max(), np.argwhere(got != expected)[:4])


# A product as it is, one in each mode, and one after the mode is off again: the mode is a state of the core.
ROUNDED = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int D = 32;
extern "C" __global__ AICORE void rounded(__gm__ float* a, __gm__ float* b, __gm__ float* c) {
  using G = GlobalTensor<float, Shape<1, 1, 1, D, D>, Stride<D * D, D * D, D * D, D, 1>>;
  Tile<TileType::Mat, float, D, D, BLayout::ColMajor, D, D, SLayout::RowMajor, 512> am, bm;
  TileLeft<float, D, D> left;
  TileRight<float, D, D> right;
  TASSIGN(am, 0x0);
  TASSIGN(bm, 0x2000);
  TASSIGN(left, 0x0);
  TASSIGN(right, 0x0);
  G from_a(a), from_b(b);
  TLOAD(am, from_a);
  TLOAD(bm, from_b);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TMOV(left, am);
  TMOV(right, bm);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  for (int n = 0; n < 4; ++n) {
    TileAcc<float, D, D> sum;
    TASSIGN(sum, n * D * D * 4);
    if (n == 1) left.SetMadTF32Mode(RoundMode::CAST_RINT);
    if (n == 2) left.SetMadTF32Mode();
    if (n == 3) right.ResetMadMode();
    TMATMUL(sum, left, right);
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    G to(c + n * D * D);
    TSTORE(to, sum);
  }
}
"""


def short(values, lost, away):
    """f32 without so many low bits of the mantissa, to nearest."""
    bits = values.view(np.uint32).astype(np.uint64)
    half = 1 << (lost - 1)
    bits = bits + (half if away else half - 1 + (bits >> lost & 1))
    return (bits >> lost << lost).astype(np.uint32).view(np.float32)


def check_rounded(folder, preset, lost):
    # Factors of few bits and no ties but those that are made: sums of 32 products are exact in f32.
    rng = np.random.default_rng(lost)
    a = (rng.integers(-4, 5, (32, 32)) + 0.0).astype(np.float32)
    tie = np.float32(1 + 2.0 ** -(23 - lost) / 2)  # half of the last bit that is kept: even rounds it down, away up
    b = np.where(rng.integers(0, 2, (32, 32)), tie, np.float32(1)).astype(np.float32)
    (folder / "k.cpp").write_text(ROUNDED)
    np.save(folder / "a.npy", a)
    np.save(folder / "b.npy", b)
    words = [PLATFORM, "k.cpp", "--preset", preset, "--quiet", "--set", "launch.clusters=1", "--arg", "a=a.npy", "--arg", "b=b.npy",
             "--arg", "c=f32[4,32,32]", "--output", "c=c.npy"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout + done.stderr
    got = np.load(folder / "c.npy")
    for n, away in enumerate((None, False, True, None)):
        factors = (a, b) if away is None else (short(a, lost, away), short(b, lost, away))
        expected = factors[0].astype(np.float64) @ factors[1].astype(np.float64)
        assert np.array_equal(got[n], expected.astype(np.float32)), (preset, n)
    assert not np.array_equal(got[1], got[0]) and not np.array_equal(got[2], got[1]), "the modes make no difference"


for preset, lost in (("a2a3", 12), ("a5", 13)):
    with tempfile.TemporaryDirectory() as name:
        check_rounded(pathlib.Path(name), preset, lost)
for kind, a_order, b_order in (("float8_e4m3_t", "MX_A_ZZ", "MX_B_NN"), ("float8_e5m2_t", "MX_A_ND", "MX_B_DN"), ("float4_e2m1x2_t", "MX_A_DN", "MX_B_ND")):
    with tempfile.TemporaryDirectory() as name:
        check(pathlib.Path(name), kind, a_order, b_order)
print("ok")
