import numpy as np
from host import Machine, expect


def places(base, strides, extents):
    """Strides from the inner loop, extents from the outer one; an outer stride counts from the last element."""
    found, at = [], base
    for i in range(extents[0]):
        for j in range(extents[1]):
            if found:
                at += strides[0] if j else strides[1]
            found.append(at)
    return found


x = np.arange(1, 25, dtype=np.float32)
with Machine() as machine:
    for n in (1, 2):
        y = np.arange(24, dtype=np.float32) / 2
        machine.put("x", x)
        machine.put("y", y)
        machine.launch("run", np.int16(n))
        y[places(n, (1, 3), (2, 3))] = x[:6]
        y[10:16] += x[places(n, (2, -1), (3, 2))]
        y[places((18 if n > 1 else 0) + 1, (1, 2), (2, 2))] *= np.float32(3)
        expect(machine.get("y", 24, np.float32), y)
