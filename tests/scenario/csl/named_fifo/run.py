import numpy as np
from host import Machine, expect


x = np.array([3, 1, 4, 1, 5, 9], np.uint16)
with Machine() as machine:
    machine.put("x", x)
    machine.launch("run")
    expect(machine.get("y", 6, np.uint16), x + 100)
    expect(machine.get("z", 6, np.uint16), 2 * x + 200)
