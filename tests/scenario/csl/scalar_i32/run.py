import numpy as np
from host import Machine, expect, integer_quotient


with Machine() as machine:
    for a, b in ((123456789, -5711), (-2**31, 3), (2**31 - 1, 2**31 - 1), (-7, 2), (65536, 65535)):
        machine.put("x", np.array([a, b], np.int32))
        machine.launch("run")
        quotient, rest = integer_quotient(a, b)
        wanted = [a + b, a - b, a * b, quotient, rest, -a, ~a, (a & b) | (a ^ b), a >> 17, a << 5, min(a, b), 100000 + (a <= b)]
        expect(machine.get("y", 12, np.int32), np.array(wanted).astype(np.int32))
        c, d = a & 0xFFFFFFFF, b & 0xFFFFFFFF
        wanted = [c + d, c // d, c % d, c >> 17, max(c, d), (c + d) >> 32]
        expect(machine.get("u", 6, np.uint32), np.array(wanted).astype(np.uint32))
