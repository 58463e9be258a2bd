import numpy as np
from host import Machine, expect


with Machine() as machine:
    expect(machine.get("y", 5, np.float32), np.arange(5, dtype=np.float32) ** 2 / 2)
    machine.launch("run")
    expect(machine.get("y", 5, np.float32), np.array([15, 0.5, 2, 4.5, 8], np.float32))
    expect(machine.get("n", 9, np.int32), np.array([1, 3, 3, 1, 720, 1 << 20, 4, 30, 125 + 8], np.int32))
