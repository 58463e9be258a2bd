"""Programs of the register level of A5 against NumPy: what vector functions load, compute and store."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

RANDOM = np.random.default_rng(5)
PLACES = {"x": 0, "y": 16384, "z": 32768, "out": 49152}
DTYPES = {"f32": np.float32, "i32": np.int32, "ui32": np.uint32, "ui16": np.uint16, "ui8": np.uint8, "f16": np.float16}


def dma(name, kind, count, loads):
    bytes_ = count * np.dtype(DTYPES[kind]).itemsize
    gm, ub = f"!pto.ptr<{kind}, gm>", f"!pto.ptr<{kind}, ub>"
    burst = "nburst(%one, %n_{0}, %n_{0})".format(name)
    lines = [f"%n_{name} = arith.constant {bytes_} : i64", f"%a_{name} = arith.constant {PLACES[name]} : i64",
             f"%{name} = pto.castptr %a_{name} : i64 -> {ub}"]
    move = (f"pto.mte_gm_ub %{name}_p, %{name}, %zero, %n_{name} {burst} : {gm}, {ub}, i64, i64, i64, i64, i64" if loads else
            f"pto.mte_ub_gm %{name}, %{name}_p, %n_{name} {burst} : {ub}, {gm}, i64, i64, i64, i64")
    return lines, move


def run(executable, inputs, out, body):
    """The array that a kernel stores: `inputs` are loaded, `body` is its vector function."""
    kinds = {name: next(k for k, d in DTYPES.items() if d == values.dtype) for name, values in inputs.items()}
    kind, count = out
    arguments = ", ".join(f"%{name}_p: !pto.ptr<{k}, gm>" for name, k in {**kinds, "out": kind}.items())
    head, loads = ["%zero = arith.constant 0 : i64", "%one = arith.constant 1 : i64", "%c0 = arith.constant 0 : index"], []
    for name, values in inputs.items():
        lines, move = dma(name, kinds[name], values.size, True)
        head += lines
        loads += [move]
    lines, store = dma("out", kind, count, False)
    wait = 'pto.{0}_flag["PIPE_{1}", "PIPE_{2}", "EVENT_ID0"]'
    flags = lambda a, b: [wait.format("set", a, b), wait.format("wait", a, b)]
    text = [f"module attributes {{pto.target_arch = \"a5\"}} {{ func.func @k({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{"]
    text += head + lines + loads + flags("MTE2", "V") + body + flags("V", "MTE3") + [store, "return } }"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "k.pto").write_text("\n".join(text) + "\n")
        command = [executable, str(path / "k.pto"), "--preset", "a5", "--quiet", f"--output=out_p={path / 'out.npy'}"]
        for name, values in inputs.items():
            np.save(path / f"{name}.npy", values)
            command.append(f"--input={name}_p={path / name}.npy")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stderr, "\n".join(text))
        return np.load(path / "out.npy").ravel()


def vreg(lanes, kind):
    return f"!pto.vmi.vreg<{lanes}x{kind}>"


def load(value, pointer, lanes, kind):
    return f"%{value} = pto.vmi.vload %{pointer}[%c0] : !pto.ptr<{kind}, ub> -> {vreg(lanes, kind)}"


def store(value, lanes, kind):
    return f"pto.vmi.vstore %{value}, %out[%c0] : {vreg(lanes, kind)}, !pto.ptr<{kind}, ub>"


def floats(count, least=-4, most=4):
    return RANDOM.uniform(least, most, count).astype(np.float32)


def check(name, got, expected, exact=True):
    assert got.shape == expected.shape, (name, got.shape, expected.shape)
    good = np.array_equal(got, expected) if exact else np.allclose(got, expected, rtol=1e-6, atol=1e-6)
    assert good, (name, got[:8], expected[:8])


def check_maps(executable):
    x, y = floats(96), floats(96, 1, 3)
    v = vreg(96, "f32")
    with np.errstate(all="ignore"):
        binary = {"vadd": x + y, "vsub": x - y, "vmul": x * y, "vmax": np.maximum(x, y), "vmin": np.minimum(x, y), "vdiv": x / y}
        unary = {"vabs": abs(x), "vneg": -x, "vrelu": np.maximum(x, 0), "vexp": np.exp(x.astype(float)).astype(np.float32)}
    for name, expected in binary.items():
        body = [load("a", "x", 96, "f32"), load("b", "y", 96, "f32"), f"%r = pto.vmi.{name} %a, %b : {v}, {v} -> {v}", store("r", 96, "f32")]
        check(name, run(executable, {"x": x, "y": y}, ("f32", 96), body), expected)
    for name, expected in unary.items():
        body = [load("a", "x", 96, "f32"), f"%r = pto.vmi.{name} %a : {v} -> {v}", store("r", 96, "f32")]
        check(name, run(executable, {"x": x}, ("f32", 96), body), expected, name != "vexp")
    body = [load("a", "x", 96, "f32"), load("b", "y", 96, "f32"), f"%r = pto.vmi.vmula %a, %b, %b : {v}, {v}, {v} -> {v}", store("r", 96, "f32")]
    check("vmula", run(executable, {"x": x, "y": y}, ("f32", 96), body), (x.astype(float) + y.astype(float) * y.astype(float)).astype(np.float32))


def check_masks(executable):
    x, y = floats(64), floats(64)
    v, m = vreg(64, "f32"), "!pto.vmi.mask<64xpred>"
    body = ["%n = arith.constant 40 : index", f"%m = pto.vmi.create_mask %n : index -> {m}", load("a", "x", 64, "f32"), load("b", "y", 64, "f32"),
            f'%c = pto.vmi.vcmp %a, %b, %m {{cmp = "lt"}} : {v}, {v}, {m} -> {m}', f"%r = pto.vmi.vsel %c, %a, %b : {m}, {v}, {v} -> {v}", store("r", 64, "f32")]
    lanes = np.arange(64)
    check("vcmp, vsel", run(executable, {"x": x, "y": y}, ("f32", 64), body), np.where((x < y) & (lanes < 40), x, y))
# Lanes that the mask leaves out: 0 in a result, as they were in a store.
    p = "!pto.vreg<64xf32>"
    body = ['%m = pto.pset_b32 "PAT_VL8" : !pto.mask<b32>', '%all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', "%z = arith.constant 7.0 : f32",
            f"%f = pto.vdup %z, %all : f32, !pto.mask<b32> -> {p}", f"pto.vsts %f, %out[%c0], %all : {p}, !pto.ptr<f32, ub>, !pto.mask<b32>",
            f"%a = pto.vlds %x[%c0] : !pto.ptr<f32, ub> -> {p}", f"%s = pto.vadd %a, %a, %m : {p}, {p}, !pto.mask<b32> -> {p}",
            '%h = pto.pset_b32 "PAT_H" : !pto.mask<b32>', f"pto.vsts %s, %out[%c0], %h : {p}, !pto.ptr<f32, ub>, !pto.mask<b32>"]
    expected = np.where(lanes < 8, x + x, np.where(lanes < 32, 0, 7)).astype(np.float32)
    check("masked", run(executable, {"x": x}, ("f32", 64), body), expected)


def check_reductions(executable):
    x = RANDOM.integers(-9, 9, 256).astype(np.float32)
    v, m = vreg(256, "f32"), "!pto.vmi.mask<256xpred>"
    head = [f'%m = pto.vmi.pset "PAT_ALL" : {m}', load("a", "x", 256, "f32")]
    rows = x.reshape(8, 32)
    for name, expected in {"vcadd": rows.sum(1), "vcmax": rows.max(1), "vcmin": rows.min(1)}.items():
        body = head + [f"%r = pto.vmi.{name} %a, %m {{group = 8}} : {v}, {m} -> {vreg(8, 'f32')}", store("r", 8, "f32")]
        check(name, run(executable, {"x": x}, ("f32", 8), body), expected)
    body = head + [f"%r = pto.vmi.vcadd %a, %m {{group = 8}} : {v}, {m} -> {vreg(8, 'f32')}",
                   f"%w = pto.vmi.vbrc %r {{group = 8}} : {vreg(8, 'f32')} -> {v}", store("w", 256, "f32")]
    check("vbrc of groups", run(executable, {"x": x}, ("f32", 256), body), np.repeat(rows.sum(1), 32))
    p = "!pto.vreg<64xf32>"
    body = ['%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', f"%a = pto.vlds %x[%c0] : !pto.ptr<f32, ub> -> {p}",
            f"%r = pto.vcmax %a, %m : {p}, !pto.mask<b32> -> {p}", f"%g = pto.vcgadd %a, %m : {p}, !pto.mask<b32> -> {p}",
            f"%s = pto.vadd %r, %g, %m : {p}, {p}, !pto.mask<b32> -> {p}", f"pto.vsts %s, %out[%c0], %m : {p}, !pto.ptr<f32, ub>, !pto.mask<b32>"]
    expected = np.zeros(64, np.float32)
    expected[0] = x[:64].max()
    expected[1:2] = np.array([x[:64].argmax()], np.uint32).view(np.float32)  # the position is a whole number, not a float
    expected[:8] += x[:64].reshape(8, 8).sum(1)
    check("vcmax and its position, vcgadd", run(executable, {"x": x[:64]}, ("f32", 64), body), expected)
    # Neighbours are added first: 2^24 + 1 is no f32, 1 + 1 is.
    x = np.zeros(64, np.float32)
    x[:5] = [2 ** 24, 1, 1, 1, 1]
    for name, expected in (("vcadd", 2 ** 24 + 4), ("vcgadd", 2 ** 24 + 4)):
        body = ['%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', f"%a = pto.vlds %x[%c0] : !pto.ptr<f32, ub> -> {p}",
                f"%r = pto.{name} %a, %m : {p}, !pto.mask<b32> -> {p}", f"pto.vsts %r, %out[%c0], %m : {p}, !pto.ptr<f32, ub>, !pto.mask<b32>"]
        check(f"order of {name}", run(executable, {"x": x}, ("f32", 64), body)[:1], np.array([expected], np.float32))


def check_lanes(executable):
    x, y = floats(64), floats(64)
    v = vreg(64, "f32")
    head = [load("a", "x", 64, "f32"), load("b", "y", 64, "f32")]
    both = np.stack([x, y], 1).ravel()
    wide = "!pto.ptr<f32, ub>"
    tail = ["%c64 = arith.constant 64 : index", store("lo", 64, "f32"), f"pto.vmi.vstore %hi, %out[%c64] : {v}, {wide}"]
    pair = head + [f"%lo, %hi = pto.vmi.vintlv %a, %b : {v}, {v} -> {v}, {v}"] + tail
    check("vintlv", run(executable, {"x": x, "y": y}, ("f32", 128), pair), both)
    pair = head + [f"%lo, %hi = pto.vmi.vdintlv %a, %b : {v}, {v} -> {v}, {v}"] + tail
    joined = np.concatenate([x, y])
    check("vdintlv", run(executable, {"x": x, "y": y}, ("f32", 128), pair), np.concatenate([joined[::2], joined[1::2]]))
    body = [load("a", "x", 64, "f32"), f"%i = pto.vmi.vcvt %a : {v} -> {vreg(64, 'i32')}", store("i", 64, "i32")]
    check("vcvt", run(executable, {"x": x}, ("i32", 64), body), np.rint(x).astype(np.int32))
    away = np.where(x < 0, np.ceil(x - np.float32(0.5)), np.floor(x + np.float32(0.5)))
    for word, expected in (("Z", np.trunc(x)), ("R", np.rint(x)), ("A", away)):
        body = [load("a", "x", 64, "f32"), f'%i = pto.vmi.vcvt %a {{rounding = "{word}"}} : {v} -> {vreg(64, "i32")}', store("i", 64, "i32")]
        check(f"vcvt, rounding {word}", run(executable, {"x": x}, ("i32", 64), body), expected.astype(np.int32))
    body = [load("a", "x", 64, "f32"), f"%i = pto.vmi.vinterpret_cast %a : {v} -> {vreg(64, 'i32')}", store("i", 64, "i32")]
    check("vinterpret_cast", run(executable, {"x": x}, ("i32", 64), body), x.view(np.int32))
    index = RANDOM.permutation(64).astype(np.int32)
    body = [load("n", "y", 64, "i32"), f"%g = pto.vmi.vgather %x, %n : !pto.ptr<f32, ub>, {vreg(64, 'i32')} -> {v}", store("g", 64, "f32")]
    check("vgather", run(executable, {"x": x, "y": index}, ("f32", 64), body), x[index])
    half = "!pto.vreg<128xf16>"
    body = ['%m = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>', '%n = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>',
            "%a = pto.vlds %x[%c0] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>",
            f'%h = pto.vcvt %a, %m {{rnd = "R", sat = "SAT", part = "ODD"}} : !pto.vreg<64xf32>, !pto.mask<b32> -> {half}',
            f"pto.vsts %h, %out[%c0], %n : {half}, !pto.ptr<f16, ub>, !pto.mask<b16>"]
    expected = np.zeros(128, np.float16)
    expected[1::2] = x.astype(np.float16)
    check("vcvt to the odd lanes", run(executable, {"x": x}, ("f16", 128), body), expected)


def check_loops(executable):
    """A loop with registers and pointers that go round, with a tail."""
    x = RANDOM.integers(-9, 9, 1000).astype(np.float32)
    p, m = "!pto.vreg<64xf32>", "!pto.mask<b32>"
    body = ["%c64 = arith.constant 64 : index", "%end = arith.constant 1000 : index", "%all = arith.constant 1000 : i32", "pto.vecscope {",
            f'%full = pto.pset_b32 "PAT_ALL" : {m}', "%zf = arith.constant 0.0 : f32", f"%none = pto.vdup %zf, %full : f32, {m} -> {p}",
            f"%n, %sum, %p = scf.for %i = %c0 to %end step %c64 iter_args(%left = %all, %s = %none, %q = %x) -> (i32, {p}, !pto.ptr<f32, ub>) {{",
            f"%k, %rest = pto.plt_b32 %left : i32 -> {m}, i32", f"%v = pto.vlds %q[%c0] : !pto.ptr<f32, ub> -> {p}",
            f"%w = pto.vadd %v, %v, %k : {p}, {p}, {m} -> {p}", f"%t = pto.vadd %s, %w, %full : {p}, {p}, {m} -> {p}",
            "%next = pto.addptr %q, %c64 : !pto.ptr<f32, ub> -> !pto.ptr<f32, ub>", f"scf.yield %rest, %t, %next : i32, {p}, !pto.ptr<f32, ub>", "}",
            f"%r = pto.vcadd %sum, %full : {p}, {m} -> {p}", f"pto.vsts %r, %out[%c0], %full : {p}, !pto.ptr<f32, ub>, {m}", "}"]
    expected = np.zeros(64, np.float32)
    expected[0] = 2 * x.sum()
    check("a loop", run(executable, {"x": x}, ("f32", 64), body), expected)


def physical(kind):
    return f"!pto.vreg<{256 // np.dtype(DTYPES[kind]).itemsize}x{kind}>"


def mask(bits):
    return f"!pto.mask<{bits}>"


def vlds(value, pointer, kind, dist="", index="%c0"):
    words = f' {{dist = "{dist}"}}' if dist else ""
    return f"%{value} = pto.vlds %{pointer}[{index}]{words} : !pto.ptr<{kind}, ub> -> {physical(kind)}"


def vsts(value, kind, m="all", dist="", index="%c0", pointer="out", to=""):
    words = f' {{dist = "{dist}"}}' if dist else ""
    return f"pto.vsts %{value}, %{pointer}[{index}], %{m}{words} : {physical(kind)}, !pto.ptr<{to or kind}, ub>, {mask(bits_of(kind))}"


def bits_of(kind):
    return "b" + str(8 * np.dtype(DTYPES[kind]).itemsize)


def pset(name, kind, pattern="PAT_ALL"):
    return f'%{name} = pto.pset_{bits_of(kind)} "{pattern}" : {mask(bits_of(kind))}'


def image(lanes):
    """The 32 bytes of a mask register: the lowest bit of a lane says whether it is on."""
    lanes = np.asarray(lanes, bool)
    bits = np.zeros(256, np.uint8)
    bits[::256 // lanes.size] = lanes
    return np.packbits(bits, bitorder="little")


def check_order(executable):
    """Which operand is the addend differs, and the product is not rounded."""
    x, y, z = floats(64), floats(64), floats(64)
    p, m = physical("f32"), mask("b32")
    fused = lambda a, b, c: (a.astype(np.longdouble) * b.astype(np.longdouble) + c.astype(np.longdouble)).astype(np.float32)
    head = [pset("all", "f32"), vlds("a", "x", "f32"), vlds("b", "y", "f32"), vlds("c", "z", "f32")]
    inputs = {"x": x, "y": y, "z": z}
    for name, expected in {"vmadd": fused(x, y, z), "vmula": fused(y, z, x)}.items():
        body = head + [f"%r = pto.{name} %a, %b, %c, %all : {p}, {p}, {p}, {m} -> {p}", vsts("r", "f32")]
        check(name, run(executable, inputs, ("f32", 64), body), expected)
    v = vreg(64, "f32")
    loads = [load(n, a, 64, "f32") for n, a in (("a", "x"), ("b", "y"), ("c", "z"))]
    body = loads + [f"%r = pto.vmi.fma %a, %b, %c : {v}, {v}, {v} -> {v}", store("r", 64, "f32")]
    check("fma", run(executable, inputs, ("f32", 64), body), fused(x, y, z))
    body = head + ["%s = arith.constant 1.5 : f32", f"%r = pto.vaxpy %a, %b, %s, %all : {p}, {p}, f32, {m} -> {p}", vsts("r", "f32")]
    check("vaxpy", run(executable, inputs, ("f32", 64), body), fused(x, np.full(64, 1.5, np.float32), y))
    body = head + ['%n = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>', "%s = arith.constant 1.5 : f32",
                   f'%r = pto.vmulscvt %a, %s, %all, "R", "ODD" : {p}, f32, {m} -> {physical("f16")}', vsts("r", "f16", "n")]
    expected = np.zeros(128, np.float16)
    expected[1::2] = (x.astype(float) * 1.5).astype(np.float16)
    check("vmulscvt", run(executable, inputs, ("f16", 128), body), expected)
    for position, lane in {"LOWEST": 0, "HIGHEST": 63}.items():
        body = head + [f'%r = pto.vdup %a, %all {{position = "{position}"}} : {p}, {m} -> {p}', vsts("r", "f32")]
        check(position, run(executable, inputs, ("f32", 64), body), np.full(64, x[lane]))
    for word, function in {"R": np.rint, "F": np.floor, "C": np.ceil, "Z": np.trunc}.items():
        body = head + [f'%r = pto.vtrc %a, %all, "{word}" : {p}, {m} -> {p}', vsts("r", "f32")]
        check("vtrc " + word, run(executable, inputs, ("f32", 64), body), function(x))


def check_integers(executable):
    x, y = (RANDOM.integers(0, 2**32, 64, np.uint32) for _ in range(2))
    p, m = physical("ui32"), mask("b32")
    head = ["%c64 = arith.constant 64 : index", pset("all", "ui32"), vlds("a", "x", "ui32"), vlds("b", "y", "ui32")]
    inputs = {"x": x, "y": y}
    wide = x.astype(object) * y.astype(object)
    body = head + [f"%lo, %hi = pto.vmull %a, %b, %all : {p}, {p}, {m} -> {p}, {p}", vsts("lo", "ui32"), vsts("hi", "ui32", index="%c64")]
    halves = [np.array([n >> shift & 0xFFFFFFFF for n in wide], np.uint32) for shift in (0, 32)]
    check("vmull", run(executable, inputs, ("ui32", 128), body), np.concatenate(halves))
# Carries go through a select to UB; the second operation takes those of the first one.
    head += ["%one32 = arith.constant 1 : i32", "%nil = arith.constant 0 : i32", f"%u = pto.vdup %one32, %all : i32, {m} -> {p}",
             f"%w = pto.vdup %nil, %all : i32, {m} -> {p}"]
    adds = x.astype(np.uint64) + y
    less = x >= y
    for name, first, second in (("vadd", adds >> 32, (x.astype(np.uint64) + y + (adds >> 32)).astype(np.uint32)),
                                ("vsub", less.astype(np.uint64), (x.astype(np.int64) - y - (1 - less.astype(np.int64))).astype(np.uint32))):
        body = head + [f"%s, %c = pto.{name}c %a, %b, %all : {p}, {p}, {m} -> {p}, {m}", f"%k = pto.vsel %u, %w, %c : {p}, {p}, {m} -> {p}",
                       f"%t, %d = pto.{name}cs %a, %b, %c, %all : {p}, {p}, {m}, {m} -> {p}, {m}", vsts("k", "ui32"), vsts("t", "ui32", index="%c64")]
        check(name, run(executable, inputs, ("ui32", 128), body), np.concatenate([first.astype(np.uint32), second]))


def check_rearranged(executable):
    x = floats(64)
    p, m = physical("f32"), mask("b32")
    index = RANDOM.integers(0, 64, 64).astype(np.uint32)
    head = [pset("all", "f32"), "%n = arith.constant 37 : i32", f"%part, %rest = pto.plt_b32 %n : i32 -> {m}, i32", vlds("a", "x", "f32"),
            vlds("i", "y", "ui32")]
    inputs = {"x": x, "y": index}
    on = np.arange(64) < 37
    body = head + [f"%r = pto.vselr %a, %i : {p}, {physical('ui32')} -> {p}", vsts("r", "f32")]
    check("vselr", run(executable, inputs, ("f32", 64), body), x[index])
    some = ["%zero_f = arith.constant 0.0 : f32", f'%some = pto.vcmps %a, %zero_f, %part, "gt" : {p}, f32, {m} -> {m}']
    chosen = (x > 0) & on
    body = head + some + [f"%r = pto.vsqz %a, %some : {p}, {m} -> {p}", vsts("r", "f32")]
    check("vsqz", run(executable, inputs, ("f32", 64), body), np.concatenate([x[chosen], np.zeros(64 - chosen.sum(), np.float32)]))
    body = head + some + [f"%r = pto.vusqz %i, %some : {physical('ui32')}, {m} -> {physical('ui32')}", vsts("r", "ui32")]
    check("vusqz", run(executable, inputs, ("ui32", 64), body), (np.cumsum(chosen) - chosen).astype(np.uint32))
    body = head + [f"%r = pto.vcpadd %a, %all : {p}, {m} -> {p}", vsts("r", "f32")]
    check("vcpadd", run(executable, inputs, ("f32", 64), body), np.concatenate([x[::2] + x[1::2], np.zeros(32, np.float32)]))
# Lanes that the mask leaves out read nothing: their indices may lead anywhere.
    far = np.where(on, index, 1 << 30).astype(np.uint32)
    body = head + [f"%r = pto.vgather2 %x, %i, %part : !pto.ptr<f32, ub>, {physical('ui32')}, {m} -> {p}", vsts("r", "f32")]
    check("vgather2", run(executable, {"x": x, "y": far}, ("f32", 64), body), np.where(on, x[index], 0).astype(np.float32))
    blocks = np.concatenate([RANDOM.permutation(8) * 32, np.zeros(56)]).astype(np.uint32)
    body = head + [f"%r = pto.vgatherb %x, %i, %all : !pto.ptr<f32, ub>, {physical('ui32')}, {m} -> {p}", vsts("r", "f32")]
    check("vgatherb", run(executable, {"x": x, "y": blocks}, ("f32", 64), body), x.reshape(8, 8)[blocks[:8] // 32].ravel())
    words = RANDOM.integers(0, 2**32, 64, np.uint32)
    for part, at in {"LOWER": 0, "HIGHER": 64}.items():
        body = ['%n = pto.pset_b16 "PAT_ALL" : !pto.mask<b16>', vlds("a", "x", "ui32"),
                f'%r = pto.vpack %a, "{part}" : {physical("ui32")} -> {physical("ui16")}', vsts("r", "ui16", "n")]
        expected = np.zeros(128, np.uint16)
        expected[at:at + 64] = words & 0xFFFF
        check("vpack " + part, run(executable, {"x": words}, ("ui16", 128), body), expected)
    halves = RANDOM.integers(0, 2**16, 128).astype(np.uint16)
    for name, kind, to in (("vzunpack", np.uint16, "ui32"), ("vsunpack", np.int16, "i32")):
        body = [pset("all", to), "%one_x = arith.constant 1 : index", vlds("a", "x", "ui16"),
                f"%r = pto.{name} %a, %one_x : {physical('ui16')}, index -> {physical(to)}", vsts("r", to)]
        check(name, run(executable, {"x": halves}, (to, 64), body), halves[64:].view(kind).astype(DTYPES[to]))


def check_distributions(executable):
    """How bytes of UB spread over the lanes of a register."""
    for kind in ("ui8", "ui16", "f32"):
        dtype = DTYPES[kind]
        lanes, bits = 256 // np.dtype(dtype).itemsize, bits_of(kind).upper()
        x = RANDOM.integers(0, 200, 2 * lanes).astype(dtype)
        block = 32 // np.dtype(dtype).itemsize
        expected = {"BRC_BLK": np.tile(x[:block], 8), "BRC_" + bits: np.full(lanes, x[0]), "NORM": x[:lanes]}
        if kind != "f32":
            expected["US_" + bits] = np.repeat(x[:lanes // 2], 2)
            expected["DS_" + bits] = x[::2]
            spread = np.zeros(lanes, dtype)
            spread[::2] = x[:lanes // 2]
            expected["UNPK_" + bits] = spread
        if kind != "ui8":
            expected["E2B_" + bits] = np.repeat(x[:8], block)
        for dist, lanes_of in expected.items():
            body = [pset("all", kind), vlds("a", "x", kind, dist), vsts("a", kind)]
            check(f"vlds {kind} {dist}", run(executable, {"x": x}, (kind, lanes), body), lanes_of)
        two = f"{physical(kind)}, {physical(kind)}"
        index = [f"%second = arith.constant {lanes} : index"]
        body = index + [pset("all", kind), f'%a, %b = pto.vldsx2 %x[%c0], "DINTLV_{bits}" : !pto.ptr<{kind}, ub>, index -> {two}',
                        vsts("a", kind), vsts("b", kind, index="%second")]
        check("vldsx2", run(executable, {"x": x}, (kind, 2 * lanes), body), np.concatenate([x[::2], x[1::2]]))
        body = index + [pset("all", kind), vlds("a", "x", kind), vlds("b", "x", kind, index="%second"),
                        f'pto.vstsx2 %a, %b, %out[%c0], "INTLV_{bits}", %all : {two}, !pto.ptr<{kind}, ub>, index, {mask(bits_of(kind))}']
        check("vstsx2", run(executable, {"x": x}, (kind, 2 * lanes), body), np.stack([x[:lanes], x[lanes:]], 1).ravel())
    words = RANDOM.integers(0, 2**32, 64, np.uint32)
    on = np.arange(64) < 8
    for dist, kind, low in (("PK_B32", "ui16", words & 0xFFFF), ("PK4_B32", "ui8", words & 0xFF)):
        lanes = np.where(on, low, 0).astype(DTYPES[kind])
        zeros = ["%nil = arith.constant 0 : i32", pset("whole", "ui32"), f"%w = pto.vdup %nil, %whole : i32, {mask('b32')} -> {physical('ui32')}",
                 f"pto.vsts %w, %out[%c0], %whole : {physical('ui32')}, !pto.ptr<{kind}, ub>, {mask('b32')}"]
        body = zeros + [pset("some", "ui32", "PAT_VL8"), vlds("a", "x", "ui32"), vsts("a", "ui32", "some", dist, to=kind)]
        check(dist, run(executable, {"x": words}, (kind, 64), body), lanes)


def check_mask_images(executable):
    """Masks in UB, and the operations that move their bits."""
    x = floats(64)
    on = x > 0
    p, m, h = physical("f32"), mask("b32"), mask("b16")
    head = [pset("all", "f32"), vlds("a", "x", "f32"), "%zero_f = arith.constant 0.0 : f32", f'%k = pto.vcmps %a, %zero_f, %all, "gt" : {p}, f32, {m} -> {m}']
    keep = lambda name, kind, dist="NORM": f'pto.psts %{name}, %out[%c0], "{dist}" : {kind}, !pto.ptr<ui8, ub>, index'
    bits = np.unpackbits(image(on), bitorder="little")
    packed = np.zeros(256, np.uint8)
    packed[:128] = bits[::2]
    spread = np.zeros(256, np.uint8)
    spread[::2] = bits[128:]
    cases = {"psts": (keep("k", m), bits), "ppack": (f'%r = pto.ppack %k, "LOWER" : {m} -> {h}\n' + keep("r", h), packed),
             "punpack": (f'%r = pto.punpack %k, "HIGHER" : {m} -> {m}\n' + keep("r", m), np.where(np.arange(256) % 4 == 0, spread, 0)),
             "pbitcast": (f"%r = pto.pbitcast %k : {m} -> {h}\n" + keep("r", h), bits)}
    for name, (body, expected) in cases.items():
        check(name, run(executable, {"x": x}, ("ui8", 32), head + [body]), np.packbits(expected.astype(np.uint8), bitorder="little"))
    check("psts PK", run(executable, {"x": x}, ("ui8", 16), head + [keep("k", m, "PK")]), np.packbits(bits[::2], bitorder="little"))
    stored = RANDOM.integers(0, 256, 64).astype(np.uint8)
    all_bits = np.unpackbits(stored, bitorder="little")
    for dist, source in {"NORM": all_bits[:256], "US": np.repeat(all_bits[:128], 2), "DS": all_bits[::2]}.items():
        body = [f'%k = pto.plds %y[%c0], "{dist}" : !pto.ptr<ui8, ub>, index -> {m}', vlds("a", "x", "f32"), "%seven = arith.constant 7.0 : f32",
                pset("all", "f32"), f"%s = pto.vdup %seven, %all : f32, {m} -> {p}", f"%r = pto.vsel %a, %s, %k : {p}, {p}, {m} -> {p}", vsts("r", "f32")]
        check("plds " + dist, run(executable, {"x": x, "y": stored}, ("f32", 64), body), np.where(source[::4] != 0, x, 7).astype(np.float32))


def check_rows(executable):
    """Rows of lanes that lie apart, sums and histograms of them."""
    x = RANDOM.integers(-9, 9, 8 * 24).astype(np.float32)
    v = vreg(128, "f32")
    body = ["%c24 = arith.constant 24 : index", "%c3 = arith.constant 3 : index", "%z8 = arith.constant 0.0 : f32",
            f"%a = pto.vmi.vload %x[%c0], %c24 {{group = 8}} : !pto.ptr<f32, ub> -> {v}", '%m = pto.vmi.pset "PAT_ALL" : !pto.vmi.mask<128xpred>',
            f"%w = pto.vmi.vbrc %z8 : f32 -> {vreg(64, 'f32')}", store("w", 64, "f32"),
            f"%s = pto.vmi.vcadd %a, %m {{group = 8, reassoc}} : {v}, !pto.vmi.mask<128xpred> -> {vreg(8, 'f32')}",
            f"pto.vmi.vstore %s, %out[%c0], %c3 {{group = 8}} : {vreg(8, 'f32')}, !pto.ptr<f32, ub>"]
    expected = np.zeros(64, np.float32)
    expected[:24:3] = x.reshape(8, 24)[:, :16].sum(1)
    check("rows", run(executable, {"x": x}, ("f32", 64), body), expected)
    samples, before = RANDOM.integers(0, 256, 512).astype(np.uint8), RANDOM.integers(0, 9, 256).astype(np.uint16)
    s, a = vreg(512, "ui8"), vreg(256, "ui16")
    counts = np.bincount(samples[:300], minlength=256)
    for name, expected in {"vdhist": counts, "vchist": np.cumsum(counts)}.items():
        body = ["%n = arith.constant 300 : index", load("a", "y", 256, "ui16"), load("s", "x", 512, "ui8"),
                "%m = pto.vmi.create_mask %n : index -> !pto.vmi.mask<512xpred>",
                f"%r = pto.vmi.{name} %a, %s, %m : {a}, {s}, !pto.vmi.mask<512xpred> -> {a}", store("r", 256, "ui16")]
        check(name, run(executable, {"x": samples, "y": before}, ("ui16", 256), body), (before + expected).astype(np.uint16))


def main():
    for part in (check_maps, check_masks, check_reductions, check_lanes, check_loops, check_order, check_integers, check_rearranged,
                 check_distributions, check_mask_images, check_rows):
        part(sys.argv[1])


if __name__ == "__main__":
    main()
