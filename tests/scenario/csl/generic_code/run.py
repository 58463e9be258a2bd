import numpy as np
from host import Machine, expect


with Machine() as machine:
    for turn in (1, 2):
        machine.launch("run")
        expect(machine.get("y", 3, np.float32), np.array([8.5, 0, 0], np.float32))
        expect(machine.get("n", 3, np.int16), np.array([7, turn, 0], np.int16))
