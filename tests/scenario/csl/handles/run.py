import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 6, np.uint16), np.array([1, 17, 10, 9, 12, 1], np.uint16))
