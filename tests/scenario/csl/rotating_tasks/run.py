import numpy as np
from host import Machine, expect, arch


with Machine() as machine:
    machine.launch("run")
    wanted = {"wse2": [21, 0, 6], "wse3": [1 + 2 + 4 + 5, 3 + 6, 6]}[arch()]
    expect(machine.get("y", 3, np.uint32), np.array(wanted, np.uint32))
