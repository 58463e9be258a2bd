import numpy as np
from host import Machine, expect, options

x = np.arange(100, 140, dtype=np.int32)
with Machine() as machine:
    how = {**options(streaming=True), "nonblock": True}
    machine.runtime.memcpy_h2d(int(machine.params["in_id"]), x.view(np.uint32), 0, 0, 1, 1, 40, **how)
    expect(machine.receive(int(machine.params["out_id"]), 40, np.int32), x)
