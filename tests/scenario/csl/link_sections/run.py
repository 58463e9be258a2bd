import numpy as np
from host import Machine, expect

with Machine() as machine:
    machine.launch("run")
    found = machine.get("y", 16, np.uint16)
    expect(found[:7], np.array([40960, 40968, 32000, 12, 0x1234, 10, 0], np.uint16))
