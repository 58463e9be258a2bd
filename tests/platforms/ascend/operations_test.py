"""Vector operations of PTO text and views of tiles, against NumPy: each is run in a kernel of its own."""
import pathlib
import subprocess
import sys
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


def check_elementwise(executable):
    functions = {"tadd": np.add, "tsub": np.subtract, "tmul": np.multiply, "tmax": np.maximum, "tmin": np.minimum}
    for name, function in functions.items():
        for dtype in ("f32", "f16", "i32", "i16"):
            a, b = values(dtype), values(dtype, seed=2)
            check(name, apply(executable, name, [a, b]), function(a, b))
            scalar = ("2.5", dtype) if dtype.startswith("f") else ("3", dtype)
            check(name + "s", apply(executable, name + "s", [a], [scalar]), function(a, TYPES[dtype](float(scalar[0]))))
    for name, function in {"tand": np.bitwise_and, "tor": np.bitwise_or, "txor": np.bitwise_xor}.items():
        a, b = values("i16"), values("i16", seed=2)
        check(name, apply(executable, name, [a, b]), function(a, b))
    a, b = values("f32", least=0.1), values("f32", seed=2, least=0.1)
    check("tdiv", apply(executable, "tdiv", [a, b]), a / b)
    check("tdivs", apply(executable, "tdivs", [a], [("4.0", "f32")]), a / np.float32(4))
    check("trem", apply(executable, "trem", [values("i32"), np.full((ROWS, COLUMNS), 7, np.int32)]), values("i32") % 7)
    large, divisor = 1e4 * values("f32"), values("f32", seed=2, least=0.1)
    with np.errstate(all="ignore"):  # each step is rounded
        rest = large - np.trunc(large / divisor) * divisor
        check("tfmod", apply(executable, "tfmod", [large, divisor]), rest)
        rest = large - np.floor(large / divisor) * divisor
        check("trem", apply(executable, "trem", [large, divisor]), np.where(rest * divisor < 0, rest + divisor, rest))
    for name, function in {"tneg": np.negative, "tabs": np.abs, "tsqrt": np.sqrt, "texp": np.exp, "tlog": np.log, "trecip": lambda x: 1 / x,
                           "trsqrt": lambda x: 1 / np.sqrt(x), "trelu": lambda x: np.maximum(x, 0)}.items():
        for dtype in ("f32", "f16"):
            x = values(dtype, least=-4 if name in ("tneg", "tabs", "trelu") else 0.1)
            check(name, apply(executable, name, [x]), function(x), exact=False)
    x = values("f32")
    check("tlrelu", apply(executable, "tlrelu", [x], [("0.25", "f32")]), np.where(x < 0, x * np.float32(0.25), x))


def check_rows_and_columns(executable):
    x = values("f32")
    column, row = values("f32", (ROWS, 1), 3), values("f32", (1, COLUMNS), 4)
    for name, function in {"sum": np.sum, "max": np.max, "min": np.min}.items():
        check(name, apply(executable, f"trow{name}", [x], result=(ROWS, 1)), function(x, axis=1, keepdims=True), name != "sum")
        check(name, apply(executable, f"tcol{name}", [x], result=(1, COLUMNS)), function(x, axis=0, keepdims=True), name != "sum")
    check("trowexpand", apply(executable, "trowexpand", [column]), np.broadcast_to(column, x.shape))
    check("tcolexpand", apply(executable, "tcolexpand", [row]), np.broadcast_to(row, x.shape))
    for name, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "max": np.maximum, "min": np.minimum}.items():
        check(name, apply(executable, f"trowexpand{name}", [x, column]), function(x, column))
        check(name, apply(executable, f"tcolexpand{name}", [x, row]), function(x, row))


