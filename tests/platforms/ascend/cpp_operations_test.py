"""Operations of kernels in C++ that are more than a row of the table of operations, against NumPy: queues of tiles between cube and
vector cores, sorts, bytes from floats, events with ids of their own, sources without #if for one kind of core, operations with two results
or with the value of a row in front, copies by address, and launchers whose names a macro pastes together."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

HEAD = "#include <pto/pto-inst.hpp>\nusing namespace pto;\n"

# No #if: the cube has no vector pipe, so that it takes no part. Two events of one pair of pipes have two ids.
ROWS = HEAD + """
using Part = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using Line = GlobalTensor<float, Shape<1, 1, 1, 16, 1>, Stride<1, 1, 1, 1, 1>, Layout::DN>;
using Bytes = GlobalTensor<int8_t, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using Column = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor>;
namespace inner {
AICORE void rows(__gm__ float* x, __gm__ float* bias, __gm__ float* scale, __gm__ float* y, __gm__ int8_t* q, __gm__ float* back) {
  Tile<TileType::Vec, float, 16, 64> t, u;
  Tile<TileType::Vec, int8_t, 16, 64> b;
  Column c, s, zero;
  TASSIGN(t, 0x0);
  TASSIGN(u, 0x2000);
  TASSIGN(b, 0x4000);
  TASSIGN(c, 0x6000);
  TASSIGN(s, 0x7000);
  TASSIGN(zero, 0x8000);
  Event<Op::TLOAD, Op::TADD> first, second, third;
  first = TLOAD(t, Part(x));
  second = TLOAD(c, Line(bias));
  third = TLOAD(s, Line(scale));
  TROWEXPANDADD(u, c, t, first, second);
  pipe_barrier(PIPE_V);
  TQUANT<QuantType::INT8_SYM>(b, u, s, third);
  TSUB(zero, c, c);
  TRECIP(s, s);
  pipe_barrier(PIPE_V);
  TDEQUANT(t, b, s, zero);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Part(y), u);
  TSTORE(Bytes(q), b);
  TSTORE(Part(back), t);
}
}  // namespace inner
"""

SORT = HEAD + """
using Values = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using Indices = GlobalTensor<uint32_t, Shape<1, 1, 1, 1, 128>, Stride<1, 1, 1, 128, 1>>;
using Pairs = GlobalTensor<float, Shape<1, 1, 1, 1, 256>, Stride<1, 1, 1, 256, 1>>;
extern "C" __global__ AICORE void sort(__gm__ float* x, __gm__ uint32_t* index, __gm__ float* blocks, __gm__ float* lists) {
#ifdef __DAV_VEC__
  Tile<TileType::Vec, float, 1, 128> t;
  Tile<TileType::Vec, uint32_t, 1, 128> i;
  Tile<TileType::Vec, float, 1, 256> sorted, all, scratch;
  Tile<TileType::Vec, float, 1, 64> a, b;
  Tile<TileType::Vec, float, 1, 128> merged;
  TASSIGN(t, 0x0);
  TASSIGN(i, 0x1000);
  TASSIGN(sorted, 0x2000);
  TASSIGN(all, 0x3000);
  TASSIGN(scratch, 0x4000);
  TASSIGN(merged, 0x5000);
  TASSIGN(a, 0x2000);
  TASSIGN(b, 0x2100);
  TLOAD(t, Values(x));
  TLOAD(i, Indices(index));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  TSORT32(sorted, t, i);
  pipe_barrier(PIPE_V);
  TMRGSORT(all, sorted, 64);
  MrgSortExecutedNumList taken;
  TMRGSORT<decltype(merged), decltype(scratch), decltype(a), decltype(b), false>(merged, taken, scratch, a, b);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Pairs(blocks), all);
  TSTORE(Values(lists), merged);
