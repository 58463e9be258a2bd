import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 2, np.int16), np.array([5, 1], np.int16))
