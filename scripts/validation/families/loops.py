"""Loops over vectors on one PE: rates and set-ups (wse_timing.md A3; wse.md 6.4, 6.5)."""
from validation.bench import fit
from validation.case import Case, Family, between, cycles, percent
from validation.chart import Chart, Series

ORDER = 60
LENGTHS = (256, 1024, 4096)
F16 = "pe_loops/layout.json"
STAMPED = "validation/stamped_loops.json"
PER_CYCLE, PER_ELEMENT = "elements/cycle", "cycles/element"


def time(bench, layout, preset="wse3", **params):
    """Cycles from the reading of the counter before the loop to that behind it."""
    if layout == STAMPED:
        run = bench.run(layout, preset, ["stamps"], **params)
        return run.stamp("stamps", 1) - run.stamp("stamps", 0) - 1
    run = bench.run(layout, preset, ["cycles"], **params)
    return run.number("cycles", 1) - run.number("cycles") - 1


class Loop:
    """T = set-up + N / rate, fitted over some lengths."""

    def __init__(self, name, layout, params, unit=PER_CYCLE, lengths=LENGTHS, length="N", elements=1):
        self.name, self.layout, self.params, self.unit = name, layout, params, unit
        self.lengths, self.length, self.elements = lengths, length, elements

    def fitted(self, bench):
        points = [(n * self.elements, time(bench, self.layout, **self.params, **{self.length: n})) for n in self.lengths]
        return fit(points)

    def rate(self, bench):
        slope = self.fitted(bench)[1]
        return slope if self.unit == PER_ELEMENT else 1 / slope

    def cases(self, source, rate, setup=None, bound=percent(3), calibrated=False, note=""):
        found = [Case(source, self.name, rate, self.rate, unit=self.unit, calibrated=calibrated, tolerance=bound, note=note)]
        if setup is not None:
            found.append(Case(source, f"{self.name}, set-up", setup, lambda bench: self.fitted(bench)[0],
                              tolerance=cycles(3) if bound else None))
        return found


def f16(name, kernel, unit=PER_CYCLE, **params):
    return Loop(name, F16, {"KERNEL": kernel, **params}, unit, LENGTHS if "STRIDE" not in params else (128, 512, 1024))


def stamped(name, kernel):
    return Loop(name, STAMPED, {"KERNEL": kernel}, lengths=(256, 512, 1024))


FILL, COPY, AXPY, ADD = f16("fill f16", 0), f16("copy f16", 1), f16("axpy f16", 2), f16("add f16", 4)
MULTIPLY = f16("mul f16", 5)
ADD_WORDS = Loop("add i16, DSRs loaded", "pe_loops/overlap.json", {"KERNEL": 0})
SUM = f16("sum f16 into a register", 6, PER_ELEMENT)
DOT = f16("dot f16: multiply, then sum", 7, PER_ELEMENT)
MOVE = f16("move f16 into a register", 8)
SCALAR_DOT = Loop("dot f16, scalar code", "validation/scalar_dot.json", {}, PER_ELEMENT, (64, 256, 1024), "K")
GEMV = Loop("gemv f16 tile, 64 rows", "pe_loops/matrix.json", {"KERNEL": 0, "ROWS": 64}, PER_ELEMENT, (32, 64, 128), elements=64)
STENCIL = Loop("5-point stencil f16", "pe_loops/matrix.json", {"KERNEL": 1}, lengths=(32, 64, 256), elements=8)
ROOFLINE, LOOPS = "A3 roofline, S", "A3 vector loops, S"
SILICON = "H: the presets follow the simulator"


def strided(stride):
    loop = f16(f"copy f16, stride {stride}", 1, STRIDE=stride)
    return loop.cases(ROOFLINE, round(8 / stride, 3), calibrated=True)


def form(name, published, layout, note="", bound=percent(3), **params):
    return Case("A3 four ways, S", f"4096 fma f16, {name}", published, lambda bench: time(bench, layout, N=4096, **params),
                tolerance=bound, note=note)


LOADS = 6  # of three DSRs until the operation issues: two before the last one, which it needs 4 cycles later (6.5)


def single(n, published):
    return Case("6.5, derived", f"add f16 of {n} elements with 3 loads, to the next instruction", LOADS + published,
                lambda bench: time(bench, F16, KERNEL=4, N=n), calibrated=True, tolerance=cycles(1),
                note=f"{published} from the dispatch of the operation to the next was published; the loads are {LOADS} cycles, two "
                "before the last and 4 from that to its use")


def overlap(kernel):
    def measure(bench):
        return time(bench, "pe_loops/overlap.json", KERNEL=kernel, N=2048)
    return measure


