# SPDX-License-Identifier: Apache-2.0
"""The points of a sweep on a cluster whose machines see the same folders: job arrays of Slurm, or workers of Dask."""
import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from files import write_text
from sweeps.expression import BadSpec

WORKER = str(Path(__file__).resolve().parent / "worker.py")
MOST_TASKS = 1000  # tasks of an array: Slurm's own limit unless an administrator changes it


def _list(points, out, timeout):
    """The command that runs points of the list, without INDEX and COUNT."""
    listed = out / "points.json"
    write_text(listed, json.dumps([{"command": point.command, "report": point.report, "timeout": timeout} for point in points], indent=1))
    return [sys.executable, "-B", WORKER, str(listed)]


def run_slurm(points, out, timeout, most_at_a_time, options):
    """Submits one job array and waits for its end."""
    if shutil.which("sbatch") is None:
        raise BadSpec("--slurm: there is no sbatch here (Debian: slurm-client)")
    if not points:
        return
    tasks = min(len(points), MOST_TASKS)
    logs = out / "slurm"
    logs.mkdir(exist_ok=True)
    command = shlex.join(_list(points, out, timeout))
    script = out / "slurm.sh"
    write_text(script, f"#!/bin/sh\nexec {command} \"$SLURM_ARRAY_TASK_ID\" {tasks}\n")
    limit = f"%{most_at_a_time}" if most_at_a_time else ""
    submitted = subprocess.run(["sbatch", "--parsable", f"--array=0-{tasks - 1}{limit}", "--job-name=tessera-sweep",
                                f"--output={logs}/%a.log", *options, str(script)], capture_output=True, text=True, check=False)
    if submitted.returncode != 0:
        raise BadSpec(f"sbatch: {submitted.stderr.strip()}")
    job = submitted.stdout.strip().split(";")[0]
    try:
        # A job that waits for the array: sbatch --wait returns when it ends.
        subprocess.run(["sbatch", "--wait", f"--dependency=afterany:{job}", "--job-name=tessera-sweep-end", "--output=/dev/null",
                        *options, "--wrap", "true"], stdout=subprocess.DEVNULL, check=False)
    except KeyboardInterrupt:
        subprocess.run(["scancel", job], check=False)
        raise


def run_dask(points, out, timeout, address):
    """Runs the points on the workers of a scheduler that runs already."""
    try:
        from distributed import Client, wait
    except ImportError as error:
        raise BadSpec(f"--dask: {error} (Debian: python3-distributed)") from error
    if not points:
        return
    command = _list(points, out, timeout)
    try:
        connected = Client(address, timeout=10)
    except (OSError, ValueError, TypeError) as error:
        raise BadSpec(f"--dask {address}: {error}") from error
    with connected as client:
        # A function of the standard library: workers need nothing of this project but its folder.
        wait([client.submit(subprocess.call, [*command, str(index), str(len(points))], pure=False) for index in range(len(points))])
