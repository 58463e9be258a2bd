"""The short run of scripts/validate.sh: every number is within its bound and stands in docs/validation.md, and a machine that is
off by some cycles is noticed."""
import json
import os
import pathlib
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


def validate(platform, sources, *options):
    environment = {**os.environ, "PYTHONPATH": str(sources / "scripts")}
    command = [sys.executable, "-B", "-m", "validation", "--platform", platform, "--quick", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=sources)


def documented(page):
    """(case, number of the model) of the rows of the tables of docs/validation.md."""
    cells = [[cell.strip() for cell in line.split("|")] for line in page.read_text().splitlines() if line.startswith("|")]
    return {(row[2], row[5]) for row in cells}


def check_page(sources, rows):
    sys.path.insert(0, str(sources / "scripts"))
    from validation.document import number
    stands = documented(sources / "docs" / "validation.md")
    for row in rows:
        found = (row["case"].split(": ", 1)[1], number(row["ours"]))
        assert found in stands, f"docs/validation.md does not have {found}; scripts/validate.sh --docs writes it anew"


def main():
    platform, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "validation.json"
        result = validate(platform, sources, "--json", str(path))
        assert result.returncode == 0, result.stdout + result.stderr
        rows = json.loads(path.read_text())
    assert len(rows) > 90 and all(FIELDS <= row.keys() for row in rows)
    assert {row["role"] for row in rows} == {"calibrated", "predicted"}
    check_page(sources, rows)
    for setting, family in OFF.items():
        result = validate(platform, sources, "--only", family, "--set", setting)
        assert result.returncode == 1 and f"{family}: " in result.stderr, f"{setting}: {result.returncode}\n{result.stderr}"
    print(f"{len(rows)} numbers; {len(OFF)} wrong machines were noticed")


main()
