# SPDX-License-Identifier: Apache-2.0
"""A run of wse_platform that is measured: what bench.py and bench_cost.py share."""
import json
import subprocess
import sys


def run_platform(platform, layout, report, structure, params, options):
    """The report of a run without waits, which must pass its checks; `options` are further ones."""
    command = [platform, layout, "--structure", structure, "--quiet", "--report", report, "--no-waits", *options]
    command = [str(part) for part in command] + [f"--param={name}={value}" for name, value in params.items()]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        sys.exit(f"{' '.join(command)}\nended with exit code {result.returncode}\n{result.stdout}{result.stderr}")
    return json.loads(report.read_text())
