import numpy as np
from host import Machine, expect


x = np.random.default_rng(4).integers(-99, 99, 16).astype(np.int16)
m = x.reshape(4, 4)
with Machine() as machine:
    machine.put("x", x)
    machine.launch("run")
    wanted = [x[1:9:2], x[15:11:-1], np.diag(m), m[:, 2], np.full(4, x[5]), x[2:14:3], m[:2, :2].T.ravel()]
    expect(machine.get("y", 28, np.int16), np.concatenate(wanted))
