"""Floats of 8 and 4 bits against decoders and a search written here: every code to f32, numbers to every format with every
rounding, and products with scales. ascend_2.md 5.3 to 5.5."""
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

NAN = float("nan")


def ieee(code, exponent_bits, fraction_bits, bias):
    field, fraction = code >> fraction_bits & ((1 << exponent_bits) - 1), code & ((1 << fraction_bits) - 1)
    part = fraction / 2**fraction_bits
    return math.ldexp(part, 1 - bias) if field == 0 else math.ldexp(1 + part, field - bias)


def e4m3(c):
    return NAN if c & 0x7F == 0x7F else (-1) ** (c >> 7) * ieee(c & 0x7F, 4, 3, 7)


def e5m2(c):
    m = c & 0x7F
    return NAN if m > 0x7C else (-1) ** (c >> 7) * (math.inf if m == 0x7C else ieee(m, 5, 2, 15))


def hif8(c):
    """By the prefix of the seven bits, as text."""
    bits, sign = f"{c & 0x7F:07b}", (-1) ** (c >> 7)
    if c == 0x80:
        return NAN
    if bits == "0000000":
        return 0.0
    if bits[:4] == "0000":
        return sign * 2.0 ** (int(bits[4:], 2) - 23)
    if bits == "1101111":
        return sign * math.inf
    if bits[:4] == "0001":
        return sign * (1 + int(bits[4:], 2) / 8)
    prefix, stored = ("001", 0) if bits.startswith("001") else {"01": ("01", 1), "10": ("10", 2), "11": ("11", 3)}[bits[:2]]
    rest = bits[len(prefix):]
    exponent = int("1" + rest[1:1 + stored], 2) * (-1 if rest[0] == "1" else 1)
    fraction = rest[1 + stored:]
    return sign * math.ldexp(1 + int(fraction, 2) / 2 ** len(fraction), exponent)


def e2m1(c):
    return (-1) ** (c >> 3) * [0, 0.5, 1, 1.5, 2, 3, 4, 6][c & 7]


def e1m2(c):
    return (-1) ** (c >> 3) * (c & 7) / 4


def e8m0(c):
    return NAN if c == 0xFF else 2.0 ** (c - 127)


FORMATS = {"f8E4M3FN": e4m3, "f8E5M2": e5m2, "hif8": hif8, "f4E2M1": e2m1, "f4E1M2": e1m2, "f8E8M0FNU": e8m0}


def is_packed(name):
    return name.startswith("f4")


def table(name):
    return np.array([FORMATS[name](c) for c in range(16 if is_packed(name) else 256)])


def pack(codes):
    return (codes[..., 0::2] | codes[..., 1::2] << 4).astype(np.uint8)


def unpack(codes):
    return np.stack([codes & 15, codes >> 4], -1).reshape(*codes.shape[:-1], -1)


def nearest(x, name, mode):
    """The value of a format that a rounding mode chooses: a search over all codes."""
    numbers = np.unique(np.abs([v for v in table(name) if np.isfinite(v)]))
    largest, magnitude = numbers[-1], abs(x)
    if math.isnan(x):
        return 0.0
    if magnitude >= largest:
        return math.copysign(largest, x)  # saturated
    low = numbers[numbers <= magnitude].max()
    high = numbers[numbers >= magnitude].min()
    if low == high:
        return math.copysign(low, x)
    up = {"FLOOR": x < 0, "CEIL": x > 0, "TRUNC": False}.get(mode)
    if up is None:
        below, above = magnitude - low, high - magnitude
        even = int(np.where(numbers == low)[0][0]) % 2 == 0  # codes grow with the magnitude
        tie = mode == "ROUND" or (mode == "NONE" and name == "hif8") or not even
        up = below > above if below != above else tie
    return math.copysign(high if up else low, x)


def run(executable, text, inputs):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder)
        (path / "k.pto").write_text(text)
        command = [executable, str(path / "k.pto"), "--preset", "a5", "--quiet", f"--output=c={path / 'c.npy'}"]
        for name, value in inputs.items():
            np.save(path / f"{name}.npy", value)
            command.append(f"--input={name}={path / name}.npy")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (done.stderr, text)
        return np.load(path / "c.npy")


