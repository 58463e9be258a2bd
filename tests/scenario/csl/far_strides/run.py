import numpy as np
from host import Machine, expect

with Machine() as machine:
    machine.launch("run")  # its assertions are the test
    expect(machine.get("y", 1, np.uint16), np.array([4], np.uint16))
