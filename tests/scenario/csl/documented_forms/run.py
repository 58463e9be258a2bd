import numpy as np
from host import Machine, expect

with Machine(1, 1) as machine:
    machine.launch("run", np.uint16(5))
    wanted = [1, 11, 2, 2, 7, 0x22, 1, 2, 0, 252, 54, 54]
    expect(machine.get("y", 12, np.uint16), np.array(wanted, np.uint16))
    expect(machine.get("z", 12, np.uint16), np.array([3, 6] + 5 * [0, 6], np.uint16))
