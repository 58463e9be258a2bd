import numpy as np
from host import Machine, expect


with Machine(2, 1) as machine:
    for _ in range(3):
        machine.launch("run", nonblock=True)
    machine.launch("run")
    expect(machine.get("y", 2, np.uint32), np.array([[[0, 4], [1 + 2 + 3 + 4, 4]]], np.uint32))
