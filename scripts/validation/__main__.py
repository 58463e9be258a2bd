"""Runs the published workloads on wse_platform and sets what it says beside what was published.

    scripts/validate.sh                       builds, runs everything, prints the table
    scripts/validate.sh --only row_reduce     one family (several: repeat it)
    scripts/validate.sh --json FILE           the table as data
    scripts/validate.sh --docs                writes docs/validation.md and its pictures
    scripts/validate.sh --sensitivity         what the assumed values do: writes docs/sensitivity.md
    scripts/validate.sh --set KEY=VALUE       another machine

Exit code 1: a result is further off than it may be, or a run failed.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys

from validation import document, sensitivity
from validation.bench import Bench, RunFailed
from validation.case import Result
from validation.families import all_families


def parse():
    parser = argparse.ArgumentParser(prog="validate.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="build/bin/wse_platform", help="the executable")
    parser.add_argument("--only", action="append", default=[], metavar="FAMILY", help="run these families only")
    parser.add_argument("--quick", action="store_true", help="leave out the long runs")
    parser.add_argument("--long", action="store_true", help="also the runs of minutes")
    parser.add_argument("--json", metavar="FILE", help="write the table as data")
    parser.add_argument("--docs", action="store_true", help="write docs/validation.md and docs/validation/*.svg")
    parser.add_argument("--sensitivity", action="store_true", help="write docs/sensitivity.md instead")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a config value, as of wse_platform")
    arguments = parser.parse_args()
    if not pathlib.Path(arguments.platform).is_file():
        parser.error(f"no executable {arguments.platform}; build it or name it with --platform")
    if (arguments.docs or arguments.sensitivity) and (arguments.only or arguments.quick or arguments.set):
        parser.error("pages are written of all families as the presets give them: no --only, --quick or --set")
    return parser, arguments


def measure(pool, bench, families, quick, long):
    """Results of all cases, in order."""
    cases = [(family, case) for family in families for case in family.cases if (case.quick or not quick) and (long or not case.long)]
    futures = [pool.submit(case.measure, bench) for _, case in cases]
    return [Result(family.name, case, future.result()) for (family, case), future in zip(cases, futures)]


def main():
    parser, arguments = parse()
    families = all_families()
    names = [family.name for family in families]
    for name in arguments.only:
        if name not in names:
            parser.error(f"no family {name}; there are {', '.join(names)}")
    families = [family for family in families if not arguments.only or family.name in arguments.only]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if arguments.sensitivity:
            sensitivity.write(pool, arguments.platform, families)
            return 0
        bench = Bench(arguments.platform, arguments.set)
        results = measure(pool, bench, families, arguments.quick, arguments.long or arguments.docs)
        if arguments.docs:
            document.write(bench, families, results)
    print(document.summary(families, results))
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps([result.as_json() for result in results], indent=2) + "\n")
    failed = [result for result in results if not result.holds]
    for result in failed:
        print(f"{result.family}: {result.case.name}: {document.number(result.ours)} {result.case.unit}, published "
              f"{document.number(result.case.published)}, allowed {result.case.tolerance.text}", file=sys.stderr)
    scattered = [family for family in families if not document.median_holds(family, results)]
    for family in scattered:
        print(f"{family.name}: the median of the errors is above {family.median} %", file=sys.stderr)
    return 1 if failed or scattered else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except RunFailed as failure:
        sys.exit(str(failure))
