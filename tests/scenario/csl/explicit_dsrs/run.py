import numpy as np
from host import Machine, expect


x = np.random.default_rng(8).normal(size=12).astype(np.float32)
cells, lap = np.arange(12, dtype=np.float32), np.arange(100, 105, dtype=np.float32)
with Machine() as machine:
    machine.put("x", x)
    machine.put("cells", cells)
    machine.put("lap", lap)
    for _ in range(2):
        machine.launch("run")
        expect(machine.get("y", 12, np.float32), np.concatenate([2 * x[:4], 3 * x[:4], x[8:]]))
        expect(machine.get("z", 12, np.float32), cells.reshape(3, 4).T.ravel() + np.resize(lap, 12))
