import numpy as np
from host import Machine, expect


x = np.arange(8, dtype=np.int16)
with Machine() as machine:
    machine.put("x", x)
    machine.launch("run", np.int16(8))
    expect(machine.get("y", 10, np.int16), np.array([*(x + 100), 1, 0], np.int16))
