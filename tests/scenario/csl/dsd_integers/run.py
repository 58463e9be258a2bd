import numpy as np
from host import Machine, expect


generator = np.random.default_rng(9)
x, z = generator.integers(-2**15, 2**15, (2, 8)).astype(np.int16)
x[:2] = 0, -1
v = np.int16(77)
u = x.view(np.uint16).astype(int)
bits = [format(word, "016b") for word in u]
with Machine() as machine:
    machine.put("x", x)
    machine.put("z", z)
    machine.launch("run", v)
    y = machine.get("y", 120, np.int16).reshape(15, 8)
wanted = [x + z, x + v, x - 3, x - z, x - v, x & z, x | v, x ^ z, x << 3, u >> 2, x >> 2,
          [len(b) - len(b.lstrip("0")) for b in bits], [len(b) - len(b.rstrip("0")) for b in bits], [b.count("1") for b in bits], 2 * x]
for k, row in enumerate(wanted):
    expect(y[k], np.array(row).astype(np.int16))