#endif
}
"""

# The product goes to the AIVs in halves of rows, five times: on A2/A3 through two slots in GM. On A5 the frees of the start let the cube
# run a period ahead of a full ring (ascend.md 3.5), which would be a hazard, so that it has a slot for each.
PIPE = HEAD + """
using Part = GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<1, 1, 1, 32, 1>>;
using Half = GlobalTensor<float, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Factor = GlobalTensor<half, Shape<1, 1, 1, 32, 32>, Stride<1, 1, 1, 32, 1>>;
using Mat = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
extern "C" __global__ AICORE void queue(__gm__ half* a, __gm__ half* b, __gm__ float* slots, __gm__ float* y, uint64_t base) {
  set_ffts_base_addr(base);
#ifdef PTO_NPU_ARCH_A5
  constexpr uint32_t kSlots = 8;
#else
  constexpr uint32_t kSlots = 2;
#endif
  using Queue = TPipe<0, Direction::DIR_C2V, 32 * 32 * 4, kSlots>;
  Queue q(slots, 0x0, 0x0);
#ifdef __DAV_CUBE__
  Mat am, bm;
  TileLeft<half, 32, 32> l;
  TileRight<half, 32, 32> r;
  TileAcc<float, 32, 32> c;
  TASSIGN(am, 0x0);
  TASSIGN(bm, 0x1000);
  TASSIGN(l, 0x0);
  TASSIGN(r, 0x0);
  TASSIGN(c, 0x0);
  TLOAD(bm, Factor(b));
  for (int n = 0; n < 5; ++n) {
    TLOAD(am, Factor(a + n * 1024));
    PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE1>();
    TMOV(l, am);
    TMOV(r, bm);
    PtoSetWaitFlag<PIPE_MTE1, PIPE_M>();
    TMATMUL(c, l, r);
    PtoSetWaitFlag<PIPE_M, PIPE_FIX>();
    TPUSH<Queue, decltype(c), TileSplitAxis::TILE_UP_DOWN>(q, c);
    PtoSetWaitFlag<PIPE_FIX, PIPE_MTE2>();
    pipe_barrier(PIPE_ALL);
  }
#else
  Tile<TileType::Vec, float, 16, 32> t, u;
  TASSIGN(u, 0x8000);
  for (int n = 0; n < 5; ++n) {
    TPOP<Queue, decltype(t), TileSplitAxis::TILE_UP_DOWN>(q, t);
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    TADDS(u, t, 1.0f);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    TSTORE(Half(y + n * 1024 + get_subblockid() * 512), u);
    TFREE<Queue, TileSplitAxis::TILE_UP_DOWN>(q);
    PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
    PtoSetWaitFlag<PIPE_V, PIPE_MTE2>();
  }
#endif
}
"""

# Both AIVs insert their rows into L1, where boxes lie column by column although the type of the tile says row by row.
INSERT = HEAD + """
using Part = GlobalTensor<half, Shape<1, 1, 1, 32, 32>, Stride<1, 1, 1, 32, 1>>;
using Half = GlobalTensor<half, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Result = GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<1, 1, 1, 32, 1>>;
extern "C" __global__ AICORE void insert(__gm__ half* a, __gm__ half* b, __gm__ float* y) {
  Tile<TileType::Mat, half, 32, 32, BLayout::RowMajor, 32, 32, SLayout::RowMajor> by_rows;
  Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor> by_columns, bm;
  TASSIGN(by_rows, 0x0);
  TASSIGN(by_columns, 0x0);
  TASSIGN(bm, 0x1000);
#ifdef __DAV_CUBE__
  TileLeft<half, 32, 32> l;
  TileRight<half, 32, 32> r;
  TileAcc<float, 32, 32> c;
  TASSIGN(l, 0x0);
  TASSIGN(r, 0x0);
  TASSIGN(c, 0x0);
  TLOAD(bm, Part(b));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE1>();
  wait_intra_block(PIPE_MTE1, 3);
  wait_intra_block(PIPE_MTE1, 3 + 16);
  TMOV(l, by_columns);
  TMOV(r, bm);
  PtoSetWaitFlag<PIPE_MTE1, PIPE_M>();
  TMATMUL(c, l, r);
  PtoSetWaitFlag<PIPE_M, PIPE_FIX>();
  TSTORE(Result(y), c);
#else
  Tile<TileType::Vec, half, 16, 32> t;
  Tile<TileType::Vec, half, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor> boxes;
  TASSIGN(t, 0x0);
  TASSIGN(boxes, 0x1000);
  TLOAD(t, Half(a + get_subblockid() * 512));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  TMOV(boxes, t);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TINSERT(by_rows, boxes, static_cast<uint16_t>(get_subblockid() * 16), static_cast<uint16_t>(0));
  set_intra_block(PIPE_MTE3, 3);
#endif
}
"""

# A flag that stays up: each wait takes one of its sets, also when the next set takes effect before. The launcher has no name in the text.
BREADTH = HEAD + """
using Part = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>;
using Indices = GlobalTensor<uint32_t, Shape<1, 1, 1, 16, 1>, Stride<1, 1, 1, 1, 1>, Layout::DN>;
using Line = GlobalTensor<float, Shape<1, 1, 1, 16, 1>, Stride<1, 1, 1, 1, 1>, Layout::DN>;
using Blocks = GlobalTensor<float, Shape<1, 1, 1, 16, 8>, Stride<1, 1, 1, 8, 1>>;
using Bits = GlobalTensor<uint8_t, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Spread = GlobalTensor<float, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, 64, 1>>;
using Column = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor>;
__global__ AICORE void breadth(__gm__ float* x, __gm__ float* blocks, __gm__ uint8_t* bits, __gm__ float* largest, __gm__ uint32_t* where,
                               __gm__ float* repeated, __gm__ float* before, __gm__ float* chosen, __gm__ float* spread, __gm__ float* copy) {
#ifdef __DAV_VEC__
  Tile<TileType::Vec, float, 16, 64> t, scratch, r, e, s;
  Tile<TileType::Vec, float, 16, 8> b;
  Tile<TileType::Vec, uint8_t, 16, 32> m;
  Tile<TileType::Vec, float, 32, 64> wide;
  Column value;
  Tile<TileType::Vec, uint32_t, 16, 1, BLayout::ColMajor> index;
  TASSIGN(t, 0x0);
  TASSIGN(scratch, 0x1000);
  TASSIGN(r, 0x2000);
  TASSIGN(e, 0x3000);
  TASSIGN(s, 0x4000);
  TASSIGN(b, 0x5000);
  TASSIGN(m, 0x5400);
  TASSIGN(value, 0x5800);
  TASSIGN(index, 0x5900);
  TASSIGN(wide, 0x6000);
  TLOAD(t, Part(x));
  TLOAD(b, Blocks(blocks));
  TLOAD(m, Bits(bits));
  set_flag(PIPE_MTE2, PIPE_V, 7);
  for (int n = 0; n < 3; ++n) {
    wait_flag(PIPE_MTE2, PIPE_V, 7);
    set_flag(PIPE_MTE2, PIPE_V, 7);
  }
  wait_flag(PIPE_MTE2, PIPE_V, 7);
  TROWARGMAX(value, index, t, scratch);
  pipe_barrier(PIPE_V);
  TROWEXPANDMUL(r, t, b);
  TROWEXPANDSUB(e, value, t);
  TSELS(s, m, t, scratch, 0.5f);
  TSCATTER<MaskPattern::P1010, ScatterAxis::SCATTER_COL>(wide, t);
  copy_gm_to_ubuf((__ubuf__ void*)0x9000, (__gm__ void*)x, 0, 2, 64, 0, 0);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE3>();
  TSTORE(Line(largest), value);
  TSTORE(Indices(where), index);
  TSTORE(Part(repeated), r);
  TSTORE(Part(before), e);
  TSTORE(Part(chosen), s);
  TSTORE(Spread(spread), wide);
  copy_ubuf_to_gm((__gm__ void*)copy, (__ubuf__ void*)0x9000, 0, 2, 32, 32, 32);
#endif
}
#define JOINED(NAME)                                                                                                                   \\
  void launch_##NAME(float* x, float* blocks, uint8_t* bits, float* largest, uint32_t* where, float* repeated, float* before, float* chosen, \\
                     float* spread, float* copy, void* stream) {                                                                       \\
    breadth<<<1, nullptr, stream>>>(x, blocks, bits, largest, where, repeated, before, chosen, spread, copy);                           \\
  }
