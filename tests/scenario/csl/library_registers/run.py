import numpy as np
from host import Machine, expect

with Machine(2, 1) as machine:
    machine.launch("registers")
    words = machine.get("words", 14, np.uint16)
    for x in range(2):
        # docs/configuration-space.md: routes in the color register, switch positions in the switch register.
        expect(words[0, x], np.array([x, 0, 5 + x, 2, 0x0051, 0x0555, 0x0218, 0x453C, 0x4218, 0x153C, 1, 0, 0x0168, 5 + x], np.uint16))
    machine.launch("memory")
    expect(machine.get("words", 7, np.uint16)[0, 1], np.array([7, 3, 1, 0, 1, 1, 0], np.uint16))
    expect(machine.get("floats", 2, np.float32)[0, 0], np.array([1.5**2 - 7**2, 2 * 1.5 * 7], np.float32))

    machine.launch("draw", np.uint32(1234))
    floats = machine.get("floats", 800, np.float32)
    numbers = machine.get("numbers", 200, np.uint32)
    expect(floats[0, 0], floats[0, 1])
    flat, normal, halves, wide = floats[0, 0].reshape(4, 200)
    assert -2 <= flat.min() < -1.5 and 2.5 < flat.max() < 3 and abs(flat.mean() - 0.5) < 0.4, flat
    assert abs(normal.mean()) < 0.3 and 0.8 < normal.std() < 1.2, normal
    assert 1 <= halves.min() and halves.max() < 2 and len(set(halves)) > 100, halves
    assert wide.min() < -2.5e38 and wide.max() > 2.5e38 and abs(wide / 3e38).mean() > 0.4, "the length of the interval is no float"
    assert 1 << 18 < numbers.max() < 1 << 20, numbers
    machine.launch("draw", np.uint32(4321))
    assert np.any(machine.get("floats", 800, np.float32) != floats)
