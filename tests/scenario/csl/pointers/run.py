import numpy as np
from host import Machine, expect


with Machine() as machine:
    expect(machine.get("x", 4, np.int16), np.array([1, 2, 3, 4], np.int16))
    machine.launch("run")
    expect(machine.get("x", 4, np.int16), np.array([107, 20, 30, 77], np.int16))
