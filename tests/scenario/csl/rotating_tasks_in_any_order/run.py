import numpy as np
from host import Machine, expect, arch


with Machine(4, 1) as machine:
    machine.launch("run")
    wanted = {"wse2": [21, 0, 6, 0], "wse3": [1 + 2 + 4 + 5, 3 + 6, 6, 0]}[arch()]
    expect(machine.get("y", 4, np.uint32), np.array([4 * [wanted]], np.uint32))
