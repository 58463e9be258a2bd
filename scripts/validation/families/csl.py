# SPDX-License-Identifier: Apache-2.0
"""The published loops on one PE, compiled from CSL (wse_timing.md A3, A4; wse_timing_2.md B1)."""
from validation.case import Case, Family, between, cycles, percent

ORDER = 74
LAYOUT = "validation/csl_loops.csl"
# The values of `Kernel` in csl_loops_pe.csl.
KERNELS = {name: number for number, name in enumerate((
    "nothing", "statements_i16", "statements_f16", "chain", "fill", "copy", "copy_f32", "axpy", "add", "multiply", "total", "dot",
    "scalar_dot", "local_dot", "gemv", "gemv_dsd", "stencil", "one_operation", "with_while", "with_map", "for_and_map", "matvec",
    "multiply_f32", "ten_calls", "scale_f32", "scale", "triad_f32", "add_twice"))}
PLAIN, VENDOR = "plain", "vendor"  # of --csl-code
DSD, SCALAR = percent(10), percent(25)  # bounds of loops that DSD operations or scalar instructions fill


def raw(bench, kernel, n, code, preset="wse3", gap=2):
    """Cycles between two calls of get_timestamp."""
    run = bench.run(LAYOUT, preset, ["stamps"], options=("--launch=run", f"--csl-code={code}"), kernel=KERNELS[kernel], n=n, gap=gap)
    return run.stamp("stamps", 1) - run.stamp("stamps", 0)


def time(bench, kernel, n, code=VENDOR, **more):
    """The same without what the calls take."""
    return raw(bench, kernel, n, code, **more) - raw(bench, "nothing", n, code, **more)


def slope(bench, kernel, n, code):
    """Cycles that an element adds."""
    return (time(bench, kernel, 2 * n, code) - time(bench, kernel, n, code)) / n


def both(source, name, published, measure, bound, unit="cycles", note="", bounded=(VENDOR,)):
    """A loop with variables that it changes, in both kinds of code."""
    return [Case(source, f"{name}, {code} code", published, lambda bench, code=code: measure(bench, code), unit=unit,
                 tolerance=bound if code in bounded else None, note=note) for code in (PLAIN, VENDOR)]


def vector(source, name, kernel, published, n, bound=DSD, note=""):
    return Case(source, name, published, lambda bench: time(bench, kernel, n), tolerance=bound, note=note)


def roofline(name, kernel, setup, per_element, n=1024):
    return vector("A3 roofline, S", f"{name}, {n} elements", kernel, setup + per_element * n, n)


def stamped(name, kernel, setup, per_element, n=1024):
    """The published set-up contains what get_timestamp stores."""
    return Case("A3 vector loops, S", f"{name}, {n} elements, counter stored", setup + per_element * n,
                lambda bench: raw(bench, kernel, n, VENDOR), tolerance=DSD)


def stream(name, kernel, setup, per_element):
    """One operation of STREAM on WSE-2, with both readings of the counter."""
    n = 128 if kernel.endswith("f32") else 256
    return Case("C11, S", f"STREAM, {name.format(n)}", setup + per_element * n, tolerance=DSD,
                measure=lambda bench: raw(bench, kernel, n, VENDOR, preset="wse2", gap=1 if kernel.endswith("f32") else 2))


