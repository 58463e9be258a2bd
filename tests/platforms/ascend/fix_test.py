"""What FIX scales on its way out of L0C, against NumPy: by a word, by a word for each column, in text and in C++, to GM and to L1; and
products that lie narrower in L0C than their tile. ascend_2.md 1."""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

M, K, N = 32, 64, 48
KINDS = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i8": np.int8, "ui8": np.uint8, "i16": np.int16}

TEXT = """module attributes {{pto.target_arch = "{arch}"}} {{
  func.func @k(%a: !pto.ptr<{src}>, %b: !pto.ptr<{src}>, %q: !pto.ptr<ui64>, %c: !pto.ptr<{dst}>, %s: i64) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
{body}    return
  }}
}}
"""


def mat(location, element, rows, columns, extra="blayout=col_major, slayout=row_major, fractal=512"):
    return f"!pto.tile_buf<loc={location}, dtype={element}, rows={rows}, cols={columns}, v_row={rows}, v_col={columns}, {extra}, pad=0>"


def text(arch, src, acc, dst, store):
    """A product, and a store of it whose words are `store`; %fp are the scales of the columns."""
    plain = "blayout=row_major, slayout=none_box, fractal=512"
    tiles = {"la": mat("mat", src, M, K), "lb": mat("mat", src, K, N), "lq": mat("mat", "ui64", 1, N, plain),
             "ta": mat("left", src, M, K, "blayout=row_major, slayout=row_major, fractal=512"),
             "tb": mat("right", src, K, N, "blayout=row_major, slayout=col_major, fractal=512"),
             "acc": mat("acc", acc, M, N, "blayout=col_major, slayout=row_major, fractal=1024"),
             "fp": mat("scaling", "ui64", 1, N, plain)}
    lines = [f"%{name} = pto.alloc_tile : {kind}" for name, kind in tiles.items()]
    views = {}
    for name, rows, columns, element in (("a", M, K, src), ("b", K, N, src), ("q", 1, N, "ui64"), ("c", M, N, dst)):
        view, part = f"!pto.tensor_view<{rows}x{columns}x{element}>", f"!pto.partition_tensor_view<{rows}x{columns}x{element}>"
        lines += [f"%{name}v = pto.make_tensor_view %{name}, shape = [{rows}, {columns}], strides = [{columns}, 1] : {view}",
                  f"%{name}w = pto.partition_view %{name}v, offsets = [0, 0], sizes = [{rows}, {columns}] : {view} -> {part}"]
        views[name] = part
    for name in "abq":
        lines.append(f"pto.tload ins(%{name}w : {views[name]}) outs(%l{name} : {tiles['l' + name]})")
    for source, target in (("la", "ta"), ("lb", "tb"), ("lq", "fp")):
        lines.append(f"pto.tmov ins(%{source} : {tiles[source]}) outs(%{target} : {tiles[target]})")
    lines.append(f"pto.tmatmul ins(%ta, %tb : {tiles['ta']}, {tiles['tb']}) outs(%acc : {tiles['acc']})")
    lines += [line.format(acc=tiles["acc"], fp=tiles["fp"], c=views["c"], out=mat("mat", dst, M, N)) for line in store]
    return TEXT.format(arch=arch, src=src, dst=dst, body="".join(f"    {line}\n" for line in lines))


STORES = {"word": ["pto.tstore ins(%acc, %s : {acc}, i64) outs(%cw : {c})"],
          "columns": ["pto.tstore ins(%acc, %fp : {acc}, {fp}) outs(%cw : {c})"],
          "older": ["pto.tstore_fp ins(%acc, %fp : {acc}, {fp}) outs(%cw : {c})"],
          "named": ["pto.tstore ins(%acc : {acc} fp %fp : {fp}) outs(%cw : {c})"],
          "relu": ["pto.tstore ins(%acc, %s : {acc}, i64) outs(%cw : {c}) {{reluPreMode = #pto<relu_pre_mode normal_relu>}}"],
          "to L1": ["%o = pto.alloc_tile : {out}", "pto.tmov ins(%acc, %s : {acc}, i64) outs(%o : {out})",
                    "pto.tstore ins(%o : {out}) outs(%cw : {c})"]}


def word(scale, dst, offset=0):
    """The word of a scale, as the vendor's pages have it."""
    bits = int(np.float32(scale).view(np.uint32))
    return bits | (offset & 0x1FF) << 37 | (1 << 46 if dst == "i8" else 0)


