import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 8, np.uint16), np.array([10, 6, 11, 20, 11, 107, 112, 9], np.uint16))
