import numpy as np
from host import Machine, expect

with Machine() as machine:
    before, wanted_5 = sum(range(3)), 0
    for n in (0, 7, 20):
        machine.launch("run", np.int16(n), np.uint16(9))
        found = machine.get("y", 16, np.int32)
        wanted_5 += sum(i * (at + 1) for at, i in enumerate(range(n, n + 4)))
        wanted = [sum(range(n)), sum(range(n, -n, -2)), sum(range(2, n, 3)), n * 100 + 32, before, wanted_5, 54]
        before = sum(range(n, n + 4))
        expect(found[:7], np.array(wanted, np.int32))
