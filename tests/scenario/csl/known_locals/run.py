import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run", np.int16(-11))
    expect(machine.get("y", 8, np.float32), np.array([1.5, 1.5, 1.5, 1.5, 9, 1, 24, -22], np.float32))
