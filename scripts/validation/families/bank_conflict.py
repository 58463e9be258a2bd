# SPDX-License-Identifier: Apache-2.0
"""fmuls C, C, B of f32 with both operands in the same banks or apart (wse_timing.md A4, A3; wse.md 6.2)."""
from validation.case import Case, Family, cycles, percent
from validation.chart import Chart, Series

ORDER = 20


def time(bench, n, shift, preset="wse2"):
    run = bench.run("pe_loops/f32.json", preset, ["cycles"], KERNEL=2, N=n, SHIFT=shift)
    return run.number("cycles", 1) - run.number("cycles") - 1


def case(n, shift, published, note=""):
    where = "one f32 apart" if shift else "same banks"
    return Case("A4, S", f"{n} elements, {where}", published, lambda bench: time(bench, n, shift), calibrated=True,
                tolerance=cycles(10), note=note)


def ratio(shift, published):
    return Case("A3, H", f"4096 elements, {shift} f32 apart over 1, WSE-3", published,
                lambda bench: time(bench, 4096, shift, "wse3") / time(bench, 4096, 1, "wse3"), unit="ratio", calibrated=True,
                tolerance=percent(4))


def charts(bench):
    sizes = [128, 512, 1028, 2048, 5124]
    return [Chart("bank_conflict", "fmuls C, C, B of f32, WSE-2", "elements", "cycles", [
        Series("same banks", [(n, time(bench, n, 0)) for n in sizes]),
        Series("one f32 apart", [(n, time(bench, n, 1)) for n in sizes]),
        Series("published, same banks", [(1028, 2062), (5124, 10254)], points=True, like="same banks"),
        Series("published, apart", [(1028, 1034), (5124, 5130)], points=True, like="one f32 apart")])]


FAMILY = Family("bank_conflict", "Bank conflicts of a multiplication", """
`examples/pe_loops/f32.json` with `KERNEL=2` computes C = C * B. The DSRs are loaded before the measurement; the time is the
difference of two readings of the cycle counter, before and after the operation. The runs on WSE-2 set `pe.read_conflict_factor`
and the rate of `fmuls`, one element a cycle.

The sources disagree on which alignments conflict. According to the programming guide, the same bank modulo 4 conflicts, which
is two of the four alignments of f32 vectors; on WSE-3 silicon exactly one of the four was slow. `pe.bank_rule` is `same_bank`, on
WSE-2 because of a [stencil](stencil_data_tasks.md); the runs here have only placements on which both rules agree. Other probes found no conflicts at all in the
vendor's simulator (`--set pe.bank_conflicts=false`).
""", [
    case(5124, 0, 10254), case(5124, 1, 5130),
    case(1028, 0, 2062, "2062, 2063 and 2089 were published"), case(1028, 1, 1034),
    ratio(0, 1.94), ratio(2, 1.0), ratio(3, 1.0),
], charts)
