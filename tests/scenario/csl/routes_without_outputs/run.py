import numpy as np
from host import Machine, expect

with Machine(2, 1) as machine:
    machine.launch("run")
    sent = list(range(1, 21))
    expect(machine.get("y", 20, np.uint16), np.array([[sent, 16 * [0] + sent[16:]]], np.uint16))
