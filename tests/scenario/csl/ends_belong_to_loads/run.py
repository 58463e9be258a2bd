import numpy as np
from host import Machine, expect


x = np.random.default_rng(21).normal(size=9).astype(np.float32)
with Machine(2, 1) as machine:
    machine.put("x", x, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("x", 9, np.float32, at=(1, 0, 1, 1)), x)
    expect(machine.get("ends", 2, np.uint32, at=(1, 0, 1, 1)), np.uint32([1, 0]))