def check_others(executable):
    x, y = values("f32"), values("f32", seed=2)
    check("texpands", apply(executable, "texpands", [], [("1.5", "f32")], dtype="f32"), np.full(x.shape, 1.5, np.float32))
    check("bits", apply(executable, "texpands", [], [("0xFF800000", "f32")], dtype="f32"), np.full(x.shape, -np.inf, np.float32))
    check("tci", apply(executable, "tci", [], [("5", "i32")], dtype="i32"), 5 + np.arange(x.size).reshape(x.shape))
    check("ttrans", apply(executable, "ttrans", [x], result=(COLUMNS, ROWS)), x.T)
    modes = {"RINT": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}
    for mode, function in modes.items():
        for spelling in (f"#pto<round_mode {mode}>", f"#pto.round_mode<CAST_{mode}>"):
            check(mode, apply(executable, "tcvt", [x], dtype="i32", attributes=f" {{rmode = {spelling}}}"), function(x))
    check("tcvt", apply(executable, "tcvt", [x], dtype="f16"), x.astype(np.float16))
    # Pairs that the library cuts off unless it is told to saturate, and others, which saturate.
    for dtype, to in (("f16", "i8"), ("f32", "i16"), ("f16", "i16"), ("i32", "i16"), ("f32", "i32"), ("i16", "i8")):
        wide = (values(dtype) * 300).astype(TYPES[dtype])
        whole, limits = np.trunc(wide.astype(np.float64)).astype(np.int64), np.iinfo(TYPES[to])
        saturated = np.clip(whole, limits.min, limits.max).astype(TYPES[to])
        cut = whole.astype(TYPES[to]) if (dtype, to) not in (("f32", "i32"), ("i16", "i8")) else saturated
        mode = "{rmode = #pto<round_mode TRUNC>"
        check(f"tcvt {dtype} {to}", apply(executable, "tcvt", [wide], dtype=to, attributes=f" {mode}}}"), cut)
        check(f"tcvt {dtype} {to}", apply(executable, "tcvt", [wide], dtype=to, attributes=f" {mode}, satmode = #pto<saturation_mode ON>}}"), saturated)
    check("tcvt", apply(executable, "tcvt", [values("f16")], dtype="f32"), values("f16").astype(np.float32))
    kernel = Kernel()
    a, b = kernel.load("a", x), kernel.load("b", y)
    mask, out = kernel.tile("mask", ROWS, 32, "i8"), kernel.tile("result", ROWS, COLUMNS, "f32")
    kernel.step(f"pto.tcmp ins(%a, %b {{cmpMode = #pto<cmp greater_than>}} : {a[1]}, {b[1]}) outs(%mask : {mask[1]})")
    kernel.step(f"pto.tsel ins(%mask, %a, %b : {mask[1]}, {a[1]}, {b[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    check("tsel", run(executable, kernel), np.where(x > y, x, y))


def check_three_operands(executable):
    a, b, c = (values("f32", seed=n) for n in (1, 2, 3))
    check("taddc", apply(executable, "taddc", [a, b, c]), a + b + c)
    check("tsubc", apply(executable, "tsubc", [a, b, c]), a - b + c)
    check("tprelu", apply(executable, "tprelu", [a, b]), np.where(a < 0, a * b, a))
    check("tconcat", apply(executable, "tconcat", [a, b], result=(ROWS, 2 * COLUMNS)), np.concatenate([a, b], axis=1))
    positive = np.abs(a)
    check("tpow", apply(executable, "tpow", [positive, b]), positive**b, exact=False)
    check("tpows", apply(executable, "tpows", [values("i32")], [("3", "i32")]), values("i32") ** 3)
    part = values("f32", (3, 8), 4)
    both = a.copy()
    both[:3, :8] += part
    check("tpartadd", apply(executable, "tpartadd", [a, part]), both)
    both = a.copy()
    both[:3, :8] = np.maximum(a[:3, :8], part)
    check("tpartmax", apply(executable, "tpartmax", [part, a]), both)
    # A scalar between two tiles, and a result that is an input.
    kernel = Kernel()
    x, y = kernel.load("x", a), kernel.load("y", b)
    kernel.body.append("%s = arith.constant 0.5 : f32")
    kernel.step(f"pto.taxpy ins(%x, %s : {x[1]}, f32) outs(%y : {y[1]})")
    out = kernel.tile("result", ROWS, COLUMNS, "f32")
    kernel.step(f"pto.tsubsc ins(%y, %s, %x : {y[1]}, f32, {x[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    half = np.float32(0.5)
    check("taxpy, tsubsc", run(executable, kernel), (b + a * half) - half + a)


def check_fused(executable):
    """Several steps in one operation."""
    a, b, c = (values("f32", seed=n) for n in (1, 2, 3))
    zero = np.float32(0)
    check("tsubrelu", apply(executable, "tsubrelu", [a, b]), np.maximum(a - b, zero))
    check("tmuladddst", apply(executable, "tmuladddst", [a, b, c]), a * b + c)
    check("tfusedmuladd", apply(executable, "tfusedmuladd", [a, b, c]), a * b + c)
    check("tfusedmuladdrelu", apply(executable, "tfusedmuladdrelu", [a, b, c]), np.maximum(a * b + c, zero))
    check("taddreluconv", apply(executable, "taddreluconv", [a, b], dtype="f16"), np.maximum(a + b, zero).astype(np.float16))
    x, y = values("i16", seed=1) * np.int16(40), values("i16", seed=2) * np.int16(40)
    check("tsubreluconv", apply(executable, "tsubreluconv", [x, y], dtype="i8"), np.clip(x.astype(int) - y, 0, 127).astype(np.int8))
    x, y = values("i32", seed=1), values("i32", seed=2)
    check("tadddeqrelu", apply(executable, "tadddeqrelu", [x, y], [("0.5", "f32")], dtype="f16"), np.maximum((x + y) * 0.5, 0).astype(np.float16))
    pairs = np.zeros_like(a)
    pairs[:, :COLUMNS // 2] = a[:, 0::2] + a[:, 1::2]
    check("tpairreducesum", apply(executable, "tpairreducesum", [a]), pairs)


def check_scatters(executable):
    """To and from places that an index, an offset or a pattern names."""
    rng = np.random.default_rng(3)
    x = values("f32")
    places = rng.permutation(x.size).astype(np.int32).reshape(x.shape)
    expected = np.empty_like(x)
    expected.flat[places.ravel()] = x.ravel()
    check("tscatter", apply(executable, "tscatter", [x, places]), expected)
    spread = np.zeros((ROWS, 2 * COLUMNS), np.float32)
    spread[:, 1::2] = x
    mask = " {maskPattern = #pto.mask_pattern<P1010>%s}"
    check("tscatter", apply(executable, "tscatter", [x], result=spread.shape, attributes=mask % ""), spread)
    spread = np.zeros((2 * ROWS, COLUMNS), np.float32)
    spread[1::2] = x
    check("tscatter", apply(executable, "tscatter", [x], result=spread.shape, attributes=mask % ', axis = "col"'), spread)
    blocks = rng.permutation(ROWS * 3).astype(np.uint32).reshape(ROWS, 3)
    check("tgatherb", apply(executable, "tgatherb", [x, blocks * np.uint32(32)]), x.reshape(-1, 8)[blocks].reshape(x.shape))


def check_two_results(executable):
    """A value and where it comes from."""
    a, b = values("f32", seed=1), values("f32", (3, 8), 2)
    b[0, 0] = a[0, 0]
    i, j = np.arange(a.size, dtype=np.int32).reshape(a.shape), np.arange(1000, 1000 + b.size, dtype=np.int32).reshape(b.shape)
    index, larger = i.copy(), a[:3, :8] > b
    index[:3, :8] = np.where(larger, i[:3, :8], j)
    value = a.copy()
    value[:3, :8] = np.maximum(a[:3, :8], b)
    for n, expected, dtype in ((0, value, "f32"), (1, index, "i32")):
        kernel = Kernel()
        tiles = [kernel.load(name, array) for name, array in (("a", a), ("b", b), ("i", i), ("j", j))]
        out = [kernel.tile("value", ROWS, COLUMNS, "f32"), kernel.tile("index", ROWS, COLUMNS, "i32")]
        kernel.step(f"pto.tpartargmax ins({', '.join(t[0] for t in tiles)} : {', '.join(t[1] for t in tiles)})"
                    f" outs(%value, %index : {out[0][1]}, {out[1][1]})")
        kernel.store(out[n], ROWS, COLUMNS, dtype)
        check("tpartargmax", run(executable, kernel), expected)


def check_positions(executable):
    x = values("f32")
    for name, function in {"max": np.argmax, "min": np.argmin}.items():
        check(f"trowarg{name}", apply(executable, f"trowarg{name}", [x], result=(ROWS, 1), dtype="i32"), function(x, axis=1)[:, None])
        check(f"tcolarg{name}", apply(executable, f"tcolarg{name}", [x], result=(1, COLUMNS), dtype="ui32"), function(x, axis=0)[None, :])
    ones = np.ones((ROWS, COLUMNS), np.int32)
    check("ttri", apply(executable, "ttri", [], [("2", "i32")], dtype="i32"), np.tril(ones, 2))
    check("ttri", apply(executable, "ttri", [], [("1", "i32")], dtype="i32", attributes=" {upperOrLower = 1 : i32}"), np.triu(ones, 1))


def check_elements(executable):
    """Elements of tiles, arrays in registers and casts: the scalar unit doubles some elements and counts."""
    x = values("f32")
    kernel = Kernel()
    tile, out = kernel.load("a", x), kernel.tile("result", 1, 8, "i32")
    kernel.body += ["%c0 = arith.constant 0 : index", "%c1 = arith.constant 1 : index", "%c8 = arith.constant 8 : index",
                    "%list = pto.declare_local_array -> !pto.local_array<8xi32>", "scf.for %i = %c0 to %c8 step %c1 {",
                    f"%e = pto.tgetval ins(%a, %i : {tile[1]}, index) outs : f32", "%n = arith.fptosi %e : f32 to i32",
                    "pto.local_array_set %list[%i], %n : !pto.local_array<8xi32>, i32", "}",
                    "scf.for %j = %c0 to %c8 step %c1 {",
                    "%m = pto.local_array_get %list[%j] : !pto.local_array<8xi32> -> i32", "%d = arith.addi %m, %m : i32",
                    f"pto.tsetval ins(%j, %d : index, i32) outs(%result : {out[1]})", "}"]
    kernel.step("pto.barrier <PIPE_ALL>")
    kernel.store(out, 1, 8, "i32")
    check("elements", run(executable, kernel), 2 * np.trunc(x.flat[:8]).astype(np.int32)[None, :])
    kernel.body.append("%beyond = pto.local_array_get %list[%c8] : !pto.local_array<8xi32> -> i32")
    code, error = run(executable, kernel, fails=True)
    assert code == 2 and "element 8 of an array of 8" in error, error


def wrapped(number, bits, is_signed=True):
    number &= (1 << bits) - 1
    return number - (1 << bits) if is_signed and number >> (bits - 1) else number


def quotient(a, b):  # towards zero
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


INTEGER_OPERATIONS = {  # of the numbers as signed ones; the second group of them as unsigned ones
    "addi": lambda a, b: a + b, "subi": lambda a, b: a - b, "muli": lambda a, b: a * b, "andi": lambda a, b: a & b, "ori": lambda a, b: a | b,
    "xori": lambda a, b: a ^ b, "divsi": quotient, "remsi": lambda a, b: a - b * quotient(a, b), "floordivsi": lambda a, b: a // b,
    "ceildivsi": lambda a, b: -(-a // b), "minsi": min, "maxsi": max,
    "cmpi slt,": lambda a, b: a < b, "cmpi sge,": lambda a, b: a >= b, "cmpi eq,": lambda a, b: a == b}
UNSIGNED_OPERATIONS = {
    "divui": lambda a, b: a // b, "remui": lambda a, b: a % b, "ceildivui": lambda a, b: -(-a // b), "minui": min, "maxui": max,
    "cmpi ult,": lambda a, b: a < b, "cmpi uge,": lambda a, b: a >= b}
SHIFTS = {"shli": lambda a, b, bits: a << b, "shrsi": lambda a, b, bits: a >> b, "shrui": lambda a, b, bits: wrapped(a, bits, False) >> b}


def check_integer_types(executable):
    """Numbers of a type wrap around at its width, and unsigned operations read them as such: known ones and those of the running core."""
    for bits in (8, 16, 32, 64):
        low, high = -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        pairs = [(a, b) for a in (high, low, -5, 100) for b in (3, -2, high)]
        pairs += [(a, b) for a in (low, -5, 77) for b in (0, 1, bits - 1)]
        kernel, expected, kind = Kernel(), [], f"i{bits}"
        kernel.arguments += ["%x_p: !pto.ptr<i64>", "%out_p: !pto.ptr<i64>"]
        kernel.inputs["x_p"] = np.array(pairs, dtype=np.int64)

        def add(name, left, right, n):
            result = "i1" if name.startswith("cmpi") else kind
            kernel.body.append(f"%r{n} = arith.{name} {left}, {right} : {kind}")
            extended = f"%r{n}" if result == "i64" else f"%e{n}"
            if result != "i64":
                kernel.body.append(f"%e{n} = arith.{'extui' if result == 'i1' else 'extsi'} %r{n} : {result} to i64")
            kernel.body += [f"%to{n} = arith.constant {n} : index", f"pto.store_scalar {extended}, %out_p[%to{n}] : !pto.ptr<i64>, i64"]

        for i, (a, b) in enumerate(pairs):
            for j, number in enumerate((a, b)):
                kernel.body += [f"%k{i}_{j} = arith.constant {number} : {kind}", f"%at{i}_{j} = arith.constant {2 * i + j} : index",
                                f"%l{i}_{j} = pto.load_scalar %x_p[%at{i}_{j}] : !pto.ptr<i64> -> i64"]
                kernel.body.append(f"%v{i}_{j} = arith.trunci %l{i}_{j} : i64 to {kind}" if bits < 64 else f"%v{i}_{j} = arith.addi %l{i}_{j}, %none : i64")
            cases = [(name, f(a, b, bits)) for name, f in SHIFTS.items() if 0 <= b < bits]
            if b != 0:
                cases += [(name, f(a, b)) for name, f in INTEGER_OPERATIONS.items()]
                cases += [(name, f(wrapped(a, bits, False), wrapped(b, bits, False))) for name, f in UNSIGNED_OPERATIONS.items()]
            for name, result in cases:
                for letter in "kv":
                    add(name, f"%{letter}{i}_0", f"%{letter}{i}_1", len(expected))
                    expected.append((letter, name, a, b, int(result) if name.startswith("cmpi") else wrapped(result, bits)))
        kernel.body.insert(0, "%none = arith.constant 0 : i64")
        kernel.body.append('pto.dcci %out_p "ENTIRE_DATA_CACHE", "CACHELINE_OUT" : !pto.ptr<i64>')
        kernel.inputs["out_p"] = np.zeros(len(expected), np.int64)
        found = run(executable, kernel)
        wrong = [(e, int(f)) for e, f in zip(expected, found) if e[-1] != f]
        assert not wrong, (kind, len(wrong), wrong[:5])
    for number, word in (("300", "300 is no number of type i8"), ("-129", "-129 is no number of type i8")):
        kernel = Kernel()
        kernel.body.append(f"%k = arith.constant {number} : i8")
        code, error = run(executable, kernel, fails=True)
        assert code == 2 and word in error, error


def check_communication(executable):
    """A copy through a staging tile in parts, a notification, a wait for it, and what is printed."""
    x = values("i32", (16, 64))
    kernel = Kernel()
    kernel.body += ["%c1 = arith.constant 1 : i32", "%c3 = arith.constant 3 : i32"]
    kernel.inputs["x_p"] = x
    source, target, signal = (kernel.array(n, r, c, "i32") for n, r, c in (("x", 16, 64), ("out", 16, 64), ("signal", 1, 1)))
    stage = kernel.tile("stage", 5, 64, "i32")
    kernel.step(f"pto.comm.tput({target[0]}, {source[0]}, buf(%stage) : {target[1]}, {source[1]}, {stage[1]}) {{atomicType = #pto<atomic_type atomic_none>}}")
    kernel.body += [f"pto.comm.tnotify({signal[0]}, {n} : {signal[1]}, i32) {{notifyOp = #pto<notify_op atomic_add>}}" for n in ("%c1", "%c3")]
    kernel.body.append(f"pto.comm.twait({signal[0]}, %c3 : {signal[1]}, i32) {{cmp = #pto<wait_cmp ge>}}")
    # Parts of five rows need a barrier each, which the automatic synchronisation gives.
    kernel.body = [line for line in kernel.body if "barrier" not in line]
    check("tput", run(executable, kernel), x)
    kernel.inputs["signal_p"] = np.full((1, 1), -7, np.int32)
    code, error = run(executable, kernel, fails=True)
    assert code == 4 and "pto.comm.twait: the signal did not come" in error, error


def check_views(executable):
    x = values("f32")
    part = "!pto.tile_buf<vec, 2x8xf32>"
    kernel = Kernel()
    a, out = kernel.load("a", x), kernel.tile("result", ROWS, COLUMNS, "f32")
    kernel.body += ["%c1 = arith.constant 1 : index", "%c8 = arith.constant 8 : index"]
    kernel.step(f"pto.tmov ins(%a : {a[1]}) outs(%result : {out[1]})")
    kernel.body.append(f"%from = pto.subview %a[%c1, %c8] sizes [2, 8] : {a[1]} -> {part}")
    kernel.body.append(f"%to = pto.subset %result[3, 16] sizes [2, 8] : {out[1]}")
    kernel.step(f"pto.tneg ins(%from : {part}) outs(%to : {part})")
    kernel.body.append("%c0 = arith.constant 0 : index")
    kernel.step(f"pto.tinsert ins(%from, %c0, %c8 : {part}, index, index) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    expected = x.copy()
    expected[3:5, 16:24] = -x[1:3, 8:16]
    expected[0:2, 8:16] = x[1:3, 8:16]
    check("subview", run(executable, kernel), expected)
    kernel.body = [line.replace("%c0, %c8", "%c0, %c1") for line in kernel.body]  # a column that is not aligned
    code, error = run(executable, kernel, fails=True, options=["--preset", "a2a3"])
    assert code == 4 and "%result begins at byte 580 of UB, expected a multiple of 32" in error, error
    expected = x.copy()
    expected[3:5, 16:24] = -x[1:3, 8:16]
    expected[0:2, 1:9] = x[1:3, 8:16]
    check("part that begins anywhere on A5", run(executable, kernel, options=["--preset", "a5"]), expected)

    kernel = Kernel()  # valid sizes that change, then the rest of the tile filled
    a = kernel.load("a", x)
    some = kernel.tile("some", ROWS, COLUMNS, "f32", ", v_row=?, v_col=?")
    out = kernel.tile("result", ROWS, COLUMNS, "f32", ", pad=3")
    kernel.body.append(f"pto.set_validshape %some, 4, 10 : {some[1]}")
    kernel.step(f"pto.tmov ins(%a : {a[1]}) outs(%some : {some[1]})")
    kernel.step(f"pto.tfillpad ins(%some : {some[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    expected = np.full(x.shape, -np.inf, np.float32)
    expected[:4, :10] = x[:4, :10]
    check("tfillpad", run(executable, kernel), expected)

    kernel = Kernel()
    a, out = kernel.load("a", x), kernel.tile("result", ROWS, COLUMNS, "f32")
    flat = f"!pto.tile_buf<vec, 1x{ROWS * COLUMNS}xf32>"
    kernel.body += [f"%f = pto.treshape %a : {a[1]} -> {flat}", f"%g = pto.treshape %result : {out[1]} -> {flat}"]
    kernel.step(f"pto.tabs ins(%f : {flat}) outs(%g : {flat})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    check("treshape", run(executable, kernel), np.abs(x))


def check_more_elementwise(executable):
    x, y, column, row = values("f32"), values("f32", seed=2), values("f32", (ROWS, 1), 3), values("f32", (1, COLUMNS), 4)
    check("trowexpandexpdif", apply(executable, "trowexpandexpdif", [x, column]), np.exp(x - column), exact=False)
    check("tcolexpandexpdif", apply(executable, "tcolexpandexpdif", [x, row]), np.exp(x - row), exact=False)
    check("trowprod", apply(executable, "trowprod", [x], result=(ROWS, 1)), np.prod(x, axis=1, keepdims=True), exact=False)
    check("tcolprod", apply(executable, "tcolprod", [x], result=(1, COLUMNS)), np.prod(x, axis=0, keepdims=True), exact=False)
    comparisons = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal}
    y[::2] = x[::2]
    for word, function in comparisons.items():
        found = apply(executable, "tcmp", [x, y], result=(ROWS, COLUMNS // 8), dtype="ui8", attributes=f" {{cmpMode = #pto<cmp {word}>}}")
        check(word, found, np.packbits(function(x, y), axis=1, bitorder="little"))
    i, j = values("i32"), values("i32", seed=2)
    j[::2] = i[::2]
    for word, function in comparisons.items():  # A2/A3 compare integers of 32 bits for equality only
        for preset, known in (("a5", function), ("a2a3", function if word == "ne" else np.equal)):
            found = apply(executable, "tcmp", [i, j], result=(ROWS, COLUMNS // 8), dtype="ui8", attributes=f" {{cmpMode = #pto<cmp {word}>}}",
                          options=["--preset", preset])
            check(word, found, np.packbits(known(i, j), axis=1, bitorder="little"))


def check_quantization(executable):
    x, scale, offset = 40 * values("f32"), values("f32", (ROWS, 1), 3, least=0.25), values("f32", (ROWS, 1), 4)
    signed = apply(executable, "tquant", [x, scale], dtype="i8", attributes=" {quant_type = #pto<quant_type INT8_SYM>}")
    check("tquant", signed, np.clip(np.rint(x * scale), -128, 127))
    assert (np.abs(signed) == 127).any(), "nothing was saturated"
    unsigned = apply(executable, "tquant", [x, scale, offset], dtype="ui8", attributes=" {quant_type = #pto<quant_type INT8_ASYM>}")
    check("tquant", unsigned, np.clip(np.rint(x * scale + offset), 0, 255))
    for q in (values("i8"), values("i16")):
        check("tdequant", apply(executable, "tdequant", [q, scale, offset], dtype="f32"), (q.astype(np.float32) - offset) * scale)
        check("tdequant", apply(executable, "tdequant", [q, scale], dtype="f32"), q.astype(np.float32) * scale)


def check_gather(executable):
    rng = np.random.default_rng(5)
    table = values("f32", (4, 64))
    for kind in ("i32", "i16"):
        places = rng.integers(0, table.size, (ROWS, COLUMNS)).astype(TYPES[kind])
        check("tgather", apply(executable, "tgather", [table, places]), table.ravel()[places])
    patterns = {"P0101": (2, 0), "P1010": (2, 1), "P0001": (4, 0), "P0010": (4, 1), "P0100": (4, 2), "P1000": (4, 3), "P1111": (1, 0)}
    for dtype in ("f32", "f16", "i32"):
        x = values(dtype)
        for pattern, (period, first) in patterns.items():
            text = f" {{maskPattern = #pto.mask_pattern<{pattern}>}}"
            check(pattern, apply(executable, "tgather", [x], result=(ROWS, COLUMNS // period), attributes=text), x[:, first::period])
    # The form of public kernels: the pattern in place of an operand, and the axis after the types.
    kernel = Kernel()
    a, out = kernel.load("a", values("f32")), kernel.tile("result", ROWS // 2, COLUMNS, "f32")
    kernel.step(f"pto.tgather ins(%a, {{maskPattern = #pto.mask_pattern<P1010>}} : {a[1]}, \"col\") outs(%result : {out[1]})")
    kernel.store(out, ROWS // 2, COLUMNS, "f32")
    check("col", run(executable, kernel), values("f32")[1::2])


def check_refusals(executable):
    """What only registers and values say is wrong stops the run at its line."""
    kernel = Kernel()
    table, out = kernel.load("table", values("f32", (1, 32))), kernel.tile("result", 1, 8, "f32")
    places = kernel.load("places", np.array([[0, 31, 5, 32, 1, 2, 3, 4]], np.int32))
    kernel.step(f"pto.tgather ins(%table, %places : {table[1]}, {places[1]}) outs(%result : {out[1]})")
    kernel.store(out, 1, 8, "f32")
    line = kernel.text().splitlines().index(next(t for t in kernel.text().splitlines() if "tgather" in t)) + 1
    code, error = run(executable, kernel, fails=True)
    assert code == 4 and f"k.pto:{line}:" in error, error
    assert "the index 32 in row 0, column 3 names no valid element of a tile of 1x32" in error, error
    kernel = Kernel()
    a, out = kernel.load("a", values("f32")), kernel.tile("result", ROWS, COLUMNS, "f32", ", v_row=?, v_col=?")
    kernel.body.append("%n = pto.get_subblock_num -> index")
    kernel.body.append(f"pto.set_validshape %result, %n, {COLUMNS} : {out[1]}")
    kernel.step(f"pto.tabs ins(%a : {a[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    code, error = run(executable, kernel, fails=True)
    assert code == 4 and f"operands are {ROWS}x{COLUMNS} (%a) and 1x{COLUMNS} (%result): expected the same valid rows" in error, error


def check_refused_lengths(executable):
    """Lengths that only registers know: blocks, and what stands once a row."""
    kernel = Kernel()
    a, out = kernel.load("a", values("f32", (1, 256))), kernel.tile("result", 1, 256, "f32")
    kernel.body.append("%n = pto.get_subblock_num -> i32")
    kernel.step(f"pto.tmrgsort ins(%a, %n : {a[1]}, i32) outs(%result : {out[1]})")
    kernel.store(out, 1, 256, "f32")
    code, error = run(executable, kernel, fails=True)
    assert code == 4 and "blocks of 1 columns, expected a multiple of 64" in error and "/size]" in error, error
    kernel = Kernel()
    a, out = kernel.load("a", values("f32")), kernel.tile("result", ROWS, COLUMNS, "i8")
    scale = kernel.tile("scale", ROWS, 1, "f32", ", v_row=?, v_col=?")
    kernel.body += ["%n = pto.get_subblock_idx -> index", f"pto.set_validshape %scale, {ROWS}, %n : {scale[1]}"]
    kernel.step(f"pto.tquant ins(%a, %scale : {a[1]}, {scale[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "i8")
    code, error = run(executable, kernel, fails=True)
    assert code == 4 and f"operands are {ROWS}x0 (%scale) and {ROWS}x{COLUMNS} (%result): expected a value for each row" in error, error


def pairs_of(dtype, x, index):
    """Values and indices as 8 bytes each, every 32 of a row falling."""
    found = np.zeros((*x.shape, 8 // x.itemsize), dtype)
    for r in range(len(x)):
        for first in range(0, x.shape[1], 32):
            order = first + np.lexsort((index[r, first:first + 32], -x[r, first:first + 32].astype(np.float64)))
            part = found[r, first:first + 32]
            part[:, 0] = x[r, order]
            part.view(np.uint32).reshape(len(order), 2)[:, 1] = index[r, order]
    return found.reshape(len(x), -1)


def bits(values):
    return values.view({2: np.uint16, 4: np.uint32}[values.itemsize])


def check_pads(executable):
    """A load ends each row with a whole block, of what the type of its tile says."""
    x = values("f32", (ROWS, 21))
    for pad, number in ((0, 7), (1, 0), (2, np.inf), (3, -np.inf)):
        kernel = Kernel()
        kernel.body.append("%seven = arith.constant 7.0 : f32")
        whole = kernel.tile("whole", ROWS, 32, "f32", operands="addr = %c0")
        part = "%part", f"!pto.tile_buf<vec, {ROWS}x32xf32, valid={ROWS}x21, pad={pad}>"
        kernel.body.append(f"%part = pto.alloc_tile addr = %c0 : {part[1]}")
        kernel.body.insert(0, "%c0 = arith.constant 0 : i64")
        kernel.step(f"pto.texpands ins(%seven : f32) outs({whole[0]} : {whole[1]})")
        view, kind = kernel.array("in", ROWS, 21, "f32")
        kernel.inputs["in_p"] = x
        kernel.step(f"pto.tload ins({view} : {kind}) outs({part[0]} : {part[1]})")
        kernel.store(whole, ROWS, 32, "f32")
        expected = np.full((ROWS, 32), 7, np.float32)
        expected[:, :21], expected[:, 21:24] = x, number
        check(f"tload with pad {pad}", run(executable, kernel), expected)


def check_refused_forms(executable):
    """A tile and a number have operations of their own; atomic stores of the largest or least value are not modelled."""
    kernel = Kernel()
    a, out = kernel.load("a", values("f32")), kernel.tile("result", ROWS, COLUMNS, "f32")
    kernel.body.append("%n = arith.constant 1.0 : f32")
    for name in ("tadd", "tmax", "tdiv"):
        kernel.body.append(f"pto.{name} ins({a[0]}, %n : {a[1]}, f32) outs({out[0]} : {out[1]})")
        code, error = run(executable, kernel, fails=True)
        assert code == 2 and f"pto.{name} takes tiles; a tile and a number are pto.{name}s" in error, error
        kernel.body.pop()
    part = kernel.array("out", ROWS, COLUMNS, "f32")
    for word in ("atomic_max", "atomic_min"):
        kernel.body.append(f"pto.tstore ins({a[0]} : {a[1]}) outs({part[0]} : {part[1]}) {{atomicType = #pto<atomic_type {word}>}}")
        code, error = run(executable, kernel, fails=True)
        assert code == 2 and f"stores to GM with {word} are not modelled" in error, error
        kernel.body.pop()


def check_sorting(executable):
    for dtype in ("f32", "f16"):
        for columns in (64, 48):  # whole blocks, and one that is shorter
            x = np.round(values(dtype, (3, columns)), 1)  # some are equal
            index = np.arange(31000, 31000 + x.size, dtype=np.uint32).reshape(x.shape)  # among f16 also bits of NaNs
            expected = pairs_of(TYPES[dtype], x, index)
            found = apply(executable, "tsort32", [x, index], result=expected.shape, dtype=dtype)
            check("tsort32", bits(found), bits(expected))
    x = values("f32", (1, 32))  # indices whose bits are those of signalling NaNs
    index = np.arange(0x7F800001, 0x7F800021, dtype=np.uint32).reshape(x.shape)
    expected = pairs_of(np.float32, x, index)
    check("tsort32", bits(apply(executable, "tsort32", [x, index], result=expected.shape)), bits(expected))
    x = values("f32", (1, 512))
    index = np.arange(512, dtype=np.uint32).reshape(1, -1)
    blocks = pairs_of(np.float32, x, index)  # 16 blocks of 32 pairs, 64 columns
    found = apply(executable, "tmrgsort", [blocks], [("64", "i32")], result=blocks.shape)
    expected = np.concatenate([merged(part) for part in np.split(blocks, 4, axis=1)], axis=1)
    check("tmrgsort", bits(found), bits(expected))
    lists = np.split(expected, 4, axis=1)
    for count in (2, 3, 4):
        whole = merged(np.concatenate(lists[:count], axis=1))
        for columns in (whole.shape[1], 64):  # all of them, or the first 32
            found = apply_merge(executable, lists[:count], columns, "false")
            check("tmrgsort", bits(found), bits(whole[:, :columns]))
    low, high = lists[0].copy(), lists[1].copy()
    low[0, ::2] -= 100  # the other list ends first
    check("exhausted", bits(apply_merge(executable, [low, high], 512, "true")[:, :256]), bits(high))


def merged(pairs):
    order = np.argsort(-pairs[0, ::2], kind="stable")
    return pairs.reshape(-1, 2)[order].reshape(1, -1)


def apply_merge(executable, lists, columns, exhausted):
    kernel = Kernel()
    tiles = [kernel.load(f"in{i}", v) for i, v in enumerate(lists)]
    tiles.append(kernel.tile("tmp", 1, 1024, "f32"))
    out = kernel.tile("result", 1, columns, "f32")
    kernel.body.append("%counts = arith.constant dense<0> : vector<4xi16>")
    names, kinds = ", ".join(t[0] for t in tiles), ", ".join(t[1] for t in tiles)
    kernel.step(f"pto.tmrgsort ins({names} {{exhausted = {exhausted}}} : {kinds}) outs(%result, %counts : {out[1]}, vector<4xi16>)")
    kernel.store(out, 1, columns, "f32")
    return run(executable, kernel)


def check_places(executable):
    x = values("f32")
    kernel = Kernel()  # prefetch loads; the second tile is the first one at another address
    part, part_kind = kernel.array("a", ROWS, COLUMNS, "f32")
    kernel.inputs["a_p"] = x
    kernel.body.append("%far = arith.constant 4096 : i64")
    first, out = kernel.tile("first", ROWS, COLUMNS, "f32"), kernel.tile("result", ROWS, COLUMNS, "f32")
    kernel.body.append(f"%there = pto.tassign %first, %far : {first[1]} -> {first[1]}")
    kernel.step(f"pto.tprefetch ins({part} : {part_kind}) outs(%there : {first[1]})")
    kernel.step(f"pto.texpands ins(%zero : f32) outs(%first : {first[1]})")
    kernel.body.insert(0, "%zero = arith.constant 0.0 : f32")
    kernel.step(f"pto.tadd ins(%there, %first : {first[1]}, {first[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    check("tassign", run(executable, kernel), x)
    expected = np.full((ROWS + 2, COLUMNS + 8), -np.inf, np.float32)
    expected[:ROWS, :COLUMNS] = x
    found = apply(executable, "tfillpad_expand", [x], result=expected.shape, more=", pad=3")
    check("tfillpad_expand", found, expected)


def main():
    executable = sys.argv[1]
    check_more_elementwise(executable)
    check_quantization(executable)
    check_gather(executable)
    check_refusals(executable)
    check_refused_lengths(executable)
    check_pads(executable)
    check_refused_forms(executable)
    check_sorting(executable)
    check_places(executable)
    check_elementwise(executable)
    check_rows_and_columns(executable)
    check_others(executable)
    check_three_operands(executable)
    check_fused(executable)
    check_scatters(executable)
    check_two_results(executable)
    check_positions(executable)
    check_elements(executable)
    check_integer_types(executable)
    check_communication(executable)
    check_views(executable)


main()
