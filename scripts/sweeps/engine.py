# SPDX-License-Identifier: Apache-2.0
"""Runs points, and writes their table and plots: what sweep.py and tessera tune share."""
import concurrent.futures
import csv
import io
import math
import os
import sys

from files import write_text
from sweeps import plots
from sweeps.expression import BadSpec, evaluate
from sweeps.point import allow_runs, run_point, stop_runs

MOST_JOBS = 1024


def rows_of(spec, points):
    """One row of the table for each point with a result, in the order of the points, so that it does not matter how often the
    sweep was interrupted; and with each row all names that expressions may use."""
    for point in points:
        report = point.result()
        if report is None:
            continue
        row = {**point.labels, "status": report["status"], "exit_code": report["exit_code"], "cycles": report["cycles"],
               "time_ns": report["time_ns"], "digest": report["digest"],
               "checks_passed": sum(check["passed"] for check in report["checks"]), "checks": len(report["checks"])}
        row.update((f"counters.{name}" if name in row else name, counter["value"]) for name, counter in report["counters"].items())
        names = {**report["run"]["params"], **point.values, **row}
        for name, text in spec.columns.items():
            if name in row:
                raise BadSpec(f"columns: the table has a column '{name}' already, a counter")
            row[name] = names[name] = evaluate(text, names, report, f"column {name}")
        if spec.roofline and report["status"] == "finished":
            names["roofline"] = {name: evaluate(text, names, report, f"roofline.{name}") for name, text in spec.roofline.items()}
        row["report"] = os.path.basename(point.report)
        yield row, names


def check_limits(jobs, timeout):
    if jobs is not None and not 1 <= jobs <= MOST_JOBS:
        raise BadSpec(f"--jobs: expected a number from 1 to {MOST_JOBS}")
    if timeout is not None and not 0 < timeout < math.inf:
        raise BadSpec("--timeout: expected a number of seconds above 0")


def check_names(spec, point):
    """Refuses columns and plots that the result of a point, if there is one, does not have."""
    for _, names in rows_of(spec, [point]):
        plots.check_names(spec, names)


def table(rows):
    out = io.StringIO()
    columns = list(dict.fromkeys(name for row in rows for name in row))
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def run_here(points, jobs, timeout, check=lambda point: None):
    """Runs `points`, `jobs` at a time, and calls `check` with each point after its run; what `check` throws ends all of them."""
    allow_runs()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        try:
            tasks = {pool.submit(run_point, point.command, point.report, timeout): point for point in points}
            for number, task in enumerate(concurrent.futures.as_completed(tasks), 1):
                task.result()
                check(tasks[task])
                if sys.stderr.isatty():
                    print(f"\r\033[K{number} of {len(points)}", end="", file=sys.stderr, flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            stop_runs()
            raise
        finally:
            if sys.stderr.isatty():
                print("\r\033[K", end="", file=sys.stderr)


def conclude(spec, points, out, tool="sweep.py", file="results.csv"):
    """Writes the table and the plots; answers the number of points without a result."""
    rows = list(rows_of(spec, points))
    write_text(out / file, table([row for row, _ in rows]))
    missing = [point for point in points if point.result() is None]
    for point in missing[:5]:
        print(f"{tool}: {point.name()}: {point.problem()}", file=sys.stderr)
    if len(missing) > 5:
        print(f"{tool}: and {len(missing) - 5} more points without a result", file=sys.stderr)
    if spec.plots or spec.roofline:
        plots.draw(spec, [names for _, names in rows], out)
    return len(missing)
