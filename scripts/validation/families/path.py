# SPDX-License-Identifier: Apache-2.0
"""Words over a path of WSE-3: cycles per hop and per word (wse_timing.md A3)."""
from validation.bench import fit
from validation.case import Case, Family, exact, percent
from validation.chart import Chart, Series

ORDER = 30
HOPS = [1, 2, 4, 8, 16, 32, 64, 128]
WORDS = [64, 256, 1024, 4096]
WAYS = {"east": {}, "west": {"WEST": 1}, "south": {"SOUTH": 1}, "north": {"NORTH": 1}}


def time(bench, hops, words, way="east", preset="wse3", **more):
    run = bench.run("validation/path.json", preset, ["begin", "end"], HOPS=hops, B=words, **WAYS[way], **more)
    return run.number("end") - run.number("begin")


def silicon(source, name, published, measure, **more):
    """`measure(bench, preset)` with the presets of silicon and of the simulator."""
    return Case(source, name, published, lambda bench: measure(bench, "wse3_silicon"), beside=lambda bench: measure(bench, "wse3"), **more)


def slope(bench, way, preset="wse3"):
    return fit([(hops, time(bench, hops, 64, way, preset)) for hops in HOPS])[1]


def per_hop(way):
    def measure(bench):
        return slope(bench, way)
    source = "A3, S" if way == "west" else "A3, S and H"
    return Case(source, f"{way}, 1 to 128 hops", 2.0, measure, unit="cycles/hop", calibrated=True, tolerance=exact())


def medians():
    """Silicon, to the west. The source does not say how many words were sent and between which points the time was measured."""
    note = ("1 to 32 hops take 2 cycles a hop and 40 other cycles, of which the fit has 33 for reading the counters, sending and receiving; the model "
            "sends one word, and a function of a library reads both counters")
    for hops, published in ((1, 42), (2, 44), (4, 48), (8, 56), (16, 72), (32, 104)):
        yield silicon("A3, H", f"west, median of {hops} hop" + "s" * (hops > 1), published,
                      lambda bench, preset, hops=hops: time(bench, hops, 1, "west", preset, CALLS=1), note=note if hops == 1 else "")


def per_word(bench, preset="wse3"):
    return fit([(words, time(bench, 4, words, preset=preset)) for words in WORDS])[1]


def charts(bench):
    series = []
    for words in (64, 256, 1024):
        ours = [(hops, time(bench, hops, words, preset="wse3_silicon", CALLS=1)) for hops in HOPS]
        fitted = [(hops, 33 + 2 * hops + 1.125 * words) for hops in HOPS]
        series += [Series(f"model, {words} words", ours),
                   Series(f"fit of silicon, {words} words", fitted, points=True, like=f"model, {words} words")]
    return [Chart("path", "A message on WSE-3", "hops", "cycles", series, log_x=True)]


FAMILY = Family("path", "Words over a path", """
`examples/validation/path.json` on WSE-3 sends B words over a number of hops. The time runs from the reading of the cycle counter
before the send to the reading in the task that starts when all words have arrived; the slopes are fitted over 1 to 128 hops and 64
to 4096 words. The slope over hops set `fabric.hop_latency`.

The fit of silicon has 1.125 cycles a word, whereas the simulator, relays on the simulator, and measurements on WSE-2 have 1. The
preset `wse3_silicon` takes it over (`fabric.ramp_run`): the ramp of a sender pauses in every ninth cycle. That it is the ramp, and not
the links, is assumed; two streams that share a link differ by it. Published times of silicon contain the readings of the counter
by the function of the vendor's library; so the rows of silicon run with `CALLS=1`, where a function reads the counter and stores its
three words. Sources report 20 to 33 cycles for each turn of a path in whole programs. No mechanism is known for them, and
the model has none.
""", [
    *[per_hop(way) for way in WAYS],
    silicon("A3, H", "west, 1 to 128 hops", 2.909, lambda bench, preset: slope(bench, "west", preset), unit="cycles/hop",
            note="silicon: 2.0 to about 32 hops, 2.9 to 3.3 beyond, unexplained"),
    *medians(),
    Case("A3, S", "64 to 4096 words", 1.0, per_word, unit="cycles/word", tolerance=exact()),
    silicon("A3, H", "64 to 4096 words", 1.125, per_word, unit="cycles/word", calibrated=True, tolerance=percent(1)),
    silicon("A3, H fit", "1 hop, 64 words: 33 + 2 + 1.125 * 64", 107, lambda bench, preset: time(bench, 1, 64, preset=preset, CALLS=1),
            tolerance=percent(10), note="the clocks were aligned to a few cycles only"),
], charts)
