import numpy as np
from host import Machine, expect


x = np.random.default_rng(6).normal(size=24).astype(np.float32)
with Machine() as machine:
    machine.put("x", x)
    for n in (4, 2, 6):
        machine.put("y", np.zeros(24, np.float32))
        machine.launch("run", np.int16(n))
        wanted = np.zeros(24, np.float32)
        wanted[:4 * n] = np.concatenate([2 * x[:n], 2 * x[n:2 * n], x[:3 * n:3], x[n:2 * n]])
        expect(machine.get("y", 24, np.float32), wanted)
