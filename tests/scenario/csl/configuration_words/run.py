import numpy as np
from host import Machine, expect


# Bits of a route: west 1, east 2, south 4, north 8, ramp 16; what leaves is five bits higher.
with Machine() as machine:
    machine.launch("run", np.uint16(0x210))
    y = machine.get("y", 2, np.uint16)
    expect(y & np.uint16(0x3FF), np.array([0x41, 0x210], np.uint16))
