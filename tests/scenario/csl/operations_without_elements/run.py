import numpy as np
from host import Machine, expect

with Machine(1, 1) as machine:
    machine.launch("run")
    expect(machine.get("y", 4, np.uint16), np.array([0, 1, 1, 0], np.uint16))
