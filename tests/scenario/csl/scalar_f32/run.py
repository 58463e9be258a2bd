import numpy as np
from host import Machine, expect


f = np.float32
generator = np.random.default_rng(1)
with Machine() as machine:
    for _ in range(8):
        a, b, c = x = generator.uniform(-9, 9, 3).astype(f)
        machine.put("x", x)
        machine.launch("run")
        wanted = [a + b, a - b, a * b, a / b, f(a * b) + c, -a, f(a * f(0.5)) + f(1 / 3), min(a, b)]
        expect(machine.get("y", 8, f), np.array(wanted, f))
        wanted = [a < b, a <= b, a == b, a != b, a > b or a >= c, a > b and a >= c]
        expect(machine.get("flags", 6, np.uint16), np.array(wanted, np.uint16))
