import numpy as np
from host import Machine, expect


with Machine() as machine:
    for name, dtype, fill in (("h", np.uint16, 11), ("w", np.uint32, 100000), ("f", np.float32, 13), ("k", np.float16, 0.5)):
        machine.put(name, np.array([11, 12, 13, 14] + 8 * [0], dtype))
    machine.launch("run")
    for name, dtype, fill in (("h", np.uint16, 11), ("w", np.uint32, 100000), ("f", np.float32, 13), ("k", np.float16, 0.5)):
        # A scalar takes every element: the last one stays.
        expect(machine.get(name, 12, dtype), np.array([11, 12, 13, 14, 11, 12, 13, 14, fill, fill, fill, 14], dtype))
