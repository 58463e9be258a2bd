"""The short run of scripts/validate.sh: every number is within its bound and stands in docs/validation/, and a machine that is
off by some cycles is noticed. What the pages say of themselves holds; wrong arguments are refused, and a run that fails is one
row of the table."""
import json
import os
import pathlib
import re
import stat
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

FIELDS = {"source", "case", "unit", "published", "ours", "error_percent", "role"}  # the contract of --json

# What is wrong with the machine, and a family that must notice.
OFF = {
    "fabric.hop_latency=3": "path",
    "fabric.on_ramp_latency=5": "message",
    "queues.write_latency=3": "row_reduce",
    "pe.read_conflict_factor=3": "bank_conflict",
    "pe.bank_rule=modulo_4": "bank_conflict",
    "pe.stride_rule=table": "loops",
    "pe.branch_taken=5": "probes",
    "pe.task_activation=6": "relay",
    "fabric.off_ramp_latency=4": "collectives",
}


# Arguments that are refused before anything runs, and a part of the one line that says so.
REFUSED = {
    ("--quick", "--long"): "--long",
    ("--sensitivity", "--docs"): "--sensitivity",
    ("--sensitivity", "--json", "page.json"): "--sensitivity",
    ("--docs", "--quick"): "--quick",
    ("--json", "/no/such/folder/x.json"): "cannot write /no/such/folder/x.json",
    ("--set", "pe.picer=lowest_id"): "wse_platform: --set: pe.picer: unknown key",
    ("--platform", "README.md"): "no executable README.md",
    ("--only", "none"): "no family none",
}


def validate(platform, sources, *options):
    environment = {**os.environ, "PYTHONPATH": str(sources / "scripts")}
    command = [sys.executable, "-B", "-m", "validation", "--platform", platform, *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=sources)


def documented(folder):
    """(case, number of the model) of the rows of all tables of docs/validation/."""
    cells = [[cell.strip() for cell in line.split("|")] for page in folder.glob("*.md") for line in page.read_text().splitlines()
             if line.startswith("|")]
    return {(row[2], row[5]) for row in cells if len(row) > 5}


def check_page(sources, rows):
    from validation.document import number
    stands = documented(sources / "docs" / "validation")
    for row in rows:
        found = (row["case"].split(": ", 1)[1], number(row["ours"]))
        assert found in stands, f"docs/validation/ does not have {found}; scripts/validate.sh --docs writes it anew"


def check_collectives(sources):
    """On the page, which has all cells: each algorithm is near its formulas, not only all of them together; none is missing."""
    from validation.families import collectives
    text = (sources / "docs" / "validation" / "collectives.md").read_text()
    errors = {}
    for source, name, error in re.findall(r"^\| (A1, [^|]*?) *\| ([^|]*), B = \d+ *\|.*?([+-][\d.]+) % \|", text, re.MULTILINE):
        errors.setdefault(name.split(",")[0], []).append(abs(float(error)))
        size = re.search(r"P = (\d+)", name)
        ours = name.startswith("two-phase") and int(size[1]) not in (4, 16, 64, 256)
        assert source == ("A1, whole groups" if ours else "A1, M"), f"{name}: {source}"
    assert len(errors) == 7, errors.keys()
    for name, found in errors.items():
        assert statistics.median(found) < 5, f"{name}: median error {statistics.median(found)} %"
        said = re.search(rf"^\| {name} \| {len(found)} \| ([\d.]+) % \| \+?(-?[\d.]+) % \|", text, re.MULTILINE)
        assert said and abs(float(said[1]) - statistics.median(found)) < 0.02, f"the page does not have the median of {name}"
        assert abs(float(said[2])) == max(found), f"the page does not have the worst of {name}"
    assert collectives.WITHOUT_RING == collectives.ALL_CELLS - len(errors["ring all-reduce"])
    assert f"{collectives.WITHOUT_RING} are left out" in text


