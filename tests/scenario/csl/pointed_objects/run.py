import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    # numbers become 5, 9, 3, 6
    expect(machine.get("y", 7, np.uint16), np.array([10, 13, 26, 23, 63, 43, 14], np.uint16))
