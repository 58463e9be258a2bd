import numpy as np
from host import Machine, expect

with Machine() as machine:
    for which, held, free in ((0, [0, 1, 0, 1], [1, 1, 1, 1]), (1, [2, 1, 2, 1], [2, 2, 2, 2])):
        machine.launch("run", np.uint16(which))
        expect(machine.get("y", 4, np.uint16), np.array(held, np.uint16))
        machine.launch("free")
        expect(machine.get("y", 4, np.uint16), np.array(free, np.uint16))
