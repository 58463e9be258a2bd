import numpy as np
from host import Machine, expect, arch


size = {"wse2": 2, "wse3": 3}[arch()]
with Machine() as machine:
    for turn in (1, 2):
        machine.launch("run")
        expect(machine.get("y", 4, np.int16), np.array([2, size, 9, turn if turn > 1 else -1], np.int16))
