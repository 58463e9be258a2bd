import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 2, np.uint16), np.array([1, 11], np.uint16))
