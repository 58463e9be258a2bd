import numpy as np
from host import Machine, expect


with Machine() as machine:
    for turn, (a, b, c) in enumerate([(1, 2, 3), (-1, 2, 0), (5, -2, 7), (0, 0, -1)]):
        machine.put("x", np.array([a, b, c], np.int16))
        machine.launch("run")
        both, one = a > 0 and b > 0, a > 0 or b > 0
        wanted = [both, 1 + (a > 0), one, 1 + (a <= 0), 20 if both else 10 if one else 30, turn % 2 == 0, both == one, min(a, b, c)]
        expect(machine.get("y", 8, np.int16), np.array(wanted, np.int16))
