import numpy as np
from host import Machine, expect


x = np.random.default_rng(13).normal(size=(2, 2, 5)).astype(np.float32)
with Machine(2, 2) as machine:
    machine.send(int(machine.params["in_id"]), x)
    expect(machine.receive(int(machine.params["out_id"]), 5, np.float32), 2 * x)
    expect(machine.get("count", 1, np.uint32), np.full((2, 2, 1), 5, np.uint32))
