# SPDX-License-Identifier: Apache-2.0
"""Star stencil with one cell a PE, both generations, compiled from CSL (wse_timing_3.md C12)."""
from validation.case import Case, Family, percent

ORDER = 79
LAYOUT = "validation/cell_stencil.csl"
FEW, MANY = 4, 10  # iterations; the compiler unrolls both
MEASURED = {  # PEs of a side: cycles of an iteration on WSE-2, on WSE-3
    3: (12, 17), 4: (15, 21), 5: (16, 23), 6: (16, 23), 8: (16, 24), 10: (16, 23), 20: (15, 23),
}


def cycles(bench, preset, edge, steps):
    return bench.run(LAYOUT, preset, options=("--launch=run", "--csl-version=1.4"), edge=edge, steps=steps).cycles


def time(bench, preset, edge):
    """An iteration: what it adds to the whole run."""
    return (cycles(bench, preset, edge, MANY) - cycles(bench, preset, edge, FEW)) / (MANY - FEW)


def row(preset, edge, published):
    alone = edge == 3
    return Case("C12, S", f"{preset.upper().replace('E', 'E-')}, {edge} x {edge} PEs", published, lambda bench: time(bench, preset, edge),
                tolerance=percent(20), calibrated=alone, quick=edge < 20)


FAMILY = Family("cell_stencil", "Star stencil, one cell a PE", """
`examples/validation/cell_stencil.csl`: every PE inside a square holds one f32. An iteration multiplies it, sends the product to the four
neighbors, multiplies the cell by another number and adds what the neighbors have sent, six operations of one element without a load of a DSR, a task or
a microthread. PEs at the rim send a value that does not change; those in the corners do nothing. On WSE-2 an operation may
read two queues, so two of its four additions add two neighbors each. The program is our own, made as the published one is described
([C12](../reference/wse_timing_3.md#c12-operations-on-queues-that-follow-each-other)); the published program itself gives the same cycles in the model.

With 3 x 3 PEs one PE computes, and its queues are never empty: these two rows set `pe.vector_forward`, and show that operations on
queues follow each other as closely as those in memory. With the whole start and drain of each, which the model had before, they took 33 and 39 cycles
instead of 12 and 17. The larger squares add the way between neighbors that wait for each other; nothing was set by them. On WSE-3 that way is
3 cycles longer than the model's: `fabric.on_ramp_latency` and `fabric.off_ramp_latency` leave no room for them in [one message](message.md).
""", [row(preset, edge, both[at]) for preset, at in (("wse2", 0), ("wse3", 1)) for edge, both in MEASURED.items()], platform="csl")
