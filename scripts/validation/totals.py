# SPDX-License-Identifier: Apache-2.0
"""How right the models are in all published numbers together: read from the tables of docs/validation/, so that what is printed is what they say.

    python3 -m validation.totals            (in scripts/) writes the totals of docs/validation.md, docs/claims.md and README.md
    python3 -m validation.totals --check    changes nothing; exit code 1 if a page does not have today's
"""
import dataclasses
import json
import math
import pathlib
import re
import statistics
import sys

from files import write_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("docs/validation.md", "docs/claims.md", "README.md")
SIMULATOR, SILICON, MODEL, OURS, CORES = ("the vendor's simulator of a WSE", "silicon of a WSE", "a published formula for a WSE",
                                          "our arithmetic on published numbers of a WSE", "silicon of AI cores")
# What a user does, and the families whose predicted numbers say how right that is.
STUDIES = (
    ("collectives of a row or a rectangle, beside a formula", ("collectives",), MODEL),
    ("collectives and messages, beside the vendor's simulator", ("row_reduce", "relay", "message", "path"), SIMULATOR),
    ("loops and statements of one PE, tile assembly", ("loops", "probes", "bank_conflict"), SIMULATOR),
    ("loops and statements of one PE, compiled from CSL", ("csl", "matvec"), SIMULATOR),
    ("whole programs in CSL", ("stencil_data_tasks", "stencil_star", "strided_gemm", "tiled_stencil", "cell_stencil", "column_gemm"), None),
    ("anything on silicon of a WSE", None, SILICON),
    ("single operations and copies of AI cores", ("ascend_micro",), CORES),
    ("matrix products on A2/A3", ("ascend_matmul",), CORES),
    ("matrix products on A5", ("ascend_matmul_a5",), CORES),
    ("kernels in which cube and vector cores work together", ("ascend_fused",), CORES),
)


@dataclasses.dataclass(frozen=True)
class Row:
    family: str
    source: str
    case: str
    error: float  # percent; None where 0 was published
    bound: str
    role: str

    @property
    def measured_on(self):
        if self.family.startswith("ascend"):
            return CORES
        words = re.split(r"[ ,]+", self.source)[1:]
        if "H" in words and "S" not in words:
            return SILICON
        if "S" in words:
            return SIMULATOR
        if "M" in words:
            return MODEL
        # Sections without a letter: B2 is the vendor's simulator, the fits of A2 too; the others are arithmetic.
        return SIMULATOR if words in ([], ["fit"]) else OURS


def rows_of(path):
    """The rows of the table of a page."""
    rows, inside = [], False
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[:2] == ["source", "case"]:
            inside = True
        elif inside and not line.startswith("|"):
            inside = False
        elif inside and not line.startswith("| -"):
            error = float(cells[5].removesuffix(" %")) if cells[5] else None
            rows.append(Row(path.stem, cells[0], cells[1], error, cells[6], cells[7]))
    return rows


def all_rows():
    return [row for path in sorted((ROOT / "docs" / "validation").glob("*.md")) for row in rows_of(path)]


def within(rows, share):
    """The error that `share` of the rows do not exceed."""
    errors = sorted(abs(row.error) for row in rows)
    return errors[math.ceil(len(errors) * share) - 1]


def line(name, rows):
    """A row of a table: how many, the median, nine of ten, the worst and where."""
    known = [row for row in rows if row.error is not None]
    if not known:
        return f"| {name} | {len(rows)} | | | | |"
    worst = max(known, key=lambda row: abs(row.error))
    return (f"| {name} | {len(rows)} | {statistics.median(abs(row.error) for row in known):.2f} % | {within(known, 0.9):.1f} % "
            f"| {worst.error:+.2f} % | {worst.case} |")