JOINED(one)
"""


# The AIVs double halves of the rows of a matrix for the cube, which multiplies it with a wider one and gives them halves of the product,
# five times, with queues whose slots the kernel names. On A5 the products lie in UB.
FIXED = HEAD + """
using Rows = Tile<TileType::Vec, half, 16, 32>;
using Mat = Tile<TileType::Mat, half, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
using Wide = Tile<TileType::Mat, half, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor>;
using Sums = TileAcc<float, 32, 64>;
using Product = Tile<TileType::Vec, float, 16, 64>;
extern "C" __global__ AICORE void fixed(__gm__ half* a, __gm__ half* b, __gm__ half* doubled, __gm__ float* sums, __gm__ float* y, uint64_t base) {
  set_ffts_base_addr(base);
  using Factors = TMPipe<0, FIFOType::GM_FIFO, 2, 1, Rows, Mat, false, 2>;
  Factors factors(doubled, 0x0);
#ifdef PTO_NPU_ARCH_A5
  using Products = TMPipe<2, FIFOType::VEC_FIFO, 2, 1, Sums, Product>;
  Products products(0x8000);
#else
  using Products = TMPipe<2, FIFOType::GM_FIFO, 2, 1, Sums, Product, false, 0>;
  Products products(sums);
#endif
#ifdef __DAV_CUBE__
  Mat am;
  Wide bm;
  TileLeft<half, 32, 32> l;
  TileRight<half, 32, 64> r;
  Sums c;
  TASSIGN(bm, 0x2000);
  TASSIGN(l, 0x0);
  TASSIGN(r, 0x0);
  TASSIGN(c, 0x0);
  TLOAD(bm, GlobalTensor<half, Shape<1, 1, 1, 32, 64>, Stride<1, 1, 1, 64, 1>>(b));
  for (int n = 0; n < 5; ++n) {
    factors.cons.setTileId(n, 0);
    factors.cons.setFreeStatus(false);
    TPOP(am, factors);
    PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE1>();
    TMOV(l, am);
    TMOV(r, bm);
    factors.cons.free();
    PtoSetWaitFlag<PIPE_MTE1, PIPE_M>();
    TMATMUL(c, l, r);
    PtoSetWaitFlag<PIPE_M, PIPE_FIX>();
    products.prod.setTileId(n, 0);
    TPUSH(c, products);
    pipe_barrier(PIPE_ALL);
  }
#else
  const int half_of_rows = get_subblockid();
  Rows t;
  Product p;
  TASSIGN(t, 0x0);
  factors.prod.setEntryOffset(half_of_rows * 16 * 32 * sizeof(half));
#ifndef PTO_NPU_ARCH_A5
  products.cons.setEntryOffset(half_of_rows * 16 * 64 * sizeof(float));
#endif
  for (int n = 0; n < 5; ++n) {
    TLOAD(t, GlobalTensor<half, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>(a + n * 1024 + half_of_rows * 512));
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    TADD(t, t, t);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    factors.prod.setTileId(n, 0);
    TPUSH(t, factors);
    TASSIGN(p, 0x8000 + n % 2 * 4096);
    products.cons.setTileId(n, 0);
    TPOP(p, products);
    PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
    TADDS(p, p, 1.0f);
    PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
    TSTORE(GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>>(y + n * 2048 + half_of_rows * 1024), p);
    PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
    TFREE(products);
    pipe_barrier(PIPE_ALL);
  }
#endif
}
"""


# A tile with fewer valid columns than the tensor.
NARROW = HEAD + """
extern "C" __global__ AICORE void narrow(__gm__ float* x, __gm__ float* y) {
  Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, DYNAMIC, DYNAMIC> t(8, 24);
  TASSIGN(t, 0);
  TLOAD(t, GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>(x));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE3>();
  TSTORE(GlobalTensor<float, Shape<1, 1, 1, 8, 24>, Stride<1, 1, 1, 32, 1>>(y), t);
}
"""

# Tensors whose outer dimensions do not lie one after the other, by columns (DN) and in boxes (NZ); a mask of the type of what it selects.
OUTER = HEAD + """
using Columns = GlobalTensor<int16_t, Shape<3, 2, 1, 16, 5>, Stride<640, 160, 160, 1, 32>, Layout::DN>;
using Boxed = GlobalTensor<half, Shape<2, 2, 2, 16, 16>, Stride<2048, 768, 256, 16, 1>, Layout::NZ>;
using Bytes = GlobalTensor<uint8_t, Shape<1, 1, 1, 4, 32>, Stride<1, 1, 1, 32, 1>>;
using Halves = GlobalTensor<half, Shape<1, 1, 1, 16, 32>, Stride<1, 1, 1, 32, 1>>;
using Line = GlobalTensor<half, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 32, 1>>;
extern "C" __global__ AICORE void outer(__gm__ int16_t* x, __gm__ int16_t* y, __gm__ half* a, __gm__ half* b, __gm__ uint8_t* mask,
                                        __gm__ uint8_t* p, __gm__ uint8_t* q, __gm__ half* u, __gm__ half* v, __gm__ half* w) {
#ifdef __DAV_VEC__
  Tile<TileType::Vec, int16_t, 16, 30, BLayout::ColMajor> t;
  Tile<TileType::Vec, half, 32, 64, BLayout::ColMajor, 32, 64, SLayout::RowMajor, 512> z;
  Tile<TileType::Vec, uint8_t, 4, 32> m, s, d;
  Tile<TileType::Vec, uint8_t, 1, 32> scratch;
  Tile<TileType::Vec, half, 16, 32> e, f;
  Tile<TileType::Vec, half, 1, 32> g;
  TASSIGN(t, 0x0);
  TASSIGN(z, 0x1000);
  TASSIGN(m, 0x4000);
  TASSIGN(s, 0x5000);
  TASSIGN(d, 0x6000);
  TASSIGN(scratch, 0x7000);
  TASSIGN(e, 0x8000);
  TASSIGN(f, 0x9000);
  TASSIGN(g, 0xA000);
  TLOAD(t, Columns(x));
  TLOAD(z, Boxed(a));
  TLOAD(m, Bytes(mask));
  TLOAD(s, Bytes(p));
  TLOAD(e, Halves(u));
  TLOAD(g, Line(v));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE3>();
#ifdef PTO_NPU_ARCH_A5
  TSELS(d, m, s, scratch, uint8_t(7));
#endif
  TCOLEXPANDEXPDIF(f, e, g);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Columns(y), t);
  TSTORE(Boxed(b), z);
  TSTORE(Bytes(q), d);
  TSTORE(Halves(w), f);
