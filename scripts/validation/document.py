# SPDX-License-Identifier: Apache-2.0
"""The tables: on the terminal, as docs/validation.md with a row for each family, and as a page for each family in docs/validation/."""
import datetime
import hashlib
import math
import statistics
import subprocess

from files import write_text
from validation import totals
from validation.bench import ROOT

HEAD = ["source", "case", "unit", "published", "model", "error", "may be off", "role"]
RIGHT = (3, 4, 5, 8)  # columns of numbers
BESIDE = "simulator's preset"  # one column more where numbers of silicon are shown with both presets


def number(value):
    if value is None:
        return "failed"
    value = round(value, 3)
    if float(value) == int(value):
        return str(int(value))
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


def error(result):
    if not math.isfinite(result.error_percent):
        return ""
    return f"{round(result.error_percent, 2) + 0.0:+.2f} %"


def cells(result):
    case = result.case
    return [case.source, case.name, case.unit, number(case.published), number(result.ours), error(result),
            (case.tolerance.text if case.tolerance else "") + ("" if result.holds else " **missed**"), case.role]


def table(results):
    rows = [HEAD, *[cells(result) for result in results]]
    if any(result.case.beside for result in results):
        rows = [[*row, BESIDE if row is HEAD else ""] for row in rows]
        for row, result in zip(rows[1:], results):
            row[-1] = number(result.simulator) if result.case.beside else ""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["| " + " | ".join(cell.rjust(w) if i in RIGHT else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths)))
             + " |" for row in rows]
    rule = "| " + " | ".join("-" * (w - 1) + ":" if i in RIGHT else "-" * w for i, w in enumerate(widths)) + " |"
    return "\n".join([lines[0], rule, *lines[1:]])


def of_family(family, results):
    return [result for result in results if result.family == family.name]


def measured(results):
    """The results whose run did not fail."""
    return [result for result in results if result.ours is not None]


def median(results):
    return statistics.median(abs(result.error_percent) for result in results)


def grouped(family, results):
    """(name, results) of each group of a family, in order."""
    groups = {}
    for result in measured(of_family(family, results)) if family.group else []:
        groups.setdefault(family.group(result.case), []).append(result)
    return list(groups.items())


def scattered(family, results):
    """A line for each family or group whose median is above its bound."""
    parts = [(family.name, family.median, measured(of_family(family, results)))]
    parts += [(f"{family.name}: {name}", family.group_median, found) for name, found in grouped(family, results)]
    return [f"{name}: the median of the errors is {median(found):.2f} %, may be {bound} %"
            for name, bound, found in parts if bound is not None and found and median(found) > bound]


def worst(results):
    return max(results, key=lambda result: abs(result.error_percent))


def spread(family, results):
    """For families with a bound of the median: a sentence, and a table of the groups."""
    mine = measured(of_family(family, results))
    if family.median is None or not mine:
        return ""
    lines = [f"The median error of all {len(mine)} cells is {median(mine):.2f} %, with a bound of {family.median} %; the worst error is "
             f"{error(worst(mine))} ({worst(mine).case.name})."]
    if family.group:
        lines[0] += f" The bound for the median of each group is {family.group_median} %:"
        lines += ["", "| | cells | median error | worst | at |", "| --- | ---: | ---: | ---: | --- |"]
        for name, found in grouped(family, results):
            at = worst(found).case.name.removeprefix(f"{name}, ")
            lines.append(f"| {name} | {len(found)} | {median(found):.2f} % | {error(worst(found))} | {at} |")
    return "\n".join(lines)


def count(results):
    held = [result for result in results if result.case.tolerance]
    good = sum(result.holds for result in held)
    return f"{len(results)} numbers, {len(held)} of them with a bound, {good} within it"


def summary(families, results):
    parts = [f"{family.title}\n{table(of_family(family, results))}\n{spread(family, results)}\n"
             for family in families if of_family(family, results)]
    return "\n".join([*parts, count(results)])


def preset_versions(machine="wse"):
    """The first digits of the SHA-256 of each preset, which identify the measured one."""
    folder = ROOT / "platforms" / machine / "presets"
    return {path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in sorted(folder.glob("*.json"))}


def notes(results):
    lines = []
    for result in results:
        if result.case.note:
            lines.append(f"- {result.case.name}: {result.case.note}")
    return "\n".join(lines)


