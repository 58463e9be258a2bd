import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 6, np.uint32), np.array([7, 7, 7, 7, 1, 14], np.uint32))
