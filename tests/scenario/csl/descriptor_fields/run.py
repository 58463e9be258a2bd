import numpy as np
from host import Machine, expect


x = np.arange(100, 132, dtype=np.uint32)
with Machine() as machine:
    machine.put("x", x)
    machine.launch("run", np.int16(3))
    loops = [3, 5, 9, 11]  # strides count from the last element of the inner loop
    shifted = [3, 4, 7, 8]
    expect(machine.get("y", 22, np.uint32), x[[1, 3, 5, 1, 3, 5, *loops, *shifted, 1, 2, 3, 4, 0, 1, 2, 3]])
