# SPDX-License-Identifier: Apache-2.0
"""Dense product of strided columns in place, WSE-2 (wse_timing_2.md B4)."""
from validation.case import Case, Family, percent

ORDER = 78
MEASURED = {(16, 32): 9756, (64, 32): 88795, (16, 128): 38844, (64, 128): 357853}  # (rows of the matrix, M): cycles


def time(bench, rows, m):
    run = bench.run("validation/strided_gemm.json", "wse2", ["stamps"], N=rows // 2, M=m)
    return run.stamp("stamps", 1) - run.stamp("stamps", 0)


def per_element(bench, m):
    """Cycles of a multiply-add, from two lengths of the column."""
    return (time(bench, 64, m) / (32 * m) - time(bench, 16, m) / (8 * m)) / 24


FAMILY = Family("strided_gemm", "Product of strided columns", """
Each of 2 x 2 PEs of WSE-2 multiplies a block of A, half as large as the matrix, by M columns of B: for every row k of B and every
column j, column k of A times one element of B is added to column j of C. The columns lie across rows, so both operands have the length
of a row as their stride, and column j is read and written in place. The published stamps enclose this loop only, so
`examples/validation/strided_gemm.json` is one PE.

An element takes 2 cycles wherever the columns begin, where the multiplication of A4 takes one without a conflict: a column whose rows
are a multiple of 32 bytes long lies in one of eight single-ported banks of 32 bits (wse.md 6.2, HC34), and each element needs the bank
twice, to be read and to be written. Such an operation takes `pe.read_conflict_factor` cycles an element; a conflict of its sources
costs it nothing more. In the model 22 cycles of an operation are not elements: start and drain, the addresses of both elements from k
and j as the source writes them, the loop, and `pe.dsr_change_latency` hidden behind them.

The published runs "of them memory accesses only" have no row: what was left out of the program is not known.
""", [
    *[Case("B4, S", f"{rows} x {rows}, M = {m}", published, lambda bench, rows=rows, m=m: time(bench, rows, m), tolerance=percent(5),
           quick=rows == 16, calibrated=(rows, m) == (16, 32)) for (rows, m), published in MEASURED.items()],
    Case("B4, derived", "an element, M = 32", (88795 / 1024 - 9756 / 256) / 24, lambda bench: per_element(bench, 32),
         calibrated=True, tolerance=percent(5), quick=False),
    Case("B4, derived", "an element, M = 128", (357853 / 4096 - 38844 / 1024) / 24, lambda bench: per_element(bench, 128),
         calibrated=True, tolerance=percent(5), quick=False),
])
