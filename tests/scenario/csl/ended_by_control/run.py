import numpy as np
from host import Machine, expect


with Machine(2, 1) as machine:
    wanted = np.zeros(8, np.uint32)
    for n in (5, 3):
        x = 10 * n + np.arange(8, dtype=np.uint32)
        machine.put("x", x, at=(0, 0, 1, 1))
        machine.launch("run", np.uint16(n))
        wanted[:n] = x[:n]
        expect(machine.get("x", 8, np.uint32, at=(1, 0, 1, 1)), wanted)
