import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    y = machine.get("y", 64, np.uint16)
    assert len(set(y.tolist())) > 56, y
    assert y.min() < 16384 and y.max() > 49152, y
    assert 20 < np.count_nonzero(y & 1) < 44, y
