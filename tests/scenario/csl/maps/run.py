import numpy as np
from host import Machine, expect


x = np.random.default_rng(12).integers(-8, 8, 8).astype(np.float32)
rows, columns = np.random.default_rng(13).integers(-99, 99, (2, 100)).astype(np.int16)
sums = np.zeros(100, np.int16)
for i in range(4):
    for j in range(5):
        sums[i * 23 + 2 * j] = 2 * rows[i * 17 + 3 * j] - columns[i + 19 * j]
for i in range(2):
    for half in range(2):
        for j in range(5):
            sums[50 + i * 25 + 11 * half + 2 * j] = -rows[i * 40 + 17 * half + 3 * j]
with Machine() as machine:
    machine.put("x", x)
    machine.put("n", np.arange(8, dtype=np.int16))
    machine.put("rows", rows)
    machine.put("columns", columns)
    machine.put("far", np.arange(5, 165, dtype=np.int16))
    machine.launch("run", np.float32(2))
    low = np.minimum(x, 2)
    expect(machine.get("y", 18, np.float32), np.concatenate([low, x * low + x, [x.sum(), (x < 0).sum()]]).astype(np.float32))
    expect(machine.get("n", 8, np.int16), 2 * np.arange(8, dtype=np.int16))
    expect(machine.get("sums", 100, np.int16), sums)
    far = machine.get("far", 160, np.int16)
    expect(far[[0, 2, 142, 150]], np.array([5, -5, -155, 155], np.int16))