def golden(acc, words, dst, relu):
    """Each column by its word: factor without its low 13 bits, ReLU, round, offset, saturate."""
    out = np.zeros(acc.shape, KINDS[dst])
    for c, w in enumerate(words):
        w = int(w)
        scale = np.uint32(w & 0xFFFFE000).view(np.float32)
        offset = (w >> 37 & 0x1FF) - ((w >> 45 & 1) << 9)
        y = acc[:, c].astype(np.float32) * scale
        y = np.where((acc[:, c] < 0) & relu, np.float32(0), y)
        if dst in ("i8", "ui8"):
            low, high = (-128, 127) if w >> 46 & 1 else (0, 255)
            y = np.clip(np.rint(np.clip(y, -256, 255)).astype(np.int64) + offset, low, high)
        elif dst == "f16":
            y = np.clip(y, -65504, 65504)
        out[:, c] = y.astype(KINDS[dst])
    return out


def run(executable, source, arch, arrays, expected=0, name="k.pto", form="input"):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / name).write_text(source)
        command = [executable, str(path / name), "--preset", arch, "--quiet", f"--output=c={path / 'c.npy'}"]
        for key, value in arrays.items():
            if isinstance(value, np.ndarray):
                # A pointer to ui64 in text is an array of 64 bits with a sign.
                np.save(path / f"{key}.npy", value.view(np.int64) if form == "input" and value.dtype == np.uint64 else value)
                value = path / f"{key}.npy"
                command.append(f"--{form}={key}={value}")
            else:
                command.append(f"--param={key}={value}" if form == "input" else f"--arg={key}={value}")
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, XDG_CACHE_HOME=folder))
        assert done.returncode == expected, (done.returncode, done.stderr, source)
        return np.load(path / "c.npy") if expected == 0 else done.stderr


def operands(src, seed):
    rng = np.random.default_rng(seed)
    if src == "i8":
        return rng.integers(-128, 128, (M, K)).astype(np.int8), rng.integers(-128, 128, (K, N)).astype(np.int8)
    # Small integers: sums are exact in every order.
    return rng.integers(-9, 9, (M, K)).astype(KINDS[src]), rng.integers(-9, 9, (K, N)).astype(KINDS[src])


def check_text(executable):
    rng = np.random.default_rng(5)
    cases = [("i8", "i32", "f16", 0.0123), ("i8", "i32", "i8", 0.00071), ("i8", "i32", "ui8", 0.0031), ("f16", "f32", "i8", 0.37),
             ("f16", "f32", "ui8", 1.3)]
    for arch in ("a2a3", "a5"):
        for n, (src, acc, dst, scale) in enumerate(cases):
            a, b = operands(src, n)
            exact = a.astype(np.int64) @ b.astype(np.int64)
            words = np.array([word(f, dst, o) for f, o in zip(scale * rng.uniform(0.5, 2, N), rng.integers(-40, 40, N))], np.uint64)
            one = word(scale, dst, 7 if dst != "f16" else 0)
            for how, store in STORES.items():
                if how == "to L1" and arch == "a5":
                    continue  # A5 stores no tile of L1
                found = run(executable, text(arch, src, acc, dst, store), arch, {"a": a, "b": b, "q": words, "s": one})
                by_column = how in ("columns", "older", "named")
                expected = golden(exact, words if by_column else [one] * N, dst, how == "relu")
                np.testing.assert_array_equal(found, expected, err_msg=f"{arch} {src} {dst} {how}")


def check_refusals(executable):
    a, b = operands("i8", 1)
    arrays = {"a": a, "b": b, "q": np.ones(N, np.uint64), "s": 2}
    plain = ["pto.tstore ins(%acc : {acc}) outs(%cw : {c})"]
    message = run(executable, text("a2a3", "i8", "i32", "i8", plain), "a2a3", arrays, expected=2)
    assert "FIX of A2/A3 moves i32 of L0C to GM as i32" in message, message
    message = run(executable, text("a2a3", "i8", "i32", "f16", STORES["word"]), "a2a3", arrays, expected=4)
    assert "no normal number of f32" in message, message


