import numpy as np
from host import Machine, expect

x = np.arange(3, 45, dtype=np.uint32)
with Machine(2, 1) as machine:
    machine.put("y", x, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("y", 42, np.uint32, at=(1, 0, 1, 1)), np.array([*x[:40], 77, 5], np.uint32))
