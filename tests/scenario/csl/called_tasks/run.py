import numpy as np
from host import Machine, expect

with Machine(1, 1) as machine:
    machine.launch("run")
    expect(machine.get("y", 8, np.uint16), np.array([1, 9, 1, 2, 1, 2, 3, 4], np.uint16))
