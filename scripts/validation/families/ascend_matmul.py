# SPDX-License-Identifier: Apache-2.0
"""Matrix products of f16 on 24 AICs of A2/A3 (ascend.md 5.1, 5.2)."""
from validation.case import Case, Family, percent

ORDER = 200
TIME, BUSY = percent(8), percent(10)

# Case: kernel, cycles in which the scalar unit issues an instruction, published microseconds.
STAGED = {
    "case 0": ("small", 26, dict(task=759364, core=759363, mac=141699, scalar=508788, mte1=162104, mte2=582516, fixpipe=34303)),
    "case 1": ("serial", 26, dict(task=249467, core=249467, mac=81477, scalar=63609, mte1=52004, mte2=195613, fixpipe=11314)),
    "case 2": ("serial", 29, dict(task=12541, core=12538, mac=3463, scalar=2987, mte1=2261, mte2=10178, fixpipe=875)),
    "case 3": ("serial", 26, dict(task=12284, core=10871, mac=3395, scalar=2656, mte1=2167, mte2=8617, fixpipe=489)),
    "case 4": ("2", 29, dict(task=5040, core=4488, mac=3116, scalar=2074, mte1=2333, mte2=4051, fixpipe=44.7)),
    "case 5": ("8_4", 28, dict(task=4157, core=3926, mac=3352, scalar=1464, mte1=2750, mte2=3779, fixpipe=47.9)),
    "case 6": ("8_4", 33, dict(task=4088, core=3786, mac=3254, scalar=1753, mte1=2681, mte2=3625, fixpipe=47.4)),
    "case 7": ("8_4", 18, dict(task=4053, core=3665, mac=3164, scalar=969, mte1=2610, mte2=3514, fixpipe=45.8)),
    "case 8": ("unit", 19, dict(task=4012, core=3559, mac=3076, scalar=1026, mte1=2534, mte2=3436, fixpipe=272.6)),
    "basic API": ("unit", 6, dict(task=4121.2, core=3670.7, mac=3081.7, scalar=337.3, mte1=2538.3, mte2=3552.2, fixpipe=160.4)),
}
GRIDS = {"case 0": (1, 1), "case 1": (1, 1), "case 2": (2, 12)}
# Numbers that set a parameter: l1.read_percent, l1.write_percent, and gm.aic.read.gap, which is core minus mte2.
CALIBRATED = {("case 7", "mte1"), ("case 7", "mte2"), ("case 7", "core"), ("case 4", "core"), ("case 4", "mte2"), ("case 8", "fixpipe")}
NOTES = {
    ("case 0", "core"): "one core; A and B do not fit into L2 together, and the order of the reads is not known",
    ("case 2", "core"): "the published run has 683 columns a core, unaligned; here a core has whole tiles: ten cores have three columns "
                        "of tiles, one has two",
    ("case 3", "fixpipe"): "10 times that of the following cases; nothing in the model explains it",
    ("case 5", "core"): "0.944 of its task; 20 cores with 12288 MADs and 4 cores with 4096 give 0.889, as in all other cases",
    ("case 8", "fixpipe"): "includes waiting for the unit flag",
    ("basic API", "fixpipe"): "includes waiting for the unit flag; one more MAD would add 24 us",
}
# Rates of MTE2. They relate to the 152 B a cycle of the preset as 118 and 140 GiB/s relate to 147.
A3_RATES = {1536: 122, 3072: 145}
# Rounds of three cycles in which the API of a case computes between the last MAD of a tile and FIX.
TAIL = {"case 8": 200, "basic API": 0}
# In the basic API a load of B is four instructions: 6.4 entries for each step of K, where the kernel here has 3.4.
QUEUES = {"basic API": 17}


def staged(bench, name):
    kernel, issue, _ = STAGED[name]
    rows, columns = GRIDS.get(name, (4, 6))
    sets = [f"launch.clusters={rows * columns}", f"scalar.issue_cycles={issue}"]
    if name in QUEUES:
        sets.append(f"queue.mte1={QUEUES[name]}")
    more = {"TAIL": TAIL[name]} if name in TAIL else {}
    return bench.ascend(f"validation/ascend_gemm_{kernel}.pto", sets, M=8192, N=8192, K=8192, GM=rows, GN=columns, **more)


def of(run, what):
    return {"task": run.task, "core": run.core}.get(what) or run.busy(f"aic_{what}")


def tolerance(name, what):
    if name in ("case 0", "case 1", "case 2", "case 3") or what == "scalar":
        return None
    if (name, what) == ("basic API", "fixpipe"):
        return None
    return TIME if what in ("task", "core") else BUSY


def staged_cases():
    for name, (_, _, published) in STAGED.items():
        for what, value in published.items():
            yield Case(f"5.2, {name}", f"matmul 8192, {name}, {what}", value,
                       lambda bench, name=name, what=what: of(staged(bench, name), what), unit="us",
                       calibrated=(name, what) in CALIBRATED or what == "scalar", tolerance=tolerance(name, what),
                       note=NOTES.get((name, what), ""), quick=False)


