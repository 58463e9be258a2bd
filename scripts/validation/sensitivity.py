# SPDX-License-Identifier: Apache-2.0
"""docs/sensitivity.md: how much the workloads change when an assumed value of a preset is reduced or increased by half, or
replaced by each other name that its key allows."""
import datetime
import re
import subprocess

from files import write_text
from validation.bench import ROOT, Bench, RunFailed
from validation.document import preset_versions, version_of

PRESETS = ("wse2", "wse3")
LINE = re.compile(r"(\S+) = (\S+)(?: (\S+))? +\[preset \w+, assumed: (.*)\]")
RATE = re.compile(r"pe\.rate\.(\w+)\.")


class Varied(Bench):
    """A bench that changes one value of one preset; runs with the other preset are those of `base`."""

    def __init__(self, base, preset, setting):
        super().__init__(base.platform, [setting])
        self.base, self.preset = base, preset

    def run(self, example, preset, outputs=(), trace=False, **params):
        bench = super() if preset == self.preset else self.base
        return bench.run(example, preset, outputs, trace, **params)


def instructions():
    """Instructions that occur in the programs of the examples."""
    words = set()
    for path in (ROOT / "examples").rglob("*.tasm"):
        words |= set(re.findall(r"^ +(\w+)", path.read_text(), re.MULTILINE))
    return words


def assumed(platform, preset):
    """(key, value, unit, source) of the assumed values of a preset on which an example could depend."""
    text = subprocess.run([platform, "--preset", preset, "--print-config"], capture_output=True, text=True, check=True).stdout
    used = instructions()
    found = [match.groups() for match in map(LINE.match, text.splitlines()) if match]
    return [row for row in found if not RATE.match(row[0]) or RATE.match(row[0])[1] in used]


def names(platform, preset, key):
    """Names that a key allows, read from the message about a name that it does not allow."""
    result = subprocess.run([platform, "--preset", preset, "--set", f"{key}=?", "--print-config"], capture_output=True, text=True,
                            check=False)
    return re.search(r"\(allowed: (.*)\)", result.stderr)[1].split(", ")


def variations(platform, preset, key, value):
    """The values to try instead."""
    if not value.isdecimal():
        return [name for name in names(platform, preset, key) if name != value]
    number = int(value)
    smaller, larger = number // 2, (3 * number + 1) // 2
    return [str(v) for v in (smaller, larger) if v > 0]


def changes(families, base, bench):
    """For each family the largest change of one of its numbers in percent; None: a run failed."""
    found = {}
    for family in families:
        largest = 0.0
        try:
            for case in family.cases:
                if not case.quick:
                    continue
                before, after = case.measure(base), case.measure(bench)
                change = 100 * (after - before) / abs(before) if before else 0.0
                largest = max(largest, change, key=abs)
        except RunFailed:
            largest = None
        found[family.name] = largest
    return found


def cell(change):
    if change is None:
        return "fails"
    return f"{change:+.1f}" if abs(change) >= 0.05 else ""


def rows(pool, base, platform, preset, families):
    jobs = []
    for key, value, unit, source in assumed(platform, preset):
        for other in variations(platform, preset, key, value):
            bench = Varied(base, preset, f"{key}={other}")
            jobs.append((key, value, unit or "", other, source, pool.submit(changes, families, base, bench)))
    return [(key, f"{value} {unit}".strip(), other, source, job.result()) for key, value, unit, other, source, job in jobs]


def table(found, families):
    shown = [family for family in families if any(cell(row[4][family.name]) for row in found)]
    head = ["key", "value", "tried", *[family.name for family in shown]]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join(["---"] * 3 + ["---:"] * len(shown)) + " |"]
    for key, value, other, _, change in found:
        cells = [cell(change[family.name]) for family in shown]
        if any(cells):
            lines.append("| " + " | ".join([f"`{key}`", value, other, *cells]) + " |")
    return "\n".join(lines)


def without_effect(found):
    by_key = {}
    for key, _, _, _, change in found:
        by_key[key] = by_key.get(key, False) or any(cell(value) for value in change.values())
    return ", ".join(f"`{key}`" for key, moves in by_key.items() if not moves)


def tried(families):
    """The numbers of cases that the page states."""
    families = of_wse(families)
    quick = {family.name: sum(case.quick for case in family.cases) for family in families}
    return {"quick": sum(quick.values()), "cases": sum(len(family.cases) for family in families),
            "families": ", ".join(f"`{name}` {count}" for name, count in quick.items())}


def of_wse(families):
    return [family for family in families if family.platform == "wse"]


def write(pool, platform, families):
    base = Bench(platform)
    families = of_wse(families)
    parts = [INTRODUCTION.strip().format(version=version_of(platform), date=datetime.date.today().isoformat(),
                                         presets=", ".join(f"`{name}` {digits}" for name, digits in preset_versions().items()),
                                         **tried(families))]
    for preset in PRESETS:
        found = rows(pool, base, platform, preset, families)
        parts += [f"## {preset}", table(found, families), f"Nothing changes with {without_effect(found)}."]
    write_text(ROOT / "docs" / "sensitivity.md", "\n\n".join(parts) + "\n")


INTRODUCTION = """
# What the assumed values do

No source gives the values of the presets that are marked [assumed](configuration.md#where-values-come-from). This page shows how much
the results depend on them. Each number was reduced and increased by half, rounded to whole numbers of at least 1; a choice between names
was replaced by each other name. For every family of [workloads](validation.md) the tables give the largest change of one of its numbers
in percent. An empty cell means less than 0.05 %; `fails` means that a program could not finish. Of the rates of DSD operations only
those that a workload uses were varied.

Only the quick cases were run, those of `scripts/validate.sh --quick`, so larger sizes may depend on a value more strongly. They are
{quick} of {cases}, by family {families}.

Before you trust a result that depends on a value with large changes, measure that value. A value without an effect here may still
matter to a program that uses it more heavily.

Written on {date} by `scripts/validate.sh --sensitivity` with {version}, presets {presets}.
"""
