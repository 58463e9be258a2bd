import numpy as np
from host import Machine, expect



def wrapped(n):
    return (n + 2**31) % 2**32 - 2**31


def mix(a, b, c, d, e):
    p, q, r, s = wrapped(a * b), wrapped(c * d), wrapped(a + d), wrapped(b - c)
    return wrapped((p - q) * e + (r ^ s) + (p & r) - (q | s))


generator = np.random.default_rng(14)
with Machine() as machine:
    for _ in range(3):
        x = [int(v) for v in generator.integers(-30, 30, 8)]
        machine.put("x", np.array(x, np.int32))
        machine.launch("run")
        a, b, c, d, e, g, h, i = x
        total, alternating, sign, last, product = 0, 0, 1, np.float32(0), np.float32(1)
        for k in range(8):
            for j in range(k):
                total += mix(x[k], x[j], k, j, sign)
                alternating += sign * (x[k] - x[j])
                last = last * np.float32(0.5) + np.float32(x[j])
            sign = -sign
            product *= np.float32(x[k])
        first = (a + b * c) - (d - e * g) + (h * i - a * d) + (b + g) * (c + h) - (e + i)
        nested = mix(a, mix(b, c, d, e, 2), mix(e, g, h, i, 3), mix(a, i, b, h, -1), 7)
        expect(machine.get("y", 4, np.int32), np.array([wrapped(v) for v in (first, total, alternating, nested)], np.int32))
        expect(machine.get("f", 2, np.float32), np.array([last, product], np.float32))
