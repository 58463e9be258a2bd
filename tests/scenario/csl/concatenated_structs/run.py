import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("y", 6, np.int16), np.arange(1, 7, dtype=np.int16))
