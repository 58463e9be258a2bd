"""Histograms, random numbers, quantisation to MX types, and tables in GM, in PTO text and in C++, against Python that follows the
definitions of ascend_2.md 5.3, 5.5, 5.7 and 5.9 bit for bit."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
GROUP = 32

TEXT = """module attributes {{pto.target_arch = "{arch}"}} {{
  func.func @k({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %c0 = arith.constant 0 : index
{body}
    return
  }}
}}
"""


class Text:
    """A kernel in PTO text: loads, one operation, stores, and a barrier after each."""

    def __init__(self):
        self.arguments, self.body, self.inputs, self.outputs = [], [], {}, {}

    def tile(self, name, rows, columns, dtype, order="row_major", address=None):
        size = 1 if dtype.startswith("!") else int(dtype.strip("uibf")) // 8
        block = 32 // size
        full = (rows, -(-columns // block) * block) if order == "row_major" else (-(-rows // block) * block, columns)
        kind = (f"!pto.tile_buf<loc=vec, dtype={dtype}, rows={full[0]}, cols={full[1]}, v_row={rows}, v_col={columns}, "
                f"blayout={order}, slayout=none_box, fractal=512, pad=0>")
        if address is not None:
            self.body.append(f"%{name}_a = arith.constant {address} : i64")
        self.body.append(f"%{name} = pto.alloc_tile {'' if address is None else f'addr = %{name}_a '}: {kind}")
        return f"%{name}", kind

    def view(self, name, rows, columns, dtype):
        self.arguments.append(f"%{name}_p: !pto.ptr<{dtype}>")
        view, part = f"!pto.tensor_view<{rows}x{columns}x{dtype}>", f"!pto.partition_tensor_view<{rows}x{columns}x{dtype}>"
        self.body.append(f"%{name}_v = pto.make_tensor_view %{name}_p, shape = [{rows}, {columns}], strides = [{columns}, 1] : {view}")
        self.body.append(f"%{name}_w = pto.partition_view %{name}_v, offsets = [0, 0], sizes = [{rows}, {columns}] : {view} -> {part}")
        return f"%{name}_w", part

    def load(self, name, values, dtype):
        tile, part = self.tile(name, *values.shape, dtype), self.view(name, *values.shape, dtype)
        self.step("pto.tload", [part], [tile])
        self.inputs[name + "_p"] = values
        return tile

    def store(self, name, tile, rows, columns, dtype, numpy_type):
        self.step("pto.tstore", [tile], [self.view(name, rows, columns, dtype)])
        self.outputs[name + "_p"] = (rows, columns, numpy_type)

    def step(self, operation, ins, outs, attributes=""):
        def group(operands):
            return ", ".join(o[0] for o in operands) + " : " + ", ".join(o[1] for o in operands)
        self.body += [f"{operation} ins({group(ins)}) outs({group(outs)}) {attributes}", "pto.barrier <PIPE_ALL>"]

    def run(self, arch="a5", more=()):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            (folder / "k.pto").write_text(TEXT.format(arch=arch, arguments=", ".join(self.arguments), body="\n".join("    " + s for s in self.body)))
            words = [PLATFORM, "k.pto", "--preset", "a2a3" if arch == "a3" else "a5", "--quiet", "--hazards", "error", *more]
            for name, values in self.inputs.items():
                np.save(folder / f"{name}.npy", values)
                words += ["--input", f"{name}={name}.npy"]
            for name in self.outputs:
                words += ["--output", f"{name}={name}.out.npy"]
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=250)
            if done.returncode:
                return done.stderr
            return {name: np.load(folder / f"{name}.out.npy").view(kind).reshape(rows, columns) for name, (rows, columns, kind) in self.outputs.items()}


def expect(condition, what):
    if not condition:
        sys.exit(f"{sys.argv[0]}: {what}")


# --- histograms ---

def counted(values, filters, byte):
    """Per row, for each b the elements with a byte of at most b, among those whose higher bytes are those of `filters`."""
    size = values.dtype.itemsize
    rows = []
    for r, row in enumerate(values):
        keep = np.ones(len(row), bool)
        for higher in range(byte + 1, size):
            wanted = filters[r, 0] if size == 2 else filters[size - 1 - higher, 0]
            keep &= (row >> (8 * higher) & 0xFF) == wanted
        rows.append(np.cumsum(np.bincount((row[keep] >> (8 * byte) & 0xFF).astype(int), minlength=256)))
    return np.array(rows, np.uint32)


def check_histograms():
    rng = np.random.default_rng(1)
    for kind, byte in ((np.uint16, 1), (np.uint16, 0), (np.uint32, 3), (np.uint32, 2), (np.uint32, 1), (np.uint32, 0)):
        size = np.dtype(kind).itemsize
        dtype = f"ui{8 * size}"
        # Few values a byte, so that filters find some.
        values = sum(rng.integers(0, 4, (3, 96)).astype(kind) << np.array(8 * b, kind) for b in range(size)).astype(kind)
        values[0, 0] = np.iinfo(kind).max
        filters = rng.integers(0, 4, (3, 1) if size == 2 else (max(size - 1 - byte, 1), 96)).astype(np.uint8)
        text = Text()
        source = text.load("x", values, dtype)
        if size == 2:
            index, part = text.tile("f", 3, 1, "ui8", "col_major"), text.view("f", 3, 1, "ui8")
            text.step("pto.tload", [part], [index])
            text.inputs["f_p"] = filters
        else:
            index = text.load("f", filters, "ui8")
        result = text.tile("h", 3, 256, "ui32")
        text.step("pto.thistogram", [source, index], [result], f"{{byte = {byte} : i32}}")
        text.store("out", result, 3, 256, "ui32", np.uint32)
        got = text.run()
        expect(isinstance(got, dict), got)
        expect(np.array_equal(got["out_p"], counted(values, filters, byte)), f"histogram of byte {byte} of {dtype}")
    refused = text.run("a3")
    expect(isinstance(refused, str) and "A2/A3 have no such operation" in refused, f"histogram on A2/A3: {refused}")


# --- random numbers ---

def philox(key, counter, rounds):
    x, key = list(counter), list(key)
    for _ in range(rounds):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [b >> 32 ^ x[1] ^ key[0], b & 0xFFFFFFFF, a >> 32 ^ x[3] ^ key[1], a & 0xFFFFFFFF]
        key = [(key[0] + 0x9E3779B9) & 0xFFFFFFFF, (key[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return x


def random_tile(key, counter, rounds, rows, columns):
    at = sum(word << 32 * n for n, word in enumerate(counter))
    result = []
    for _ in range(rows):
        row = []
        for first in range(0, columns, 256):
            for lane in range(64):
                row += philox(key, [(at + lane) >> 32 * n & 0xFFFFFFFF for n in range(4)], rounds)
            at += 64 if first + 256 < columns else (columns - 1) % 64 + 1
        result.append(row[:columns])
    return np.array(result, np.uint32)


def check_random():
    # The counter carries over three words; the columns end inside of a group of four.
    key, counter = (0x12345678, 0xFFFFFFFF), (0xFFFFFFF0, 0xFFFFFFFF, 0xFFFFFFFF, 7)
    for rounds, rows, columns in ((10, 2, 256), (7, 3, 331)):
        text = Text()
        names = []
        for n, word in enumerate((*key, *counter)):
            text.body.append(f"%w{n} = arith.constant {word - (word >> 31 << 32)} : i32")
            names.append((f"%w{n}", "i32"))
        result = text.tile("r", rows, columns, "ui32")
        names[-1] = (names[-1][0] + f" {{rounds = {rounds} : i32}}", "i32")
        text.step("pto.trandom", names, [result])
        text.store("out", result, rows, columns, "ui32", np.uint32)
        got = text.run()
        expect(isinstance(got, dict), got)
        expect(np.array_equal(got["out_p"], random_tile(key, counter, rounds, rows, columns)), f"random numbers, {rounds} rounds")


# --- quantisation to MX types ---

def small_values(exponent_bits, fraction_bits, count):
    """The values of the first `count` codes of a small float."""
    bias = (1 << exponent_bits - 1) - 1
    def value(code):
        exponent, fraction = code >> fraction_bits, code & (1 << fraction_bits) - 1
        return fraction * 2.0 ** (1 - bias - fraction_bits) if exponent == 0 else (1 + fraction / (1 << fraction_bits)) * 2.0 ** (exponent - bias)
    return np.array([value(c) for c in range(count)])


E4M3, E2M1 = small_values(4, 3, 127), small_values(2, 1, 8)


def code_of(x, values, sign_bit, nan):
    if np.isnan(x):
        return nan
    apart = np.abs(values - min(abs(float(x)), values[-1]))
    nearest = np.flatnonzero(apart == apart.min())
    code = int(nearest[0] if len(nearest) == 1 or nearest[0] % 2 == 0 else nearest[1])
    return code | (sign_bit if np.signbit(x) else 0)


def scale_of(extreme, packed, nv):
    """e8m0 and the factor of a group, by the exponent of its extreme."""
    bits = int(np.float32(extreme).view(np.uint32))
    if np.isnan(extreme):
        return 0xFF, np.nan
    if nv:
        if extreme == 0:
            return 0, 2.0 ** 127
        bits = int((np.float32(extreme) * np.float32(1 / (6.0 if packed else 448.0))).view(np.uint32))
        exponent, fraction = bits >> 23, bits & 0x7FFFFF
        if exponent == 0xFF:
            return 0xFE, 2.0 ** -127
        up = fraction > 0x400000 if exponent == 0 else fraction > 0 and exponent != 0xFE
        scale = exponent + int(up)
    else:
        scale = max((bits >> 23) - (2 if packed else 8), 0)
    return scale, 2.0 ** (127 - scale)


def quantised(values, packed, nv, by_rows):
    """Codes and scales, groups of 32 along a row or a column."""
    if by_rows:
        codes, scales = quantised(np.ascontiguousarray(values.T), packed, nv, False)
        return np.ascontiguousarray(codes.T), np.ascontiguousarray(scales.T)
    rows, columns = values.shape
    codes, scales = np.zeros((rows, columns), np.uint8), np.zeros((rows, columns // GROUP), np.uint8)
    for r in range(rows):
        for g in range(columns // GROUP):
            part = values[r, g * GROUP:(g + 1) * GROUP].astype(np.float64)
            scales[r, g], factor = scale_of(np.abs(part).max() if not np.isnan(part).any() else np.nan, packed, nv)
            with np.errstate(invalid="ignore"):
                codes[r, g * GROUP:(g + 1) * GROUP] = [code_of(x, E2M1 if packed else E4M3, 8 if packed else 0x80, 7 if packed else 0x7F)
                                                       for x in part * factor]
    return codes, scales


def bf16(values):
    """Numbers that bf16 holds, and their bits."""
    bits = values.astype(np.float32).view(np.uint32) & 0xFFFF0000
    return bits.view(np.float32), (bits >> 16).astype(np.uint16)


def numbers(rows, columns, seed):
    rng = np.random.default_rng(seed)
    x = (rng.standard_normal((rows, columns)) * 2.0 ** rng.integers(-9, 9, (rows, columns))).astype(np.float32)
    x[0, :GROUP] = 0
    x[0, 1] = -0.0
    # Ties of both formats, the largest numbers and what lies beyond.
    x[1, :GROUP] = np.tile([448, 464, 480, -460, 1.0625, 1.1875, 5, 7, 2.5, 3.5, 0.25, 0.75, -0.25, 6, 6.5, 447], 2)
    return x


def check_quantisation():
    for kind, packed, nv, by_rows in (("f32", False, False, False), ("f32", False, True, False), ("bf16", False, False, False),
                                      ("f16", False, True, False), ("f16", True, False, False), ("bf16", True, True, False),
                                      ("f32", False, False, True), ("bf16", True, False, True)):
        what = f"{kind} to {'MXFP4' if packed else 'MXFP8'}, {'NV' if nv else 'OCP'}, groups of {'rows' if by_rows else 'columns'}"
        rows, columns = (64, 64) if by_rows else (4, 128)
        values = numbers(rows, columns, 3)
        if kind == "f32" and not by_rows:
            values[2, :4] = [np.inf, -np.inf, 1e30, 1e-40]
            values[3, 5] = np.nan
        stored = values
        if kind == "bf16":
            values, stored = bf16(values)
        elif kind == "f16":
            values = stored = values.astype(np.float16)
        text = Text()
        source = text.load("x", stored, kind)
        groups = (rows // GROUP, columns) if by_rows else (rows, columns // GROUP)
        codes = text.tile("c", rows, columns // 2, "!pto.f4E2M1x2", address=0x20000) if packed else text.tile("c", rows, columns, "ui8")
        scales, extremes, factors = text.tile("s", *groups, "ui8"), text.tile("m", *groups, kind), text.tile("f", *groups, kind)
        axis = ", grpAxis = #pto<mx_group_axis axis0>" if by_rows else ""
        text.step("pto.tquant.mx", [source], [codes, scales, extremes, factors],
                  f"{{quant_type = #pto<quant_type {'MXFP4_E2M1' if packed else 'MXFP8'}>, quantScaleAlg = #pto<quant_scale_alg {'nv' if nv else 'ocp'}>{axis}}}")
        if packed:
            codes = text.tile("b", rows, columns // 2, "ui8", address=0x20000)  # bytes of two numbers
        text.store("out", codes, rows, columns // 2 if packed else columns, "ui8", np.uint8)
        text.store("scales", scales, *groups, "ui8", np.uint8)
        got = text.run()
        expect(isinstance(got, dict), f"{what}: {got}")
        expected, expected_scales = quantised(values, packed, nv, by_rows)
        if packed:
            expected = expected[:, 0::2] | expected[:, 1::2] << 4
        wrong = np.argwhere(got["scales_p"] != expected_scales)
        expect(not len(wrong), f"{what}: scales differ at {wrong[:4].tolist()}")
        wrong = np.argwhere(got["out_p"] != expected)
        expect(not len(wrong), f"{what}: codes differ at {wrong[:4].tolist()}: {[(hex(got['out_p'][tuple(w)]), hex(expected[tuple(w)])) for w in wrong[:4]]}")


# --- tables ---

def led(index, count, how):
    """Where an index leads, as unsigned numbers; None: nowhere."""
    index = int(index) % (1 << 32)
    return index if index < count else {"clamp": count - 1, "wrap": index % count}.get(how)


def check_gather(arch):
    rng = np.random.default_rng(4)
    table = rng.integers(-99, 99, (20, 32)).astype(np.float16)
    rows, places = np.array([[3, 19, 3, 0, 20, 45, -1, 7]], np.int32), rng.integers(0, 640, (8, 32)).astype(np.int32)
    places[0, :3] = [640, -1, 2**31 - 1]
    for how, index, coalesce in (("zero", rows, "row"), ("clamp", rows, "row"), ("wrap", places, "elem"), ("zero", places, "elem")):
        text = Text()
        part = text.view("t", 20, 32, "f16")
        text.inputs["t_p"] = table
        indices = text.load("i", index, "i32")
        result = text.tile("r", 8, 32, "f16")
        text.step("pto.mgather", [part, indices], [result], f"{{coalesce = #pto<coalesce {coalesce}>, gatherOob = #pto<gather_oob {how}>}}")
        text.store("out", result, 8, 32, "f16", np.float16)
        got = text.run(arch)
        expect(isinstance(got, dict), got)
        flat = table if coalesce == "row" else table.ravel()
        expected = np.array([flat[k] if (k := led(i, len(flat), how)) is not None else 0 * flat[0] for i in index.ravel()]).reshape(8, 32)
        expect(np.array_equal(got["out_p"], expected), f"mgather {coalesce} {how} on {arch}")
    text.body = [line.replace(", gatherOob = #pto<gather_oob zero>", "") for line in text.body]
    refused = text.run(arch)
    expect(isinstance(refused, str) and "names no element of a table of 640" in refused, f"mgather beyond its table on {arch}: {refused}")


def check_scatter(arch):
    rng = np.random.default_rng(5)
    source, start = (rng.integers(-99, 99, shape).astype(np.int32) for shape in ((8, 16), (20, 16)))
    rows, places = np.array([[3, 19, 3, 0, 20, 45, -1, 7]], np.int32), rng.integers(0, 40, (8, 16)).astype(np.int32)
    places[0, :2] = [320, -1]
    for how, index, coalesce, combine in (("skip", rows, "row", "none"), ("wrap", rows, "row", "add"), ("clamp", places, "elem", "add"),
                                          ("skip", places, "elem", "none")):
        text = Text()
        values, indices = text.load("x", source, "i32"), text.load("i", index, "i32")
        part = text.view("t", 20, 16, "i32")
        text.inputs["t_p"] = start
        text.outputs["t_p"] = (20, 16, np.int32)
        text.step("pto.mscatter", [values, indices], [part],
                  f"{{coalesce = #pto<coalesce {coalesce}>, scatterOob = #pto<scatter_oob {how}>, scatterAtomicOp = #pto<scatter_atomic_op {combine}>}}")
        got = text.run(arch)
        expect(isinstance(got, dict), got)
        expected = start.copy()
        flat = expected if coalesce == "row" else expected.reshape(-1)
        for i, value in zip(index.ravel(), source if coalesce == "row" else source.ravel()):
            if (k := led(i, len(flat), how)) is not None:
                flat[k] = flat[k] + value if combine == "add" else value
        expect(np.array_equal(got["t_p"], expected), f"mscatter {coalesce} {how} {combine} on {arch}")
    text.body = [line.replace("scatter_atomic_op none", "scatter_atomic_op max") for line in text.body]
    refused = text.run(arch)
    expect(isinstance(refused, str) and "has no values" in refused, f"mscatter of maxima on {arch}: {refused}")


# --- parts of memrefs ---

PART = """module attributes {pto.target_arch = "a5"} {
  func.func @k(%m: memref<8x32xf32, #pto.address_space<gm>>, %out_p: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %c3 = arith.constant 3 : index
    %p = memref.subview %m[%c3, 8] [4, 16] [STRIDE, 1] : memref<8x32xf32, #pto.address_space<gm>> to memref<4x16xf32, strided<[32, 1], offset: ?>, #pto.address_space<gm>>
    %u = memref.alloc() : memref<4x16xf32, #pto.address_space<vec>>
    %h = memref.subview %u[2, 8] [2, 8] [1, 1] : memref<4x16xf32, #pto.address_space<vec>> to memref<2x8xf32, strided<[16, 1], offset: ?>, #pto.address_space<vec>>
    %v = pto.make_tensor_view %out_p, shape = [2, 8], strides = [8, 1] : !pto.tensor_view<2x8xf32>
    %w = pto.partition_view %v, offsets = [0, 0], sizes = [2, 8] : !pto.tensor_view<2x8xf32> -> !pto.partition_tensor_view<2x8xf32>
    pto.tload ins(%p : memref<4x16xf32, strided<[32, 1], offset: ?>, #pto.address_space<gm>>) outs(%u : memref<4x16xf32, #pto.address_space<vec>>)
    pto.barrier <PIPE_ALL>
    pto.tstore ins(%h : memref<2x8xf32, strided<[16, 1], offset: ?>, #pto.address_space<vec>>) outs(%w : !pto.partition_tensor_view<2x8xf32>)
    return
  }
}
"""


def check_parts():
    x = np.random.default_rng(8).standard_normal((8, 32)).astype(np.float32)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        np.save(folder / "m.npy", x)
        words = [PLATFORM, "k.pto", "--preset", "a5", "--quiet", "--input", "m=m.npy", "--output", "out_p=out.npy"]
        for stride, why in (("1", ""), ("2", "expected strides of 1")):
            (folder / "k.pto").write_text(PART.replace("STRIDE", stride))
            done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=250)
            expect((done.returncode == 0) == (not why) and why in done.stderr, f"memref.subview: {done.stderr}")
        expect(np.array_equal(np.load(folder / "out.npy").reshape(2, 8), x[5:7, 16:24]), "memref.subview of a memref and of a tile")


# --- the same in C++ ---

CPP = """#include <pto/pto-inst.hpp>
using namespace pto;
template <class T, int R, int C> using Gm = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, C, 1>>;
template <class T, int R, int C> using Ub = Tile<TileType::Vec, T, R, C>;
extern "C" __global__ AICORE void run(__gm__ float* x, __gm__ uint32_t* y, __gm__ uint8_t* f, __gm__ int8_t* codes, __gm__ uint8_t* scales,
                                      __gm__ uint8_t* pairs, __gm__ uint8_t* padded, __gm__ uint8_t* boxed, __gm__ uint32_t* counts, __gm__ uint32_t* numbers) {
  Ub<float, 64, 64> source, extremes_of_all;
  Ub<int8_t, 64, 64> coded;
  Tile<TileType::Vec, uint8_t, 1, 128> flat;
  Tile<TileType::Vec, float, 1, 128> extremes, factors;
  Ub<uint8_t, 1, 128> paired;
  Ub<float, 2, 64> down, down_factors;
  Ub<uint32_t, 3, 96> words;
  Ub<uint8_t, 2, 96> filters;
  Ub<uint32_t, 3, 256> result, random;
  TASSIGN(source, 0x0);
  TASSIGN(coded, 0x4000);
  TASSIGN(flat, 0x6000);
  TASSIGN(extremes, 0x7000);
  TASSIGN(factors, 0x8000);
  TASSIGN(paired, 0x9000);
  TASSIGN(down, 0xA000);
  TASSIGN(down_factors, 0xB000);
  TASSIGN(words, 0xC000);
  TASSIGN(filters, 0xD000);
  TASSIGN(result, 0xE000);
  TASSIGN(random, 0xF000);
  TLOAD(source, Gm<float, 64, 64>(x));
  TLOAD(words, Gm<uint32_t, 3, 96>(y));
  TLOAD(filters, Gm<uint8_t, 2, 96>(f));
  pipe_barrier(PIPE_ALL);
  TQUANT<QuantType::MXFP8, Ub<int8_t, 64, 64>, Ub<float, 64, 64>, decltype(flat), decltype(extremes), decltype(factors), QuantScaleAlg::NV>(
      coded, source, &flat, &extremes, &factors);
  THISTOGRAM<HistByte::BYTE_1>(result, words, filters);
  TRandomKey key = {1, 2};
  TRandomCounter counter = {3, 4, 5, 0xFFFFFFFF};
  TRANDOM<7>(random, key, counter);
  pipe_barrier(PIPE_ALL);
  TSTORE(Gm<int8_t, 64, 64>(codes), coded);
  TSTORE(Gm<uint8_t, 1, 128>(scales), flat);
  TSTORE(Gm<uint32_t, 3, 256>(counts), result);
  TSTORE(Gm<uint32_t, 3, 256>(numbers), random);
  pipe_barrier(PIPE_ALL);
  TQUANT<0, MxQuantAlg::OcpMxFp8E4M3, true>(coded, source, &paired, &down, &down_factors);
  pipe_barrier(PIPE_ALL);
  TSTORE(Gm<uint8_t, 1, 128>(pairs), paired);
  // 26 groups of 13 rows: what the tile of scales has beyond them becomes 0.
  Ub<float, 13, 64> few;
  Ub<int8_t, 13, 64> few_coded;
  Ub<uint8_t, 1, 32> few_scales;
  Ub<float, 1, 32> few_extremes, few_factors;
  TASSIGN(few, 0x0);
  TASSIGN(few_coded, 0x4000);
  TASSIGN(few_scales, 0x6000);
  TASSIGN(few_extremes, 0x7000);
  TASSIGN(few_factors, 0x8000);
  pipe_barrier(PIPE_ALL);
  TEXPANDS(few_scales, (uint8_t)7);
  pipe_barrier(PIPE_ALL);
  TQUANT<QuantType::MXFP8>(few_coded, few, &few_scales, &few_extremes, &few_factors);
  pipe_barrier(PIPE_ALL);
  TSTORE(Gm<uint8_t, 1, 32>(padded), few_scales);
  // In boxes of 16 rows by two groups, of which the order is that of one row.
  Tile<TileType::Vec, uint8_t, 16, 2, BLayout::RowMajor, -1, -1, SLayout::RowMajor, 32> boxes(13, 2);
  Ub<uint8_t, 1, 32> boxes_in_a_row;
  Ub<uint8_t, 1, 256> scratch;
  TASSIGN(boxes, 0x9000);
  TASSIGN(boxes_in_a_row, 0x9000);
  TASSIGN(scratch, 0xA000);
  pipe_barrier(PIPE_ALL);
  TEXPANDS(boxes_in_a_row, (uint8_t)9);
  TMOV(boxes, few_scales, scratch);
  pipe_barrier(PIPE_ALL);
  TSTORE(Gm<uint8_t, 1, 32>(boxed), boxes_in_a_row);
}
"""


def check_cpp():
    rng = np.random.default_rng(6)
    x, y = numbers(64, 64, 7), rng.integers(0, 2, (3, 96)).astype(np.uint32) * 0x01010001 + rng.integers(0, 9, (3, 96)).astype(np.uint32) * 0x100
    f = np.zeros((2, 96), np.uint8)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "k.cpp").write_text(CPP)
        words = [PLATFORM, "k.cpp", "--preset", "a5", "--quiet", "--hazards", "error"]
        for name, value in (("x", x), ("y", y), ("f", f)):
            np.save(folder / f"{name}.npy", value)
            words += ["--arg", f"{name}={name}.npy"]
        shapes = {"codes": "i8[64,64]", "scales": "u8[64,2]", "pairs": "u8[64,2]", "padded": "u8[32]", "boxed": "u8[32]", "counts": "u32[3,256]", "numbers": "u32[3,256]"}
        for name, shape in shapes.items():
            words += ["--arg", f"{name}={shape}", "--output", f"{name}={name}.out.npy"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=250)
        expect(done.returncode == 0, done.stderr)
        got = {name: np.load(folder / f"{name}.out.npy") for name in shapes}
        codes, scales = quantised(x, False, True, False)
        wrong = [np.argwhere(a != b)[:4].tolist() for a, b in ((got["codes"].view(np.uint8), codes), (got["scales"].reshape(scales.shape), scales))]
        expect(wrong == [[], []], f"TQUANT to MXFP8: codes and scales differ at {wrong}")
        expect(np.array_equal(got["counts"], counted(y, f, 1)), "THISTOGRAM")
        expect(np.array_equal(got["numbers"], random_tile((1, 2), (3, 4, 5, 0xFFFFFFFF), 7, 3, 256)), "TRANDOM")
        _, down = quantised(x, False, False, True)  # two groups of a column side by side
        expect(np.array_equal(got["pairs"].reshape(64, 2), down.T), "TQUANT of groups of rows")
        _, few = quantised(x[:13], False, False, False)
        expect(np.array_equal(got["padded"], got["boxed"]), f"scales of 13 rows in boxes: {got['boxed']}")
        expect(np.array_equal(got["padded"], np.append(few.reshape(-1), np.zeros(6, np.uint8))), f"scales of 13 rows: {got['padded']}")
        words[words.index("a5")] = "a2a3"
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=250)
        expect(done.returncode != 0 and "A2/A3 have no MX types" in done.stderr, f"TQUANT to MXFP8 on A2/A3: {done.stderr}")


check_histograms()
check_random()
check_quantisation()
for machine in ("a3", "a5"):
    check_gather(machine)
    check_scatter(machine)
check_parts()
check_cpp()
print("ok")
