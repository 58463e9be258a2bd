import numpy as np
from host import Machine, expect


def wrapped(value, bits, is_signed=False):
    value &= (1 << bits) - 1
    return value - (1 << bits) if is_signed and value >> (bits - 1) else value


memory = [1, 2, 3, 255]
first = 7
with Machine() as machine:
    for x, z in ((200, 100), (255, 255), (3, 250), (129, 1), (1000, 4097)):
        machine.put("x", np.array([x, z], np.uint16))
        machine.launch("run")
        a, b, c, d = wrapped(x, 8), wrapped(z, 8), wrapped(x, 8, True), wrapped(z, 8, True)
        memory[3] = wrapped(memory[3] + memory[z % 4], 8)
        first = wrapped(first - 8, 8)
        wanted = [wrapped(a + b, 8), wrapped(a - b, 8), wrapped(a * b, 8), wrapped(a << 3, 8), wrapped(~a, 8),
                  wrapped(c + d, 8, True), wrapped(-c, 8, True), c >> 1, c < d, wrapped(wrapped(x, 12) + 4000, 12),
                  wrapped(x * z * 300, 24), memory[3], first, -7]
        expect(machine.get("y", 14, np.int32), np.array(wanted, np.int32))