def version_of(platform):
    return subprocess.run([platform, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]


def family_page(family, bench, folder, results):
    mine = of_family(family, results)
    parts = [f"# {family.title}", GENERATED.strip(), family.text.strip(), *filter(None, [spread(family, results)]), table(mine), notes(mine)]
    for chart in family.charts(bench) if family.charts else []:
        write_text(folder / f"{chart.name}.svg", chart.svg())
        parts.append(f"![{chart.title}]({chart.name}.svg)")
    write_text(folder / f"{family.name}.md", "\n\n".join(filter(None, parts)) + "\n")


def write(bench, families, results):
    folder = ROOT / "docs" / "validation"
    folder.mkdir(exist_ok=True)
    versions = {**preset_versions(), **preset_versions("ascend")}
    presets = ", ".join(f"`{name}` {digits}" for name, digits in versions.items())
    introduction = INTRODUCTION.strip().format(version=version_of(bench.platform), presets=presets, date=datetime.date.today().isoformat(),
                                               count=count(results))
    write_text(ROOT / "docs" / "validation.md", introduction + "\n\n" + NOT_REACHED.strip() + "\n")
    for family in families:
        family_page(family, bench, folder, results)
    totals.write()  # from the tables of these pages


GENERATED = """
Written by `scripts/validate.sh --docs`; [How right the cycles are](../validation.md) explains the columns.
"""

INTRODUCTION = """
# How right the cycles are

This page compares the models with published measurements of WSE-2, WSE-3 and the AI-core clusters of A2/A3 and A5. It opens with *all*
numbers that were published and that the models have, also those that they miss. [What you may claim](claims.md) says what error to expect of a
study, and how to word it.

<!-- totals: python3 -m validation.totals -->
<!-- end of totals -->

- **predicted**: the number set nothing in the models. **calibrated**: it set a value of a preset, so that the model meets it says little.
- **with a bound**: a test fails if the model is further off. Numbers without a bound contradict other numbers, or their program is not known;
  they are counted above all the same.
- The simulator and silicon are apart, because they may differ by a factor of 1.7 where memory decides. `wse2` and `wse3` follow the simulator;
  numbers measured on silicon are compared with `wse2_silicon` and `wse3_silicon`, and show what the preset of the simulator gives beside it.

<!-- presets: python3 -m validation.totals -->
<!-- end of presets -->

[Configuration](configuration.md#where-values-come-from) says how to see the source of each value, and [what the
assumed values do](sensitivity.md) how much they matter.

## By workload

<!-- families: python3 -m validation.totals -->
<!-- end of families -->

Each workload has a page with its program, its table and its pictures. Errors are those of all its numbers, calibrated ones too.

Every number of the model comes from a run of `wse_platform` or `ascend_platform`. One command runs all of them and writes the tables and the
totals of this page:

```
scripts/validate.sh --docs
```

Measured on {date} with {version} and the presets {presets} (the first digits of the SHA-256 of `platforms/*/presets/*.json`).
{count}.

## How to read the tables

- Calibrated and predicted are roles of a number. The *kind* of a value in a [preset](configuration.md#where-values-come-from), `published`,
  `calibrated` or `assumed`, says where that value comes from. A value that a source states has the kind `published`, and the number that
  states it has the role `calibrated` here, because the model was given the answer. A value of the kind `calibrated` was fitted until the
  model met a number, and that number has the role `calibrated` here too. No `predicted` number belongs to a value of any kind.
- **may be off** is the bound that the tests hold: `scripts/validate.sh` exits with 1 if a number misses its bound. A number has no bound if it
  contradicts other numbers, or if the published program is not known. Such numbers are shown without a claim.
- **source**: A1 to A10 are sections of [Published cycle counts](reference/wse_timing.md), B1 to B4 of [Cycle counts of whole
  programs](reference/wse_timing_2.md), C1 to C12 of [Code of the vendor's compiler](reference/wse_timing_3.md), numbers such as 6.5 are sections of
  [the wafer-scale engines](reference/wse.md), and in the tables of AI cores sections of [the AI cores](reference/ascend.md). S stands for the
  vendor's simulator, H for silicon, M for a published model. "Derived" means our arithmetic on published numbers; a note gives it. All numbers
  of AI cores were measured on silicon.
- **Readings of the counter**: programs written by hand run with `pe.timestamp_cycles=1`, because published times come from traces and
  formulas, or their authors have subtracted the readings. Programs compiled from CSL have the value of the preset.

"""

NOT_REACHED = """
## Published numbers that are not in the tables

- **A stall above 14 wavelets** of a program that returns what the host sends (reference wse.md 1.11): this is the sum of the buffers of
  a path, some of which are not published, for example those of the memcpy tiles at the edge. The reference inferred
  `fabric.buffer_depth` from it; no run did.
- **Silicon**: 20 cycles a turn, and 2.9 to 3.3 cycles a hop to the west beyond 32 hops. No mechanism is known for either, and no preset has
  them. Rates of the host's path: [Configuration](configuration.md#presets-of-silicon).
- **Two flows on one link**: the simulator serializes them completely, silicon to 1.3 % (A3). A link of the model carries one wavelet a
  cycle, so it serializes them too; the tables have no row for this.
- **An asynchronous DSD operation takes one issue slot** (6.5, A3). It does so in the model; the tables have no row for this.
- **Completion of an operation** of 8, 16 and 64 elements, 4, 6 and 18 cycles after its dispatch (6.5, A3). The
  [loops](validation/loops.md) compare the dispatch of the next instruction instead, 8, 10 and 22, to which the model is fitted. The 11,
  13 and 25 cycles from the first load to the last execution have no row, because the model has no stages between issue and execution.
- **A scalar statement**: 7 cycles from the first dispatch to the last execution, 9 for a multiply-add (6.5). The
  [probes](validation/probes.md) compare its 4 and 6 issue slots; the model does not have the 3 cycles from decode to execution.
- **A wavelet that three PEs in a row consume** arrives 2 cycles later at each on WSE-3 (topic-13, 1.11). These are the 2 cycles of a hop,
  which [words over a path](validation/path.md) compares.
- **Other loop forms of A4**: 5158 and 5159 cycles for 5124 elements, n + 34, and 2597. The source does not say which forms these are.
- **bf16, and elementwise products of i16** on one PE: 3.94 to 3.96 elements a cycle (A3), the same as f16, which has rows. The tile ISA
  has no DSD operation for a product of i16 (6.7 names none).
- **A2 at P = 14**: 123, 123, 124 and 118 cycles, without the parameters of the runs.
- **Two dimensions** (A1): reductions first along X and then along Y, and along a snake. Only the broadcast has a program here.
- **Runs that repeat with other times** on silicon, up to a factor of 2. The model repeats a run to the cycle.
- **AI cores, 4.1**: cycles of published cost models that contradict each other and the devices (MADs with 6 or 14 more cycles, rates
  in GiB/s, the fitted curves of copies, flash attention). The fits of single vector operations have rows. The other tables of the section
  give a slope for each element, or do not give the number of elements.
- **AI cores, 4.2**: sparse int8, hf32, mxfp8 with its scales, and mxfp4 are types that the kernels here do not have. The cost model has
  rates of mxfp4 and hf32, which its tests check. Heads of 21 and 25 cycles are numbers of the vendor's simulator; the rows are those of
  devices.
- **AI cores, 4.3**: rates of the registers of A5, two instructions a cycle, and functions of them (softmax, GELU): in the model a vector
  operation is one instruction with one time. Ratios of bank conflicts of A5, whose unit is not known. Scalar code, 34 cycles an element
  and Dhrystone: the kernels of these tables have no loads and stores of single elements. Gather, sort, reductions of a block and of
  pairs, masks.
- **AI cores, 4.4**: steps of MTE1 beside MTE2 (410 to 430 cycles, 333.5 on A5) are times of [matrix products](validation/ascend_matmul.md)
  on A2/A3. Loads of 3-D tiles (50 cycles) and sparse tiles (30), MX scales and tables of FIX: the model has no such operation. Reads that
  bypass L2; in streams that also write, `gm.l2_bytes=0` stands for them. Scalar cycles of a step of K, 449 and 57, are an input of the
  matrix products. Conflicts between several devices.
- **B4 without its multiply-adds**, and a stencil of 64 x 64 cells on more than 8 x 8 PEs, which takes 2 cycles more (B3): what the first
  program left out is not known, the second is a run of minutes.
- **Whole applications** (GEMM and FFT over a wafer): their programs are not available as tile programs.
"""
