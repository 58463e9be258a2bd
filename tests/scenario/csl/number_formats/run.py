import numpy as np
from host import Machine, expect


n = np.array([0, 1, -1, 100, -200, 2000], np.int16)
with Machine() as machine:
    machine.put("n", n)
    machine.launch("run")
    expect(machine.get("f", 6, np.float32), n.astype(np.float32))
    expect(machine.get("h", 6, np.float16), n.astype(np.float16))
    expect(machine.get("m", 12, np.int16), np.concatenate([n, n]))
