"""--max-cycles with exactly the cycles of a run, and with fewer: one rule on all machines, in both structures.

    bounds_test.py BIN EXAMPLES
"""
import json
import pathlib
import subprocess
import sys
import tempfile

BIN, EXAMPLES = (pathlib.Path(argument) for argument in sys.argv[1:3])
RUNS = {
    "layout": ("wse_platform", "gemv_stream/layout.json"),
    "CSL": ("wse_platform", "csl/gemv/layout.csl", "--params", "width:2,height:2,M:8,N:8", "--launch", "compute"),
    "mesh": ("numesh_platform", "numesh/tour.json"),
    "vectors": ("ascend_platform", "ascend/vector_add.pto", "--param", "TILES=4"),
    "clusters": ("ascend_platform", "ascend/c2v_a2a3.pto", "--param", "TILES=4"),
}


def run(folder, program, *options):
    """The exit code and the report."""
    name, path, *more = program
    report = folder / "r.json"
    done = subprocess.run([BIN / name, EXAMPLES / path, *more, "--quiet", "--report", report, *options], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False, timeout=600)
    assert "W571" not in done.stderr + done.stdout, done.stderr
    return done.returncode, json.loads(report.read_text())


def check(folder, name, program, structure):
    code, whole = run(folder, program, "--structure", structure)
    assert code == 0, (name, whole.get("message"))
    cycles = whole["cycles"]
    for bound in (cycles, cycles + 1):
        code, found = run(folder, program, "--structure", structure, f"--max-cycles={bound}")
        assert code == 0, (name, structure, bound, found["message"])
        for key in ("cycles", "digest", "counters"):
            assert found[key] == whole[key], (name, structure, bound, key)
    for bound in (cycles - 1, cycles - 2, cycles // 2):
        code, found = run(folder, program, "--structure", structure, f"--max-cycles={bound}")
        assert code == 4 and f"stopped before cycle {bound}" in found["message"], (name, structure, bound, code)
        assert found["cycles"] <= bound, (name, structure, bound, found["cycles"])


with tempfile.TemporaryDirectory() as path:
    for what, of in RUNS.items():
        for way in ("dense", "modules"):
            check(pathlib.Path(path), what, of, way)
print("a run with as many cycles as it takes is complete")
