import numpy as np
from host import Machine, expect


TYPES = (np.float32, np.uint16, np.int16, np.uint32, np.int32, np.float32, np.uint16, np.int16, np.float32, np.float32, np.uint16,
         np.uint16, np.uint32, np.int32, np.float32)

with Machine(2, 1) as machine:
    wanted = np.zeros(15, np.float32)
    for launch in range(3):
        values = [kind((-1 if kind in (np.int16, np.int32) else 1) * (100 * launch + i)) for i, kind in enumerate(TYPES)]
        machine.launch("add", *values)
        wanted += np.array(values, np.float32)
        wanted[14] += 8  # 1 + 2 * 3 - 4 + 5
    expect(machine.get("sums", 15, np.float32).reshape(2, 15), np.stack([wanted, wanted]))
