import numpy as np
from host import Machine, expect


with Machine(2, 2) as machine:
    machine.put("value", np.array([123456], np.uint32), at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("value", 1, np.uint32), np.full((2, 2, 1), 123456, np.uint32))
