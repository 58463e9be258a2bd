import numpy as np
from host import Machine, expect


x = np.random.default_rng(3).integers(-50, 50, (1, 4, 6)).astype(np.float32)
with Machine(4, 1) as machine:
    machine.put("x", x)
    for _ in range(2):
        machine.launch("run")
        total = x.sum(axis=1)
        expect(machine.get("x", 6, np.float32, at=(3, 0, 1, 1)), total[0])
        x[0, 3] = total[0]
