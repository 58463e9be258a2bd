"""How kernels in C++ are launched: marks of a kernel (`__vector__`, `__mix__`, those of PTO for SYNCALL) and settings give the cores that take part and
their numbers; a kernel for vector cores only that counts on two AIVs a block is warned of. And pushes by FIX with a conversion or scale, fills by
mask, and assembly that reads a register, as public kernels have them."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]

# Each AIV writes its numbers into a row of its own, by GM's order of arrival: block, subblock, how many of each.
NUMBERS = """#include <pto/pto-inst.hpp>
using namespace pto;
%(before)s
extern "C" __global__ %(mark)s AICORE void run(__gm__ int* out) {
#ifdef __DAV_VEC__
  const int row = static_cast<int>(get_block_idx() * 2 + get_subblockid()) * 16;
  out[row] = static_cast<int>(get_block_idx()) + 1;
  out[row + 1] = static_cast<int>(get_subblockid());
  out[row + 2] = static_cast<int>(get_block_num());
  %(dim)s
  dcci(out + row, SINGLE_CACHE_LINE);
  %(more)s
  pipe_barrier(PIPE_ALL);
#endif
}
"""
DIM = "out[row + 3] = static_cast<int>(get_subblockdim());"


def run(folder, text, *options, preset="a2a3"):
    (folder / "k.cpp").write_text(text)
    return subprocess.run([PLATFORM, "k.cpp", "--preset", preset, *options], cwd=folder, capture_output=True, text=True, timeout=300)


def numbers(folder, mark="", before="", dim=DIM, more="", options=()):
    done = run(folder, NUMBERS % {"mark": mark, "before": before, "dim": dim, "more": more}, "--arg", "out=i32[128]", "--output", "out=out.npy",
               "--set", "launch.clusters=2", *options)
    assert done.returncode == 0, (mark, done.stderr)
    rows = np.load(folder / "out.npy").reshape(8, 16)[:, :4]
    return [tuple(row) for row in rows[rows[:, 0] > 0]], done.stdout


def check_numbers(folder):
    alone = [(b + 1, 0, 4, 1) for b in range(4)]
    pairs = [(b + 1, s, 2, 2) for b in range(2) for s in range(2)]
    single = [(b + 1, 0, 2, 1) for b in range(2)]
    vectors = "using T = Tile<TileType::Vec, float, 1, 8>; T t; TASSIGN(t, 0); TEXPANDS(t, 0.0f);"
    for mark, before, options, expected in (
            ("", "", (), alone), ("__vector__", "", (), alone), ("__attribute__((aiv))", "", (), alone), ("__mix__(1, 2)", "", (), pairs),
            ("__mix__(1, 1)", "", (), single), ("", "PTO_SYNCALL_MIX_AIC_KERNEL_META(run, 1, 1);", (), single),
            ("", "PTO_SYNCALL_MIX_AIC_KERNEL_META(other, 1, 1);", (), alone), ("", "", ("--set", "launch.ratio=1:2"), pairs),
            ("__mix__(1, 2)", "", ("--set", "launch.ratio=0:2"), alone)):
        found, said = numbers(folder, mark, before, more=vectors, options=options)
        assert sorted(found) == expected, (mark, before, options, found)
        assert "subblocks" not in said, said
    # Cross-core flags are lost on vector cores alone, unless a mark says that the scheduling module counts them.
    for mark, before in (("__mix__(0, 1)", ""), ("", "PTO_SYNCALL_AIV_KERNEL_META(run);")):
        found, _ = numbers(folder, mark, before, more=vectors + " SYNCALL<SyncCoreType::AIVOnly>();", options=("--set", "sync.missing_ffts=ignore"))
        assert sorted(found) == alone, (mark, found)
    found, said = numbers(folder, dim="", more=vectors)
    assert [f[:3] for f in sorted(found)] == [f[:3] for f in alone] and "/tessera/ascend/subblocks" in said, said


PUSH = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int M = 16, K = 32, N = 32;
template <class Config, class Out, class In, class Sum, int Flag, class Set>
AICORE inline void one(__gm__ uint8_t* ring, __gm__ In* a, __gm__ In* b, __gm__ Out* c, Set set) {
  TPipe<Flag, Direction::DIR_C2V, sizeof(Out) * M * N, 2> pipe(ring + Flag * 1024, 0x8000, 0x0);
#ifdef __DAV_CUBE__
  Tile<TileType::Mat, In, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor, 512> am;
  Tile<TileType::Mat, In, K, N, BLayout::ColMajor, K, N, SLayout::RowMajor, 512> bm;
  TileLeft<In, M, K> left;
  TileRight<In, K, N> right;
  TileAcc<Sum, M, N> sum;
  TASSIGN(am, 0x0);
  TASSIGN(bm, 0x4000);
  TASSIGN(left, 0x0);
  TASSIGN(right, 0x0);
  TASSIGN(sum, 0x0);
  TLOAD(am, GlobalTensor<In, Shape<1, 1, 1, M, K>, Stride<M * K, M * K, M * K, K, 1>>(a));
  TLOAD(bm, GlobalTensor<In, Shape<1, 1, 1, K, N>, Stride<K * N, K * N, K * N, N, 1>>(b));
  pipe_barrier(PIPE_ALL);
  TMOV(left, am);
  TMOV(right, bm);
  pipe_barrier(PIPE_ALL);
  TMATMUL(sum, left, right);
  pipe_barrier(PIPE_ALL);
  set();
  TPUSH<decltype(pipe), decltype(sum), Config>(pipe, sum);
  pipe_barrier(PIPE_ALL);
#else
  if (get_subblockid() == 0) {
    Tile<TileType::Vec, Out, M, N> got;
    TPOP<decltype(pipe), decltype(got), TileSplitAxis::TILE_NO_SPLIT>(pipe, got);
    pipe_barrier(PIPE_ALL);
    TSTORE(GlobalTensor<Out, Shape<1, 1, 1, M, N>, Stride<M * N, M * N, M * N, N, 1>>(c), got);
    TFREE<decltype(pipe), TileSplitAxis::TILE_NO_SPLIT>(pipe);
    pipe_barrier(PIPE_ALL);
  }
#endif
}
extern "C" __global__ AICORE void run(__gm__ uint8_t* ring, __gm__ half* a, __gm__ half* b, __gm__ int8_t* ia, __gm__ int8_t* ib, __gm__ half* plain,
                                      __gm__ half* relu, __gm__ half* scaled) {
  one<FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::F322F16>, half, half, float, 0>(ring, a, b, plain, [] {});
  one<FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::F322F16, ReluPreMode::NormalRelu>, half, half, float, 4>(ring, a, b, relu, [] {});
  one<FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::DEQF16>, half, int8_t, int32_t, 8>(ring, ia, ib, scaled, [] { SET_QUANT_SCALAR<half>(0.5f); });
}
"""


