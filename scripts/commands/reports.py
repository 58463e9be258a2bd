# SPDX-License-Identifier: Apache-2.0
"""Reports of runs, as the commands of `tessera` read them (docs/report-and-traces.md)."""
import json

from commands.programs import Problem

SCHEMA = "tessera-report-1"


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except (OSError, ValueError) as error:
        raise Problem(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    if not isinstance(report, dict) or report.get("schema") != SCHEMA:
        raise Problem(f"{path}: is no report of a run (schema {SCHEMA})")
    if not isinstance(report.get("cycles"), int):
        raise Problem(f"{path}: has not the form of a report: its 'cycles' are no whole number")
    return report
