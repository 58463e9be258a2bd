"""Values of ascend_platform against NumPy: vector addition, matrix products, what comes out of a kernel without a flag."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

MATMUL = """module attributes {{pto.target_arch = "{arch}"}} {{
  func.func @matmul(%a: !pto.ptr<{t}>, %b: !pto.ptr<{t}>, %c: !pto.ptr<{r}>) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %k = arith.constant {k} : index
    %av = pto.make_tensor_view %a, shape = [{m}, {kk}], strides = [{kk}, 1] : !pto.tensor_view<{m}x{kk}x{t}>
    %bv = pto.make_tensor_view %b, shape = [{kk}, {n}], strides = [{n}, 1] : !pto.tensor_view<{kk}x{n}x{t}>
    %cv = pto.make_tensor_view %c, shape = [{m}, {n}], strides = [{n}, 1] : !pto.tensor_view<{m}x{n}x{r}>
    %cp = pto.partition_view %cv, offsets = [0, 0], sizes = [{m}, {n}] : !pto.tensor_view<{m}x{n}x{r}> -> !pto.partition_tensor_view<{m}x{n}x{r}>
    %at = pto.alloc_tile : !pto.tile_buf<mat, {m}x{k}x{t}>
    %bt = pto.alloc_tile : !pto.tile_buf<mat, {k}x{n}x{t}>
    %l = pto.alloc_tile : !pto.tile_buf<left, {m}x{k}x{t}>
    %r = pto.alloc_tile : !pto.tile_buf<right, {k}x{n}x{t}>
    %acc = pto.alloc_tile : !pto.tile_buf<acc, {m}x{n}x{s}>
    scf.for %i = %c0 to %k2 step %c1 {{
      %at_k = arith.muli %i, %k : index
      %ap = pto.partition_view %av, offsets = [0, %at_k], sizes = [{m}, {k}] : !pto.tensor_view<{m}x{kk}x{t}> -> !pto.partition_tensor_view<{m}x{k}x{t}>
      %bp = pto.partition_view %bv, offsets = [%at_k, 0], sizes = [{k}, {n}] : !pto.tensor_view<{kk}x{n}x{t}> -> !pto.partition_tensor_view<{k}x{n}x{t}>
      pto.tload ins(%ap : !pto.partition_tensor_view<{m}x{k}x{t}>) outs(%at : !pto.tile_buf<mat, {m}x{k}x{t}>)
      pto.tload ins(%bp : !pto.partition_tensor_view<{k}x{n}x{t}>) outs(%bt : !pto.tile_buf<mat, {k}x{n}x{t}>)
      pto.set_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE2>, <PIPE_MTE1>, <EVENT_ID0>]
      pto.tmov ins(%at : !pto.tile_buf<mat, {m}x{k}x{t}>) outs(%l : !pto.tile_buf<left, {m}x{k}x{t}>)
      pto.tmov ins(%bt : !pto.tile_buf<mat, {k}x{n}x{t}>) outs(%r : !pto.tile_buf<right, {k}x{n}x{t}>)
      pto.set_flag[<PIPE_MTE1>, <PIPE_M>, <EVENT_ID0>]
      pto.wait_flag[<PIPE_MTE1>, <PIPE_M>, <EVENT_ID0>]
      %first = arith.cmpi eq, %i, %c0 : index
      scf.if %first {{
        pto.tmatmul ins(%l, %r : !pto.tile_buf<left, {m}x{k}x{t}>, !pto.tile_buf<right, {k}x{n}x{t}>) outs(%acc : !pto.tile_buf<acc, {m}x{n}x{s}>)
      }} else {{
        pto.tmatmul.acc ins(%acc, %l, %r : !pto.tile_buf<acc, {m}x{n}x{s}>, !pto.tile_buf<left, {m}x{k}x{t}>, !pto.tile_buf<right, {k}x{n}x{t}>) outs(%acc : !pto.tile_buf<acc, {m}x{n}x{s}>)
      }}
      pto.barrier <PIPE_ALL>
    }}
    pto.set_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_M>, <PIPE_FIX>, <EVENT_ID0>]
    pto.tstore ins(%acc : !pto.tile_buf<acc, {m}x{n}x{s}>) outs(%cp : !pto.partition_tensor_view<{m}x{n}x{r}>)
    return
  }}
}}
""".replace("    %at = pto", "    %k2 = arith.constant {steps} : index\n    %at = pto", 1)


def bfloat16_bits(values):
    """To nearest, ties to even."""
    bits = values.astype(np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


class Runner:
    def __init__(self, executable):
        self.executable = executable
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def run(self, program, inputs, outputs, *options, exit_code=0):
        """The arrays of `outputs`, and the report."""
        command = [self.executable, str(program), "--quiet", f"--report={self.path / 'r.json'}", *options]
        for name, array in inputs.items():
            np.save(self.path / f"{name}.npy", array)
            command.append(f"--input={name}={self.path / name}.npy")
        command += [f"--output={name}={self.path / name}_out.npy" for name in outputs]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == exit_code, (done.returncode, done.stderr)
        if exit_code != 0:
            return done.stderr
        report = json.loads((self.path / "r.json").read_text())
        return [np.load(self.path / f"{name}_out.npy") for name in outputs], report

    def program(self, text):
        file = self.path / "k.pto"
        file.write_text(text)
        return file


def check_vector_add(runner, example):
    rng = np.random.default_rng(1)
    tiles, blocks = 4, 2
    rows = tiles * 16 * blocks  # a block is an AIV
    a, b = (rng.standard_normal((rows, 512)).astype(np.float32) for _ in range(2))
    options = ["--param=TILES=4", "--set=launch.blocks=2", "--preset=a2a3"]
    (c,), report = runner.run(example, {"a": a, "b": b}, ["c"], *options)
    np.testing.assert_array_equal(c, a + b)
    assert report["outputs"]["c"] == {"dtype": "f32", "shape": [rows, 512], "file": str(runner.path / "c_out.npy")}
    # Timing only: the same cycles and events.
    _, timing = runner.run(example, {}, [], "--no-data", *options)
    assert (timing["cycles"], timing["digest"]) == (report["cycles"], report["digest"])
    assert timing.get("outputs", {}) == {}
    # The blocks of a cycle in another order: the same values.
    (again,), _ = runner.run(example, {"a": a, "b": b}, ["c"], "--shuffle-step-order", "--seed=5", *options)
    np.testing.assert_array_equal(again, c)


SQUARE = """module {
  func.func @square(%a: !pto.ptr<f32>, %c: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %av = pto.make_tensor_view %a, shape = [16, 64], strides = [64, 1] : !pto.tensor_view<16x64xf32>
    %cv = pto.make_tensor_view %c, shape = [16, 64], strides = [64, 1] : !pto.tensor_view<16x64xf32>
    %ap = pto.partition_view %av, offsets = [0, 0], sizes = [16, 64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
    %cp = pto.partition_view %cv, offsets = [0, 0], sizes = [16, 64] : !pto.tensor_view<16x64xf32> -> !pto.partition_tensor_view<16x64xf32>
    %t = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    %u = pto.alloc_tile : !pto.tile_buf<vec, 16x64xf32>
    pto.tload ins(%ap : !pto.partition_tensor_view<16x64xf32>) outs(%t : !pto.tile_buf<vec, 16x64xf32>)
    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.tmul ins(%t, %t : !pto.tile_buf<vec, 16x64xf32>, !pto.tile_buf<vec, 16x64xf32>) outs(%u : !pto.tile_buf<vec, 16x64xf32>)
    pto.set_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.wait_flag[<PIPE_V>, <PIPE_MTE3>, <EVENT_ID0>]
    pto.tstore ins(%u : !pto.tile_buf<vec, 16x64xf32>) outs(%cp : !pto.partition_tensor_view<16x64xf32>)
    return
  }
}
"""


def check_missing_flag(runner):
    a = np.random.default_rng(3).standard_normal((16, 64)).astype(np.float32)
    (c,), _ = runner.run(runner.program(SQUARE), {"a": a}, ["c"])
    np.testing.assert_array_equal(c, a * a)
    # Without a flag the next pipe reads what was in the tile before: zeros.
    for pair in ("<PIPE_MTE2>, <PIPE_V>", "<PIPE_V>, <PIPE_MTE3>"):
        lines = [line for line in SQUARE.splitlines() if pair not in line]
        assert len(lines) == len(SQUARE.splitlines()) - 2
        (c,), _ = runner.run(runner.program("\n".join(lines)), {"a": a}, ["c"])
        np.testing.assert_array_equal(c, np.zeros_like(a))


def check_matmul(runner, arch, kind):
    m, n, k, steps = 32, 48, 64, 3
    rng = np.random.default_rng(2)
    shape = {"m": m, "n": n, "k": k, "kk": k * steps, "steps": steps, "arch": arch}
    a, b = rng.standard_normal((m, k * steps)), rng.standard_normal((k * steps, n))
    if kind == "f16":
        types, a, b = ("f16", "f16", "f32"), a.astype(np.float16), b.astype(np.float16)
        expected = (a.astype(np.float32) @ b.astype(np.float32)).astype(np.float16)
    elif kind == "bf16":
        types, a, b = ("bf16", "f32", "f32"), bfloat16_bits(a), bfloat16_bits(b)
        expected = from_bfloat16(a) @ from_bfloat16(b)
    else:
        types = ("i8", "i32", "i32")
        a, b = (rng.integers(-128, 128, x.shape).astype(np.int8) for x in (a, b))
        expected = a.astype(np.int32) @ b.astype(np.int32)
    text = MATMUL.format(t=types[0], r=types[1], s=types[2], **shape)
    (c,), report = runner.run(runner.program(text), {"a": a, "b": b}, ["c"])
    assert c.shape == (m, n) and c.dtype == expected.dtype, (c.shape, c.dtype)
    assert report["outputs"]["c"]["dtype"] == types[1]
    if kind == "i8":
        np.testing.assert_array_equal(c, expected)
    else:
        np.testing.assert_allclose(c.astype(np.float64), expected.astype(np.float64), rtol=2e-3 if kind == "f16" else 1e-5,
                                   atol=1e-2 if kind == "f16" else 1e-4)


# a times the transpose of b: a tile with column-major boxes is the transpose of the tile at its address. Its columns 64.. come first.
TRANSPOSED = """module {
  func.func @transposed(%a: !pto.ptr<f16>, %b: !pto.ptr<f16>, %c: !pto.ptr<f32>) attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %at = arith.constant 0 : i64
    %behind = arith.constant 65536 : i64
    %av = pto.make_tensor_view %a, shape = [32, 64], strides = [64, 1] : !pto.tensor_view<32x64xf16>
    %bv = pto.make_tensor_view %b, shape = [128, 64], strides = [64, 1] : !pto.tensor_view<128x64xf16>
    %cv = pto.make_tensor_view %c, shape = [32, 64], strides = [64, 1] : !pto.tensor_view<32x64xf32>
    %ap = pto.partition_view %av, offsets = [0, 0], sizes = [32, 64] : !pto.tensor_view<32x64xf16> -> !pto.partition_tensor_view<32x64xf16>
    %bp = pto.partition_view %bv, offsets = [0, 0], sizes = [128, 64] : !pto.tensor_view<128x64xf16> -> !pto.partition_tensor_view<128x64xf16>
    %cp = pto.partition_view %cv, offsets = [0, 0], sizes = [32, 64] : !pto.tensor_view<32x64xf32> -> !pto.partition_tensor_view<32x64xf32>
    %am = pto.alloc_tile addr = %behind : !pto.tile_buf<mat, 32x64xf16, blayout=col_major, slayout=row_major>
    %bm = pto.alloc_tile addr = %at : !pto.tile_buf<mat, 128x64xf16, blayout=col_major, slayout=row_major>
    %t = pto.alloc_tile addr = %at : !pto.tile_buf<mat, 64x128xf16, slayout=col_major>
    %l = pto.alloc_tile : !pto.tile_buf<left, 32x64xf16>
    %r = pto.alloc_tile : !pto.tile_buf<right, 64x64xf16>
    %s = pto.alloc_tile : !pto.tile_buf<acc, 32x64xf32>
    pto.tload ins(%ap : !pto.partition_tensor_view<32x64xf16>) outs(%am : !pto.tile_buf<mat, 32x64xf16, blayout=col_major, slayout=row_major>)
    pto.tload ins(%bp : !pto.partition_tensor_view<128x64xf16>) outs(%bm : !pto.tile_buf<mat, 128x64xf16, blayout=col_major, slayout=row_major>)
    pto.tmov ins(%am : !pto.tile_buf<mat, 32x64xf16, blayout=col_major, slayout=row_major>) outs(%l : !pto.tile_buf<left, 32x64xf16>)
    pto.textract ins(%t, %c0, %c64 : !pto.tile_buf<mat, 64x128xf16, slayout=col_major>, index, index) outs(%r : !pto.tile_buf<right, 64x64xf16>)
    pto.tmatmul ins(%l, %r : !pto.tile_buf<left, 32x64xf16>, !pto.tile_buf<right, 64x64xf16>) outs(%s : !pto.tile_buf<acc, 32x64xf32>)
    pto.tstore ins(%s : !pto.tile_buf<acc, 32x64xf32>) outs(%cp : !pto.partition_tensor_view<32x64xf32>)
    return
  }
}
"""


def check_transposed(runner):
    rng = np.random.default_rng(6)
    a, b = (rng.integers(-3, 4, (rows, 64)).astype(np.float16) for rows in (32, 128))
    (c,), _ = runner.run(runner.program(TRANSPOSED), {"a": a, "b": b}, ["c"], "--hazards=error", "--preset=a2a3")
    np.testing.assert_array_equal(c, a.astype(np.float32) @ b[64:].T.astype(np.float32))


# The sum has the rows of a and the columns of b, though one row of the accumulator is valid.
ACCUMULATED = TRANSPOSED.replace("    %s = pto.alloc_tile : !pto.tile_buf<acc, 32x64xf32>", """
    %c1 = arith.constant 1 : index
    %at_s = arith.constant 0 : i64
    %one = pto.alloc_tile addr = %at_s valid_row = %c1 valid_col = %c64 : !pto.tile_buf<acc, 32x64xf32, valid=?x?>
    %s = pto.alloc_tile addr = %at_s : !pto.tile_buf<acc, 32x64xf32>""").replace("    pto.tstore", """
    pto.tmatmul.acc ins(%one, %l, %r : !pto.tile_buf<acc, 32x64xf32, valid=?x?>, !pto.tile_buf<left, 32x64xf16>, !pto.tile_buf<right, 64x64xf16>) outs(%one : !pto.tile_buf<acc, 32x64xf32, valid=?x?>)
    pto.tstore""")

ONE_TO_ONE = """module {
  func.func @cube() attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %id = arith.constant 3 : i64
    pto.set_intra_block "PIPE_FIX", %id : i64, i64
    pto.wait_intra_core "PIPE_MTE2", %id : i64
    return
  }
  func.func @vector() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %id = arith.constant 3 : i64
    pto.wait_intra_core "PIPE_MTE2", %id : i64
    pto.set_intra_block "PIPE_MTE2", %id : i64, i64
    return
  }
}
"""


def check_what_the_hardware_allows(runner, examples):
    rng = np.random.default_rng(8)
    a, b = (rng.integers(-3, 4, (rows, 64)).astype(np.float16) for rows in (32, 128))
    (c,), _ = runner.run(runner.program(ACCUMULATED), {"a": a, "b": b}, ["c"], "--preset=a2a3")
    np.testing.assert_array_equal(c, 2 * a.astype(np.float32) @ b[64:].T.astype(np.float32))
    # A pipe of A2/A3 sets the FFTS base address itself.
    text = (examples / "kernels" / "linear_relu.pto").read_text()
    assert "pto.set_ffts" in text
    text = "\n".join(line for line in text.splitlines() if "pto.set_ffts" not in line)
    x, w = rng.integers(-3, 4, (128, 64)).astype(np.float16), rng.integers(-3, 4, (64, 64)).astype(np.float16)
    (y,), _ = runner.run(runner.program(text), {"x": x, "w": w}, ["y"], "--preset=a2a3", "--param=TILES=1", "--set=launch.clusters=2")
    np.testing.assert_array_equal(y, np.maximum(x.astype(np.float32) @ w.astype(np.float32), 0))
    # Mode 4 with one AIV.
    runner.run(runner.program(ONE_TO_ONE), {}, [], "--preset=a5", "--set=launch.ratio=1:1")


def check_hand_over(runner, examples):
    """Cube to vector: relu(a b), again and again. Vector to cube: each tile of a, from int8, times b."""
    rng = np.random.default_rng(4)
    tiles = 3
    a, b = (rng.integers(-3, 4, (128, 128)).astype(np.float16) for _ in range(2))
    product = np.maximum(a.astype(np.float32) @ b.astype(np.float32), 0)
    whole = rng.integers(-3, 4, (tiles * 128, 128)).astype(np.int8)
    for arch in ("a2a3", "a5"):
        (out,), _ = runner.run(examples / f"c2v_{arch}.pto", {"a": a, "b": b}, ["out"], f"--param=TILES={tiles}")
        np.testing.assert_array_equal(out, np.tile(product, (tiles, 1)))
        (out,), _ = runner.run(examples / f"v2c_{arch}.pto", {"a": whole, "b": b}, ["out"], f"--param=TILES={tiles}")
        np.testing.assert_array_equal(out, whole.astype(np.float32) @ b.astype(np.float32))
        print(f"{arch} hand-over: equal")


def check_errors(runner, example):
    a = np.zeros((16, 512), np.float32)
    options = ["--param=TILES=2", "--preset=a2a3"]
    text = runner.run(example, {"a": a}, [], *options, exit_code=4)
    assert "the array a has 32768 bytes, the part takes bytes 32768 to 65535" in text, text
    text = runner.run(example, {"a": a.astype(np.float16)}, [], *options, exit_code=2)
    assert "elements of f16, expected f32 for %a, a pointer to f32" in text, text
    text = runner.run(example, {"aa": a}, [], *options, exit_code=2)
    assert "'aa' is no pointer argument" in text, text
    text = runner.run(example, {"a": a}, [], "--no-data", *options, exit_code=4)
    assert "the array a has 32768 bytes, the part takes bytes 32768 to 65535" in text, text


def main():
    executable, example = sys.argv[1:]
    runner = Runner(executable)
    check_vector_add(runner, example)
    check_transposed(runner)
    check_what_the_hardware_allows(runner, pathlib.Path(example).parent)
    for arch in ("a2a3", "a5"):
        for kind in ("f16", "bf16", "i8"):
            check_matmul(runner, arch, kind)
            print(f"{arch} {kind}: equal")
    check_missing_flag(runner)
    check_hand_over(runner, pathlib.Path(example).parent)
    check_errors(runner, example)


main()
