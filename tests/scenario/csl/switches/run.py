import numpy as np
from host import Machine, expect


with Machine(3, 1) as machine:
    for turn in (1, 2):
        x = turn * np.array([[[1, 2, 3, 4], [50, 60, 0, 0], [0, 0, 0, 0]]], np.uint32)
        machine.put("x", x)
        machine.launch("run")
        y = machine.get("y", 6, np.uint32)
        expect(y[0, 1], turn * np.array([1, 2, 0, 0, 0, 0], np.uint32))
        expect(y[0, 2], turn * np.array([3, 4, 50, 60, 0, 0], np.uint32))
