import numpy as np
from host import Machine, expect

with Machine() as machine:
    machine.launch("run")
    expect(machine.get("order", 4, np.uint16), np.array([10, 11, 9, 12], np.uint16))
