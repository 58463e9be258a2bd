"""What stops a kernel at its line: values and lengths that only registers know, and forms that do not exist."""
import sys

import numpy as np

from kernel_builder import COLUMNS, Kernel, ROWS, run, values


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


def check_elements(executable):
    """Elements that a tile does not have, known before the run or in a register, and reductions of nothing."""
    for index, code_of, text in ((f"arith.constant {ROWS * COLUMNS} : index", 2, f"element {ROWS * COLUMNS} of a tile of {ROWS * COLUMNS} elements"),
                                 ("arith.muli %one, %all : index", 4, f"has {ROWS * COLUMNS} elements, counted from 0; found an access to element {ROWS * COLUMNS}")):
        kernel = Kernel()
        a, out = kernel.load("a", values("f32")), kernel.tile("result", ROWS, COLUMNS, "f32")
        kernel.body += ["%one = pto.get_subblock_num -> index", f"%all = arith.constant {ROWS * COLUMNS} : index", f"%i = {index}",
                        f"%e = pto.tgetval ins(%a, %i : {a[1]}, index) outs : f32"]
        kernel.step(f"pto.tadds ins(%a, %e : {a[1]}, f32) outs(%result : {out[1]})")
        kernel.store(out, ROWS, COLUMNS, "f32")
        code, error = run(executable, kernel, fails=True)
        assert code == code_of and text in error, error
    kernel = Kernel()
    a = kernel.tile("a", ROWS, COLUMNS, "f32", f", v_row={ROWS}, v_col=0")
    sums = kernel.tile("sums", ROWS, 8, "f32", f", v_row={ROWS}, v_col=1")
    kernel.body.append(f"pto.trowsum ins(%a, %a : {a[1]}, {a[1]}) outs(%sums : {sums[1]})")
    code, error = run(executable, kernel, fails=True)
    assert code == 2 and "expected a column to reduce" in error, error


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


def main():
    check_refusals(sys.argv[1])
    check_elements(sys.argv[1])
    check_refused_lengths(sys.argv[1])
    check_refused_forms(sys.argv[1])


if __name__ == "__main__":
    main()
