import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 4, np.int16), np.array([5, 12, 21, 3], np.int16))
