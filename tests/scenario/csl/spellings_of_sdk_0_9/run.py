import sys

import numpy as np
from cerebras.sdk.debug.debug_util import debug_util
from host import Machine, expect

with Machine(2, 1) as machine:
    machine.launch("run")
    expect(machine.get("y", 4, np.uint16), np.array([[[5, 6, 7, 11], [1, 2, 3, 10]]], np.uint16))

memory = debug_util(sys.argv[1])
for x in range(2):
    assert memory.read_trace(4 + x, 1, "notes") == ["run"]
    assert memory.read_trace(4 + x, 1, "numbers") == [11 - x]
