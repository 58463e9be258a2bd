import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.put("alias", np.array([1.5, 2.5], np.float32))
    machine.launch("one", np.int16(-4))
    machine.launch("again", np.int16(10))
    expect(machine.get("x", 2, np.float32), np.array([7.5, 2.5], np.float32))
    machine.launch("four", np.int16(-3), np.uint16(65535), np.uint32(3000000000), np.float32(1.25))
    expect(machine.get("y", 4, np.uint32), np.array([0xFFFFFFFD, 65535, 3000000000, np.float32(1.25).view(np.uint32)], np.uint32))
    machine.launch("by_id", np.uint16(1), np.uint16(2))
    expect(machine.get("y", 3, np.uint32), np.array([np.float32(2.5).view(np.uint32), 65535, 2], np.uint32))
