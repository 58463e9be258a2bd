# SPDX-License-Identifier: Apache-2.0
"""Matrix products of f16 on 32 AICs of A5 (ascend.md 5.2, the other chip of the same examples)."""
from validation.case import Case, Family, percent

ORDER = 205
TIME, BUSY = percent(8), percent(10)

# Case: kernel, cycles in which the scalar unit issues an instruction, rounds of TAIL, published microseconds.
STAGED = {
    "case 4": ("a5_2", 44, None, dict(task=2668.2, core=2667.5, mac=2571.1, scalar=1377.7, mte1=799.4, mte2=2531.9, fixpipe=33.86)),
    "case 5": ("a5_4", 25, None, dict(task=2591.4, core=2590.5, mac=2547.0, scalar=613.0, mte1=834.3, mte2=1926.4, fixpipe=35.44)),
    "case 6": ("a5_4", 31, None, dict(task=2589.9, core=2589.2, mac=2547.5, scalar=765.1, mte1=826.4, mte2=1879.0, fixpipe=33.26)),
    "case 7": ("a5_4", 17, None, dict(task=2589.1, core=2588.4, mac=2547.0, scalar=426.4, mte1=827.9, mte2=1895.2, fixpipe=33.65)),
    "case 8": ("a5_unit", 17, 200, dict(task=2558.2, core=2557.5, mac=2549.7, scalar=412.3, mte1=835.6, mte2=1900.3, fixpipe=213.8)),
    "basic API": ("a5_unit", 6, 0, dict(task=2572.0, core=2571.4, mac=2564.8, scalar=144.6, mte1=828.0, mte2=1874.3, fixpipe=222.0)),
}


def run(bench, name):
    kernel, issue, tail, _ = STAGED[name]
    more = {} if tail is None else {"TAIL": tail}
    return bench.ascend(f"validation/ascend_gemm_{kernel}.pto", ["launch.clusters=32", f"scalar.issue_cycles={issue}"], preset="a5",
                        M=8192, N=8192, K=8192, GM=4, GN=8, **more)


def of(run_, what):
    return {"task": run_.task, "core": run_.core}.get(what) or run_.busy(f"aic_{what}")


def tolerance(what):
    if what in ("task", "core"):
        return TIME
    return BUSY if what in ("mac", "fixpipe") else None


def cases():
    for name, (_, _, _, published) in STAGED.items():
        for what, value in published.items():
            yield Case(f"5.2, A5, {name}", f"matmul 8192 on A5, {name}, {what}", value,
                       lambda bench, name=name, what=what: of(run(bench, name), what), unit="us", calibrated=what == "scalar",
                       tolerance=tolerance(what), quick=False)


FAMILY = Family("ascend_matmul_a5", "Matrix products on AICs of A5", """
These are cases 4 to 8 and the basic API of [the matrix products on A2/A3](ascend_matmul.md), on 950PR. The published numbers come from
the same public examples (asc-devkit, `matmul_high_performance` and `matmul_basic_api_high_performance`): tiles of 256 x 256, 32 AICs in
four rows of eight. The numbers calibrated nothing except the time of the scalar unit, which is an input of each case. M limits these
kernels. The time of FIX under the unit flag follows from the depth of the queue of MTE1, 32, which is not published for A5, and from
`queue.sets_take_room`: if sets took an entry of the queue it would be 174 us, not 233 us, in the basic API. On A5 a load of B is one
instruction in both APIs.

MTE2 is slower in the model than in the published runs: after a copy that hits L2, the next one begins when the latency of a lone AIC,
560 cycles, is over. MTE1 is faster in the model, because `l1.read_percent` was set by loads without concurrent copies.
""", list(cases()), platform="ascend")
