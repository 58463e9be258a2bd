# SPDX-License-Identifier: Apache-2.0
"""Micro-tables of AI cores: MADs, vector operations, loads, tiles and copies (ascend.md 4.1 to 4.4)."""
from validation.case import Case, Family, between, exact, percent
from validation.micro_kernel import BITS, KERNELS, OPERATIONS, operation_name

ORDER = 190
BOUND = percent(3)
GHZ = {"a2a3": 1.85, "a5": 1.65}
CHIP = {"a2a3": "910B1", "a5": "950PR"}
COUNT = 64


def row(source, preset, name, published, measure, calibrated=False, bound=BOUND, note="", unit="cycles", quick=True):
    return Case(source, f"{CHIP[preset]}, {name}", published, measure, unit=unit, calibrated=calibrated, tolerance=bound, note=note,
                quick=quick)


# --- M, MTE1, FIX and a lone MTE2 ---


def bits(probe):
    return BITS[probe.split()[1]] if probe.startswith("mad ") else 16


def cube(bench, preset, probe, pipe, m, n, k, serial=1, count=COUNT):
    """Busy cycles of the pipe for one round of the probe, with K in elements of its type."""
    kernel = f"ascend_micro_cube_{preset}"
    run = bench.ascend(f"validation/{kernel}.pto", preset=preset, WHAT=KERNELS[kernel].what(probe), M=m, N=n,
                       K=k * bits(probe) // 256, COUNT=count, SERIAL=serial)
    return 1000 * GHZ[preset] * run.busy(f"aic_{pipe}") / count


def probe(source, preset, name, published, what, sizes, serial=1, pipe="mac", count=COUNT, times=1, **more):
    return row(source, preset, name, published,
               lambda bench: times * cube(bench, preset, what, pipe, *sizes, serial, count), **more)


MADS = [  # preset, case, cycles, type, sizes, whether each waits for the previous one, whether it set the preset
    ("a2a3", "case 0, serial, 64 x 64 x 64 f16", 125.00, "f16", (64, 64, 64), 1, True),
    ("a2a3", "case 1, serial, 128 x 256 x 64 f16", 575.00, "f16", (128, 256, 64), 1, True),
    ("a2a3", "basic API, 128 x 256 x 64 f16", 521.9, "f16", (128, 256, 64), 0, True),
    ("a2a3", "PTO GEMM, 128 x 256 x 64 f16", 524.2, "f16", (128, 256, 64), 0, True),
    ("a2a3", "QGMM, 128 x 256 x 128 int8", 522.5, "i8", (128, 256, 128), 0, False),
    ("a5", "case 0, serial, 64 x 64 x 64 f16", 156.06, "f16", (64, 64, 64), 1, True),
    ("a5", "case 1, serial, 256 x 256 x 64 f16", 1116.4, "f16", (256, 256, 64), 1, True),
    ("a5", "basic API, 256 x 256 x 64 f16", 1033.2, "f16", (256, 256, 64), 0, True),
    ("a5", "PTO MXFP8, 128 x 256 x 128 fp8", 531, "f8E4M3FN", (128, 256, 128), 0, False),
    ("a5", "QGMM one slot, 256 x 256 x 128 int8", 1084, "i8", (256, 256, 128), 0, False),
    ("a5", "QGMM 4 slots, 256 x 256 x 128 int8", 1162, "i8", (256, 256, 128), 0, False),
]
MAD_NOTES = {
    "QGMM, 128 x 256 x 128 int8": "520 to 525 were published",
    "PTO MXFP8, 128 x 256 x 128 fp8": "527 to 535 were published, for mxfp8",
    "QGMM one slot, 256 x 256 x 128 int8": "the published time includes waiting for FIX under the unit flag; a burst of MADs does not wait",
    "QGMM 4 slots, 256 x 256 x 128 int8": "the published time includes waiting for FIX under the unit flag, more than with one slot",
}
RATES = {"a2a3": {"i4": 16384, "i8": 8192, "f16": 4096, "bf16": 4096, "f32": 1024},
         "a5": {"i8": 8192, "f8E4M3FN": 8192, "f16": 4096, "bf16": 4096, "f32": 256}}


def rate(bench, preset, element):
    """MACs a cycle, from the additional time of twice the K."""
    k = 128 * 8 // BITS[element]
    short, long = (cube(bench, preset, f"mad {element}", "mac", 64, 64, size, serial=0) for size in (k, 2 * k))
    return 64 * 64 * k / (long - short)


def mads():
    for preset, name, cycles, element, sizes, serial, calibrated in MADS:
        yield probe("4.2", preset, f"MAD, {name}", cycles, f"mad {element}", sizes, serial, calibrated=calibrated,
                    bound=None if "slot" in name else BOUND, note=MAD_NOTES.get(name, ""))
    for name, cycles, what, n in (("128 x 256 x 512, unit flag", 4209, "mad f16 with unit flag", 256),
                                  ("128 x 256 x 512", 4225, "mad f16", 256), ("128 x 128 x 512, unit flag", 2172, "mad f16 with unit flag", 128),
                                  ("128 x 128 x 512", 2172, "mad f16", 128)):
        yield probe("4.2", "a2a3", f"8 MADs, {name}", cycles, what, (128, n, 64), 0, count=8, times=8)
    for preset, rates in RATES.items():
        for element, published in rates.items():
            yield row("4.2", preset, f"MAD of {element}", published,
                      lambda bench, preset=preset, element=element: rate(bench, preset, element), True, exact(), unit="MAC/cycle")


def loads_and_tiles():
    for preset, sizes, cycles in (("a2a3", (64, 64, 64), 143.00), ("a2a3", (128, 256, 64), 367.00), ("a5", (64, 64, 64), 91.03),
                                  ("a5", (256, 256, 64), 283.1)):
        yield probe("4.4", preset, f"MTE1, A and B of {' x '.join(map(str, sizes))} f16", cycles, "extract a and b", sizes, pipe="mte1",
                    calibrated=True)
    for preset, name, what, latency, size_and_rate in (
            ("a2a3", "L0A", "a", 28, 64 * 128 / 256), ("a2a3", "L0B", "b", 28, 64 * 128 / 128), ("a2a3", "bias table", "bias", 20, 64 * 4 / 32),
            ("a5", "L0A", "a", 30, 64 * 128 / 256), ("a5", "L0B", "b", 30, 64 * 128 / 256), ("a5", "bias table", "bias", 20, 64 * 4 / 32)):
        pair = preset == "a5" and what != "bias"
        yield row("0", preset, f"MTE1, latency of a load into {name}", latency,
                  lambda bench, preset=preset, what=what, stream=size_and_rate:
                  cube(bench, preset, f"extract {what}", "mte1", 64, 64, 64) - stream,
                  calibrated=not pair, bound=None if pair else BOUND,
                  note="a pair of loads takes 27 cycles longer than the transfer of its bytes" if pair else "")
    for preset, element, cycles in (("a2a3", "f16", 128 * 256 / 64 + 20), ("a5", "f16", 128 * 256 / 64 + 26), ("a5", "f32", 128 * 256 / 32 + 26)):
        yield probe("0", preset, f"FIX, 128 x 256 {element} from L0C to L1", cycles, f"move {element} to L1", (128, 256, 16),
                    pipe="fixpipe", calibrated=True)
    for where, what, rate in (("UB", "move f32 to UB", 32), ("both UBs", "move f32 to both UB", 64)):
        yield probe("0", "a5", f"FIX, 128 x 256 f32 from L0C to {where}", 128 * 256 / rate + 26, what, (128, 256, 16), pipe="fixpipe",
                    calibrated=True)
    yield probe("4.4", "a2a3", "FIX, 128 x 256 f16 to GM", 990, "store f16", (128, 256, 16), pipe="fixpipe", calibrated=True)
    yield probe("4.4", "a2a3", "FIX, 128 x 256 f32 to GM", 1837.5, "store f32", (128, 256, 16), pipe="fixpipe", calibrated=True,
                bound=between(1800, 1875), note="1800 to 1875 were published")
    yield probe("4.4", "a5", "FIX, 256 x 256 f16 to GM", 1735, "store f16", (256, 256, 16), pipe="fixpipe", calibrated=True)
    yield probe("4.4", "a5", "FIX, 256 x 256 bf16 to GM", 1672, "store bf16", (256, 256, 16), pipe="fixpipe", bound=None,
                note="both types have 16 bits, so the model has one time for both")


# --- V ---

CONFLICTS = {"two sources in one group": 154.2, "source and result in one bank": 138.8, "neighbouring block": 132.6}


def vector(bench, preset, name, n, count=COUNT):
    kernel = "ascend_micro_vector"
    run = bench.ascend(f"validation/{kernel}.pto", preset=preset, WHAT=KERNELS[kernel].what(name), N=n, COUNT=count)
    return 1000 * GHZ[preset] * run.busy("aiv_vec") / count


def elements(bench, name):
    """Elements a cycle: the additional time of twice as many elements, without the overhead of an instruction."""
    return 4096 / (vector(bench, "a2a3", name, 8192) - vector(bench, "a2a3", name, 4096))


def vector_rows():
    def operation(source, preset, name, cycles, what, n=4096, **more):
        return row(source, preset, name, cycles, lambda bench: vector(bench, preset, what, n), **more)

    yield operation("4.3", "a2a3", "add of 4096 f32", 88.4, "tadd f32", calibrated=True)
    for where, cycles in CONFLICTS.items():
        yield operation("4.3", "a2a3", f"add of 4096 f32, {where}", cycles, f"tadd f32, {where}", calibrated=True)
    for name, published in (("tadd f32", 64), ("tadd f16", 128), ("tmuls f32", 64), ("trelu f16", 128), ("texp f32", 32), ("texp f16", 32),
                            ("tlog f32", 32), ("tsqrt f16", 32), ("tdiv f32", 32), ("trsqrt f32", 64), ("trecip f32", 64),
                            ("tcvt f32 to f16", 64)):
        yield row("4.3", "a2a3", f"{name}, rate", published, lambda bench, name=name: elements(bench, name), name not in RATE_NOTES,
                  None if name in RATE_NOTES else BOUND, RATE_NOTES.get(name, ""), "elements/cycle")
    for name, slope, overhead, calibrated, note in FITS_A2:
        where = ", two sources in one group" if name in CONFLICTING else ""
        yield operation("4.1", "a2a3", f"{name}, 64 repeats", 64 * slope + overhead, f"{name} f32{where}", calibrated=calibrated,
                        bound=None if note else BOUND, note=note)
    for name, columns, slope, overhead, calibrated, note in FITS_OF_ROWS:
        rows = KERNELS["ascend_micro_vector"].rows_of(name, columns)
        yield operation("4.1", "a2a3", f"{name}, {rows} x {columns}", rows * columns * slope + overhead, f"{name} f32, {columns} columns",
                        calibrated=calibrated, bound=None if note else BOUND, note=note)
    for name, slope, overhead, calibrated, note in FITS_A5:
        what, n = (name, 8192) if name.endswith("f16") and " to " not in name else (name if " " in name else f"{name} f32", 4096)
        yield operation("4.1", "a5", f"{name}, 64 loops", 64 * slope + overhead, what, n, calibrated=calibrated,
                        bound=None if note else BOUND, note=note)


def operations():
    """Single operations on rows."""
    for operation in OPERATIONS:
        preset, cycles, name = operation[0], operation[-1], operation_name(operation)

        def measure(bench, preset=preset, name=name):
            kernel = "ascend_micro_operations"
            run = bench.ascend(f"validation/{kernel}.pto", preset=preset, WHAT=KERNELS[kernel].what(name), COUNT=COUNT)
            return 1000 * GHZ[preset] * run.busy("aiv_vec") / COUNT

        yield row("4.1", preset, name, cycles, measure, calibrated=(preset, operation[1]) in CALIBRATING)


# Operations that set a value of the preset.
CALIBRATING = {("a2a3", name) for name in ("tabs", "texp", "trowsum", "tcolsum", "tcolmax", "trowexpand", "ttrans", "tsel", "tmov",
                                           "tdivs")} | {("a5", name) for name in ("tadd", "tmins", "trsqrt")}
RATE_NOTES = {
    "texp f16": "single operations take 2 cycles a repeat (4.1), half of what the table of rates says",
    "trsqrt f32": "the preset has the 1.07 cycles of the fit of 4.1",
    "trecip f32": "as for trsqrt",
    "tcvt f32 to f16": "the preset has twice that: 2 cycles a repeat, from the other cost model (4.1)",
}
CONFLICTING = ("tadd", "tmul", "tmax", "tdiv")  # operations whose fit has the slope of a conflict (8.10)
FITTED = "the fit has 0.1 to 0.3 cycles a repeat more than the conflict explains"
FITS_A2 = [  # cycles a repeat, and an instruction
    ("tadd", 2.11, 24, False, FITTED), ("tmul", 2.3, 25, False, FITTED), ("tmax", 2.01, 23, False, ""),
    ("tdiv", 4.03, 31, False, ""), ("texp", 2.00, 31, True, ""), ("tlog", 2, 33, False, ""), ("tmaxs", 1, 23, False, ""),
    ("trelu", 1, 23, False, ""), ("tmuls", 1, 26, False, ""), ("trsqrt", 1.07, 24, True, ""),
    ("tlrelu", 1.03, 26, False, "the class has 1 and 24"),
]
FITS_OF_ROWS = [  # columns, cycles an element, and an instruction
    ("trowsum", 64, 0.1094, 44, True, ""), ("trowsum", 128, 0.0625, 61.5, True, ""), ("trowmax", 64, 0.1094, 32, False, ""),
    ("trowmax", 128, 0.0625, 48, False, ""), ("tcolsum", 64, 0.3047, 15, True, ""), ("tcolsum", 128, 0.1728, 8, True, ""),
    ("trowexpand", 128, 0.1176, 34.5, True, ""), ("trowexpand", 64, 0, 933, True, ""),
]
FITS_A5 = [
    ("tadd", 1.247, 55.07, True, ""), ("tmul", 1.194, 56.29, False, ""), ("texp", 1.967, 62.66, True, ""),
    ("texp f16", 3.762, 65.93, True, ""), ("tdivs", 1.908, 64.5, False, ""), ("tsqrt", 1.967, 63.66, False, ""),
    ("trsqrt", 4.03, 75.6, True, ""), ("tmins", 1.059, 53.1, True, ""), ("tneg", 1.059, 55.1, True, ""),
    ("tcvt f32 to f16", 1.32, 52.3, True, ""),
]

# --- Vector add, 8192 x 8192 f16 ---

ADDED = 8192 * 8192  # elements


def add(bench, preset, pipe, n, clusters, part=1):
    """Microseconds of the pipe for the whole matrix, scaled from a part of it. With one cluster a lone AIV adds an eighth."""
    tiles = ADDED // n // (2 * clusters) // part if clusters > 1 else ADDED // n // 8
    sets = [f"launch.clusters={clusters}", f"launch.ratio={'1:2' if clusters > 1 else '1:1'}"]
    run = bench.ascend("validation/ascend_micro_add.pto", sets, preset=preset, N=n, TILES=tiles)
    return run.busy(f"aiv_{pipe}") * ADDED / (n * tiles * (2 * clusters if clusters > 1 else 1))


def together(bench, preset, clusters, past_l2):
    """TB/s of both inputs and the result of an addition of 134 MB, in tiles of 32 KB with two buffers."""
    sets = [f"launch.clusters={clusters}"] + (["gm.l2_bytes=0"] if past_l2 else [])
    size, tiles = 32768, 2 * ADDED // 32768 // (4 * clusters) * 2
    run = bench.ascend("ascend/vector_add.pto", sets, preset=preset, TILES=tiles)
    return 3 * size * tiles * 2 * clusters / run.core / 1e6


def additions():
    def case(source, preset, name, published, pipe, n, clusters, **more):
        return row(source, preset, name, published, lambda bench: add(bench, preset, pipe, n, clusters), unit="us", **more)

    yield case("4.3", "a2a3", "vector add, 48 AIVs, vec", 6.954, "vec", 16256, 24)
    yield case("4.3", "a2a3", "vector add, 48 AIVs, vec with conflicts", 12.846, "vec", 16384, 24)
    yield case("4.3", "a2a3", "vector add, a lone AIV, vec with conflicts", 761.65, "vec", 4096, 1)
    yield case("4.3", "a5", "vector add, 64 AIVs, vec", 10.98, "vec", 21760, 32, bound=None,
               note="2.21 cycles per 256 B were published; the fits of 4.1, which the preset uses, give 1.6")
    yield row("4.4", "a2a3", "GM to UB, a lone AIV, 8 KB", 23.4,
              lambda bench: 4 * ADDED / (1000 * GHZ["a2a3"] * add(bench, "a2a3", "mte2", 4096, 1)), True, unit="B/cycle")
    yield row("4.4", "a2a3", "UB to GM, 48 AIVs, 32 KB", 57.35, lambda bench: add(bench, "a2a3", "mte3", 16384, 24, 4), True, unit="us")
    yield case("4.4", "a2a3", "UB to GM, 48 AIVs, 32 KB, all of it", 57.35, "mte3", 16384, 24, bound=None, quick=False,
               note="the matrices are three times as large as L2: what stores push out of it goes to GM behind them. The row above runs a quarter")
    for preset, clusters, published in (("a2a3", 24, 2.35), ("a5", 32, 2.26)):
        for past_l2 in (True, False):
            yield row("4.4", preset, "vector add, two buffers, reads and writes together" + ", reads past L2" * past_l2, published,
                      lambda bench, preset=preset, clusters=clusters, past_l2=past_l2: together(bench, preset, clusters, past_l2),
                      unit="TB/s", bound=None, quick=False,
                      note="" if past_l2 else "the published kernel reads past L2, so that only its writes stay there; gm.l2_bytes=0 has that "
                      "effect on this kernel")


# --- GM to UB and to L1 ---

SIDE = 12288  # rows and columns of the matrix, 302 MB


def copies(bench, preset, target, r, c, columns=SIDE, rows=SIDE, bands=1, first=0, slices=1, passes=1):
    clusters = 24 if preset == "a2a3" else 32
    cores = clusters * (2 if target == "ub" else 1)
    run = bench.ascend(f"validation/ascend_micro_copy_{target}.pto",
                       [f"launch.clusters={clusters}", f"launch.ratio={'1:2' if target == 'ub' else '1:0'}"], preset=preset,
                       COLUMNS=columns, ROWS=rows // cores, R=r, C=c, BANDS=cores if bands > 1 else 1, FIRST=first, SLICES=slices,
                       PASSES=passes)
    return run.busy("aiv_mte2" if target == "ub" else "aic_mte2")


SWEEP = [  # preset, target, rows and columns of a tile, columns of the matrix, microseconds
    ("a2a3", "ub", 64, 1024, SIDE, 202.7), ("a2a3", "ub", 64, 1024, SIDE - 1, 259.0),
    ("a5", "ub", 64, 1024, SIDE, 185.7),
    ("a2a3", "l1", 64, 64, SIDE, 283.5), ("a2a3", "l1", 64, 256, SIDE, 214.5), ("a2a3", "l1", 64, 256, SIDE - 1, 422.5),
    ("a5", "l1", 64, 64, SIDE, 241.6), ("a5", "l1", 64, 256, SIDE, 187.2), ("a5", "l1", 64, 256, SIDE - 1, 203.0),
]
NAMES = {"ub": "GM to UB", "l1": "GM to L1"}
REUSE = [  # microseconds: the whole matrix four times, its quarters four times each
    ("a2a3", "ub", 816.1, 354.6), ("a2a3", "l1", 872.2, 397.8), ("a5", "ub", 740.8, 354.2), ("a5", "l1", 732.1, 389.6),
]
HIT_RATES = {("a2a3", "ub"): 67, ("a2a3", "l1"): 111, ("a5", "ub"): 51, ("a5", "l1"): 85}
SLOW_L1 = "tiles of 64 x 2048 B; the rate of the preset comes from matrix products, with copies of 16 and 32 KB and a gap after each"
SAME = [("a2a3", "ub", 474.7, 307.4), ("a2a3", "l1", 240.2, 209.8), ("a5", "ub", 339.4, 333.1), ("a5", "l1", 366.2, 185.0)]


def hit_rate(bench, preset, target):
    """Bytes a cycle of a core for reads that hit L2: the quarters four times minus one pass."""
    tile = (64, 1024) if target == "ub" else (64, 256)
    hits = copies(bench, preset, target, 64, 1024, slices=4, passes=4) - copies(bench, preset, target, *tile)
    cores = (24 if preset == "a2a3" else 32) * (2 if target == "ub" else 1)
    return 3 * 2 * SIDE * SIDE / (1000 * GHZ[preset] * hits) / cores


def small_copies():
    for preset, cycles, rows in (("a2a3", 20.6, 16 * 48), ("a5", 39.4, 8 * 64)):
        count = rows * SIDE // 64 // (48 if preset == "a2a3" else 64)
        yield row("4.4", preset, "GM to UB, tile of 1 x 128 B", cycles,
                  lambda bench, preset=preset, rows=rows, count=count:
                  1000 * GHZ[preset] * copies(bench, preset, "ub", 1, 64, rows=rows) / count, True)
    for preset, cycles, cores in (("a2a3", 532, 48), ("a5", 590, 64)):
        yield row("4.4", preset, "GM to UB, tile of 64 x 128 B", cycles,
                  lambda bench, preset=preset, cores=cores:
                  1000 * GHZ[preset] * copies(bench, preset, "ub", 64, 64) * cores / (SIDE // 64) ** 2, True)


def large_copies():
    for preset, target, r, c, columns, us in SWEEP:
        name = f"{NAMES[target]}, tiles of {r} x {2 * c} B" + (", unaligned" if columns < SIDE else "")
        yield row("4.4", preset, name, us,
                  lambda bench, preset=preset, target=target, r=r, c=c, columns=columns:
                  copies(bench, preset, target, r, c, columns), True, unit="us")
    for preset, target, whole, quarters in REUSE:
        l1 = target == "l1"
        for name, us, slices in (("all of it four times", whole, 1), ("quarters four times", quarters, 4)):
            yield row("4.4", preset, f"{NAMES[target]}, {name}", us,
                      lambda bench, preset=preset, target=target, slices=slices:
                      copies(bench, preset, target, 64, 1024, slices=slices, passes=4), bound=None if l1 else BOUND,
                      note=SLOW_L1 if l1 and slices == 1 else "", unit="us")
        yield row("4.4", preset, f"{NAMES[target]}, what L2 has", HIT_RATES[preset, target],
                  lambda bench, preset=preset, target=target: hit_rate(bench, preset, target), True,
                  None if l1 else BOUND, unit="B/cycle")
    for preset, target, same, rotated in SAME:
        for name, us, first in (("in one order", same, 0), ("each from its own part on", rotated, 1)):
            size = (6144 if preset == "a2a3" else 8192, 64 if target == "ub" else 256)
            yield row("4.4", preset, f"{NAMES[target]}, all cores read all, {name}", us,
                      lambda bench, preset=preset, target=target, first=first, size=size:
                      copies(bench, preset, target, size[1], 64, 512, size[0], 2, first), bound=None,
                      note=SAME_ADDRESS if same == us else "", unit="us", quick=False)


SAME_ADDRESS = ("in the model, cores that read one address at the same time do not delay each other, and all but the first hit L2. The published times "
                "are 2.6 to 7.6 rows of 128 B a cycle of the whole chip, a tenth to a third of the 25 that L2 gives in rows of 2 KB: to model this, it "
                "would have to be known how L2 spreads addresses over its slices")


def lone_aic():
    for preset, sizes, cycles in (("a2a3", (64, 64, 64), 513.9), ("a2a3", (128, 256, 64), 1380.5), ("a5", (64, 64, 64), 755.8),
                                  ("a5", (256, 256, 64), 1344.4)):
        size = f"{sizes[0] // 8} + {sizes[1] // 8} KB in rows of 128 B"
        yield probe("4.4", preset, f"GM to L1, a lone AIC, {size}", cycles, "load a and b", sizes, pipe="mte2", calibrated=True)


FAMILY = Family("ascend_micro", "Micro-tables of AI cores", """
`examples/validation/ascend_micro_*.pto` measure one kind of instruction at a time, on 910B1 (A2/A3) and 950PR (A5). Cycles are the busy
cycles of the pipe for one instruction, microseconds the busy time of the pipe, averaged over the cores. Most of these numbers set a
value of the preset, so the table shows mainly that kernels are charged the costs of the preset. Predicted are the bursts of 8 MADs,
the fits of single vector operations, vector add, and the effect of L2 on a matrix that is read four times.

- **M**: 64 MADs; "serial" means with a barrier after each. A rate comes from the additional time of twice the K.
- **V**: 64 instructions. A rate comes from the additional time of 8192 elements over 4096. The fits of 4.1 come from a cost model that
  was calibrated on 910B3, and on A5. On A2/A3, tiles whose addresses a program gives conflict by their banks (1.3). In rows with a
  conflict the operands are placed as the row says. In the rows of the fits, operations with two sources have both of them in one
  group, which explains the slope of 2 and more.
- **Single operations** with rows and columns: operands begin 16 KB or a multiple of that apart, so two sources of A2/A3 conflict. The published
  cycles are those that tests of pto-isa expect, or the formulas of its table. They contradict the table of rates for `texp` f16.
- **Vector add** of 8192 x 8192 f16: tiles of 8 KB on a lone AIV, which adds an eighth of the matrix; tiles of 32 KB (32.5 without
  conflicts, 43.5 on A5) on all AIVs.
- **GM to UB and to L1**: a matrix of 12288 x 12288 f16, 302 MB, in bands of rows, one for each of 48 AIVs or 24 AICs (950PR: 64, 32).
  With the smallest tiles, 1 x 128 B, every core reads 16 rows (8 on 950PR). "Unaligned" means 12287 columns. "Four times" uses tiles of
  64 x 2048 B and reads all of the matrix, or each quarter of its columns, four times. "What L2 has" is the rate of a core for reads
  that hit L2: the time of the quarters minus that of one pass. "All cores read all" reads 6144 x 512 (8192 x 512 on 950PR).
- **A lone AIC** reads two blocks that hit L2, and waits for both.
""", [*mads(), *vector_rows(), *operations(), *additions(), *loads_and_tiles(), *small_copies(), *large_copies(), *lone_aic()], platform="ascend")
