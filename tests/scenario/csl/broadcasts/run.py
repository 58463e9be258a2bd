import numpy as np
from host import Machine, expect, options


rows = np.arange(4, dtype=np.float32)
columns = np.arange(10, 16, dtype=np.float32)
with Machine(3, 2) as machine:
    name = machine.runtime.get_id("x")
    machine.runtime.memcpy_h2d_rowbcast(name, rows, 0, 0, 3, 2, 2, **options())
    expect(machine.get("x", 2, np.float32), np.repeat(rows.reshape(2, 1, 2), 3, axis=1))
    machine.runtime.memcpy_h2d_colbcast(name, columns, 0, 0, 3, 2, 2, **options())
    machine.launch("run")
    wanted = np.repeat(2 * columns.reshape(1, 3, 2), 2, axis=0)
    expect(machine.get("x", 2, np.float32), wanted)
expect(machine.runtime.read_symbol(4 + 2, 1 + 1, "x", dtype="float32"), wanted[1, 2])
