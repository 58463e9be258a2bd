"""The table, on the terminal and as docs/validation.md."""
import datetime
import hashlib
import statistics
import subprocess

from validation.bench import ROOT

HEAD = ["source", "case", "unit", "published", "model", "error", "may be off", "role"]
RIGHT = (3, 4, 5)  # columns of numbers


def number(value):
    value = round(value, 3)
    if float(value) == int(value):
        return str(int(value))
    return f"{value:.3f}" if abs(value) < 100 else f"{value:.1f}"


def error(result):
    return f"{round(result.error_percent, 2) + 0.0:+.2f} %"


def cells(result):
    case = result.case
    return [case.source, case.name, case.unit, number(case.published), number(result.ours), error(result),
            (case.tolerance.text if case.tolerance else "") + ("" if result.holds else " **missed**"), case.role]


def table(results):
    rows = [HEAD, *[cells(result) for result in results]]
    widths = [max(len(row[i]) for row in rows) for i in range(len(HEAD))]
    lines = ["| " + " | ".join(cell.rjust(w) if i in RIGHT else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths)))
             + " |" for row in rows]
    rule = "| " + " | ".join("-" * (w - 1) + ":" if i in RIGHT else "-" * w for i, w in enumerate(widths)) + " |"
    return "\n".join([lines[0], rule, *lines[1:]])


def of_family(family, results):
    return [result for result in results if result.family == family.name]


def median(family, results):
    return statistics.median(abs(result.error_percent) for result in of_family(family, results))


def median_holds(family, results):
    return family.median is None or not of_family(family, results) or median(family, results) <= family.median


def spread(family, results):
    """A sentence for families whose median is held."""
    if family.median is None or not of_family(family, results):
        return ""
    worst = max(of_family(family, results), key=lambda result: abs(result.error_percent))
    return (f"{len(of_family(family, results))} cells: median error {median(family, results):.2f} %, may be {family.median} %; worst "
            f"{error(worst)} ({worst.case.name}).")


def count(results):
    held = [result for result in results if result.case.tolerance]
    good = sum(result.holds for result in held)
    return f"{len(results)} numbers, {len(held)} of them with a bound, {good} within it"


def summary(families, results):
    parts = [f"{family.title}\n{table(of_family(family, results))}\n{spread(family, results)}\n"
             for family in families if of_family(family, results)]
    return "\n".join([*parts, count(results)])


def preset_versions():
    """A few digits of the SHA-256 of each preset: which one was measured."""
    folder = ROOT / "platforms" / "wse" / "presets"
    return {path.stem: hashlib.sha256(path.read_bytes()).hexdigest()[:12] for path in sorted(folder.glob("*.json"))}


def notes(results):
    lines = []
    for result in results:
        if result.case.note:
            lines.append(f"- {result.case.name}: {result.case.note}")
    return "\n".join(lines)


def version_of(platform):
    return subprocess.run([platform, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]


def write(bench, families, results):
    folder = ROOT / "docs" / "validation"
    folder.mkdir(exist_ok=True)
    presets = ", ".join(f"`{name}` {digits}" for name, digits in preset_versions().items())
    parts = [INTRODUCTION.strip().format(version=version_of(bench.platform), presets=presets, date=datetime.date.today().isoformat(),
                                         count=count(results))]
    for family in families:
        mine = of_family(family, results)
        parts += [f"## {family.title}", family.text.strip(), *filter(None, [spread(family, results)]), table(mine)]
        if notes(mine):
            parts.append(notes(mine))
        for chart in family.charts(bench) if family.charts else []:
            (folder / f"{chart.name}.svg").write_text(chart.svg())
            parts.append(f"![{chart.title}](validation/{chart.name}.svg)")
    parts.append(NOT_REACHED.strip())
    (ROOT / "docs" / "validation.md").write_text("\n\n".join(parts) + "\n")


INTRODUCTION = """
# How right the cycles are

Published measurements of WSE-2 and WSE-3, and what the model says of the same workloads. Every number in these tables
comes from a run of `wse_platform`; this page is written by

```
scripts/validate.sh --docs
```

Measured on {date} with {version}, presets {presets} (SHA-256 of `platforms/wse/presets/*.json`). {count}.

- **calibrated**: a value of the preset was set by this number, so that the model meets it says little. The
  [preset](configuration.md) names the number as the source of the value.
- **predicted**: nothing was set by it.
- **may be off**: the bound that the tests hold (`scripts/validate.sh` exits with 1 when one is missed). Numbers without one
  are shown for what they are: they contradict others, or the published program is not known.

Sources A1 to A10 are sections of the reference page on timing, 6.5 and the like of that on the machine. S: the vendor's
simulator, H: silicon, M: a published model. A number of the vendor's simulator and one of silicon may differ by 1.7 where
memory decides; the presets follow the simulator. [What the assumed values do](sensitivity.md) is a page of its own.
"""

NOT_REACHED = """
## What is published and not in the tables

- **A stall above 14 wavelets** of a program that returns what the host sends (reference wse.md 1.11): the sum of buffers of a path
  whose parts, in the memcpy tiles at the edge among others, are not published. `fabric.buffer_depth` was inferred from it by the
  reference, not by a run.
- **Silicon**: links at 1.125 cycles a wavelet, 20 cycles a turn, 2.9 to 3.3 cycles a hop to the west beyond 32 hops. No mechanism
  is known for any of the three; the presets follow the simulator. Copies and f16 multiply-adds are 1.4 to 1.7 times as slow on
  silicon as on the simulator.
- **Runs that repeat with other times** on silicon, up to a factor of 2. The model repeats to the cycle.
- **Whole applications** (GEMM, FFT, stencils over a wafer): their programs are not available as tile programs.
"""
