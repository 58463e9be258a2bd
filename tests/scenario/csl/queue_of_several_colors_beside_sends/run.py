import numpy as np
from host import Machine, expect


x = np.random.default_rng(15).normal(size=10).astype(np.float32)
with Machine(2, 1) as machine:
    machine.put("x", x, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("x", 10, np.float32, at=(1, 0, 1, 1)), x)
    expect(machine.get("x", 1, np.float32, at=(0, 0, 1, 1)), np.float32([900.0]))
