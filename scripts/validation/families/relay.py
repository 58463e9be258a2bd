# SPDX-License-Identifier: Apache-2.0
"""Store and forward through N PEs of WSE-3 (wse_timing.md A3)."""
from validation.case import Case, Family, percent
from validation.chart import Chart, Series

ORDER = 50
STAGES, WORDS = (1, 2, 4, 8), (64, 512)


def time(bench, n, b):
    run = bench.run("validation/relay.json", "wse3", ["begin", "end"], N=n, B=b)
    return run.stamp("end") - run.stamp("begin")


def published(n, b):
    return 1.001 * n * b + 16.1 * n + 16.5


def charts(bench):
    return [Chart("relay", "Store and forward through N PEs, WSE-3", "N", "cycles", [
        series for b in WORDS for series in (
            Series(f"model, {b} words", [(n, time(bench, n, b)) for n in STAGES]),
            Series(f"published fit, {b} words", [(n, published(n, b)) for n in STAGES], points=True, like=f"model, {b} words"))],
        log_x=True, log_y=True)]


FAMILY = Family("relay", "Relay", """
In `examples/validation/relay.json` on WSE-3 every tile receives B words; when it has all of them, a task sends them on. The published
number is the fit 1.001 N B + 16.1 N + 16.5, whose authors state an error of at most 4 %. A stage takes 3 cycles to the task, 5 for
the loads of two DSRs, 7 to the link and 2 for the hop, minus 1; the model takes 17, for the reason that
[one message, step by step](message.md) shows. These numbers set no value. In the published program the sender needs about 12
cycles to read the counter before its first load; the program here calls a function for that.
""", [
    *[Case("A3, S fit", f"N = {n}, B = {b}", published(n, b), lambda bench, n=n, b=b: time(bench, n, b), tolerance=percent(4))
      for n in STAGES for b in WORDS],
    Case("A3, S fit", "a stage of 64 words", 80.164, lambda bench: (time(bench, 8, 64) - time(bench, 1, 64)) / 7),
], charts)