CASES = [
    Case("6.5, S", "c[i] = a[i] + b[i], i16", 4, lambda bench: time(bench, "statements_i16", 1) / 8, tolerance=SCALAR),
    Case("6.5, S", "w[i] = p[i] * q[i] + r[i], f16", 6, lambda bench: time(bench, "statements_f16", 1) / 8, tolerance=SCALAR,
         note="as in [branches and dependences](probes.md), the store waits for the sum"),
    *[Case("6.5, derived", f"@faddh of {n} elements, to the next load of a DSR", published, tolerance=cycles(1),
           measure=lambda bench, n=n: time(bench, "add_twice", n) - time(bench, "add", n), note="what a second operation adds to a first")
      for n, published in ((8, 14), (16, 16), (64, 28))],
    roofline("@fmovh of a number", "fill", 8, 1 / 7.93), roofline("@fmovh", "copy", 8, 1 / 7.85),
    stamped("@fmovh", "copy", 15, 1 / 8), stamped("@fmovs", "copy_f32", 15, 1 / 4), stamped("@fmach", "one_operation", 16, 1 / 4),
    roofline("@fmach", "axpy", 13, 1 / 3.94), roofline("@faddh", "add", 9, 1 / 3.96), roofline("@fmulh", "multiply", 9, 1 / 3.96),
    roofline("@faddh into a variable", "total", 8, 2), roofline("@fmulh, then @faddh into a variable", "dot", 20, 2.25),
    Case("A3 roofline, S", "five-point stencil, 256 columns", 8 * 256 / 0.93, lambda bench: time(bench, "stencil", 256), tolerance=DSD),
    vector("A3 four ways, S", "4096 multiply-adds, one operation", "one_operation", 1040, 4096),
    *both("A3 four ways, S", "4096 multiply-adds, while", 4617, lambda bench, code: time(bench, "with_while", 4096, code), DSD),
    vector("A3 four ways, S", "4096 multiply-adds, @map", "with_map", 2840, 4096),
    *both("A3 four ways, S", "4096 multiply-adds, for and @map", 3032, lambda bench, code: time(bench, "for_and_map", 4096, code), DSD),
    vector("B1, S", "matrix times vector, 25 columns of 28, @map", "matvec", 780, 25),
    *both("A3 roofline, S", "GEMV of 64 rows, with a DSD that moves on", 0.52, unit="cycles/element", bound=None,
          measure=lambda bench, code: slope(bench, "gemv_dsd", 64, code) / 64,
          note="the source does not say how the published program is written"),
    Case("A3 roofline, S", "GEMV of 64 rows, with a DSR that moves on", 0.52, lambda bench: slope(bench, "gemv", 64, VENDOR) / 64,
         unit="cycles/element", note="the source does not say how the published program is written"),
    Case("A3 roofline, S", "dot product in scalar code, global variables", 22, tolerance=SCALAR, unit="cycles/element",
         measure=lambda bench: slope(bench, "scalar_dot", 128, VENDOR), note="22 to 25 were published"),
    *both("A3 roofline, S", "dot product in scalar code", 22, lambda bench, code: slope(bench, "local_dot", 128, code),
          SCALAR, unit="cycles/element", note="22 to 25 were published"),
    Case("A3 roofline, S", "dot product in scalar code, global variables, one element", 19, lambda bench: time(bench, "scalar_dot", 1),
         tolerance=percent(30), note="a loop of one step, whose jump is not taken; the 5 cycles are in front of and after the loop"),
    *both("A3, S", "back edge of a loop of 16 dependent floats", 9.5, bound=between(9, 10),
          measure=lambda bench, code: slope(bench, "chain", 32, code) - 31, note="9 to 10 were published; the floats take 31"),
    Case("A3, S", "a task of ten calls that print", 182, lambda bench: time(bench, "ten_calls", 1), tolerance=SCALAR),
    *[stream(*row) for row in (
        ("copy of {} f32", "copy_f32", 10, 1 / 2), ("copy of {} f16", "copy", 10, 1 / 4), ("scale of {} f32", "scale_f32", 11, 1),
        ("scale of {} f16", "scale", 11, 1 / 4), ("add of {} f16", "add", 12, 1 / 4), ("triad of {} f32", "triad_f32", 12, 1),
        ("triad of {} f16", "one_operation", 13, 1 / 4))],
    *[Case("A4, S", f"@fmuls of {n} elements, {what}", published, tolerance=DSD,
           measure=lambda bench, n=n, gap=gap: raw(bench, "multiply_f32", n, VENDOR, preset="wse2", gap=gap))
      for n, what, gap, published in ((5124, "in one bank", 0, 10254), (5124, "one f32 apart", 1, 5130),
                                      (1028, "in one bank", 0, 2062), (1028, "one f32 apart", 1, 1034))],
]
FAMILY = Family("csl", "Loops on one PE, from CSL", """`examples/validation/csl_loops.csl` has the published loops on one PE as CSL. Each is compiled and runs between two calls of
`get_timestamp` of `<time>`; what these calls take without a loop is subtracted, except where the published number contains it
("counter stored"). So the numbers show the code generator and the model together, while [loops on one PE](loops.md) shows the model
with code written by hand. No number here set a value of a preset.

```
wse_platform examples/validation/csl_loops.csl --params kernel:12,n:64,gap:2 --launch run --output stamps=stamps.npy --print-program
```

`kernel` is the number of a loop in `csl_loops_pe.csl`, `n` the number of elements, `gap` the elements between two arrays, which
decides about bank conflicts. `--print-program` shows the code.

Loops that DSD operations fill may be off by 10 %, those that scalar instructions fill by 25 %. Where a loop changes local variables,
both settings of `--csl-code` are shown: `vendor`, the default, is code as the vendor's compiler emits it
([wse_timing_3.md C3](../reference/wse_timing_3.md)), `plain` is code for reading, with variables that a loop changes in memory. Only the
first has bounds.

## What the published loops say about the compiler of the vendor

- **Locals.** A tile of the `while` loop takes 18 cycles, which is a multiply-add that gives its issue slot back after 8, and 10 for an
  increment, a comparison and a jump back: the counter is in a register. The back edge of 9 to 10 cycles says the same. An element of the
  scalar dot product takes 22 to 25 cycles. Code with sum and index in registers has 20 or 21.
- **Inlining.** None of the published loops has room for a call (12 cycles), although `@map` calls a function. A task of ten
  prints has room for calls: they are `noinline` in our `<simprint>`.
- **`@map`** is a loop here, with a branch of 3 cycles that ends it. The published matrix times vector takes 2 cycles in each of its 25
  steps beside the multiply-add, as if the loop were unrolled; ours takes 5. The public program also copies two descriptors
  into local variables before the loop. They take 16 cycles here, and the whole program 867:
  its descriptors are variables, which keeps the loop.
- **GEMV.** The published 0.52 cycles for a multiply-add lie between a DSD that is loaded in each iteration and a DSR that moves on by itself.

## Numbers
""", CASES, platform="csl")
