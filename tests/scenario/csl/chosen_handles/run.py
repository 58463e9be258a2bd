import numpy as np
from host import Machine, expect

x = np.arange(100, 108, dtype=np.uint32)
with Machine() as machine:
    machine.put("x", x)
    counts = [0, 0, 0, 0]

    def after(name, i):
        machine.put("y", np.array([0] * 8 + counts, np.uint32))
        machine.launch(name, np.uint16(i))
        return machine.get("y", 12, np.uint32)

    for first in (0, 1):
        y = after("both", first)
        counts = list(y[8:])
        expect(y[:8], x)
    expect(y[8:], np.array([2, 2, 0, 0], np.uint32))
    for i in (0, 1):
        y = after("by_dsr", i)
        wanted = np.zeros(8, np.uint32)
        wanted[4 * (1 - i):4 * (1 - i) + 3] = x[4 * i:4 * i + 3]
        expect(y[:8], wanted)
        counts = list(y[8:])
        # One word is left in the queue, which the next operation reads first.
        y = after("mapped", i)
        wanted = np.zeros(8, np.uint32)
        wanted[4 * i:4 * i + 4] = np.concatenate([x[4 * i + 3:4 * i + 4], x[4 * i:4 * i + 3]]) + 7
        expect(y[:8], wanted)
        y = after("kept", i)
        wanted = np.zeros(8, np.uint32)
        wanted[4 * i:4 * i + 4] = np.concatenate([x[4 * i + 3:4 * i + 4], x[4 * i:4 * i + 3]])
        expect(y[:8], wanted)
        counts = list(y[8:])
    expect(y[8:], np.array([3, 3, 2, 0], np.uint32))
    for i in (0, 1):
        machine.launch("take", np.uint16(i))  # the word that is left
        y = after("ended", i)
        expect(y[4 * i:4 * i + 4], x[4 * i:4 * i + 4])
        machine.launch("take", np.uint16(i))
        counts = list(y[8:])
    expect(y[8:], np.array([4, 4, 2, 0], np.uint32))
