"""The formulas that the collectives are held against are those of the reference (wse_timing.md A1): its table for T_R = 2, and
its lower bound. No reduction of the model is faster than the bound, and the one that the formulas call the best is the best. The
programs give their results at any size, in both structures and in any step order, and their checks notice wrong ones."""
import functools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

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
            # The authors report that their formulas and silicon agree within 4 %.
            assert times[name] >= 0.96 * bound - 1, f"{name}, P = {p}, B = {b}: {times[name]} cycles, bound {bound}"
        formulas = {name: formula(p, b) for name, (formula, _, _) in REDUCTIONS.items()}
        best.append(min(times, key=times.get))
        assert best[-1] == min(formulas, key=formulas.get), f"P = {p}, B = {b}: {times}, by the formulas {formulas}"
    assert {"star", "tree", "two-phase", "chain"} <= set(best), best
    print("the best of P = 16, 64, .. by B:", ", ".join(best))


ODD_SIZES = {
    "star": ["W=2 B=1", "W=7 B=3", "W=70 B=4000"],
    "tree": ["W=2 B=1", "W=3 B=5", "W=13 B=7", "W=100 B=2"],
    "ring": ["W=3 B=3", "W=5 B=35", "W=35 B=35", "W=36 B=72"],
    "broadcast": ["W=2 H=1 B=1", "W=2 H=2 B=3", "W=9 H=5 B=33"],
}
# What is wrong: program, file, text, replacement.
BROKEN = [
    ("star", "star.tasm", "fadds dds2, s0ds2, s1ds2", "fmovs dds2, s0ds2"),
    ("star", "star.json", '"VECTORS": "VECTORS",', '"VECTORS": "VECTORS - 1",'),
    ("tree", "tree.json", '"STAGES": "', '"STAGES": "(x == 4) * -1 + '),
    ("tree", "tree.tasm", "    fadds dds1, s0ds1, s1ds1", "    fmovs dds1, s0ds1"),
    ("ring", "ring.tasm", "(W - 3) % UNROLLED", "(W - 2) % UNROLLED"),
    ("ring", "ring.tasm", "remu16 r0, r0, W", "remu16 r0, r0, W + 1"),
    ("ring", "ring.tasm", "faddh dds7, s0ds2, s1ds2", "mov16 dds7, s0ds2"),
    ("broadcast", "broadcast.json", '"tx": ["RAMP", "EAST", "SOUTH"]', '"tx": ["RAMP", "EAST"]'),
    ("broadcast", "broadcast.tasm", "fmovs dds1, s1ds1", "fadds dds1, s1ds1, 1"),
]


def run(layout, folder, params, *options):
    """Exit code, and the report without structure, wall and run."""
    path = pathlib.Path(folder) / "report.json"
    command = [executable, str(layout), "--preset", "wse2", "--quiet", "--report", str(path), *options]
    code = subprocess.run([*command, *[f"--param={param}" for param in params.split()]], capture_output=True, check=False).returncode
    report = json.loads(path.read_text())
    del report["structure"], report["wall"], report["run"]
    return code, report


def check_programs():
    validation = sources / "examples" / "validation"
    with tempfile.TemporaryDirectory() as folder:
        for name, sizes in ODD_SIZES.items():
            for params in sizes:
                layout = validation / f"{name}.json"
                expected = run(layout, folder, params, "--structure=modules")
                assert expected[0] == 0, f"{name} {params}: {expected[1]['message']}"
                dense = run(layout, folder, params, "--structure=dense", "--shuffle-step-order")
                assert dense == expected, f"{name} {params}: the structures differ"
        for number, (name, file, text, replacement) in enumerate(BROKEN):
            copy = pathlib.Path(shutil.copytree(validation, pathlib.Path(folder) / str(number)))
            source = (copy / file).read_text()
            assert text in source, f"{file} has no {text}"
            (copy / file).write_text(source.replace(text, replacement))
            code, report = run(copy / f"{name}.json", folder, "", "--max-cycles=100000")
            assert code in (1, 4), f"{file} with {replacement}: exit code {code} {report['message']}"


check_formulas()
check_runs()
check_programs()
