import numpy as np
from host import Machine, expect


with Machine(2, 1) as machine:
    machine.launch("run")
    expect(machine.get("y", 2, np.uint16), np.array([[[0, 0], [13, 130]]], np.uint16))
