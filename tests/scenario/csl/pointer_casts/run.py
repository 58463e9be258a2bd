import numpy as np
from host import Machine, expect

with Machine() as machine:
    machine.launch("run")
    wanted = [0, 0, 2, 3, 4, 5, 6, 77, 8, 9, 10, 11, 0, 13, 14, 4, 3, 2, 18, 9]
    expect(machine.get("y", 20, np.uint16), np.array(wanted, np.uint16))
