import numpy as np
from host import Machine, expect


with Machine(3, 1) as machine:
    x = np.array([[[1, 2, 3, 4], [50, 60, 0, 0], [0, 0, 0, 0]]], np.uint32)
    machine.put("x", x)
    machine.launch("run")
    y = machine.get("y", 6, np.uint32)
    expect(y[0, 1], np.array([1, 2, 0, 0, 0, 0], np.uint32))
    expect(y[0, 2], np.array([3, 4, 50, 60, 0, 0], np.uint32))
