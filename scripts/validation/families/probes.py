# SPDX-License-Identifier: Apache-2.0
"""What single instructions cost on WSE-3 (wse.md 6.5, wse_timing.md A3)."""
from validation.case import Case, Family, between, cycles, exact, percent
from validation.chart import Chart, Series

ORDER = 70
NOT_TAKEN, TAKEN, INDEPENDENT, DEPENDENT, CHAIN, LOADED, LOADS, ADD, MULTIPLY_ADD = range(9)
COUNT = 16  # instructions of one kind in a row


def time(bench, kernel, **params):
    run = bench.run("validation/probes.json", "wse3", ["cycles"], KERNEL=kernel, **params)
    return run.number("cycles", 1) - run.number("cycles") - 1


def round_of_chain(bench):
    return (time(bench, CHAIN, ROUNDS=64) - time(bench, CHAIN, ROUNDS=32)) / 32


def sum_of_eight(bench):
    run = bench.run("pe_loops/layout.json", "wse3", ["cycles"], KERNEL=6, N=8)
    return run.number("cycles", 1) - run.number("cycles") - 5  # the load of the DSR and its latency


def probe(name, published, measure, calibrated=True, bound=exact(), source="6.5, S", note="", unit="cycles"):
    return Case(source, name, published, measure, unit=unit, calibrated=calibrated, tolerance=bound, note=note)


def charts(bench):
    cases = FAMILY.cases
    return [Chart("probes", "Probes of instructions, WSE-3", "line of the table", "cycles", [
        Series("model", [(k, case.measure(bench)) for k, case in enumerate(cases, 1)], dots=True),
        Series("published", [(k, case.published) for k, case in enumerate(cases, 1)], points=True, like="model")])]


FAMILY = Family("probes", "Branches and dependences", """
`examples/validation/probes.json` on WSE-3 executes sixteen instructions of one kind between two readings of the counter. The probes
set `pe.branch_taken`, `pe.branch_not_taken`, `pe.float_latency`, `pe.integer_latency`, `pe.load_latency` and `pe.dsr_latency`.
""", [
    probe("branch, not taken", 3, lambda b: time(b, NOT_TAKEN) / COUNT),
    probe("branch, taken", 6, lambda b: time(b, TAKEN) / COUNT, note="3 in another trace of the same notes (10 no. 44)"),
    probe("floats without dependences", 1, lambda b: time(b, INDEPENDENT) / COUNT, bound=percent(3)),
    probe("floats that depend on the previous one", 2, lambda b: (time(b, DEPENDENT) - 1) / COUNT, bound=percent(3)),
    probe("back edge of a loop of 16 floats", 9, lambda b: round_of_chain(b) - (2 * COUNT - 1), False, between(9, 10), "A3, S",
          "9 to 10 were published, of increment, compare and jump; the floats before them take 2 cycles each, the last one 1"),
    probe("load of a DSR to its use", 4, lambda b: time(b, LOADS) - time(b, LOADED)),
    probe("c = a + b in memory, i16", 4, lambda b: time(b, ADD) / 8, False),
    probe("w = x * y + z in memory, f16", 6, lambda b: time(b, MULTIPLY_ADD) / 8, False, cycles(1),
          note="in the model the store waits for the sum before it issues; in the trace it waits after its issue, and the next "
          "instruction issues meanwhile"),
    probe("sum of 8 f16, to the issue of a store of it", 13, sum_of_eight, False, None,
          note="in the trace the store waits after its issue and executes in cycle 19, after the last element in cycle 17; the "
          "model has no stages after the issue, so the operation ends before the store issues"),
], charts)