def view(name, rows, columns, element):
    whole, part = f"!pto.tensor_view<{rows}x{columns}x{element}>", f"!pto.partition_tensor_view<{rows}x{columns}x{element}>"
    return part, (f"    %{name}v = pto.make_tensor_view %{name}, shape = [{rows}, {columns}], strides = [{columns}, 1] : {whole}\n"
                  f"    %{name}w = pto.partition_view %{name}v, offsets = [0, 0], sizes = [{rows}, {columns}] : {whole} -> {part}\n")


def conversion(source, target, rows, columns, mode):
    (a, a_text), (c, c_text) = view("a", rows, columns, source), view("c", rows, columns, target)
    t, u = f"!pto.tile_buf<vec, {rows}x{columns}x{source}>", f"!pto.tile_buf<vec, {rows}x{columns}x{target}>"
    return f"""module {{
  func.func @k(%a: !pto.ptr<{source}>, %c: !pto.ptr<{target}>) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
{a_text}{c_text}    %t = pto.alloc_tile : {t}
    %u = pto.alloc_tile : {u}
    pto.tload ins(%aw : {a}) outs(%t : {t})
    pto.tcvt ins(%t {{rmode = #pto<round_mode {mode}>}} : {t}) outs(%u : {u})
    pto.tstore ins(%u : {u}) outs(%cw : {c})
    return
  }}
}}
"""


def partner(name):
    """The type that the machine converts from and to: f32, of floats of 4 bits bf16."""
    return "bf16" if is_packed(name) else "f32"


def widened(found, name):
    return (found.astype(np.uint32) << 16).view(np.float32) if partner(name) == "bf16" else found


def check_codes(executable):
    """All codes of a format to the type that it converts to."""
    for name in ("f8E4M3FN", "f8E5M2", "hif8", "f4E2M1", "f4E1M2"):
        codes = np.arange(16, dtype=np.uint8).repeat(16) if is_packed(name) else np.arange(256, dtype=np.uint8)
        codes = codes.reshape(1, 256)
        found = run(executable, conversion(name, partner(name), 1, 256, "NONE"), {"a": pack(codes) if is_packed(name) else codes})
        found = widened(found, name)
        np.testing.assert_array_equal(found.reshape(-1), table(name)[codes.reshape(-1)].astype(np.float32), err_msg=name)


