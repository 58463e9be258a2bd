import numpy as np
from host import Machine, expect


x = np.arange(100, 116, dtype=np.int16)
with Machine() as machine:
    machine.put("x", x)
    y = np.zeros(16, np.int16)
    for first, count in ((0, 16), (3, 5), (15, 1)):
        machine.launch("run", np.int16(first), np.int16(count))
        y[:count] = x[first:first + count] + first
        expect(machine.get("y", 16, np.int16), y)
