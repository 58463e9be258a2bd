import numpy as np
from host import Machine, expect


with Machine(5, 4) as machine:
    total = int(machine.params["total"])
    amounts = np.random.default_rng(2).multinomial(total, np.full(80, 1 / 80)).astype(np.uint32).reshape(4, 5, 4)
    machine.put("amounts", amounts)
    machine.launch("run")
    wanted = np.zeros((4, 5, 2), np.uint32)
    wanted[0, 4] = total, 1
    expect(machine.get("found", 2, np.uint32), wanted)
