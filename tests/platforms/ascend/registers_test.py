"""Programs of the register level of A5 against NumPy: what vector functions load, compute and store."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

RANDOM = np.random.default_rng(5)
PLACES = {"x": 0, "y": 16384, "z": 32768, "out": 49152}
DTYPES = {"f32": np.float32, "i32": np.int32, "ui8": np.uint8, "f16": np.float16}


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
    expected[:2] = x[:64].max(), x[:64].argmax()
    expected[:8] += x[:64].reshape(8, 8).sum(1)
    check("vcmax and its position, vcgadd", run(executable, {"x": x[:64]}, ("f32", 64), body), expected)


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


def main():
    for part in (check_maps, check_masks, check_reductions, check_lanes, check_loops):
        part(sys.argv[1])


if __name__ == "__main__":
    main()
