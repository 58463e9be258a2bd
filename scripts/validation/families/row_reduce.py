# SPDX-License-Identifier: Apache-2.0
"""Chain and two-phase reduce on a row of 512 PEs, WSE-2 (wse_timing.md A2)."""
from validation.case import Case, Family, exact, percent
from validation.chart import Chart, Series

ORDER = 10
P = 512
MEASURED = {  # (B, S): cycles
    (4096, 2): 10055, (4096, 4): 9421, (4096, 8): 9117, (4096, 16): 8989, (4096, 32): 8973, (4096, 64): 9061,
    (4096, 128): 9297, (4096, 256): 9800, (4096, 512): 7218, (64, 28): 928, (64, 23): 925,
}


def time(bench, b, s, p=P):
    run = bench.run("validation/row_reduce.json", "wse2", ["stamps"], W=p, B=b, S=s)
    return run.stamp("stamps", 1) - run.stamp("stamps", 0)


def closed_form(b, s, p=P):
    groups = -(-p // s)
    if groups == 1:
        return b + 6 * (p - 1) + 56
    return 2 * b + 6 * (s - 1) + (groups - 2) * (s + 5) + 77


def row(b, s):
    name = f"chain, B = {b}" if s == P else f"two-phase, B = {b}, S = {s}"
    note = "the source inferred this number" if s == 23 else ""
    return Case("A2, S", name, MEASURED[b, s], lambda bench: time(bench, b, s), calibrated=True,
                tolerance=percent(2), note=note, quick=b < 100 or s == P)


def slope(name, published, measure):
    return Case("A2, fit", name, published, measure, unit="cycles", calibrated=True, tolerance=exact())


# A stage of a chain of leaders is S hops and one receive, add, send; two group sizes separate the two.
def leader_stage(bench, s):
    return (time(bench, 64, s, 16 * s) - time(bench, 64, s, 8 * s)) / 8


def hop(bench):
    return (leader_stage(bench, 12) - leader_stage(bench, 4)) / 8


SLOPES = [
    slope("chain, a stage", 6, lambda bench: (time(bench, 64, 128, 128) - time(bench, 64, 64, 64)) / 64),
    slope("chain, a word", 1, lambda bench: (time(bench, 320, 64, 64) - time(bench, 64, 64, 64)) / 256),
    slope("two-phase, a word", 2, lambda bench: (time(bench, 320, 8, 64) - time(bench, 64, 8, 64)) / 256),
    slope("two-phase, a hop", 1, hop),
    slope("two-phase, receive, add, send", 5, lambda bench: leader_stage(bench, 4) - 4 * hop(bench)),
]


def charts(bench):
    sizes = [2, 4, 8, 16, 32, 64, 128, 256, 512]
    return [Chart("row_reduce", "Reduce of 4096 values over 512 PEs, WSE-2", "group size S", "cycles", log_x=True, series=[
        Series("model", [(s, time(bench, 4096, s)) for s in sizes]),
        Series("published", [(s, MEASURED[4096, s]) for s in sizes], points=True, like="model")])]


FAMILY = Family("row_reduce", "Chain and two-phase reduce of a row", """
`examples/validation/row_reduce.json` runs on 512 x 1 tiles of WSE-2. Groups of S tiles reduce by chains, then the leaders of the
groups do the same on the same two colors, which control wavelets switch over. S = 512 is one chain. The published time is the
root's time stamp at the end minus its time stamp at the start. The published runs fit T = B + 6 (P - 1) + 56 and
T = 2B + 6 (S - 1) + (P/S - 2)(S + 5) + 77. A hop of 1 cycle, and 5 cycles to receive, add and send, come from these fits
(`fabric.hop_latency`, the two ramps, `queues.write_latency`); the slopes in the table show that the model has them. The constants
56 and 77 are the time of the program before and after the reduction; in the model they are 53 and 64 to 65. A load of a DSR that takes 10
cycles instead of 4 would give 59 and 81 to 82, but operations of a [stencil](tiled_stencil.md) that load their descriptors would be 6 cycles
too long each. The stencil ran on the simulator of a newer SDK (2025, not 0.6) and shows the loads alone, so `pe.dsr_latency` follows it. What
else the older program does before an operation is not known.
""", [*[row(b, s) for b, s in MEASURED], *SLOPES], charts)
