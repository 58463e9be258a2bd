import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 4, np.float32), np.array([1.25, 3.125, -10, 3], np.float32))
