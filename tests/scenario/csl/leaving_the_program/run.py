import numpy as np
from host import Machine, expect

y = np.array([7, 8, 9, 10], np.uint32)
with Machine(2, 1) as machine:
    machine.put("y", y, at=(0, 0, 1, 1))
    machine.launch("connect")
    machine.launch("run")
    expect(machine.get("y", 4, np.uint32, at=(1, 0, 1, 1)), y)
