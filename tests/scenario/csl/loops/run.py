import numpy as np
from host import Machine, expect



def wanted(low, high):
    table = [3, -1, 4, -1, 5]
    steps, end = 0, 20
    for n in range(20):
        hit = next((m for m in range(n) if m * n == 42), None)
        steps += n if hit is None else hit
        if hit is not None:
            end = n
            break
    return [sum(range(low, high)), sum(range(high, low, -2)), sum(range(low, high * 10, 7)), sum(range(high)), 0,
            sum(k * v for k, v in enumerate(table)), 142536, next((v for v in table if v > high), -100), steps, end,
            bin(high).count("1"), ((1 << 20 | 0xFF) & 0xFFF0F) ^ 3]


with Machine() as machine:
    for low, high in ((-3, 4), (0, 2), (1, 13)):
        machine.launch("run", np.int16(low), np.int16(high))
        expect(machine.get("y", 12, np.int32), np.array(wanted(low, high), np.int32))
