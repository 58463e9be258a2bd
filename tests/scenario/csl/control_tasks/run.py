import numpy as np
from host import Machine, expect


x = np.arange(1, 9, dtype=np.float32)
with Machine(3, 1) as machine:
    machine.put("x", x, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("y", 2, np.float32, at=(1, 0, 1, 1)), np.array([x[:4].sum(), 5], np.float32))
    expect(machine.get("y", 2, np.float32, at=(2, 0, 1, 1)), np.array([x[4:].sum(), 6], np.float32))
