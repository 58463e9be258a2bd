import numpy as np
from host import Machine, expect


TAGS = [0, 4, 1, 0]
with Machine() as machine:
    for turn in range(3):
        machine.put("x", np.array([4 + turn], np.uint16))
        machine.launch("run")
        wanted = [TAGS[turn], TAGS[turn + 1], turn == 0, turn != 0, 3 * (4 + turn) + 20, 1]
        expect(machine.get("y", 6, np.uint16), np.array(wanted, np.uint16))
