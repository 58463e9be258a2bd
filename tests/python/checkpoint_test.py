#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An unmodified host program goes on from a saved state: its commands before that are answered from there.

checkpoint_test.py FOLDER_OF_CS_PYTHON [EXAMPLE]"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

TOOLS = pathlib.Path(sys.argv[1]).resolve()
EXAMPLE = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parents[2] / "examples/csl/allreduce")


def run(folder, options, script="run.py"):
    environment = {**os.environ, "TESSERA_OPTIONS": f"--report=r.json {options}"}
    result = subprocess.run([TOOLS / "cs_python", script, "--name", "out"], cwd=folder, env=environment, capture_output=True,
                            text=True, check=False, timeout=300)
    report = json.loads((folder / "r.json").read_text()) if result.returncode == 0 else {}
    for part in ("wall", "run"):
        report.pop(part, None)
    return result, report


def check(folder, params, cycles_of):
    for name in ("layout.csl", "pe.csl", "run.py"):
        shutil.copy(EXAMPLE / name, folder)
    subprocess.run([TOOLS / "cslc", "--arch=wse3", "layout.csl", "--fabric-dims=15,10", "--fabric-offsets=4,1", f"--params={params}",
                    "-o", "out", "--memcpy", "--channels=1"], cwd=folder, check=True, capture_output=True, timeout=300)
    whole, report = run(folder, "")
    assert "SUCCESS" in whole.stdout, whole.stderr
    saved = 0
    for cycle in cycles_of(report["cycles"]):
        state = folder / "state"
        state.unlink(missing_ok=True)
        result, found = run(folder, f"--checkpoint=state --checkpoint-at={cycle}")
        assert result.stdout == whole.stdout and found == report, f"the run that saves before cycle {cycle}"
        if not state.exists():
            assert "no state was saved" in result.stderr, result.stderr
            continue
        saved += 1
        for threads in (1, 3):
            result, found = run(folder, f"--restore=state --threads={threads}")
            assert result.stdout == whole.stdout, f"restored before cycle {cycle}: {result.stdout} {result.stderr}"
            assert found.pop("checkpoint")["restored_from_cycle"] >= cycle, "a state is of the cycle that was asked for, or later"
            assert found == report, f"restored before cycle {cycle}"
    assert saved > 0
    source = (folder / "run.py").read_text()
    (folder / "other.py").write_text(source.replace("default_rng(3)", "default_rng(4)"))
    if (folder / "state").exists():
        result, _ = run(folder, "--restore=state", "other.py")
        assert "command 1 of the host is 'h2d'; in the checkpoint it is 'h2d' with other arguments" in result.stderr, result.stderr
    (folder / "bad").write_text("bad")
    result, _ = run(folder, "--restore=bad")
    assert "bad: this is no checkpoint" in result.stderr, result.stderr
    # The folder of the state is gone when it is to be written: the run ends, and does not blame the call that was under way.
    (folder / "gone.py").write_text(re.sub(r"^( *)(runner\.launch\()", r"\1import shutil; shutil.rmtree('states')\n\1\2", source, count=1, flags=re.MULTILINE))
    (folder / "states").mkdir()
    result, _ = run(folder, "--checkpoint=states/state --checkpoint-every=50", "gone.py")
    assert result.returncode != 0 and re.search(r"^RuntimeError: .*states/state.*cannot be", result.stderr, re.MULTILINE), result.stderr
    print(f"{params}: {saved} states")


def main():
    with tempfile.TemporaryDirectory() as folder:
        check(pathlib.Path(folder), "width:6,height:5,length:40", lambda cycles: (5, 700, cycles // 2, cycles - 1000, 1900))
    with tempfile.TemporaryDirectory() as folder:  # arrays in files that host and server share
        check(pathlib.Path(folder), "width:8,height:8,length:4200", lambda cycles: (cycles // 2,))


main()
