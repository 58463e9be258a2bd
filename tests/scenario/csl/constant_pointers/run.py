import numpy as np
from host import Machine, expect


x = np.array([1.5, -2, 0, 8], np.float32)
with Machine() as machine:
    machine.put("x", x)
    machine.launch("double")
    expect(machine.get("x", 4, np.float32), 2 * x)
