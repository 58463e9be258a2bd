import numpy as np
from host import Machine, expect


h = np.float16
generator = np.random.default_rng(2)
with Machine() as machine:
    for _ in range(8):
        a, b = x = generator.uniform(-9, 9, 2).astype(h)
        machine.put("x", x)
        machine.launch("run")
        expect(machine.get("y", 6, h), np.array([a + b, a - b, a * b, -a, max(a, b), a * h(2)], h))
