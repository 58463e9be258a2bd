# SPDX-License-Identifier: Apache-2.0
"""One message of 8 words to the neighbour on WSE-3, step by step (wse_timing.md A3)."""
import re

from validation.case import Case, Family, cycles
from validation.chart import Chart, Series

ORDER = 40
LINE = re.compile(r"@(\d+) P(\d+)\.0(?:: Id: \d+,| \(hwtile\)) (.*)")


def lines(bench, tile, words):
    """Cycles of the trace lines of a tile that match these words."""
    found = []
    for line in bench.run("validation/relay.json", "wse3", ["begin", "end"], trace=True, N=1, B=8).trace:
        match = LINE.match(line)
        if match and int(match[2]) == tile and re.search(words, match[3]):
            found.append(int(match[1]))
    return found


def dispatched(bench):
    return lines(bench, 0, r"IS OP.*MOV32")[0]


def on_link(bench):
    return lines(bench, 0, "^landing .* link R")


def landed(bench):
    return lines(bench, 1, "^landing .* link W")


def executed(bench):
    return lines(bench, 1, r"EX OP.*MOV32")


def completion(bench):
    return lines(bench, 1, "IS OP.*T09")[0]


def timer(bench):
    run = bench.run("validation/relay.json", "wse3", ["begin", "end"], trace=True, N=1, B=8)
    return run.stamp("end") - run.stamp("begin")


def step(name, published, measure, calibrated=False, note="", bound=cycles(1)):
    return Case("A3, S", name, published, measure, calibrated=calibrated, tolerance=bound, note=note)


def charts(bench):
    start = dispatched(bench)
    words = range(1, 9)
    ours = {"on the link": on_link(bench), "at the neighbour": landed(bench), "executed": executed(bench)}
    first = {"on the link": 7, "at the neighbour": 9, "executed": 12}
    series = []
    for name, times in ours.items():
        series += [Series(f"model, {name}", [(k, at - start) for k, at in zip(words, times)]),
                   Series(f"published, {name}", [(k, first[name] + k - 1) for k in words], points=True, like=f"model, {name}")]
    return [Chart("message", "Eight words to the neighbour, WSE-3", "word", "cycles since the dispatch of the send", series)]


FAMILY = Family("message", "One message, step by step", """
One message of 8 words goes to the neighbour on WSE-3: `examples/validation/relay.json` with `N=1` and `B=8`. The times are read from
its `--trace-wse`. Send and hop set `fabric.on_ramp_latency`, `queues.write_latency` and `fabric.hop_latency`; the receiver set
`fabric.off_ramp_latency` and `pe.task_activation`. In the published trace the completion task starts in the cycle in which the last
element executes. In the model it cannot start before the next cycle, so it is one cycle late.
""", [
    step("dispatch of the send to the first word on the link", 7, lambda b: on_link(b)[0] - dispatched(b), True),
    step("first to eighth word on the link", 7, lambda b: on_link(b)[7] - on_link(b)[0]),
    step("hop", 2, lambda b: landed(b)[0] - on_link(b)[0], True),
    step("arrival to execution", 3, lambda b: executed(b)[0] - landed(b)[0], True),
    step("last arrival to the completion task", 3, lambda b: completion(b) - landed(b)[7], True),
    step("dispatch of the send to the completion task", 19, lambda b: completion(b) - dispatched(b)),
    step("the same by the counters of both ends", 36, timer, bound=None,
         note="the source does not say how it read the counter; the program here calls a function, which costs two branches"),
], charts)
