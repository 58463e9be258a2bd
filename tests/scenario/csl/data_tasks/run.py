import numpy as np
from host import Machine, expect


x = np.array([1, 2.5, -3, 4, 100, 0.5], np.float32)
with Machine(2, 1) as machine:
    machine.put("x", x, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("y", 2, np.float32, at=(1, 0, 1, 1)), np.array([x.sum(), 6], np.float32))
    expect(machine.get("slots", 4, np.uint16, at=(1, 0, 1, 1)), np.array([70, 71, 72, 73], np.uint16))
