import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 3, np.int16), np.array([3, 10, 7], np.int16))
