import numpy as np
from host import Machine, expect

with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 4, np.uint16), np.array([8, 4, 9, 10], np.uint16))
