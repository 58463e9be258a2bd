import numpy as np
from host import Machine, expect


with Machine(2, 1) as machine:
    x = np.arange(6, dtype=np.uint16)
    machine.send(int(machine.params["in_id"]), x, at=(0, 0, 1, 1))
    expect(machine.receive(int(machine.params["out_id"]), 6, np.uint16, at=(1, 0, 1, 1)), x + np.uint16(200))
    machine.launch("exchange")
    expect(machine.get("wavelets", 3, np.uint32, at=(1, 0, 1, 1)), np.array([0x20001, 0x40003, 0x60005], np.uint32))
