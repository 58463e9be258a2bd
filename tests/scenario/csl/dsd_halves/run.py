import numpy as np
from host import Machine, expect


generator = np.random.default_rng(11)
x, z = generator.normal(size=(2, 6)).astype(np.float16)
v = np.float16(1.5)
with Machine() as machine:
    machine.put("x", x)
    machine.put("z", z)
    machine.launch("run", v)
    y = machine.get("y", 54, np.float16).reshape(9, 6)
    wide = x.astype(np.float32) + z.astype(np.float32)
    expect(machine.get("w", 6, np.float32), wide + (x * v).astype(np.float32))
sum_of_product = (x.astype(np.float64) + z.astype(np.float64) * float(v)).astype(np.float16)
for k, row in enumerate([x + z, x - v, x * z, np.maximum(x, v), -x, abs(x), sum_of_product, x, np.full(6, v)]):
    expect(y[k], row.astype(np.float16))
