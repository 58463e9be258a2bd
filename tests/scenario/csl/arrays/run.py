import numpy as np
from host import Machine, expect


grid = np.arange(1, 7).reshape(2, 3)
with Machine() as machine:
    for row in (0, 1):
        machine.launch("run", np.int16(row))
        grid[row] *= [1, -2, 3]
        grid[1 - row] += 100
        expect(machine.get("grid", 6, np.int32), grid.ravel().astype(np.int32))
        expect(machine.get("halves", 4, np.uint16), np.array([[1, 7, 14, 3], [1, 1, 17, 1]][row], np.uint16))
