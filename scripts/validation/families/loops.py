# SPDX-License-Identifier: Apache-2.0
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
    """Cycles between the readings of the counter before and after the loop."""
    if layout == STAMPED:
        run = bench.run(layout, preset, ["stamps"], **params)
        return run.stamp("stamps", 1) - run.stamp("stamps", 0)
    run = bench.run(layout, preset, ["cycles"], **params)
    return run.number("cycles", 1) - run.number("cycles") - 1


class Loop:
    """T = set-up + N / rate, fitted over some lengths."""

    def __init__(self, name, layout, params, unit=PER_CYCLE, lengths=LENGTHS, length="N", elements=1):
        self.name, self.layout, self.params, self.unit = name, layout, params, unit
        self.lengths, self.length, self.elements = lengths, length, elements

    def fitted(self, bench, preset="wse3"):
        points = [(n * self.elements, time(bench, self.layout, preset, **self.params, **{self.length: n})) for n in self.lengths]
        return fit(points)

    def rate(self, bench, preset="wse3"):
        slope = self.fitted(bench, preset)[1]
        return slope if self.unit == PER_ELEMENT else 1 / slope

    def on_silicon(self, name, rate):
        return Case("A3 vector loops, H", name, rate, lambda bench: self.rate(bench, "wse3_silicon"), unit=self.unit, calibrated=True,
                    tolerance=percent(5), beside=self.rate)

    def cases(self, source, rate, setup=None, bound=percent(3), calibrated=False, note="", setup_bound=cycles(3), setup_note=""):
        found = [Case(source, self.name, rate, self.rate, unit=self.unit, calibrated=calibrated, tolerance=bound, note=note)]
        if setup is not None:
            found.append(Case(source, f"{self.name}, set-up", setup, lambda bench: self.fitted(bench)[0],
                              tolerance=setup_bound if bound else None, note=setup_note))
        return found


def f16(name, kernel, unit=PER_CYCLE, **params):
    return Loop(name, F16, {"KERNEL": kernel, **params}, unit, LENGTHS if "STRIDE" not in params else (128, 512, 1024))


def stamped(name, kernel, gap=1):
    return Loop(name, STAMPED, {"KERNEL": kernel, "GAP": gap}, lengths=(256, 512, 1024))


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


def strided(stride):
    loop = f16(f"copy f16, stride {stride}", 1, STRIDE=stride)
    return loop.cases(ROOFLINE, round(8 / stride, 3), calibrated=True)


def form(name, published, layout, note="", bound=percent(3), **params):
    return Case("A3 four ways, S", f"4096 fma f16, {name}", published, lambda bench: time(bench, layout, N=4096, **params),
                tolerance=bound, note=note)


LOADS = 6  # cycles to load three DSRs: two before the last load, and 4 from that until the operation can use the DSR (6.5)


def single(n, published):
    return Case("6.5, derived", f"add f16 of {n} elements with 3 loads, to the next instruction", LOADS + published,
                lambda bench: time(bench, F16, KERNEL=9, N=n) - 1, calibrated=True, tolerance=cycles(1),
                note=f"published: {published} cycles from the dispatch of the operation to the next one; the loads add {LOADS} cycles, two "
                "before the last load and 4 from that to its use")


def overlap(kernel):
    def measure(bench):
        return time(bench, "pe_loops/overlap.json", KERNEL=kernel, N=2048)
    return measure


