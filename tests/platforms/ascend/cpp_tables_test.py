"""Kernels in C++ whose operations put elements into another order, against NumPy: MGATHER and MSCATTER with every way to treat indices
beyond the table, maps and filters of convolutions with TIMG2COL, rows that alternate; TCONCAT by counts; calls with template arguments
and without a namespace; numbers as places in UB; and what of this a machine does not have."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
ROWS, COLUMNS, TABLE = 8, 48, 32

TABLES = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int R = 8, C = 48, N = 32;
template <class T, int Rows, int Cols> using Gm = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Cols, 1>>;
template <class T, int Rows, int Cols> using Ub = Tile<TileType::Vec, T, Rows, Cols>;
template <Coalesce How, GatherOOB Beyond, class T, int Rows, int Cols>
AICORE inline void gather(__gm__ T* table, __gm__ int32_t* at, __gm__ T* out) {
  Ub<int32_t, Rows, Cols> index;
  Ub<T, R, C> result;
  TASSIGN(index, 0x0);
  TASSIGN(result, 0x2000);
  Gm<T, N, C> from(table);
  TLOAD(index, Gm<int32_t, Rows, Cols>(at));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  MGATHER<How, Beyond>(result, from, index);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Gm<T, R, C>(out), result);
  pipe_barrier(PIPE_ALL);
}
template <Coalesce How, ScatterAtomicOp Combine, ScatterOOB Beyond, class T, int Rows, int Cols>
AICORE inline void scatter(__gm__ T* from, __gm__ int32_t* at, __gm__ T* table) {
  Ub<int32_t, Rows, Cols> index;
  Ub<T, R, C> source;
  TASSIGN(index, 0x0);
  TASSIGN(source, 0x2000);
  Gm<T, N, C> to(table);
  TLOAD(index, Gm<int32_t, Rows, Cols>(at));
  TLOAD(source, Gm<T, R, C>(from));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  MSCATTER<How, Combine, Beyond>(to, source, index);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  dcci(static_cast<__gm__ void*>(0), ENTIRE_DATA_CACHE);
  dsb(DSB_DDR);
  pipe_barrier(PIPE_ALL);
}
extern "C" __global__ AICORE void run(__gm__ float* table, __gm__ half* halves, __gm__ int32_t* rows, __gm__ int32_t* places, __gm__ float* clamped,
                                      __gm__ half* zeroed, __gm__ float* wrapped, __gm__ half* elements, __gm__ float* s0, __gm__ float* s1,
                                      __gm__ float* s2, __gm__ float* s3) {
  gather<Coalesce::Row, GatherOOB::Clamp, float, 1, R>(table, rows, clamped);
  gather<Coalesce::Row, GatherOOB::Zero, half, 1, R>(halves, rows, zeroed);
  gather<Coalesce::Elem, GatherOOB::Wrap, float, R, C>(table, places, wrapped);
  gather<Coalesce::Elem, GatherOOB::Zero, half, R, C>(halves, places, elements);
  scatter<Coalesce::Row, ScatterAtomicOp::None, ScatterOOB::Skip, float, 1, R>(table, rows, s0);
  scatter<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Wrap, float, 1, R>(table, rows, s1);
  scatter<Coalesce::Elem, ScatterAtomicOp::Add, ScatterOOB::Clamp, float, R, C>(table, places, s2);
#ifdef PTO_NPU_ARCH_A5
  scatter<Coalesce::Elem, ScatterAtomicOp::Max, ScatterOOB::Skip, float, R, C>(table, places, s3);
#else
  scatter<Coalesce::Elem, ScatterAtomicOp::None, ScatterOOB::Skip, float, R, C>(table, places, s3);
#endif
}
"""