def check_rounding(executable):
    rng = np.random.default_rng(1)
    for name in ("f8E4M3FN", "f8E5M2", "hif8", "f4E2M1"):
        finite = np.unique(np.abs([v for v in table(name) if np.isfinite(v)]))
        ties = (finite[1:] + finite[:-1]) / 2
        x = np.concatenate([finite, ties, ties * (1 + 2.0**-20), ties * (1 - 2.0**-20), finite[-1:] * 3, [0.0, NAN, math.inf], finite[1:2] / 4])
        x = np.concatenate([x, -x, finite[-1] * rng.uniform(-1, 1, 64)]).astype(np.float32)
        x = np.resize(x, (1, -(-x.size // 64) * 64))
        bits = x.view(np.uint32)
        if partner(name) == "bf16":
            x = (bits & 0xFFFF0000).view(np.float32)
        modes = ("NONE", "ROUND", "FLOOR", "CEIL", "TRUNC") if name == "hif8" else ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC")
        for mode in modes:
            codes = run(executable, conversion(partner(name), name, *x.shape, mode), {"a": (bits >> 16).astype(np.uint16) if partner(name) == "bf16" else x})
            found = table(name)[(unpack(codes) if is_packed(name) else codes).reshape(-1)]
            expected = np.array([nearest(float(v), name, mode) for v in x.reshape(-1)])
            np.testing.assert_array_equal(found, expected, err_msg=f"{name} {mode}")


def product(a_type, b_type, m, k, n, form):
    """A product with scales: plain, onto an accumulator, or with a bias."""
    names = {"a": (m, k, a_type), "s": (m, k // 32, "f8E8M0FNU"), "b": (k, n, b_type), "r": (k // 32, n, "f8E8M0FNU"), "z": (1, n, "f32"),
             "c": (m, n, "f32")}
    parts, texts = {}, ""
    for name, (rows, columns, element) in names.items():
        parts[name], text = view(name, rows, columns, element)
        texts += text

    def tile(location, rows, columns, element):
        return f"!pto.tile_buf<{location}, {rows}x{columns}x{element}>"

    kinds = {"a": "left", "s": "left_scale", "b": "right", "r": "right_scale", "z": "bias"}
    lines = []
    for name, location in kinds.items():
        mat, to = tile("mat", *names[name]), tile(location, *names[name])
        lines += [f"%l{name} = pto.alloc_tile : {mat}", f"%t{name} = pto.alloc_tile : {to}",
                  f"pto.tload ins(%{name}w : {parts[name]}) outs(%l{name} : {mat})", f"pto.tmov ins(%l{name} : {mat}) outs(%t{name} : {to})"]
    acc = tile("acc", m, n, "f32")
    lines.append(f"%acc = pto.alloc_tile : {acc}")
    order = [("%t" + name, tile(kinds[name], *names[name])) for name in "asbr"]
    bias = [("%tz", tile("bias", *names["z"]))]
    forms = {"": [("", order)], ".acc": [("", order), (".acc", [("%acc", acc)] + order)], ".bias": [(".bias", order + bias)]}
    for suffix, operands in forms[form]:
        lines.append(f"pto.tmatmul.mx{suffix} ins({', '.join(o[0] for o in operands)} : {', '.join(o[1] for o in operands)}) outs(%acc : {acc})")
    lines.append(f"pto.tstore ins(%acc : {acc}) outs(%cw : {parts['c']})")
    arguments = ", ".join(f"%{name}: !pto.ptr<{element}>" for name, (_, _, element) in names.items())
    return (f"module {{\n  func.func @k({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<cube>}} {{\n{texts}"
            + "".join(f"    {line}\n" for line in lines) + "    return\n  }\n}\n")


def check_products(executable):
    rng = np.random.default_rng(2)
    m, k, n = 32, 128, 64
    for a_type, b_type in (("f8E4M3FN", "f8E4M3FN"), ("f8E4M3FN", "f8E5M2"), ("f4E2M1", "f4E2M1"), ("f4E1M2", "f4E2M1")):
        codes = {}
        for name, element, shape in (("a", a_type, (m, k)), ("b", b_type, (k, n))):
            # Integers and halves only, so that every order of additions gives the same sum.
            choice = [c for c, v in enumerate(table(element)) if np.isfinite(v) and abs(v) <= 8 and v * 4 == round(v * 4)]
            codes[name] = rng.choice(choice, shape).astype(np.uint8)
        scales = {"s": rng.integers(125, 130, (m, k // 32)).astype(np.uint8), "r": rng.integers(125, 130, (k // 32, n)).astype(np.uint8)}
        left = table(a_type)[codes["a"]] * 2.0 ** (scales["s"].astype(int) - 127).repeat(32, 1)
        right = table(b_type)[codes["b"]] * 2.0 ** (scales["r"].astype(int) - 127).repeat(32, 0)
        bias = rng.integers(-5, 5, (1, n)).astype(np.float32)
        inputs = dict(scales, z=bias, **{name: pack(c) if is_packed(t) else c for (name, c), t in zip(codes.items(), (a_type, b_type))})
        for form, expected in (("", left @ right), (".acc", 2 * (left @ right)), (".bias", left @ right + bias)):
            found = run(executable, product(a_type, b_type, m, k, n, form), inputs)
            np.testing.assert_array_equal(found, expected.astype(np.float32), err_msg=f"{a_type} {b_type} {form}")


if __name__ == "__main__":
    check_codes(sys.argv[1])
    check_rounding(sys.argv[1])
    check_products(sys.argv[1])
