import numpy as np
from host import Machine, expect

mine = np.arange(24, dtype=np.float32).reshape(2, 3, 4) ** 2
with Machine(3, 2) as machine:
    machine.put("mine", mine)
    machine.launch("run")
    rows = mine.sum(axis=1)
    expect(machine.get("sums", 4, np.float32), np.repeat(rows[:, None], 3, axis=1))
    expect(machine.get("column", 8, np.float32)[1], np.tile(rows.reshape(1, 8), (3, 1)))
    expect(machine.get("mine", 4, np.float32), np.repeat(rows[:, None], 3, axis=1))
