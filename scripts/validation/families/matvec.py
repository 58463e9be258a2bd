# SPDX-License-Identifier: Apache-2.0
"""Matrix times vector on one PE, WSE-3 (wse_timing_2.md B1)."""
from validation.case import Case, Family, percent

ORDER = 72
STEPS, LOADS, LOOP = range(3)


def time(bench, kernel):
    run = bench.run("validation/matvec.json", "wse3", ["stamps"], KERNEL=kernel)
    return run.stamp("stamps", 1) - run.stamp("stamps", 0)


def case(name, kernel, note=""):
    return Case("B1, S", name, 780, lambda bench: time(bench, kernel), tolerance=percent(10), note=note, calibrated=kernel == STEPS)


FAMILY = Family("matvec", "Matrix times vector on one PE", """
`examples/validation/matvec.json` multiplies a matrix of 25 columns, padded to 28 rows, by a vector, on WSE-3: 25 multiply-adds of 28
f32 into one destination, with DSRs that are loaded before the loop. The published program calls a function for every element of the
vector (`@map`) and takes 780 cycles = 25 * (28 + 2) + 30. So an element takes one cycle, an operation starts while the one before
leaves the pipeline, and a step costs 2 cycles beyond its operation: one to fetch the element, one to issue the operation. This set
`pe.rate.fmacs.interval` and `pe.vector_overlap`. Without the overlap the steps take 896 cycles.

The published code is compiled, and its number of steps is known to the compiler. The program has three forms: the steps one after the
other, each with a single step of the descriptor of the vector (`KERNEL=0`); the same with a scalar load of the element (1); and a
loop, as a compiler writes it that does not know the length (2). The loop pays 3 cycles a step for the branch that finds the next
element there.
""", [
    case("25 columns of 28, @map, steps side by side", STEPS), case("25 columns of 28, scalar loads, side by side", LOADS),
    case("25 columns of 28, @map as a loop", LOOP, "the branch that ends the loop is tested for every element"),
])
