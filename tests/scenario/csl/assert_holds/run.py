import numpy as np
from host import Machine, expect, expect_failure


with Machine() as machine:
    machine.launch("run", np.uint16(4))
    machine.launch("run", np.uint16(9))
    expect(machine.get("y", 1, np.uint16), np.array([13], np.uint16))
    expect_failure(lambda: machine.launch("run", np.uint16(10)), "pe.csl:8")
