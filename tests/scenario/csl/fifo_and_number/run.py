import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 6, np.uint16), np.array([6, 7, 8, 4, 5, 6], np.uint16))