CASES = [
    *FILL.cases(ROOFLINE, 7.93, 8), *COPY.cases(ROOFLINE, 7.85, 8),
    *stamped("copy f16, counter stored", 0).cases(LOOPS, 8.0, 15, calibrated=True),
    *COPY.cases("A3 vector loops, H", 4.82, bound=None, note=SILICON),
    *stamped("copy f32, counter stored", 1).cases(LOOPS, 4.0, 15, calibrated=True),
    Case("A3 vector loops, H", "copy f32", 2.44, stamped("", 1).rate, unit=PER_CYCLE, note=SILICON),
    *[case for stride in (2, 3, 4, 7, 8) for case in strided(stride)],
    *AXPY.cases(ROOFLINE, 3.94, 13),
    *stamped("fma f16, counter stored", 2).cases(LOOPS, 4.0, 16, calibrated=True),
    Case("A3 vector loops, H", "fma f16", 2.92, stamped("", 2).rate, unit=PER_CYCLE, note=SILICON),
    *stamped("fma f32, counter stored", 3).cases("A3 vector loops, S and H", 0.5, 17, calibrated=True),
    Case("10 no. 24, S", "fma f32", 1.0, stamped("", 3).rate, unit=PER_CYCLE,
         note="one trace; the fits say 0.50, simulator and silicon alike. `--set pe.rate.fmacs.interval=1`"),
    *ADD.cases(ROOFLINE, 3.96, 9, calibrated=True), *MULTIPLY.cases(ROOFLINE, 3.96, 9, calibrated=True),
    *ADD_WORDS.cases(ROOFLINE, 3.94, calibrated=True),
    Case(ROOFLINE, "add i16, set-up, with 6 for the loads", 9, lambda bench: ADD_WORDS.fitted(bench)[0] + LOADS, tolerance=cycles(3),
         note="9 were published of a loop that loads three DSRs; this one has them loaded, and what the loads take is added"),
    *SUM.cases(ROOFLINE, 2.0, 8), *DOT.cases(ROOFLINE, 2.25, 20), *MOVE.cases(ROOFLINE, 1.0),
    *SCALAR_DOT.cases(ROOFLINE, 22, bound=between(22, 25), note="22 to 25 were published"),
    Case(ROOFLINE, "dot f16, scalar code, one element", 19, lambda bench: time(bench, "validation/scalar_dot.json", K=1),
         tolerance=cycles(3)),
    single(8, 8), single(16, 10), single(64, 22),
    form("one DSD operation", 1040, F16, KERNEL=3),
    form("while loop, tiles of 16", 4617, "pe_loops/forms.json", KERNEL=0),
    form("@map, tiles of 16, unrolled", 2840, "validation/unrolled_map.json", KERNEL=0,
         note="2840 is 11 cycles a tile and 24: the 10 cycles for which a multiply-add of 16 holds the main thread (6.5) leave no "
         "room for a branch, so the program here has the tiles side by side, and loads a factor for each"),
    form("for + @map, tiles of 16, unrolled", 3032, "validation/unrolled_map.json", KERNEL=1),
    form("@map, a loop of single steps", 2840, "pe_loops/forms.json", bound=None, KERNEL=1,
         note="the loop of the tile ISA, which reads its factor with a single step and branches for every tile"),
    Case("A3 pipeline, derived", "2048 add i16", 514, overlap(0), tolerance=percent(3),
         note="514 was published without type and length; it is 2 + 2 * 2048 / 8, what A3 gives an operation of 2048 to its "
         "completion. Here to the next instruction"),
    Case("A3 pipeline, derived", "an operation and scalar code, both over their sum", 1027 / 1028,
         lambda bench: overlap(2)(bench) / (overlap(0)(bench) + overlap(1)(bench)), unit="ratio", tolerance=percent(3),
         note="1027 for 514 + 514, of lengths that are not told"),
    *GEMV.cases(ROOFLINE, 0.52, 358, bound=None, note="what the published program does before the loop is not known"),
    *STENCIL.cases(ROOFLINE, 0.93, bound=None,
                   note="a figure for one size, which is not given: T = 48 + N here, which is 0.93 at N = 640"),
]


def charts(bench):
    lengths = (64, 256, 1024, 4096)
    drawn = [(FILL, 7.93, 8), (AXPY, 3.94, 13), (SUM, 0.5, 8), (DOT, 1 / 2.25, 20)]
    series = []
    for loop, rate, setup in drawn:
        ours = [(n, time(bench, loop.layout, N=n, **loop.params)) for n in lengths]
        series += [Series(loop.name, ours),
                   Series("published", [(n, setup + n / rate) for n in lengths], points=True, like=loop.name)]
    return [Chart("loops", "Loops over vectors of f16, WSE-3", "elements", "cycles", series, log_x=True, log_y=True)]


FAMILY = Family("loops", "Loops on one PE", """
[`examples/pe_loops`](../pe-loops.md), and in `examples/validation` the loops whose published form that example does not have:
`stamped_loops`, which stores the three words of the counter before the loop as the library of the vendor does (a copy has a set-up
of 15 in one suite of A3 and of 8 in another), `scalar_dot`, whose sum and index stay in memory, and `unrolled_map`. T = set-up + N /
rate is fitted through three lengths, from the reading of the counter before the first load of a DSR to that behind the
loop. All WSE-3.

Rates set `pe.rate.*`; single operations of 8, 16 and 64 elements set `pe.vector_start` and `pe.vector_drain`; strides
`pe.stride_rule`. No set-up was fitted.
""", CASES, charts)
