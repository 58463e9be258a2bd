import numpy as np
from host import Machine, expect

SINGLES = np.array([0x7F800001, 0xFFC01234, 0x7FC00000, 0xFF800001, 0x80000000, 1], np.uint32)
HALVES = np.array([0x7C01, 0xFE12, 0x7E00, 0xFC01, 0x8000, 1], np.uint16)
LONGS = [0x4000004000000001, 0x4000004000000000, 0x400000C000000000, 0xFFFFFF7FFFFFFFFF, 0x0100000100000001, 3]


def rounded(number):
    """The word of the nearest f32, ties to even: by whole numbers."""
    below = max(abs(number).bit_length() - 24, 0)
    whole, rest = divmod(abs(number), 1 << below)
    whole += 2 * rest > 1 << below or (2 * rest == 1 << below and whole % 2)
    return int(np.float32(np.copysign(np.ldexp(np.float64(whole), below), number)).view(np.uint32))


with Machine() as machine:
    machine.launch("run")
    expect(machine.get("kept", 12, np.uint32), np.concatenate([SINGLES, HALVES]))
    computed = machine.get("computed", 48, np.uint32)
    expect(machine.get("constant", 48, np.uint32), computed)
    expect(computed[:6], SINGLES ^ np.uint32(1 << 31))
    expect(computed[12:18], (HALVES ^ np.uint16(1 << 15)).astype(np.uint32))
    expect(computed[30:36], np.array([rounded(number) for number in LONGS], np.uint32))
    signed = [number - (number >> 63 << 64) for number in LONGS]
    expect(computed[36:42], np.array([rounded(number) for number in signed], np.uint32))
    expect(computed[42:], np.array([0, 0, 1 << 31, 1 << 31, 1 << 31, 0], np.uint32))
