import numpy as np
from host import Machine, expect, fused


generator = np.random.default_rng(10)
x, z = generator.normal(size=(2, 6)).astype(np.float32)
v = np.float32(-1.75)
with Machine() as machine:
    machine.put("x", x)
    machine.put("z", z)
    machine.launch("run", v)
    y = machine.get("y", 78, np.float32).reshape(13, 6)
wanted = [x + z, x + v, x - z, v - x, x * z, v * x, np.maximum(x, z), np.maximum(x, np.float32(0)), -x, abs(x),
          fused(x, z, v), fused(2 * x, z, v), np.full(6, -v)]
for k, row in enumerate(wanted):
    expect(y[k], row, tolerance=1e-6 if k in (10, 11) else 0)