def check_pushes(folder):
    random = np.random.default_rng(3)
    arrays = {"a": random.integers(-3, 4, (16, 32)).astype(np.float16), "b": random.integers(-3, 4, (32, 32)).astype(np.float16),
              "ia": random.integers(-9, 10, (16, 32)).astype(np.int8), "ib": random.integers(-9, 10, (32, 32)).astype(np.int8)}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    product = arrays["a"].astype(np.float32) @ arrays["b"].astype(np.float32)
    expected = {"plain": product, "relu": np.maximum(product, 0), "scaled": arrays["ia"].astype(np.int32) @ arrays["ib"].astype(np.int32) * 0.5}
    for preset in ("a2a3", "a5"):
        options = ["--arg", "ring=u8[16384]", "--set", "sync.missing_ffts=ignore"]
        for name in arrays:
            options += ["--arg", f"{name}={name}.npy"]
        for name in expected:
            options += ["--arg", f"{name}=f16[16,32]", "--output", f"{name}={name}.npy"]
        done = run(folder, PUSH, *options, preset=preset)
        assert done.returncode == 0, done.stderr
        for name, values in expected.items():
            assert np.array_equal(np.load(folder / f"{name}.npy"), values.astype(np.float16)), (preset, name)


FILLS = r"""#include <pto/pto-inst.hpp>
using namespace pto;
constexpr PadValue kMinusOne = PadValueCustom(-1.0f);
static_assert(isCustomPadValue(kMinusOne) && getCustomPadBits(kMinusOne) == 0xBF800000U && !isCustomPadValue(PadValue::Min));
static_assert(getCustomPadBits(PadValueCustom((half)-1.0)) == 0xBC00U && getCustomPadBits(PadValueCustom((int8_t)-1)) == 0xFFU);
extern "C" __global__ AICORE void run(__gm__ half* out, __gm__ uint64_t* times) {
  using T = Tile<TileType::Vec, half, 1, 256>;
  T t;
  TASSIGN(t, 0x100);
  vector_dup((__ubuf__ half*)(uintptr_t)0x100, (half)1.0f, 2, 1, 1, 8, 8);
  set_mask_count();
  set_vector_mask(0, 100);
  pipe_barrier(PIPE_V);
  vector_dup((__ubuf__ half*)(uintptr_t)0x100, (half)3.0f, 0, 1, 1, 8, 8);
  set_mask_norm();
  set_vector_mask(-1, -1);
  pipe_barrier(PIPE_ALL);
  TSTORE(GlobalTensor<half, Shape<1, 1, 1, 1, 256>, Stride<256, 256, 256, 256, 1>>(out), t);
  pipe_barrier(PIPE_ALL);
  uint64_t time = 0;
  asm volatile("MOV %0, SYS_CNT\n" : "+l"(time));
  times[0] = time;
  times[1] = get_sys_cnt();
  dcci(times, SINGLE_CACHE_LINE);
}
"""


def check_fills(folder):
    done = run(folder, FILLS, "--arg", "out=f16[256]", "--arg", "times=u64[8]", "--output", "out=out.npy", "--output", "times=times.npy")
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(folder / "out.npy"), np.repeat([3, 1], [100, 156]))
    first, second = np.load(folder / "times.npy")[:2]
    assert 0 < first <= second < first + 100, (first, second)


with tempfile.TemporaryDirectory() as name:
    check_numbers(pathlib.Path(name))
    check_pushes(pathlib.Path(name))
    check_fills(pathlib.Path(name))
