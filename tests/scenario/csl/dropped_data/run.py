import numpy as np
from host import Machine, expect


x = np.arange(10, 15, dtype=np.uint32)
with Machine(2, 1) as machine:
    for _ in range(2):
        machine.put("x", x, at=(0, 0, 1, 1))
        machine.launch("run")
        expect(machine.get("x", 2, np.uint32, at=(1, 0, 1, 1)), x[3:])
        x += 100
