"""Views of tiles, their places, pads and elements, copies with a notification, against NumPy."""
import sys

import numpy as np

from kernel_builder import COLUMNS, Kernel, ROWS, apply, check, run, values


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


def main():
    check_views(sys.argv[1])
    check_pads(sys.argv[1])
    check_places(sys.argv[1])
    check_elements(sys.argv[1])
    check_communication(sys.argv[1])


if __name__ == "__main__":
    main()
