# SPDX-License-Identifier: Apache-2.0
"""Five-point stencil with one data task for each wavelet, both generations (wse_timing_2.md B3)."""
from validation.case import Case, Family, percent
from validation.chart import Chart, Series

ORDER = 76
SETS = (  # preset, bound in percent, {cells of an edge: (PEs of an edge, shortest, longest)}
    ("wse2", 6, {64: (4, 33374, 35052), 32: (8, 10452, 11501), 22: (12, 7936, 8782), 16: (16, 3495, 4140), 13: (20, 2804, 3375),
                 11: (24, 2599, 3437), 10: (28, 2087, 2546), 8: (32, 1420, 1797), 1: (2, 277, 283)}),
    ("wse3", 9, {64: (4, 34061, 36679), 32: (8, 10787, 12350), 22: (12, 8300, 9395), 16: (16, 3779, 4599), 13: (20, 3038, 3720),
                 11: (24, 2426, 3005), 10: (28, 2258, 2802), 8: (32, 1582, 2034)}),
)
OPEN = {("wse2", 11): "not explained: set 2 has the same program and 93 % of these cycles, at every other size it has more"}
ONE_CELL = "with a cell a PE little but the start and the ends of transfers is left; here 9 %"


def times(bench, preset, cells, pes):
    run = bench.run("validation/stencil_data_tasks.json", preset, ["stamps"], M=cells, N=cells, W=pes, H=pes)
    return [run.stamp("stamps", 2 * pe + 1) - run.stamp("stamps", 2 * pe) for pe in range(pes * pes)]


def cases():
    for number, (preset, bound, sizes) in enumerate(SETS, 1):
        for cells, (pes, shortest, longest) in sizes.items():
            for name, published, pick in (("shortest", shortest, min), ("longest", longest, max)):
                yield Case("B3, S", f"set {number}, {cells} x {cells} cells, {name}", published,
                           lambda bench, at=(preset, cells, pes), pick=pick: pick(times(bench, *at)),
                           tolerance=None if (preset, cells) in OPEN else percent(bound if cells > 1 else 10),
                           note=OPEN.get((preset, cells), "" if cells > 1 else ONE_CELL),
                           quick=cells in (8, 1) and pes < 32 or cells == 16, calibrated=(preset, cells) in (("wse2", 64), ("wse2", 8), ("wse3", 8)))
    yield Case("B3, S", "set 1, 64 x 64 cells on 8 x 8 PEs, longest", 35127, lambda bench: max(times(bench, "wse2", 64, 8)),
               tolerance=percent(6), quick=False)


def charts(bench):
    series = []
    for number, (preset, _, sizes) in enumerate(SETS, 1):
        drawn = [(cells, times(bench, preset, cells, pes), shortest, longest) for cells, (pes, shortest, longest) in sizes.items()]
        for name, pick, published in (("shortest", min, 2), ("longest", max, 3)):
            series += [Series(f"set {number}, {name}", sorted((entry[0], pick(entry[1])) for entry in drawn)),
                       Series("published", sorted((entry[0], entry[published]) for entry in drawn), points=True,
                              like=f"set {number}, {name}")]
    return [Chart("stencil_data_tasks", "Five-point stencil, one data task a wavelet", "cells of an edge", "cycles", series,
                  log_x=True, log_y=True)]


FAMILY = Family("stencil_data_tasks", "Stencil with data tasks", """
`examples/validation/stencil_data_tasks.json`: W x H PEs with M x N cells each send the edges of their blocks by microthreads. A data
task for each wavelet stores it, counts, and after the last one blocks itself and counts the sides; a local task that activates itself
again and again waits for the sends. Then 2 M operations add the rows above and below, and 3 N operations the columns left, here and
right, all in place. The rows give the shortest and the longest time of a PE: a corner has two neighbours, an inner PE four.

Set 1 was run with a launch script for WSE-2, set 2 is probably WSE-3; the sizes between 8 and 64 are in the same log. The program has
many instructions besides its operations, so a number shows several rules together:

- **Banks.** In all sizes but 11 and 13 the rows above and below begin two f32 from a multiple of four after the row that they are added
  to, or at a multiple of four (10, 22); the centre column has the same banks as its destination. By the rule `modulo_4` two more of the
  five operations on each cell would conflict than by `same_bank`: with 64 x 64 cells 8192 cycles more, and the elements alone would take
  32,768 of the 33,374 cycles. Both sets differ by 2 to 14 % only, so they have the same conflicts; `pe.bank_rule` of WSE-2 is set by this. The two
  arrays of a PE stand one after the other here, as they are declared; the linker of the vendor may place them otherwise.
- **Columns in one bank.** 22 cells have rows of 96 bytes, a multiple of 32, so the columns are rewritten in one bank (see [product of
  strided columns](strided_gemm.md)): 968 cycles in the model. 10 cells have rows of 48 bytes and do not take longer.
- **Tasks.** The longest time minus the shortest is that of the data tasks of two more sides. A task takes about 24
  cycles in set 1 and 28 in set 2, and a [stencil on tiles](tiled_stencil.md) has 30 cycles more for ten tasks on WSE-3. So `pe.task_switch` is 3 on
  WSE-2 and 6 on WSE-3, the two bounds that are known (wse.md 3.4). The [star stencil](stencil_star.md) of WSE-3 would rather have 5.

Scalar code is the open question. It is translated as the compiler of the vendor writes it: variables and the addresses of descriptors
are loaded and stored by every task, an `if` jumps over its body. A translation that keeps them in registers is faster.
""", list(cases()), charts)
