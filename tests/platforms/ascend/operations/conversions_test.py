"""Conversions, comparisons and selections, against NumPy."""
import sys

import numpy as np

from kernel_builder import COLUMNS, Kernel, ROWS, TYPES, apply, check, run, values


def check_conversions(executable):
    x = values("f32")
    modes = {"RINT": np.rint, "FLOOR": np.floor, "CEIL": np.ceil, "TRUNC": np.trunc}
    for mode, function in modes.items():
        for spelling in (f"#pto<round_mode {mode}>", f"#pto.round_mode<CAST_{mode}>"):
            check(mode, apply(executable, "tcvt", [x], dtype="i32", attributes=f" {{rmode = {spelling}}}"), function(x))
    check("tcvt", apply(executable, "tcvt", [x], dtype="f16"), x.astype(np.float16))
    # Pairs that the library cuts off unless it is told to saturate, and others, which saturate.
    for dtype, to in (("f16", "i8"), ("f32", "i16"), ("f16", "i16"), ("i32", "i16"), ("f32", "i32"), ("i16", "ui8")):
        wide = (values(dtype) * 300).astype(TYPES[dtype])
        whole, limits = np.trunc(wide.astype(np.float64)).astype(np.int64), np.iinfo(TYPES[to])
        saturated = np.clip(whole, limits.min, limits.max).astype(TYPES[to])
        cut = whole.astype(TYPES[to]) if (dtype, to) not in (("f32", "i32"), ("i16", "ui8")) else saturated
        mode = "{rmode = #pto<round_mode TRUNC>"
        check(f"tcvt {dtype} {to}", apply(executable, "tcvt", [wide], dtype=to, attributes=f" {mode}}}"), cut)
        check(f"tcvt {dtype} {to}", apply(executable, "tcvt", [wide], dtype=to, attributes=f" {mode}, satmode = #pto<saturation_mode ON>}}"), saturated)
    check("tcvt", apply(executable, "tcvt", [values("f16")], dtype="f32"), values("f16").astype(np.float32))


def check_comparisons(executable):
    x, y = values("f32"), values("f32", seed=2)
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


def check_selection(executable):
    x, y = values("f32"), values("f32", seed=2)
    kernel = Kernel()
    a, b = kernel.load("a", x), kernel.load("b", y)
    mask, out = kernel.tile("mask", ROWS, 32, "i8"), kernel.tile("result", ROWS, COLUMNS, "f32")
    kernel.step(f"pto.tcmp ins(%a, %b {{cmpMode = #pto<cmp greater_than>}} : {a[1]}, {b[1]}) outs(%mask : {mask[1]})")
    kernel.step(f"pto.tsel ins(%mask, %a, %b : {mask[1]}, {a[1]}, {b[1]}) outs(%result : {out[1]})")
    kernel.store(out, ROWS, COLUMNS, "f32")
    check("tsel", run(executable, kernel), np.where(x > y, x, y))


def main():
    check_conversions(sys.argv[1])
    check_comparisons(sys.argv[1])
    check_selection(sys.argv[1])


if __name__ == "__main__":
    main()