#endif
}
"""

# Unsigned integers of 64 bits, of which half are beyond those with a sign.
UNSIGNED = HEAD + """
using Part = GlobalTensor<uint64_t, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>>;
using Line = GlobalTensor<uint64_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>>;
using Whole = Tile<TileType::Vec, uint64_t, 8, 16>;
template <int at> AICORE void part(__gm__ uint64_t* to, Whole& t) {
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Part(to + at * 128), t);
  PtoSetWaitFlag<PIPE_MTE3, PIPE_V>();
}
extern "C" __global__ AICORE void wide(__gm__ uint64_t* x, __gm__ uint64_t* y, __gm__ uint64_t* all, __gm__ uint64_t* columns) {
#ifdef __DAV_VEC__
  Whole a, b, c;
  Tile<TileType::Vec, uint64_t, 1, 16> line;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  TASSIGN(c, 0x2000);
  TASSIGN(line, 0x3000);
  TLOAD(a, Part(x));
  TLOAD(b, Part(y));
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  TMAX(c, a, b);
  part<0>(all, c);
  TMIN(c, a, b);
  part<1>(all, c);
  TDIV(c, a, b);
  part<2>(all, c);
  TREM(c, a, b);
  part<3>(all, c);
  TMAXS(c, a, uint64_t(1) << 63);
  part<4>(all, c);
  TCOLMAX(line, a);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(Line(columns), line);
#endif
}
"""


def run(executable, folder, text, preset, function, arguments, results, *options):
    (folder / "k.cpp").write_text(text)
    command = [executable, "k.cpp", "--function", function, "--preset", preset, "--quiet", "--hazards", "error", *options]
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = f"{name}.npy"
        command += ["--arg", f"{name}={value}"]
    for name in results:
        command += ["--output", f"{name}={name}.out.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, f"{function} on {preset} ended with {done.returncode}: {done.stderr}"
    return [np.load(folder / f"{name}.out.npy") for name in results]


def rows(executable, folder, rng):
    x, bias = rng.uniform(-1, 1, (16, 64)).astype("f4"), rng.uniform(-1, 1, 16).astype("f4")
    scale = np.full(16, 32, "f4")
    y, q, back = run(executable, folder, ROWS, "a2a3", "inner::rows", {
        "x": x, "bias": bias, "scale": scale, "y": "f32[16,64]", "q": "i8[16,64]", "back": "f32[16,64]"}, ("y", "q", "back"))
    expected = x + bias[:, None]
    assert np.array_equal(y, expected)
    assert np.array_equal(q, np.rint(expected * 32).astype("i1"))
    assert np.array_equal(back, q.astype("f4") / 32)


def sort(executable, folder, rng):
    x, index = rng.permutation(128).astype("f4"), np.arange(128, dtype="u4")
    blocks, lists = run(executable, folder, SORT, "a2a3", "sort", {
        "x": x, "index": index, "blocks": "f32[256]", "lists": "f32[128]"}, ("blocks", "lists"))
    order = np.argsort(-x)
    assert np.array_equal(blocks[0::2], x[order]) and np.array_equal(blocks.view("u4")[1::2], order)
    assert np.array_equal(lists[0::2], -np.sort(-x[:64]))


CALLS = HEAD + """
using Rows = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 32>, Stride<1, 1, 1, DYNAMIC, 1>>;
using Out = GlobalTensor<float, Shape<1, 1, 1, 2, 32>, Stride<1, 1, 1, 32, 1>>;
extern "C" __global__ AICORE void calls(__gm__ float* x, __gm__ float* z, __gm__ float* y) {
  const int pairs[COUNT][2] = {PAIRS};
  for (int n = 0; n < COUNT; ++n) {
    Tile<TileType::Vec, float, 2, 32> t;
    TASSIGN(t, n % 2 * 1024);
    TLOAD(t, Rows(n % 3 == 2 ? z : x, {pairs[n][0]}, {pairs[n][1]}));
    TSTORE(Out(y + n * 64), t);
  }
}
"""


def queue(executable, folder, rng, preset):
    a, b = rng.uniform(-1, 1, (5, 32, 32)).astype("f2"), rng.uniform(-1, 1, (32, 32)).astype("f2")
    y, = run(executable, folder, PIPE, preset, "queue", {"a": a, "b": b, "slots": "f32[8,32,32]", "y": "f32[5,32,32]", "base": 4096}, ("y",))
    assert np.allclose(y, a.astype("f4") @ b.astype("f4") + 1, atol=1e-4), preset


def calls(executable, folder, rng):
    """A loop calls at one place with other sizes, strides, arrays and addresses each time: no two of them are taken for one."""
    x = np.arange(1, 16385, dtype="f4")
    for _ in range(4):
        first = [(int(r), int(s)) for r, s in zip(rng.integers(2, 9, 4), rng.integers(4, 20, 4) * 8)]
        # Of equal sums, as of a mix of rows and strides by small factors.
        pairs = first + [(r + 8, s - 8 * k) for k, (r, s) in zip((31, 16, 1, 62), first) if s - 8 * k >= 64] + [(10, 64), (2, 312)]
        text = ", ".join(f"{{{r}, {s}}}" for r, s in pairs)
        y, = run(executable, folder, CALLS.replace("PAIRS", text).replace("COUNT", str(len(pairs))), "a2a3", "calls", {
            "x": x, "z": -x, "y": f"f32[{len(pairs)},2,32]"}, ("y",), "--auto-sync")
        for n, (got, (_, stride)) in enumerate(zip(y, pairs)):
            source = -x if n % 3 == 2 else x
            assert np.array_equal(got, np.stack([source[:32], source[stride:stride + 32]])), (n, pairs[n], got[:, 0])


def narrow(executable, folder, preset):
    x = np.arange(512, dtype="f4").reshape(8, 64)
    y, = run(executable, folder, NARROW, preset, "narrow", {"x": x, "y": "f32[8,32]"}, ("y",))
    # A2/A3 count the gap between two rows of the tensor, which is none in x and eight numbers in y.
    expected = x.ravel()[:192].reshape(8, 24) if preset == "a2a3" else x[:, :24]
    assert np.array_equal(y[:, :24], expected) and not y[:, 24:].any(), preset


def fixed(executable, folder, rng, preset):
    a, b = rng.uniform(-1, 1, (5, 32, 32)).astype("f2"), rng.uniform(-1, 1, (32, 64)).astype("f2")
    y, = run(executable, folder, FIXED, preset, "fixed", {
        "a": a, "b": b, "doubled": "f16[2,32,32]", "sums": "f32[2,32,64]", "y": "f32[5,32,64]", "base": 4096}, ("y",))
    assert np.allclose(y, 2 * a.astype("f4") @ b.astype("f4") + 1, atol=1e-4), preset


def breadth(executable, folder, rng):
    x, blocks = rng.permutation(1024).reshape(16, 64).astype("f4"), rng.uniform(-1, 1, (16, 8)).astype("f4")
    bits = rng.integers(0, 256, (16, 32)).astype("u1")
    names = ("largest", "where", "repeated", "before", "chosen", "spread", "copy")
    shapes = ("f32[16]", "u32[16]", "f32[16,64]", "f32[16,64]", "f32[16,64]", "f32[32,64]", "f32[16,64]")
    largest, where, repeated, before, chosen, spread, copy = run(executable, folder, BREADTH, "a2a3", "launch_one", {
        "x": x, "blocks": blocks, "bits": bits, **dict(zip(names, shapes))}, names)
    assert np.array_equal(largest.ravel(), x.max(1)) and np.array_equal(where.ravel(), x.argmax(1))
    assert np.array_equal(repeated, x * np.tile(blocks, 8))
    assert np.array_equal(before, x.max(1, keepdims=True) - x)
    mask = np.unpackbits(bits, axis=1, bitorder="little")[:, :64].astype(bool)
    assert np.array_equal(chosen, np.where(mask, x, np.float32(0.5)))
    assert np.array_equal(spread[1::2], x) and not spread[0::2].any()
    flat, got = x.ravel(), copy.ravel()  # two bursts of 32 blocks with as many between them
    assert np.array_equal(got[:256], flat[:256]) and np.array_equal(got[512:768], flat[512:768]) and not got[256:512].any()


def outer(executable, folder, rng):
    x, a = rng.integers(1, 999, (3, 4, 5, 32)).astype("i2"), rng.uniform(1, 2, (2, 2048)).astype("f2")
    mask, p = rng.integers(0, 256, (4, 32)).astype("u1"), rng.integers(0, 256, (4, 32)).astype("u1")
    u, v = rng.uniform(-5, 5, (16, 32)).astype("f2"), rng.uniform(-5, 5, (1, 32)).astype("f2")
    for preset in ("a2a3", "a5"):
        y, b, q, w = run(executable, folder, OUTER, preset, "outer", {
            "x": x, "y": "i16[3,4,5,32]", "a": a, "b": "f16[2,2048]", "mask": mask, "p": p, "q": "u8[4,32]", "u": u, "v": v, "w": "f16[16,32]"},
            ("y", "b", "q", "w"))
        expected = np.zeros_like(x)
        expected[:, :2, :, :16] = x[:, :2, :, :16]
        assert np.array_equal(y.reshape(x.shape), expected), preset
        boxes = np.zeros_like(a)
        for at in (0, 768):  # two columns of boxes of 512 elements each
            boxes[:, at:at + 512] = a[:, at:at + 512]
        assert np.array_equal(b, boxes), preset
        chosen = np.unpackbits(mask, axis=1, bitorder="little")[:, :32].astype(bool)
        if preset == "a5":  # A2/A3 select 16 and 32 bits
            assert np.array_equal(q, np.where(chosen, p, 7)), preset
        assert np.array_equal(w, np.exp((u - v).astype(float)).astype("f2")), preset


def wide(executable, folder, rng):
    x, y = (rng.integers(1, 2**64, (8, 16), np.uint64) for _ in range(2))
    y[:4] >>= np.uint64(40)
    everything, columns = run(executable, folder, UNSIGNED, "a5", "wide", {"x": x, "y": y, "all": "u64[5,8,16]", "columns": "u64[1,16]"}, ("all", "columns"))
    expected = [np.maximum(x, y), np.minimum(x, y), x // y, x % y, np.maximum(x, np.uint64(1 << 63))]
    for name, got, wanted in zip(("TMAX", "TMIN", "TDIV", "TREM", "TMAXS"), everything, expected):
        assert np.array_equal(got, wanted), name
    assert np.array_equal(columns.ravel(), x.max(0))


def insert(executable, folder, rng):
    a, b = (rng.uniform(-1, 1, (32, 32)).astype("f2") for _ in range(2))
    y, = run(executable, folder, INSERT, "a5", "insert", {"a": a, "b": b, "y": "f32[32,32]"}, ("y",))
    assert np.allclose(y, a.astype("f4") @ b.astype("f4"), atol=1e-4)


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ.setdefault("TESSERA_CACHE", str(folder / "cache"))
        executable = str(pathlib.Path(sys.argv[1]).resolve())
        rows(executable, folder, np.random.default_rng(1))
        calls(executable, folder, np.random.default_rng(8))
        sort(executable, folder, np.random.default_rng(2))
        breadth(executable, folder, np.random.default_rng(4))
        insert(executable, folder, np.random.default_rng(5))
        outer(executable, folder, np.random.default_rng(7))
        wide(executable, folder, np.random.default_rng(9))
        for preset in ("a2a3", "a5"):
            queue(executable, folder, np.random.default_rng(3), preset)
            fixed(executable, folder, np.random.default_rng(6), preset)
            narrow(executable, folder, preset)


if __name__ == "__main__":
    main()