CPP = """#include <pto/pto-inst.hpp>
using namespace pto;
template <class T, int R, int C> using G = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, C, 1>>;
extern "C" __global__ AICORE void k(__gm__ int8_t* a, __gm__ int8_t* b, __gm__ uint64_t* q, __gm__ int8_t* c, uint64_t s) {
#ifdef __DAV_CUBE__
  constexpr int M = 32, K = 64, N = 48;
  Tile<TileType::Mat, int8_t, M, K, BLayout::ColMajor, M, K, SLayout::RowMajor> la;
  Tile<TileType::Mat, int8_t, K, 64, BLayout::ColMajor, K, N, SLayout::RowMajor> lb;  // whole boxes of 32 columns
  Tile<TileType::Mat, uint64_t, 1, N> lq;
  Tile<TileType::Scaling, uint64_t, 1, N> fp;
  TileLeft<int8_t, M, K> ta; TileRight<int8_t, K, N> tb; TileAcc<int32_t, M, N> acc;
  TASSIGN(la, 0); TASSIGN(lb, 0x10000); TASSIGN(lq, 0x20000); TASSIGN(ta, 0); TASSIGN(tb, 0); TASSIGN(acc, 0); TASSIGN(fp, 0);
  G<int8_t, M, K> ga(a); G<int8_t, K, N> gb(b); G<uint64_t, 1, N> gq(q);
  TLOAD(la, ga); TLOAD(lb, gb); TLOAD(lq, gq);
  set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  set_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_FIX, EVENT_ID0);
  TEXTRACT(ta, la, 0, 0); TEXTRACT(tb, lb, 0, 0);
  set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(acc, ta, tb);
  set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  G<int8_t, M, N> first(c), second(c + M * N), third(c + 2 * M * N);
  TMOV(fp, lq);  // by FIX itself: no flag before the store that uses it
  TSTORE_FP<decltype(acc), decltype(third), decltype(fp), AtomicType::AtomicNone, ReluPreMode::NormalRelu>(third, acc, fp);
  TSTORE(first, acc, s);
  TSTORE<decltype(acc), decltype(second), AtomicType::AtomicNone, ReluPreMode::NormalRelu>(second, acc, s);
#endif
}
"""

# The product has 16 rows, its tile 32: M writes columns of boxes 16 rows apart, FIX reads them 32 rows apart.
NARROW = """#include <pto/pto-inst.hpp>
using namespace pto;
template <class T, int R, int C> using G = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, C, 1>>;
extern "C" __global__ AICORE void k(__gm__ half* a, __gm__ half* b, __gm__ float* c) {
#ifdef __DAV_CUBE__
  Tile<TileType::Mat, half, 32, 16, BLayout::ColMajor, 32, 16, SLayout::RowMajor> la;
  Tile<TileType::Mat, half, 16, 48, BLayout::ColMajor, 16, 48, SLayout::RowMajor> lb;
  TileLeft<half, 32, 16, DYNAMIC, 16> ta(16); TileRight<half, 16, 48> tb; TileAcc<float, 32, 48, DYNAMIC, 48> acc(16);
  TASSIGN(la, 0); TASSIGN(lb, 0x10000); TASSIGN(ta, 0); TASSIGN(tb, 0); TASSIGN(acc, 0);
  G<half, 32, 16> ga(a); G<half, 16, 48> gb(b); G<float, 16, 48> gc(c);
  TLOAD(la, ga); TLOAD(lb, gb); set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
  TEXTRACT(ta, la, 0, 0); TEXTRACT(tb, lb, 0, 0); set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
  TMATMUL(acc, ta, tb); set_flag(PIPE_M, PIPE_FIX, EVENT_ID0); wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
  TSTORE(gc, acc);
#endif
}
"""


def check_cpp(executable):
    a, b = operands("i8", 3)
    exact = a.astype(np.int64) @ b.astype(np.int64)
    one = word(0.0009, "i8")
    words = np.array([word(f, "i8", 3) for f in np.linspace(0.0003, 0.003, N)], np.uint64)
    for arch in ("a2a3", "a5"):
        arrays = {"a": a, "b": b, "q": words, "c": f"i8[{3 * M},{N}]", "s": one}
        found = run(executable, CPP, arch, arrays, name="k.cpp", form="arg")
        expected = [golden(exact, [one] * N, "i8", False), golden(exact, [one] * N, "i8", True), golden(exact, words, "i8", True)]
        np.testing.assert_array_equal(found, np.concatenate(expected), err_msg=arch)
    a, b = np.ones((32, 16), np.float16), np.arange(48, dtype=np.float16)[None, :].repeat(16, 0)
    found = run(executable, NARROW, "a2a3", {"a": a, "b": b, "c": "f32[16,48]"}, name="k.cpp", form="arg")
    right = (a[:16].astype(np.float32) @ b.astype(np.float32))
    np.testing.assert_array_equal(found[:, :16], right[:, :16])
    np.testing.assert_array_equal(found[:, 16:32], right[:, 32:])  # the third column of boxes lies where the second is read
    np.testing.assert_array_equal(found[:, 32:], 0)  # never written


if __name__ == "__main__":
    check_text(sys.argv[1])
    check_refusals(sys.argv[1])
    check_cpp(sys.argv[1])
