import numpy as np
from host import Machine, expect

np.seterr(all="ignore")


def worst(found, exact):
    """Largest error in units in the last place."""
    kept = np.isfinite(exact) & (np.abs(exact) > 2.0**-126) & (np.abs(exact) < 3e38)
    unit = 2.0 ** (np.floor(np.log2(np.abs(exact[kept]))) - 23)
    return np.max(np.abs(found[kept].astype(np.float64) - exact[kept]) / unit)


random = np.random.default_rng(1)
bits = np.concatenate([random.integers(0, 1 << 32, 100), random.integers(100 << 23, 140 << 23, 110), random.integers(0, 1 << 23, 20)])
special = np.array([0, -0.0, np.inf, -np.inf, np.nan, 1, 4, -1, 0.25, 2], np.float32)
everything = np.concatenate([bits.astype(np.uint32).view(np.float32), special])
moderate = random.uniform(-80, 80, everything.size).astype(np.float32)
positive = np.abs(moderate)

with Machine() as machine:
    def values(what, arguments):
        machine.put("x", arguments)
        machine.launch("run", np.uint16(what))
        return machine.get("y", arguments.size, np.float32)

    wide = everything.astype(np.float64)
    expect(values(0, everything), np.sqrt(everything))
    expect(values(1, everything), (1 / np.sqrt(wide)).astype(np.float32))
    expect(values(2, everything), 1 / everything)
    x = moderate.astype(np.float64)
    for what, exact, bound in ((3, np.exp(x), 1), (7, np.tanh(x), 2), (8, 1 / (1 + np.exp(-x)), 3), (12, x**-3, 3)):
        assert worst(values(what, moderate), exact) < bound, what
    assert worst(values(4, everything), np.log(wide)) < 1
    assert worst(values(11, positive), np.abs(x) ** 1.5) < 20
    np.testing.assert_allclose(values(5, moderate), np.sin(x), rtol=0, atol=1.3e-7)
    np.testing.assert_allclose(values(6, moderate), np.cos(x), rtol=0, atol=1.3e-7)
    for what, exact in ((9, np.floor(moderate)), (10, np.ceil(moderate)), (13, moderate / 8), (14, np.abs(moderate)),
                        (15, np.maximum(moderate, 1)), (16, np.minimum(moderate, 1)), (17, np.sign(moderate))):
        expect(values(what, moderate), exact.astype(np.float32))
    classes = np.select([np.isnan(everything), np.isinf(everything), np.signbit(everything)], [1, 2, 3], 4)
    expect(values(18, everything), classes.astype(np.float32))

    values(0, positive)
    cycles = machine.get("cycles", 3, np.uint16)
    assert 50 < (cycles[0] + 65536 * int(cycles[1])) / positive.size < 400, cycles
    halves = moderate.astype(np.float16)
    machine.put("halves", halves)
    machine.launch("run_halves")
    expect(machine.get("halves", halves.size, np.float16), np.sqrt(np.abs(halves).astype(np.float64)).astype(np.float16))
