import numpy as np
from host import Machine, expect


w = np.array([0x10002, 0x30004, 0x50006, 0x70008], np.uint32)
with Machine() as machine:
    machine.put("w", w)
    machine.launch("run")
    expect(machine.get("h", 12, np.uint16), np.array([2, 1, 4, 3, 8, 0, 0, 0, 6, 5, 8, 7], np.uint16))
