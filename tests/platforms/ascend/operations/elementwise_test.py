"""Operations element by element, against NumPy: one or two tiles, a number, three operands, several steps in one."""
import sys

import numpy as np

from kernel_builder import COLUMNS, Kernel, ROWS, TYPES, apply, check, run, values


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


def check_fills(executable):
    x = values("f32")
    check("texpands", apply(executable, "texpands", [], [("1.5", "f32")], dtype="f32"), np.full(x.shape, 1.5, np.float32))
    check("bits", apply(executable, "texpands", [], [("0xFF800000", "f32")], dtype="f32"), np.full(x.shape, -np.inf, np.float32))
    check("tci", apply(executable, "tci", [], [("5", "i32")], dtype="i32"), 5 + np.arange(x.size).reshape(x.shape))


def main():
    check_elementwise(sys.argv[1])
    check_three_operands(sys.argv[1])
    check_fused(sys.argv[1])
    check_fills(sys.argv[1])


if __name__ == "__main__":
    main()
