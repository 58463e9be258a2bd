import numpy as np
from host import Machine, expect


x = np.arange(1, 13, dtype=np.float32)
rows = x.reshape(4, 3)
with Machine() as machine:
    machine.put("x", x)
    for column in (1, 2):
        machine.put("y", np.zeros(8, np.float32))
        machine.put("z", np.zeros(6, np.float32))
        machine.launch("run", np.int16(column))
        expect(machine.get("y", 8, np.float32), np.concatenate([10 * rows.sum(axis=1), rows[:, column]]))
        expect(machine.get("z", 6, np.float32), np.array([0, x[column], 0, x[column + 1], 0, 0], np.float32))
