import numpy as np
from host import Machine, expect


x = np.random.default_rng(12).integers(-8, 8, 8).astype(np.float32)
with Machine() as machine:
    machine.put("x", x)
    machine.put("n", np.arange(8, dtype=np.int16))
    machine.launch("run", np.float32(2))
    low = np.minimum(x, 2)
    expect(machine.get("y", 18, np.float32), np.concatenate([low, x * low + x, [x.sum(), (x < 0).sum()]]).astype(np.float32))
    expect(machine.get("n", 8, np.int16), 2 * np.arange(8, dtype=np.int16))
