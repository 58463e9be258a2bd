"""The formulas that the collectives are held against are those of the reference (wse_timing.md A1): its table for T_R = 2, and
its lower bound. No reduction of the model is faster than the bound, and the one that the formulas call the best is the best."""
import functools
import pathlib
import sys

sys.dont_write_bytecode = True
executable, sources = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(sources / "scripts"))
from validation.bench import Bench  # noqa: E402
from validation.families import collectives  # noqa: E402

# wse_timing.md A1: P, B, star, chain, tree, two-phase with real sqrt P, lower bound.
TABLE = [
    (64, 1, 68, 379, 96, 135, 80), (64, 4, 257, 382, 105, 140, 94), (64, 16, 1013, 394, 142, 161, 132),
    (64, 64, 4037, 442, 414, 247, 231), (64, 256, 16133, 634, 1566, 588, 584), (64, 1024, 64517, 1402, 6174, 2118, 1402),
    (64, 4096, 258053, 4474, 24606, 8262, 4474), (512, 1, 516, 3067, 561, None, None), (512, 16, 8181, 3082, 628, None, None),
    (512, 64, 32709, 3130, 845, None, None), (512, 256, 130821, 3322, 2349, None, None), (512, 1024, 523269, 4090, 9261, None, None),
    (512, 4096, 2093061, 7162, 36909, None, None),
]
REDUCTIONS = {name: row for name, *row in collectives.ROWS[:4]}


@functools.lru_cache(None)
def energy(r, depth):
    """Least energy per element of reducing r tiles in a row with so many dependent steps (A1, dynamic program)."""
    if r == 1:
        return 0
    if depth == 0:
        return float("inf")
    return min([energy(r, depth - 1), *(energy(s, depth - 1) + energy(r - s, depth) + r - s for s in range(1, r))])


def lower_bound(p, b):
    return min(b * energy(p, d) / (p - 1) + p - 1 + d * collectives.STEP for d in range(1, p))


def check_formulas():
    sys.setrecursionlimit(20000)
    for p, b, *expected in TABLE:
        found = [collectives.star(p, b), collectives.chain(p, b), collectives.tree(p, b), collectives.two_phase(p, b)]
        for value, published in zip(found, expected):
            assert published is None or abs(value - published) < 1, f"P = {p}, B = {b}: {value}, published {published}"
        if expected[-1] is not None:
            assert abs(lower_bound(p, b) - expected[-1]) < 1, f"P = {p}, B = {b}: bound {lower_bound(p, b)}"
    assert collectives.message(1, 0) == 1 + collectives.STEP
    # A ring of two tiles is two messages of half the vector.
    assert collectives.ring(2, 8) == 2 * collectives.message(4, 1)


def check_runs():
    """Sizes at which the star, the tree, two-phase and the chain are the best, in this order, as far as the formulas say so."""
    bench = Bench(executable)
    best = []
    for p, b in ((16, 1), (64, 1), (64, 16), (64, 64), (64, 1024)):
        times = {}
        for name, (formula, beside, measure) in REDUCTIONS.items():
            times[name] = measure(bench, p, b) - beside
            bound = min(lower_bound(p, b), formula(p, b))  # by its formula a star of one value beats the bound
            assert times[name] >= bound - 1, f"{name}, P = {p}, B = {b}: {times[name]} cycles, bound {bound}"
        formulas = {name: formula(p, b) for name, (formula, _, _) in REDUCTIONS.items()}
        best.append(min(times, key=times.get))
        assert best[-1] == min(formulas, key=formulas.get), f"P = {p}, B = {b}: {times}, by the formulas {formulas}"
    assert {"star", "tree", "two-phase", "chain"} <= set(best), best
    print("the best of P = 16, 64, .. by B:", ", ".join(best))


check_formulas()
check_runs()
