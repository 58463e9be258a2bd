import numpy as np
from host import Machine, expect

with Machine(2, 1) as machine:
    machine.launch("connect", np.uint16(1))
    machine.launch("exchange")
    expect(machine.get("y", 2, np.uint32), np.array([[[0, 7], [77, 7]]], np.uint32))
