import numpy as np
from host import Machine, expect


with Machine(4, 2) as machine:
    machine.launch("run")
    y = machine.get("y", 6, np.float32)
    for row in range(2):
        counter = np.int32(100000) if row else np.int32(100000).astype(np.int16)
        for column in range(3):
            last = row + 7 if column % 2 == 0 else -1
            expect(y[row, column], np.array([*(row * np.arange(4) * 3 * 0.5), counter, last], np.float32))
        expect(y[row, 3], np.array([3, row, 0, 0, 0, 0], np.float32))
