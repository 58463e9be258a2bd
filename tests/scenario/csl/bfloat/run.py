import numpy as np
from host import Machine, expect



def rounded(values):
    """The nearest bf16, ties to even, as f32."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


def of_integer(number):
    """The bits of the nearest bf16, ties to even: by whole numbers."""
    below = max(abs(number).bit_length() - 8, 0)
    whole, rest = divmod(abs(number), 1 << below)
    whole += 2 * rest > 1 << below or (2 * rest == 1 << below and whole % 2)
    return int(np.float32(np.copysign(np.ldexp(np.float64(whole), below), number)).view(np.uint32)) >> 16


WORDS = [0x01010001, 0x01010000, 0x01030000, 0xFEFEFFFF, 7]
x = rounded(np.array([1.7, -2.3, 1000.1, 3e-20], np.float32))
with Machine() as machine:
    machine.put("x", (x.view(np.uint32) >> 16).astype(np.uint16))
    machine.put("words", np.array(WORDS, np.uint32))
    machine.launch("run")
    wanted = np.concatenate([2 * x, rounded([x[0] * x[1]]), rounded([1 / 3])])
    expect(machine.get("y", 6, np.float32), wanted)
    signed = [word - (word >> 31 << 32) for word in WORDS]
    expect(
        machine.get("from_words", 15, np.uint16),
        np.array([of_integer(number) for number in WORDS + signed + WORDS], np.uint16),
    )
