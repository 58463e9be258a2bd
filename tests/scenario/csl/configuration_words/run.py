import numpy as np
from host import Machine, expect


# Bits of the register: outputs west 1, east 2, south 4, north 8, ramp 16; inputs five bits higher.
with Machine() as machine:
    machine.launch("run", np.uint16(0x210))
    y = machine.get("y", 2, np.uint16)
    expect(y & np.uint16(0x3FF), np.array([0x22, 0x210], np.uint16))
