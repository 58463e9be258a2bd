import numpy as np
from host import Machine, expect


x = np.random.default_rng(5).normal(size=24).astype(np.float32)
z = np.ones(12, np.float32)
with Machine() as machine:
    machine.put("x", x)
    machine.put("z", z)
    machine.launch("run")
    expect(machine.get("y", 24, np.float32), x.reshape(2, 3, 4).transpose(2, 1, 0).ravel())
    expect(machine.get("z", 12, np.float32), z + np.tile(x[:4], 3))
