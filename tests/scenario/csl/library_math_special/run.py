import numpy as np
from host import Machine

N, F = 18, 12
NAMES = "floor ceil sqrt abs exp log sin cos tanh pow max min".split()
TOLERANCES = {np.float32: 4e-6, np.float16: 2e-3}  # of values that are neither special nor exact


def wanted(a, b, kind):
    """What C gives, rounded to the type."""
    a, b = np.float32(kind(a)), np.float32(kind(b))
    with np.errstate(all="ignore"):
        values = [np.floor(a), np.ceil(a), np.sqrt(a), np.abs(a), np.exp(a), np.log(a), np.sin(a), np.cos(a), np.tanh(a),
                  np.power(a, b), np.fmax(a, b), np.fmin(a, b)]
        return np.array(values, np.float32).astype(kind)


def same(found, expected, kind, what):
    assert found.dtype == expected.dtype == kind
    for name, x, y in zip(NAMES, found, expected):
        if np.isnan(y):
            assert np.isnan(x), (what, name, x, y)
        elif np.isinf(y) or y == 0 or name in ("floor", "ceil", "abs"):
            is_either_zero = name in ("max", "min") and y == 0
            assert x == y and (is_either_zero or np.signbit(x) == np.signbit(y)), (what, name, x, y)
        else:
            tolerance = TOLERANCES[kind] * (5 if name == "pow" else 1)  # that of exp(y log(x)) grows with the exponent
            assert abs(float(x) - float(y)) <= tolerance * abs(float(y)), (what, name, x, y)


with Machine() as machine:
    bits = machine.get("bits", N, np.uint32)
    known = machine.get("known", N * N * F, np.float32).reshape(N, N, F)
    known_half = machine.get("known_half", N * N * F, np.float16).reshape(N, N, F)
    values = bits.view(np.float32)
    for i in range(N):
        for j in range(N):
            pair = np.zeros(N, np.uint32)
            pair[:2] = bits[i], bits[j]
            for kind, table in ((np.float32, known), (np.float16, known_half)):
                same(table[i, j], wanted(values[i], values[j], kind), kind, ("known", values[i], values[j]))
            if (i + j) % 3:  # the others take their time
                continue
            machine.put("bits", pair)
            machine.launch("run")
            for name, kind, table in (("live", np.float32, known), ("live_half", np.float16, known_half)):
                found = machine.get(name, F, kind)
                word = np.uint32 if kind == np.float32 else np.uint16
                is_same = (found.view(word) == table[i, j].view(word)) | (np.isnan(found) & np.isnan(table[i, j]))
                assert is_same.all(), (name, values[i], values[j], found, table[i, j])
