import numpy as np
from host import Machine, expect


with Machine(1, 1) as machine:
    machine.launch("go")
    expect(machine.get("out", 2, np.uint32), np.uint32([26, 26]))
