import numpy as np
from host import Machine, expect


x = np.array([1, -2, 3.5, 0.25, 8, -4, 0.5], np.float32)
with Machine() as machine:
    machine.put("x", x)
    for turn in (1, 2):
        machine.launch("run")
        expect(machine.get("y", 6, np.float32), np.array([x.sum(), x.max(), x.prod(), turn * x.sum(), 2 + x.sum(), 10 + x.sum()], np.float32))