# Size: milliseconds, and the share of mac, mte1, mte2 and fixpipe in percent.
A3 = {1536: (0.0388, 54.5, 42.2, 72.2, 7.7), 3072: (0.2067, 79.0, 62.0, 90.9, 5.8), 6144: (1.5060, 86.7, 68.1, 95.2, 3.1)}


def a3(bench, size, rate=None):
    sets = ["launch.clusters=24"] + ([f"gm.aic.read.rate={rate}"] if rate else [])
    return bench.ascend("ascend/gemm.pto", sets, M=size, N=size, K=size, GM=4, GN=6)


def a3_of(size, rate=None):
    milliseconds, *shares = A3[size]
    name = f"GEMM {size}, own rate" if rate else f"GEMM {size}"
    is_warm = size == 6144  # needs more than L2 holds
    yield Case("5.1", f"{name}, time", 1000 * milliseconds, lambda bench: a3(bench, size, rate).task, unit="us",
               tolerance=percent(9) if is_warm else TIME, quick=size < 6144)
    for pipe, share in zip(("mac", "mte1", "mte2", "fixpipe"), shares):
        cold = (size, pipe, rate) == (1536, "mte2", None)
        bound = percent(25) if is_warm and pipe == "fixpipe" else None if cold else BUSY
        yield Case("5.1", f"{name}, {pipe}", 10 * milliseconds * share,
                   lambda bench, pipe=pipe: a3(bench, size, rate).busy(f"aic_{pipe}"), unit="us",
                   tolerance=bound, quick=size < 6144, calibrated=rate is not None and pipe == "mte2",
                   note="with the rate of 6144; most of these reads miss L2, because no core has read the data before" if cold else "")


def a3_cases():
    for size in A3:
        yield from a3_of(size)
    for size, rate in A3_RATES.items():
        yield from a3_of(size, rate)


FAMILY = Family("ascend_matmul", "Matrix products on AICs of A2/A3", """
`examples/validation/ascend_gemm_*.pto` are the steps in which a matrix product of 8192 x 8192 x 8192 was tuned on 910B1 (ascend.md 5.2).
`examples/ascend/gemm.pto` is the GEMM of A3 (5.1) with the schedule of 3.2. All run on 24 AICs; the times are averages of a core as the
vendor's profiler gives them. One input of each case is the time in which the scalar unit issues an instruction (`scalar.issue_cycles`),
from the published scalar time of the case. The share of A and B that the cores find in L2 is not an input; it follows from the
previous reads.

Three values of the preset come from these numbers. `l1.read_percent` and `l1.write_percent` say how MTE1 and MTE2 slow each other down
at the port of L1; they come from mte1 and mte2 of case 7. `gm.aic.read.gap` is the idle time of MTE2 after a copy; it comes from core
minus mte2 of cases 4 and 7. In the reference the rate from GM to L1 is an input for each case and each size (5.8). The preset has one
rate for all, so one row cannot meet a bound and has none, mte2 of GEMM 1536. Rows with "own rate" are runs with another rate: 122 and
145 B a cycle in the GEMMs of 1536 and 3072, which relate to 152 as their published 118 and 140 GiB/s relate to the 147 of 6144.

The GEMM of 6144 needs more than L2 holds, so with `gm.l2_warm` it also writes back what the launch before it has left. Its time is +8.4 %
off so and +7.5 % without, and that of FIX +20.8 % and +4.8 %; their bounds are 9 and 25 % in place of 8 and 10 %. The published stream
of reads and writes needs these lines (1.53 TB/s; 1.81 without them), and this FIX does not: which of them waits for GM on the device is open.

Under the unit flag FIX is busy from the moment at which the scalar unit issues its instruction. Its time therefore shows how far the
scalar unit runs ahead of M, which depends on the depth of the queue of MTE1. `queue.sets_take_room` comes from case 8: FIX is busy for
308 us there, and would be for 214 us if sets took an entry of the queue. If the API of this case computes for 600 cycles between the
last MAD of a tile and FIX, the 308 us become 281 us. These cycles and the rule also hold [on A5](ascend_matmul_a5.md), where they were
not set. The basic API loads B with four instructions a step, which fill the queue earlier: `queue.mte1=17` corresponds to 32 of its
entries in loads of the kernel here. B is stored in GM with K contiguous; the resulting rows of 128 B are the reason why cases 3 and 4
are slow. The percentages of 5.1 are shares of the time of the task; the table shows times for both. In the model cases 5 to 7 differ
in their scalar times only: with LRU replacement, splitting M into two rounds does not increase the hits in L2.
""", [*staged_cases(), *a3_cases()], platform="ascend")
