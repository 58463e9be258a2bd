import numpy as np
from host import Machine, expect


def add(a, k, b):
    return a[0] + b[0], a[1] + b[1], k


def swapped(a, k, b):
    return b[1], a[0], k + b[2]


def nested(a, k, b):
    inner = LAWS[k](b, k, a)
    return inner[0] - a[0], inner[1] - b[1], inner[2] + a[2]


LAWS = add, swapped, nested
x = np.array([1.5, -2.0, 8.0, 0.25], np.float32)
with Machine() as machine:
    machine.put("x", x)
    for which, law in enumerate(LAWS):
        machine.launch("run", np.uint16(which))
        y = machine.get("y", 16, np.float32)
        a, b = (1.5, -2.0, 5), (8.0, 0.25, -2)
        expect(y[:3], np.array(law(law(a, 1, b), 0, b), np.float32))
        long = (lambda n: n + n) if which == 0 else (lambda n: -n)
        expect(y[3], np.float32(long(long(5000000000 + which) - 1) - 5000000000))
        wanted = x.copy()
        wanted[which:which + 2] *= 2 if which == 0 else 0
        expect(y[8:12], wanted)
