"""Kernels of one operation in PTO text, built from arrays, and what they compute."""
import pathlib
import subprocess
import tempfile

import numpy as np


ROWS, COLUMNS = 6, 24
TYPES = {"f32": np.float32, "f16": np.float16, "i32": np.int32, "i16": np.int16, "i8": np.int8, "ui8": np.uint8, "ui32": np.uint32}


class Kernel:
    """Arrays in, tiles, an operation, arrays out; a barrier after each step."""

    def __init__(self):
        self.arguments, self.body, self.inputs, self.outputs = [], [], {}, []

    def tile(self, name, rows, columns, dtype, more="", operands=""):
        block = 32 // np.dtype(TYPES[dtype]).itemsize  # rows take whole blocks
        full = -(-columns // block) * block
        valid = "" if full == columns else f", valid={rows}x{columns}"
        kind = f"!pto.tile_buf<vec, {rows}x{full}x{dtype}{valid}{more}>"
        self.body.append(f"%{name} = pto.alloc_tile {operands}: {kind}")
        return f"%{name}", kind

    def array(self, name, rows, columns, dtype):
        self.arguments.append(f"%{name}_p: !pto.ptr<{dtype}>")
        view = f"!pto.tensor_view<{rows}x{columns}x{dtype}>"
        part = f"!pto.partition_tensor_view<{rows}x{columns}x{dtype}>"
        self.body.append(f"%{name}_v = pto.make_tensor_view %{name}_p, shape = [{rows}, {columns}], strides = [{columns}, 1] : {view}")
        self.body.append(f"%{name}_w = pto.partition_view %{name}_v, offsets = [0, 0], sizes = [{rows}, {columns}] : {view} -> {part}")
        return f"%{name}_w", part

    def load(self, name, values):
        dtype = next(text for text, known in TYPES.items() if known == values.dtype)
        tile, kind = self.tile(name, *values.shape, dtype)
        part, part_kind = self.array(name, *values.shape, dtype)
        self.step(f"pto.tload ins({part} : {part_kind}) outs({tile} : {kind})")
        self.inputs[f"{name}_p"] = values
        return tile, kind

    def store(self, tile, rows, columns, dtype):
        part, part_kind = self.array("out", rows, columns, dtype)
        self.step(f"pto.tstore ins({tile[0]} : {tile[1]}) outs({part} : {part_kind})")

    def step(self, text):
        self.body += [text, "pto.barrier <PIPE_ALL>"]

    def text(self):
        head = f"module {{\n  func.func @k({', '.join(self.arguments)}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{\n"
        return head + "".join(f"    {line}\n" for line in self.body) + "    return\n  }\n}\n"


def run(executable, kernel, fails=False, options=()):
    """What the kernel has stored; of one that fails exit code and error."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "k.pto").write_text(kernel.text())
        command = [executable, str(path / "k.pto"), "--quiet", f"--output=out_p={path / 'out.npy'}", *options]
        for name, values in kernel.inputs.items():
            np.save(path / f"{name}.npy", values)
            command.append(f"--input={name}={path / name}.npy")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if fails:
            return done.returncode, done.stderr
        assert done.returncode == 0, (done.stderr, kernel.text())
        return np.load(path / "out.npy")


def values(dtype, shape=(ROWS, COLUMNS), seed=1, least=-4.0):
    rng = np.random.default_rng(seed)
    if dtype.startswith("i"):
        return rng.integers(-50, 50, shape).astype(TYPES[dtype])
    return rng.uniform(least, 4, shape).astype(TYPES[dtype])


def apply(executable, name, inputs, scalars=(), result=(ROWS, COLUMNS), dtype=None, attributes="", more="", options=()):
    """One operation on loaded tiles and constants."""
    kernel = Kernel()
    tiles = [kernel.load(f"in{i}", v) for i, v in enumerate(inputs)]
    for i, (number, kind) in enumerate(scalars):
        kernel.body.append(f"%s{i} = arith.constant {number} : {kind}")
        tiles.append((f"%s{i}", kind))
    dtype = dtype or next(text for text, known in TYPES.items() if known == inputs[0].dtype)
    out = kernel.tile("result", *result, dtype, more)
    names, kinds = ", ".join(t[0] for t in tiles), ", ".join(t[1] for t in tiles)
    kernel.step(f"pto.{name} ins({names}{attributes} : {kinds}) outs({out[0]} : {out[1]})")
    kernel.store(out, *result, dtype)
    return run(executable, kernel, options=options)


def check(name, found, expected, exact=True):
    expected = np.asarray(expected)
    assert found.shape == expected.shape, (name, found.shape, expected.shape)
    if exact:
        np.testing.assert_array_equal(found, expected.astype(found.dtype), err_msg=name)
    else:
        np.testing.assert_allclose(found.astype(np.float64), expected.astype(np.float64), rtol=2e-3 if found.dtype == np.float16 else 1e-6,
                                   atol=1e-5, err_msg=name)


def bits(values):
    return values.view({2: np.uint16, 4: np.uint32}[values.itemsize])
