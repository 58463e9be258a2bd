# SPDX-License-Identifier: Apache-2.0
"""Star stencil of radius 1, WSE-3 (wse_timing_2.md B2)."""
from validation.case import Case, Family, percent

ORDER = 74


def time(bench, iterations):
    """The longest of the PEs."""
    run = bench.run("validation/stencil_star.json", "wse3", ["stamps"], ITERATIONS=iterations)
    return max(run.stamp("stamps", 2 * pe + 1) - run.stamp("stamps", 2 * pe) for pe in range(4))


FAMILY = Family("stencil_star", "Star stencil of radius 1", """
`examples/validation/stencil_star.json` runs on 2 x 2 PEs of WSE-3 with 8 x 8 cells each. A PE sends the edges of its block by
microthreads, and a control wavelet after each; a data task stores every wavelet that comes; a control task counts the sides. When all
are done, five operations over the whole block (`mem4d`) add the terms, and a scalar loop restores the diagonal of the PEs that hold one.
The published cycles are those of the PE that takes longest, calculated from seconds at 875 MHz.

Scalar code is translated as the compiler of the vendor writes it: global variables are loaded and stored by every task, and those of 32
bits have 32 bits, but what becomes an address is calculated with 16. Which loops the compiler simplifies is not known; here the loop over the diagonal adds to an address.
""", [
    Case("B2", f"16 x 16 cells, {iterations} iteration" + "s" * (iterations > 1), published,
         lambda bench, iterations=iterations: time(bench, iterations), tolerance=percent(6))
    for iterations, published in ((1, 906), (4, 3598))
])
