import numpy as np
from host import Machine, expect


f = np.float32
generator = np.random.default_rng(1)
with Machine() as machine:
    for _ in range(8):
        a, b, c = x = generator.uniform(-9, 9, 3).astype(f)
        machine.put("x", x)
        machine.launch("run")
        wanted = [a + b, a - b, a * b, a / b, f(a * b) + c, -a, f(a * f(0.5)) + f(1 / 3), min(a, b), np.frexp(a)[0] * 2, b / 8]
        expect(machine.get("y", 10, f), np.array(wanted, f))
        wanted = [a < b, a <= b, a == b, a != b, a > b or a >= c, a > b and a >= c, np.int16(c).astype(np.uint16)]
        expect(machine.get("flags", 7, np.uint16), np.array(wanted, np.uint16))