# Without `using namespace pto`, with template arguments: the name is found by the arguments.
ALTERNATE = """#include <pto/pto-inst.hpp>
using pto::TileType;
using Rows = pto::GlobalTensor<int16_t, pto::Shape<1, 1, 1, 4, 64>, pto::Stride<1, 1, 1, 64, 1>>;
using Half = pto::GlobalTensor<int16_t, pto::Shape<1, 1, 1, 4, 32>, pto::Stride<1, 1, 1, 64, 1>>;
extern "C" __global__ AICORE void run(__gm__ int16_t* x, __gm__ int16_t* y, __gm__ int16_t* first, __gm__ int16_t* second, __gm__ int16_t* back_x,
                                      __gm__ int16_t* back_y, __gm__ int16_t* even, __gm__ int16_t* odd) {
  using T = pto::Tile<TileType::Vec, int16_t, 4, 64>;
  T t[8];
  for (int n = 0; n < 8; ++n) TASSIGN(t[n], n * 0x1000);
  TLOAD(t[0], Rows(x));
  TLOAD(t[1], Rows(y));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TINTERLEAVE<T, T>(t[3], t[2], t[1], t[0]);
  pipe_barrier(PIPE_V);
  TDEINTERLEAVE<T, T>(t[5], t[4], t[3], t[2]);
  TDEINTERLEAVE<T, T>(t[7], t[6], t[2]);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(Rows(first), t[2]);
  TSTORE(Rows(second), t[3]);
  TSTORE(Rows(back_x), t[4]);
  TSTORE(Rows(back_y), t[5]);
  TSTORE(Half(even), t[6]);
  TSTORE(Half(odd), t[7]);
}
"""

# Counts are bytes of indices; a number is a place in UB; what has more operands than the simulator knows is refused.
COUNTS = """#include <pto/pto-inst.hpp>
using namespace pto;
template <class T, int Cols> using Gm = GlobalTensor<T, Shape<1, 1, 1, 6, Cols>, Stride<1, 1, 1, Cols, 1>>;
extern "C" __global__ AICORE void run(__gm__ half* x, __gm__ half* y, __gm__ int16_t* i, __gm__ int16_t* j, __gm__ half* both, __gm__ int16_t* sums,
                                      __gm__ int32_t* line) {
  Tile<TileType::Vec, half, 6, 32> a, b;
  Tile<TileType::Vec, half, 6, 48> to;
  Tile<TileType::Vec, int16_t, 6, 32> n, m;
  Tile<TileType::Vec, int16_t, 6, 16, BLayout::RowMajor, 6, 1> sum;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  TASSIGN(n, 0x2000);
  TASSIGN(m, 0x3000);
  TASSIGN(to, 0x4000);
  TASSIGN(sum, 0x5000);
  TLOAD(a, Gm<half, 32>(x));
  TLOAD(b, Gm<half, 32>(y));
  TLOAD(n, Gm<int16_t, 32>(i));
  TLOAD(m, Gm<int16_t, 32>(j));
  TLOAD(to, Gm<half, 48>(both));
  pipe_barrier(PIPE_ALL);
  TCONCAT(to, a, b, sum, n, m);
  pipe_barrier(PIPE_ALL);
  TSTORE(Gm<half, 48>(both), to);
  TSTORE(GlobalTensor<int16_t, Shape<1, 1, 1, 6, 1>, Stride<1, 1, 1, 1, 1>>(sums), sum);
  __ubuf__ int32_t* ub = reinterpret_cast<__ubuf__ int32_t*>(0x6000);
  for (int k = 0; k < 8; ++k) ub[k] = 7 * k;
  pipe_barrier(PIPE_ALL);
  copy_ubuf_to_gm(line, ub, 0, 1, 1, 0, 0);
#ifdef MORE
  TADD(a, b, b, b, b);
#endif
}
"""

# A map of 2 blocks of 16 channels, margins that differ, distances of 2, and a filter of 3 x 2.
IMAGE = """#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int C1 = 2, H = 6, W = 9, C0 = 16, FH = 3, FW = 2, F = 16, OH = 3, OW = 8, M = 32, K = C1 * FH * FW * C0;
extern "C" __global__ AICORE void run(__gm__ half* map, __gm__ half* filter, __gm__ float* out) {
#ifdef __DAV_CUBE__
  GlobalTensor<half, Shape<1, C1, H, W, C0>, Stride<C1 * H * W * C0, H * W * C0, W * C0, C0, 1>, Layout::NC1HWC0> from(map);
  GlobalTensor<half, Shape<C1, FH, FW, F, C0>, Stride<FH * FW * F * C0, FW * F * C0, F * C0, C0, 1>, Layout::FRACTAL_Z> filters(filter);
  ConvTile<TileType::Mat, half, C1 * H * W * C0, Layout::NC1HWC0, ConvTileShape<1, C1, H, W, C0>> image;
  ConvTile<TileType::Mat, half, K * F, Layout::FRACTAL_Z, ConvTileShape<C1, FH, FW, F, C0>> weights;
  TileLeft<half, M, K, OH * OW, K> left;
  TileRight<half, K, F, K, F> right;
  TileAcc<float, M, F, OH * OW, F> sum;
  TASSIGN(image, 0x0);
  TASSIGN(weights, 0x40000);
  TASSIGN(left, 0x0);
  TASSIGN(right, 0x0);
  TASSIGN(sum, 0x0);
  TLOAD(image, from);
  TLOAD(weights, filters);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  uint8_t pads[] = {1, 0, 1, 2};  // left, right, top, bottom
  image.SetFmapH(H);
  image.SetFmapW(W);
  image.SetPadListArray(pads);
  image.SetFilterH(FH);
  image.SetFilterW(FW);
  image.SetStrideH(2);
  image.SetDilationH(2);
  image.SetDilationW(2);
  image.SetChannelSize(C1 * C0);
  SETFMATRIX(image);
  SET_IMG2COL_PADDING(image);
  TIMG2COL(left, image, 0, 0);
  TMOV(right, weights);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(sum, left, right);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(GlobalTensor<float, Shape<1, 1, OH, OW, F>, Stride<OH * OW * F, OH * OW * F, OW * F, F, 1>, Layout::NC1HWC0>(out), sum);
#endif
}
"""


