# SPDX-License-Identifier: Apache-2.0
"""Matrix product with a data task for each word of B, WSE-2, compiled from CSL (wse_timing_3.md C1)."""
from validation.case import Case, Family

ORDER = 80
LAYOUT = "validation/column_gemm.csl"


def time(bench, side, size):
    """The longest of the PEs, from the launch to its last sum."""
    run = bench.run(LAYOUT, "wse2", ["stamps"], options=("--launch=run", "--csl-version=1.4"), side=side, size=size)
    return max(run.stamp("stamps", 2 * pe + 1) - run.stamp("stamps", 2 * pe) for pe in range(side * side))


FAMILY = Family("column_gemm", "Product of columns by data tasks", """
`examples/validation/column_gemm.csl`: PEs hold a block of A, of B and of C each. One row of PEs after the other sends its block of B along the columns
of PEs. Every word starts a data task, which multiplies it with a column of A (`@fmacs` of 4 elements) and moves the global descriptor of that column on;
after a column of B the PEs of a row add theirs in a ring. The program is our own, made as the published one of a course is described
([C1 and C10](../reference/wse_timing_3.md#c10-descriptors-that-change)). That one, whose rows of PEs send by control wavelets, takes 1,476 and 3,003 cycles in the model.

The published times are longer by 22 cycles a word (C10): as many as it takes to load the words of the descriptor that moves and to store four words for each of the
three operands of the operation. Traces of another program have these stores for local descriptors, and the compiler makes them there; for global ones other programs contradict it
([C10](../reference/wse_timing_3.md#c10-descriptors-that-change)), and it loads the record where it lies. So these rows have no bound.
""", [
    Case("C1, S", f"{side} x {side} PEs, {size} x {size} x {size}", published, lambda bench, side=side, size=size: time(bench, side, size))
    for side, size, published in ((2, 8, 2194), (4, 16, 4432))
], platform="csl")