def check_sensitivity(platform, sources):
    """The other page is about the families and the assumed values that there are."""
    from validation import sensitivity
    from validation.families import all_families
    text = (sources / "docs" / "sensitivity.md").read_text()
    again = "; scripts/validate.sh --sensitivity writes docs/sensitivity.md anew"
    tried = sensitivity.tried(all_families())
    said = f"{tried['quick']} of {tried['cases']}, by family {tried['families']}"
    assert said in " ".join(text.split()), said + again
    for preset in sensitivity.PRESETS:
        part = text.split(f"## {preset}\n")[1].split("\n## ")[0]
        values = set(re.findall(r"^\| `([\w.]+)` \| (\S+)", part, re.MULTILINE))
        still = set(re.findall(r"`([\w.]+)`", part[part.index("Nothing changes with"):]))
        assumed = {key: value for key, value, *_ in sensitivity.assumed(platform, preset)}
        keys = still | {key for key, _ in values}
        assert keys == assumed.keys(), f"{preset}: {keys ^ assumed.keys()}{again}"
        for key, value in values:
            assert assumed[key] == value, f"{preset}: {key} is {assumed[key]}, not {value}{again}"


def check_arguments(platform, sources):
    for options, said in REFUSED.items():
        result = validate(platform, sources, *options)
        assert result.returncode == 2 and said in result.stderr, f"{options}: {result.returncode}\n{result.stderr}"
        assert result.stderr.count("\n") == 1, result.stderr


def check_failing_run(platform, sources, folder):
    """A platform whose relay does not end: the other family has its numbers, and the table says which failed."""
    broken = folder / "broken_platform"
    broken.write_text(f'#!/bin/sh\ncase "$1" in *relay.json) echo "it is broken" >&2; exit 4;; esac\nexec {platform} "$@"\n')
    broken.chmod(broken.stat().st_mode | stat.S_IXUSR)
    path = folder / "failed.json"
    result = validate(str(broken), sources, "--quick", "--only", "relay", "--only", "bank_conflict", "--json", str(path))
    assert result.returncode == 1 and "it is broken" in result.stderr and "Traceback" not in result.stderr, result.stderr
    assert re.search(r"N = 1, B = 64 .* failed ", result.stdout) and "10254" in result.stdout, result.stdout
    rows = json.loads(path.read_text(), parse_constant=lambda name: sys.exit(f"{name} is no JSON"))
    assert all((row["ours"] is None) == row["case"].startswith("relay") for row in rows), rows


def check_left_out():
    """Runs of minutes that nobody asked for are told."""
    import concurrent.futures
    from validation.__main__ import measure
    from validation.case import Case, Family
    cases = [Case("A1, M", name, 0, lambda bench: 1, long=long) for name, long in (("short", False), ("minutes", True))]
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        for long, expected in ((False, ["minutes"]), (True, [])):
            results, failures, left_out = measure(pool, None, [Family("one", "", "", cases)], False, long)
            assert [case.name for case in left_out] == expected and not failures and len(results) == 2 - len(expected)
    assert results[0].as_json()["error_percent"] is None  # none for a published 0


def main():
    platform, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(sources / "scripts"))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "validation.json"
        result = validate(platform, sources, "--quick", "--json", str(path))
        assert result.returncode == 0, result.stdout + result.stderr
        rows = json.loads(path.read_text())
        check_failing_run(platform, sources, pathlib.Path(folder))
    assert len(rows) > 90 and all(FIELDS <= row.keys() for row in rows)
    assert {row["role"] for row in rows} == {"calibrated", "predicted"}
    check_page(sources, rows)
    check_collectives(sources)
    check_sensitivity(platform, sources)
    check_arguments(platform, sources)
    check_left_out()
    for setting, family in OFF.items():
        result = validate(platform, sources, "--quick", "--only", family, "--set", setting)
        assert result.returncode == 1 and f"{family}: " in result.stderr, f"{setting}: {result.returncode}\n{result.stderr}"
    print(f"{len(rows)} numbers; {len(OFF)} wrong machines were noticed")


main()
