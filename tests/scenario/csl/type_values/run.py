import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 7, np.int32), np.array([12, 2, 6, 16, 5, 9, 1], np.int32))
