import numpy as np
from host import Machine, expect, expect_failure, integer_quotient

MASK = 2**64 - 1


def signed(value, bits=64):
    value &= 2**bits - 1
    return value - 2**bits if value >> (bits - 1) else value


def words(value):
    return [value & 0xFFFFFFFF, value >> 32 & 0xFFFFFFFF]


def single(value):
    """The bits of the nearest f32, the even one of two."""
    negative, value = value < 0, abs(value)
    shift = max(value.bit_length() - 24, 0)
    rest = value & ((1 << shift) - 1)
    value >>= shift
    if rest * 2 > 1 << shift or (shift and rest * 2 == 1 << shift and value & 1):
        value += 1
    return int(np.array([float(value << shift)], np.float32).view(np.uint32)[0]) | negative << 31


def half(value):
    return int(np.array([value], np.float64).astype(np.float16).view(np.uint16)[0])


cases = [(0, 1), (2**24 + 1, 3), (2**56 + 2**32 + 1, 9), (2**63 - 1, 2**40 + 2**16), (2**60 + 2**36, 2**33), (-(2**40 + 2**16 + 1) & MASK, 5),
         (5, 7), (0xFFFFFFFF, 1), (0x123456789ABCDEF0, 0xFEDCBA9876543210), (MASK, MASK), (2**63, 2**63 - 1), (1 << 32, 1 << 31)]
with Machine() as machine:
    count, loops = -3, 0
    for n, (a, b) in zip((0, 1, 7, 16, 31, 32, 33, 40, 48, 63, 2, 5), cases):
        machine.put("x", np.array(words(a) + words(b), np.uint32))
        machine.launch("run", np.uint16(n))
        s, t = signed(a), signed(b)
        count += 1
        if count == 0:
            count += 5000000000
        loops += 3
        wanted = []
        for value in (a + b, a - b, a * b, a & b, a ^ ~b, a << 7, a >> 40, s >> 9, -t):
            wanted += words(value & MASK)
        wanted += [(a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3, (s < t) | (s > t) << 1 | (s >= t) << 2 | 8]
        found = machine.get("y", 60, np.uint32)
        expect(found[:20], np.array(wanted, np.uint32))
        for at, value in ((20, s), (21, a)):
            bits = int(found[at])
            assert bits == single(value), (hex(bits), hex(single(value)), value)
        wanted = words(count & MASK) + words(a + 1 & MASK) + [loops] + words(signed(a, 16) & MASK) + words(min(s, t) & MASK)
        quotient, rest = integer_quotient(s, t)
        for value in (a // b, a % b, quotient & MASK, rest & MASK):
            wanted += words(value)
        expect(found[22:39], np.array(wanted, np.uint32))
        wanted = []
        rotated = (a << n | a >> (64 - n)) & MASK
        for value in (a << n, a >> n, s >> n, rotated, b << (a & 63)):
            wanted += words(value & MASK)
        wanted += [(a & 0xFFFFFFFF) >> (b & 31)] + words(signed(a, 40) >> n & MASK) + [half(signed(a, 16))]
        expect(found[39:53], np.array(wanted, np.uint32))
    # Toward zero, saturated; what is no number is 0.
    for f in np.array([0, -0.0, 0.75, -0.75, 1, -1, 2.5, -77.25, 1e-40, 2**24, -(2**31), 2**31, 2**32 + 512, -1.5e12, 2**39, 2**62 * 1.5,
                       2**63, -(2**63), -(2**63) * 1.5, 2**63 * 1.99999, 2**64, 3e38, -3e38, np.inf, -np.inf, np.nan], np.float32):
        machine.launch("from_float", f)
        wanted = []
        with np.errstate(over="ignore"):
            short = np.float16(f)
        for value, bits in ((f, 64), (f, 0), (f, 40), (short, 64)):  # 0: without a sign
            low, high = (-(2**63), 2**63 - 1) if bits else (0, MASK)
            exact = 0 if np.isnan(value) else high if value == np.inf else low if value == -np.inf else min(max(int(value), low), high)
            wanted += words(exact & MASK if bits != 40 else exact & 2**40 - 1)
        expect(machine.get("y", 8, np.uint32), np.array(wanted, np.uint32))


def divide_by_zero():
    with Machine() as machine:
        machine.put("x", np.array(words(5) + words(0), np.uint32))
        machine.launch("run", np.uint16(1))


expect_failure(divide_by_zero, "division by zero")
