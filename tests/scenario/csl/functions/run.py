import numpy as np
from host import Machine, expect


x = np.array([1.5, -2, 3, 0.25], np.float32)
with Machine() as machine:
    machine.put("x", x)
    machine.launch("run")
    expect(machine.get("y", 6, np.float32), np.array([x @ x, x[0] ** 4, x[0] + x[1], 3 * x[2], x.sum(), x[:2].sum()], np.float32))
    expect(machine.get("n", 4, np.int32), np.array([9, 654322, -1308642, 654321], np.int32))
