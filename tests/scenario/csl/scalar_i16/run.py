import numpy as np
from host import Machine, expect, integer_quotient


with Machine() as machine:
    for a, b in ((1234, -57), (-32768, 3), (32767, 32767), (-7, 2), (-1, -300)):
        machine.put("x", np.array([a, b], np.int16))
        machine.launch("run")
        quotient, rest = integer_quotient(a, b)
        wanted = [a + b, a - b, a * b, quotient, rest, -a, ~a, a & b, a | b, a ^ b, a >> 3, a << 3,
                  (a < b) + 2 * (a >= b) + 4 * (a == b) + 8 * (a != b)]
        expect(machine.get("y", 13, np.int16), np.array(wanted).astype(np.int16))
        c, d = a & 0xFFFF, b & 0xFFFF
        wanted = [c + d, c // d, c % d, c >> 3, c < d, (c + d) >> 16, c & 1 == 0]
        expect(machine.get("u", 7, np.uint16), np.array(wanted).astype(np.uint16))
