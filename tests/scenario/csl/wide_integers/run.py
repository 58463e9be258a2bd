import numpy as np
from host import Machine, expect, integer_quotient

MASK = 2**64 - 1


def signed(value, bits=64):
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def words(value):
    return [value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF]


def single(value):
    return int(np.array([value], np.float32).view(np.uint32)[0])


cases = [(5, 7), (0xFFFFFFFF, 1), (0x123456789ABCDEF0, 0xFEDCBA9876543210), (MASK, MASK), (2**63, 2**63 - 1), (1 << 32, 1 << 31)]
with Machine() as machine:
    count, loops = -3, 0
    for a, b in cases:
        machine.put("x", np.array(words(a) + words(b), np.uint32))
        machine.launch("run")
        s, t = signed(a), signed(b)
        count += 1
        if count == 0:
            count += 5000000000
        loops += 3
        wanted = []
        for value in (a + b, a - b, a * b, a & b, a ^ ~b, a << 7, a >> 40, s >> 9, -t):
            wanted += words(value & MASK)
        wanted += [(a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3, (s < t) | (s > t) << 1 | (s >= t) << 2 | 8]
        found = machine.get("y", 40, np.uint32)
        expect(found[:20], np.array(wanted, np.uint32))
        for at, value in ((20, s), (21, a)):
            bits = int(found[at])
            assert abs(bits - single(float(value))) <= 1, (hex(bits), value)
        wanted = words(count & MASK) + words(a + 1 & MASK) + [loops] + words(signed(a, 16) & MASK) + words(min(s, t) & MASK)
        quotient, rest = integer_quotient(s, t)
        for value in (a // b, a % b, quotient & MASK, rest & MASK):
            wanted += words(value)
        expect(found[22:39], np.array(wanted, np.uint32))
