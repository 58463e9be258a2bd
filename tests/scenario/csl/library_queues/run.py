import numpy as np
from host import Machine, expect

with Machine(2, 1) as machine:
    sent = np.arange(100, 106, dtype=np.uint32)
    machine.put("words", sent, at=(0, 0, 1, 1))
    machine.launch("run")
    expect(machine.get("words", 6, np.uint32)[0, 1], sent)