def run(folder, name, text, preset, inputs, outputs):
    (folder / f"{name}.cpp").write_text(text)
    command = [PLATFORM, f"{name}.cpp", "--preset", preset, "--quiet"]
    for key, value in inputs.items():
        np.save(folder / f"{key}.npy", value)
        command += ["--arg", f"{key}={key}.npy"]
    for key in outputs:
        if key not in inputs:
            command += ["--arg", f"{key}={outputs[key]}"]
        command += ["--output", f"{key}={key}.out.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=280)
    if done.returncode:
        return done.returncode, done.stderr
    return 0, {key: np.load(folder / f"{key}.out.npy") for key in outputs}


def expect(condition, what):
    if not condition:
        sys.exit(f"{sys.argv[0]}: {what}")


def beyond(index, count, how):
    """Where an index leads, as unsigned numbers; None: nowhere."""
    index %= 1 << 32
    if index < count:
        return index
    return {"clamp": count - 1, "wrap": index % count}.get(how)


def check_tables(folder, preset):
    rng = np.random.default_rng(5)
    table = rng.integers(-99, 99, (TABLE, COLUMNS)).astype(np.float32)
    halves = table.astype(np.float16)
    rows = np.array([3, 31, 3, 0, 40, 100, -1, 17], np.int32)
    places = rng.integers(0, TABLE * COLUMNS, (ROWS, COLUMNS)).astype(np.int32)
    places[0, :4], places[1, :3] = [5, 5, TABLE * COLUMNS, -1], [5, 7, 2**31 - 1]
    start = rng.integers(-9, 9, (TABLE, COLUMNS)).astype(np.float32)
    inputs = {"table": table, "halves": halves, "rows": rows, "places": places, **{f"s{n}": start for n in range(4)}}
    shape = f"[{ROWS},{COLUMNS}]"
    outputs = {"clamped": "f32" + shape, "zeroed": "f16" + shape, "wrapped": "f32" + shape, "elements": "f16" + shape,
               **{f"s{n}": "" for n in range(4)}}
    status, got = run(folder, "tables", TABLES, preset, inputs, outputs)
    expect(status == 0, got)

    def gathered(of, index, how, count):
        return np.array([of[k] if (k := beyond(int(i), count, how)) is not None else np.zeros_like(of[0]) for i in index.ravel()])

    size = TABLE * COLUMNS
    flat = table.ravel()
    expect(np.array_equal(got["clamped"], gathered(table, rows, "clamp", TABLE)), f"{preset}: rows, clamp")
    expect(np.array_equal(got["zeroed"], gathered(halves, rows, "zero", TABLE)), f"{preset}: rows, zero")
    expect(np.array_equal(got["wrapped"].ravel(), gathered(flat, places, "wrap", size)), f"{preset}: elements, wrap")
    expect(np.array_equal(got["elements"].ravel(), gathered(halves.ravel(), places, "zero", size)), f"{preset}: elements, zero")

    def scattered(index, how, count, to, values, combine):
        to = to.copy()
        for i, value in zip(index.ravel(), values):
            k = beyond(int(i), count, how)
            if k is not None:
                to[k] = combine(to[k], value)
        return to

    source = table[:ROWS]
    last, add = (lambda old, new: new), (lambda old, new: old + new)
    expect(np.array_equal(got["s0"], scattered(rows, "skip", TABLE, start, source, last)), f"{preset}: rows, skip")
    expect(np.array_equal(got["s1"], scattered(rows, "wrap", TABLE, start, source, add)), f"{preset}: sums of rows, wrap")
    expect(np.array_equal(got["s2"].ravel(), scattered(places, "clamp", size, start.ravel(), source.ravel(), add)), f"{preset}: sums, clamp")
    third = max if preset == "a5" else last
    expect(np.array_equal(got["s3"].ravel(), scattered(places, "skip", size, start.ravel(), source.ravel(), third)), f"{preset}: elements, skip")


def check_alternate(folder):
    rng = np.random.default_rng(6)
    x, y = (rng.integers(-999, 999, (4, 64)).astype(np.int16) for _ in "xy")
    names = ["first", "second", "back_x", "back_y", "even", "odd"]
    status, got = run(folder, "alternate", ALTERNATE, "a5", {"x": x, "y": y}, {name: "i16[4,64]" for name in names})
    expect(status == 0, got)
    both = np.stack([x, y], 2).reshape(4, 128)
    expect(np.array_equal(got["first"], both[:, :64]) and np.array_equal(got["second"], both[:, 64:]), "TINTERLEAVE")
    expect(np.array_equal(got["back_x"], x) and np.array_equal(got["back_y"], y), "TDEINTERLEAVE of two")
    expect(np.array_equal(got["even"][:, :32], x[:, :32]) and np.array_equal(got["odd"][:, :32], y[:, :32]), "TDEINTERLEAVE of one")
    status, text = run(folder, "alternate", ALTERNATE, "a2a3", {"x": x, "y": y}, {name: "i16[4,64]" for name in names})
    expect(status != 0 and "A2/A3 have no such operation" in text, f"TINTERLEAVE on A2/A3: {text}")


def check_counts(folder, preset):
    rng = np.random.default_rng(8)
    x, y, to = (rng.integers(-9, 9, (6, w)).astype(np.float16) for w in (32, 32, 48))
    n, m = np.full((6, 32), 99, np.int16), np.full((6, 32), 99, np.int16)
    n[:, 0], m[:, 0] = [0, 2 * 16, 2 * 5, 2 * 32, 2 * 32, 2 * 31], [2 * 3, 2 * 32, 2 * 7, 0, 2 * 32, 2]
    inputs = {"x": x, "y": y, "i": n, "j": m, "both": to}
    outputs = {"both": "", "sums": "i16[6]", "line": "i32[8]"}
    status, got = run(folder, "counts", COUNTS, preset, inputs, outputs)
    expect(status == 0, got)
    for r in range(6):
        first = min(n[r, 0] // 2, 48)
        second = min(m[r, 0] // 2, 48 - first)
        to[r, :first + second] = [*x[r, :first], *y[r, :second]]
        expect(got["sums"].ravel()[r] == 2 * min((n[r, 0] + m[r, 0]) // 2, 48), f"{preset}: counts of row {r}")
    expect(np.array_equal(got["both"], to), f"{preset}: TCONCAT by counts")
    expect(np.array_equal(got["line"], 7 * np.arange(8)), f"{preset}: a number as a place in UB")
    status, text = run(folder, "more", COUNTS.replace("#ifdef MORE", "#if 1"), preset, inputs, outputs)
    expect(status != 0 and "TADD has 4 operands beside its result" in text, f"{preset}: too many operands: {text}")


def check_image(folder, preset):
    rng = np.random.default_rng(7)
    c1, height, width, c0, down, right, filters = 2, 6, 9, 16, 3, 2, 16
    image = rng.integers(-3, 4, (c1, height, width, c0)).astype(np.float16)
    weights = rng.integers(-3, 4, (c1, down, right, filters, c0)).astype(np.float16)
    status, got = run(folder, "image", IMAGE, preset, {"map": image, "filter": weights}, {"out": "f32[3,8,16]"})
    expect(status == 0, got)
    padded = np.pad(image.astype(np.float32), ((0, 0), (1, 2), (1, 0), (0, 0)))
    expected = np.zeros((3, 8, filters), np.float32)
    for y in range(3):
        for x in range(8):
            part = padded[:, 2 * y:2 * y + 5:2, x:x + 3:2, :]
            expected[y, x] = np.einsum("chwk,chwnk->n", part, weights.astype(np.float32))
    expect(np.array_equal(got["out"].reshape(expected.shape), expected), f"{preset}: TIMG2COL")


with tempfile.TemporaryDirectory() as scratch:
    place = pathlib.Path(scratch)
    for machine in ("a2a3", "a5"):
        check_tables(place, machine)
        check_image(place, machine)
        check_counts(place, machine)
    check_alternate(place)
