import numpy as np
from host import Machine, expect

with Machine(2, 1) as machine:
    machine.launch("registers")
    words = machine.get("words", 14, np.uint16)
    for x in range(2):
        # docs/configuration-space.md: routes in the color register, switch positions in the switch register.
        expect(words[0, x], np.array([x, 0, 5 + x, 2, 0x0051, 0x0555, 0x0218, 0x453C, 0x4218, 0x153C, 1, 0, 0x0168, 5 + x], np.uint16))
    machine.launch("memory")
    expect(machine.get("words", 6, np.uint16)[0, 1], np.array([7, 3, 1, 0, 1, 1], np.uint16))
    expect(machine.get("floats", 2, np.float32)[0, 0], np.array([1.5**2 - 6**2, 2 * 1.5 * 6], np.float32))

    machine.launch("draw", np.uint32(1234))
    floats = machine.get("floats", 600, np.float32)
    numbers = machine.get("numbers", 200, np.uint32)
    expect(floats[0, 0], floats[0, 1])
    flat, normal, halves = floats[0, 0].reshape(3, 200)
    assert -2 <= flat.min() < -1.5 and 2.5 < flat.max() < 3 and abs(flat.mean() - 0.5) < 0.4, flat
    assert abs(normal.mean()) < 0.3 and 0.8 < normal.std() < 1.2, normal
    assert 1 <= halves.min() and halves.max() < 2 and len(set(halves)) > 100, halves
    assert 1 << 18 < numbers.max() < 1 << 20, numbers
    machine.launch("draw", np.uint32(4321))
    assert np.any(machine.get("floats", 600, np.float32) != floats)
