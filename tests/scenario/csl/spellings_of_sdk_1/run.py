import numpy as np
from host import Machine, expect

with Machine(2, 1) as machine:
    machine.launch("run")
    wanted = [[[3, 77, 1, 33, 34, 55, 7, 8, 9, 12, 5, 32], [4, 77, 1, 33, 34, 55, 7, 8, 9, 12, 5, 6]]]
    expect(machine.get("y", 12, np.uint16), np.array(wanted, np.uint16))
