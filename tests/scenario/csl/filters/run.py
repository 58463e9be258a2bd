import numpy as np
from host import Machine, expect


x = np.arange(100, 112, dtype=np.int16)
k = np.arange(12)
with Machine(3, 1) as machine:
    machine.put("x", x, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("y", 12, np.int16, at=(1, 0, 1, 1)), np.where(k % 3 == 0, x, 0).astype(np.int16))
    expect(machine.get("y", 12, np.int16, at=(2, 0, 1, 1)), np.where((k >= 6) & (k <= 10), x, 0).astype(np.int16))