def totals(rows):
    head = ["| | numbers | median error | nine of ten within | worst error | at |", "| --- | ---: | ---: | ---: | ---: | --- |"]
    bound = [row for row in rows if row.bound]
    lines = [*head, line("**all published numbers**", rows), line("with a bound, which the tests hold", bound),
             line("without a bound", [row for row in rows if not row.bound])]
    for role in ("predicted", "calibrated"):
        lines.append(line(f"**{role}**", [row for row in rows if row.role == role]))
        for where in (SIMULATOR, SILICON, MODEL, OURS, CORES):
            mine = [row for row in rows if row.role == role and row.measured_on == where]
            if mine:
                lines.append(line(f"{role}, {where}", mine))
    zero = sum(row.error is None for row in rows)
    lines += ["", "The error of a number is (model - published) / published; the median and the bound of nine of ten are of its amount."]
    if zero > 0:
        lines.append(f"{zero} of the numbers have no error in percent, because 0 was published.")
    return "\n".join(lines)


def families(rows):
    """Predicted numbers of each family, with those that have no bound."""
    lines = ["| workload | numbers | calibrated | without a bound | median error | worst error | at |",
             "| --- | ---: | ---: | ---: | ---: | ---: | --- |"]
    for name in dict.fromkeys(row.family for row in rows):
        mine = [row for row in rows if row.family == name]
        known = [row for row in mine if row.error is not None]
        worst = max(known, key=lambda row: abs(row.error))
        title = (ROOT / "docs" / "validation" / f"{name}.md").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        lines.append(f"| [{title}](validation/{name}.md) | {len(mine)} | {sum(row.role == 'calibrated' for row in mine)} "
                     f"| {sum(not row.bound for row in mine)} | {statistics.median(abs(row.error) for row in known):.2f} % "
                     f"| {worst.error:+.2f} % | {worst.case} |")
    return "\n".join(lines)


def studies(rows):
    lines = ["| what you do | predicted numbers | median error | nine of ten within | worst error | at |",
             "| --- | ---: | ---: | ---: | ---: | --- |"]
    for name, names, where in STUDIES:
        lines.append(line(name, [row for row in rows if row.role == "predicted" and (names is None or row.family in names)
                                 and (where is None or row.measured_on == where)]))
    return "\n".join(lines)


def short(rows):
    """The rows of README."""
    lines = ["| predicted numbers, which set nothing in the models | numbers | median error | nine of ten within | worst error |",
             "| --- | ---: | ---: | ---: | ---: |"]
    for where in (SIMULATOR, MODEL, OURS, SILICON, CORES):
        mine = [row for row in rows if row.role == "predicted" and row.measured_on == where]
        lines.append(line(where, mine).rsplit("|", 2)[0] + "|")
    return "\n".join(lines)


def values_of(group, kind=None):
    """The kinds of all values of a preset; a group gives its kind to values that name none."""
    kind = group.get("kind", kind)
    kinds = []
    for name, member in group.items():
        if name in ("source", "kind", "note", "schema", "name", "machine", "description", "base"):
            continue
        if isinstance(member, dict) and "value" not in member:
            kinds += values_of(member, kind)
        else:
            kinds.append(member.get("kind", kind) if isinstance(member, dict) else kind)
    return kinds


def presets():
    kinds = []
    for path in sorted(ROOT.glob("platforms/*/presets/*.json")):
        kinds += values_of(json.loads(path.read_text(encoding="utf-8")))
    return (f"Of the {len(kinds)} values of the presets, {kinds.count('published')} are published, {kinds.count('calibrated')} were fitted to "
            f"published numbers, and {kinds.count('assumed')} are assumed.")


PARTS = {"totals": totals, "families": families, "studies": studies, "short": short, "presets": lambda _: presets()}


def filled(text, rows):
    """`text` with today's parts between its marks."""
    for name, part in PARTS.items():
        begin, end = f"<!-- {name}: python3 -m validation.totals -->\n", f"<!-- end of {name} -->"
        text = re.sub(re.escape(begin) + ".*?" + re.escape(end), lambda _: begin + part(rows) + "\n" + end, text, flags=re.DOTALL)
    return text


def write(changes=True):
    """The pages that did not have today's."""
    rows, stale = all_rows(), []
    for page in PAGES:
        text = (ROOT / page).read_text(encoding="utf-8")
        new = filled(text, rows)
        if new == text:
            continue
        stale.append(page)
        if changes:
            write_text(ROOT / page, new)
    return stale


def main():
    is_check = "--check" in sys.argv
    stale = write(changes=not is_check)
    if stale and is_check:
        print(f"{', '.join(stale)}: python3 -m validation.totals in scripts/ writes them anew", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