CASES = [
    *FILL.cases(ROOFLINE, 7.93, 8), *COPY.cases(ROOFLINE, 7.85, 8),
    *stamped("copy f16, counter stored", 0).cases(LOOPS, 8.0, 15, calibrated=True),
    COPY.on_silicon("copy f16", 4.82),
    *stamped("copy f32, counter stored", 1).cases(LOOPS, 4.0, 15, calibrated=True),
    stamped("", 1).on_silicon("copy f32", 2.44),
    *[case for stride in (2, 3, 4, 7, 8) for case in strided(stride)],
    *AXPY.cases(ROOFLINE, 3.94, 13, setup_bound=cycles(5), setup_note="4 more were published than of an addition, which loads one DSR more; what "
                "takes them is not said, and the vector loops of A3 have one cycle between a copy and a multiply-add"),
    *stamped("fma f16, counter stored", 2).cases(LOOPS, 4.0, 16, calibrated=True),
    stamped("", 2).on_silicon("fma f16", 2.92),
    *stamped("fma f32, sources in the same banks, counter stored", 3, gap=4).cases(
        "A3 vector loops, S and H", 0.5, 17, note="the source does not say where its vectors lie; A4 and "
        "[matrix times vector](matvec.md) need one element a cycle without a conflict"),
    Case("10 no. 24, S", "fma f32, sources apart", 1.0, stamped("", 3).rate, unit=PER_CYCLE, tolerance=percent(3), calibrated=True,
         note="from one trace"),
    *ADD.cases(ROOFLINE, 3.96, 9, calibrated=True), *MULTIPLY.cases(ROOFLINE, 3.96, 9, calibrated=True),
    *ADD_WORDS.cases(ROOFLINE, 3.94, calibrated=True),
    Case(ROOFLINE, "add i16, set-up, with 6 for the loads", 9, lambda bench: ADD_WORDS.fitted(bench)[0] + LOADS, tolerance=cycles(3),
         note="9 were published for a loop that loads three DSRs; this loop has them loaded, and the time of the loads is added"),
    *SUM.cases(ROOFLINE, 2.0, 8), *DOT.cases(ROOFLINE, 2.25, 20), *MOVE.cases(ROOFLINE, 1.0),
    *SCALAR_DOT.cases(ROOFLINE, 22, bound=between(22, 25), note="22 to 25 were published"),
    Case(ROOFLINE, "dot f16, scalar code, one element", 19, lambda bench: time(bench, "validation/scalar_dot.json", K=1),
         tolerance=cycles(3)),
    single(8, 8), single(16, 10), single(64, 22),
    form("one DSD operation", 1040, F16, KERNEL=3),
    form("while loop, tiles of 16", 4617, "pe_loops/forms.json", KERNEL=0),
    form("@map, tiles of 16", 2840, "pe_loops/forms.json", KERNEL=1,
         note="2840 is 11 cycles a tile plus 24: 6 to follow the jump while the multiply-add runs, one for the next factor, 3 for the "
         "branch that finds it there, one to issue the multiply-add"),
    form("for + @map, tiles of 16", 3032, "pe_loops/forms.json", KERNEL=2),
    Case("A3 pipeline, derived", "2048 add i16", 514, overlap(0), tolerance=percent(3),
         note="514 was published without type and length; it equals 2 + 2 * 2048 / 8, which A3 gives for an operation of 2048 elements "
         "up to its completion. The model's number is the time to the next instruction"),
    Case("A3 pipeline, derived", "an operation beside scalar code, over their sum", 1027 / 1028,
         lambda bench: overlap(2)(bench) / (overlap(0)(bench) + overlap(1)(bench)), unit="ratio", tolerance=percent(3),
         note="published: 1027 for 514 + 514, of unknown lengths"),
    *GEMV.cases(ROOFLINE, 0.52, 358, bound=None, note="the source does not say what the published program does before the loop"),
    *STENCIL.cases(ROOFLINE, 0.93, bound=None,
                   note="published for one size, which is not given; the model has T = 48 + N, which is 0.93 at N = 640"),
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


FAMILY = Family("loops", "Loops on one PE", r"""
`examples/pe_loops` has the loops that were published with cycle counts, written as tile programs for one PE. Each program reads the
cycle counter (`tsc`) before and after the loop, and its layout checks the computed numbers. `examples/validation` has the loops whose
published form differs: `stamped_loops` reads the counter as the library of the vendor does, at the preset's cost and with three stores, inside what is measured (a copy
has a set-up of 15 in one suite of A3 and of 8 in another); `scalar_dot` keeps sum and index in memory.

## Running them

```
scripts/validate.sh --only loops                                  # all of them, with the published numbers
scripts/validate.sh --only loops --set pe.bank_conflicts=false    # with any configuration value of wse_platform
```

One loop runs with all options of [`wse_platform`](../running.md):

```
wse_platform examples/pe_loops/layout.json --param KERNEL=3 --param N=1024 --output cycles=cycles.npy \
    --trace-perfetto fma.json
```

| layout | program | `KERNEL` | other parameters |
| --- | --- | --- | --- |
| `layout.json` | `vector.tasm` | f16 vectors: 0 fill, 1 copy, 2 axpy, 3 multiply-add, 4 add, 5 multiply, 6 sum, 7 dot product, 8 move into a register | `N`, `STRIDE` of the source, `GAP` between two sources |
| `f32.json` | `f32.tasm` | f32 vectors: 0 copy, 1 multiply-add, 2 multiply | `N`, `SHIFT` of one source against the other |
| `forms.json` | `forms.tasm` | multiply-adds on tiles of 16 elements: 0 `while`, 1 `@map`, 2 `for` and `@map`; 3 dot product in scalar code | `N` |
| `overlap.json` | `overlap.tasm` | 0 an addition of i16 vectors, 1 scalar code, 2 both | `N` |
| `matrix.json` | `matrix.tasm` | 0 y = A x of one tile, 1 5-point stencil | `ROWS`, `N` columns |

`KERNEL` selects the program; a number without a program is refused. `scripts/validation/families/loops.py` lists the runs with their
lengths and the published values.

## What is compared

T = set-up + N / rate is fitted through three lengths, on WSE-3. T runs from the first reading of the counter to the issue of the
second; where the table says "DSRs loaded", the loads are before the first reading. The sources are wse_timing.md A3 (WSE-3; S: the
vendor's simulator, H: silicon), A4 (WSE-2, simulator) and wse.md 6.4 and 6.5. Where A3 leaves a program open, the document that it
summarises gives it (page PERFORMANCE_MODEL of the FABRICA characterisation): tiles of 16 elements in the four ways, four shifted
additions in the stencil. The sources do not say between which instructions a set-up is counted. The bf16 loops of A3 take the
same cycles as the f16 ones; in the model they are the same instructions (`half bf16`).

Rates set `pe.rate.*`; single operations of 8, 16 and 64 elements set `pe.vector_start` and `pe.vector_drain`; strides set
`pe.stride_rule`. No set-up was fitted.

## Where published numbers contradict each other

| subject | one source | another source | the model |
| --- | --- | --- | --- |
| set-up of a vector loop | 15 to 17 (A3 vector loops) | 8 to 13 (A3 roofline); 11 to 12 for three loads, start and drain (wse.md 6.5) | follows wse.md 6.5 and meets its single operations exactly: 10 to 12, and 14 to 15 where the counter's words are stored before the loop |
| memory ports (wse.md 10 no. 22) | two 32-bit reads, one 32-bit write | two 64-bit reads, one 64-bit write; a copy moves 128 bits each way in the simulator | does not derive rates from ports: each instruction has a width and an interval. A copy of f16 moves 8 elements every cycle, an operation with two sources takes 8 every 2 cycles |
| stride of 4 modulo 8 (no. 23) | two elements per cycle | "SIMD width of 4" in the same sentence | 2, which A3 confirms |
| other strides | full width for 2, 3, 5, 6, two for 1 and 7, one for 0 modulo 8 (wse.md 6.2) | 8 / stride for all (A3, simulator of WSE-3; a trace has lanes 0 to 3 and 4 to 7 of a stride of 2 in two cycles) | `pe.stride_rule`: `span`, A3, on WSE-3; `table`, 6.2, on WSE-2. Both agree on strides 1, 4 and 8 |
| f32 multiply-add (no. 24) | 0.50 elements per cycle, simulator and silicon | about 1 in a trace and in wse_timing_2.md B1; the notes suspect that 0.50 is the conflicting case | 1 without a conflict, 0.50 with one |
| bank conflicts in the simulator (no. 43) | 24 cases equal to silicon within a cycle; A4 has them on WSE-2 | placement sweeps show no effect | on; `--set pe.bank_conflicts=false` turns them off |
| which alignments conflict | the same bank modulo 4 (wse.md 6.2): two of four alignments of f32 vectors | one slow alignment of four f32 (A3, silicon of WSE-3), that is modulo 8 | `pe.bank_rule`: `same_bank`; for WSE-2 see [stencil with data tasks](stencil_data_tasks.md) |
| issue of the next instruction after an operation on 8 elements | 8 cycles later (wse.md 6.5) | 1 cycle later (page PERFORMANCE_MODEL 10j) | 8 if the next instruction loads a DSR or is scalar; DSD operations on loaded DSRs, loads and branches issue 1 cycle after the last group (`pe.vector_overlap`) |
| a taken branch (no. 44) | 6 cycles | 3 in another trace | 6 |

## What the model does not reach

- **`@map`, `for` + `@map` and `while`**: the published code is not known. A tile takes 11 cycles with `@map` and 18 in the `while` loop of
  the same source. The difference is what follows the multiply-add: the counter of the `while` loop waits for its end (10 cycles, 2
  scalar instructions, 6 for the branch), the jump of `@map` does not.
- **Silicon rates** of copies and of the f16 multiply-add (4.82, 2.44, 2.92) are 19.3, 19.5 and 17.5 bytes a cycle, reads and writes
  together. The preset `wse3_silicon` has 20 for all of them (`pe.memory_bytes`), which gives 5, 2.5 and 3 elements a cycle; what
  limits the memory is not known. The f32 multiply-add needs less and is as fast on silicon as on the simulator (0.50 of both).
- **Set-up 358 of the GEMV tile** is not in the loop, which has nearly none. The source does not say what the program does before.
  In the model 64 rows by 32 columns are 1.5 times as fast as 32 by 64; no source gives this ratio.
- **Scalar code** is written by hand here; the published code was compiled. The dot product of `forms.tasm` takes 16 cycles an element,
  `scalar_dot` the published 22.
- **5-point stencil**: 0.93 outputs per cycle is published for one size, which is not given. T = 48 + N is 0.93 at N = 640.

## Numbers
""", CASES, charts)
