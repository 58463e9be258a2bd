import numpy as np
from host import Machine, expect


with Machine(2, 1) as machine:
    for turn in (1, 2):
        machine.launch("run")
        y = machine.get("y", 4, np.uint16)
        expect(y[0, 0], np.array([0, 0, turn, 0], np.uint16))
        expect(y[0, 1], np.array([77, 77, turn, 0], np.uint16))
