"""Reductions and expansions of rows and columns, and where the largest value stands, against NumPy."""
import sys

import numpy as np

from kernel_builder import COLUMNS, Kernel, ROWS, apply, check, run, values


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


def check_more_rows_and_columns(executable):
    x, column, row = values("f32"), values("f32", (ROWS, 1), 3), values("f32", (1, COLUMNS), 4)
    check("trowexpandexpdif", apply(executable, "trowexpandexpdif", [x, column]), np.exp(x - column), exact=False)
    check("tcolexpandexpdif", apply(executable, "tcolexpandexpdif", [x, row]), np.exp(x - row), exact=False)
    check("trowprod", apply(executable, "trowprod", [x], result=(ROWS, 1)), np.prod(x, axis=1, keepdims=True), exact=False)
    check("tcolprod", apply(executable, "tcolprod", [x], result=(1, COLUMNS)), np.prod(x, axis=0, keepdims=True), exact=False)


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


def main():
    check_rows_and_columns(sys.argv[1])
    check_more_rows_and_columns(sys.argv[1])
    check_two_results(sys.argv[1])
    check_positions(sys.argv[1])


if __name__ == "__main__":
    main()
