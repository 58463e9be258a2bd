# SPDX-License-Identifier: Apache-2.0
"""Runs the published workloads on wse_platform, and those of AI cores on ascend_platform beside it, and sets what it says beside what was published.

    scripts/validate.sh                       builds, runs everything, prints the table
    scripts/validate.sh --only row_reduce     one family (several: repeat it)
    scripts/validate.sh --json FILE           the table as data
    scripts/validate.sh --docs                writes docs/validation.md, and docs/validation/ with tables and pictures
    scripts/validate.sh --sensitivity         what the assumed values do: writes docs/sensitivity.md
    scripts/validate.sh --set KEY=VALUE       another machine

Exit code 1: a result is further off than it may be, or a run failed; 2: wrong arguments.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import sys

from files import write_text
from validation import document, sensitivity
from validation.bench import Bench, RunFailed
from validation.case import Result
from validation.families import all_families


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def parse():
    parser = Parser(prog="validate.sh", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--platform", default="build/bin/wse_platform", help="the executable")
    parser.add_argument("--only", action="append", default=[], metavar="FAMILY", help="run these families only")
    parser.add_argument("--quick", action="store_true", help="leave out the long runs")
    parser.add_argument("--long", action="store_true", help="also the runs of minutes")
    parser.add_argument("--json", metavar="FILE", help="write the table as data")
    parser.add_argument("--docs", action="store_true", help="write docs/validation.md and docs/validation/*")
    parser.add_argument("--sensitivity", action="store_true", help="write docs/sensitivity.md instead")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a config value, as of wse_platform")
    arguments = parser.parse_args()
    refuse_arguments(parser, arguments)
    return parser, arguments


def refuse_arguments(parser, arguments):
    """Before anything runs."""
    if not (os.path.isfile(arguments.platform) and os.access(arguments.platform, os.X_OK)):
        parser.error(f"no executable {arguments.platform}; build it or name it with --platform")
    if (arguments.docs or arguments.sensitivity) and (arguments.only or arguments.quick or arguments.set):
        parser.error("pages are written of all families as the presets give them: no --only, --quick or --set")
    if arguments.quick and arguments.long:
        parser.error("--quick leaves out what --long adds: give one of the two")
    if arguments.sensitivity and (arguments.docs or arguments.json or arguments.long):
        parser.error("--sensitivity writes a page of its own, of the quick cases: no --docs, --json or --long")
    if arguments.json:
        path = pathlib.Path(arguments.json)
        if path.is_dir() or not path.parent.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            parser.error(f"--json: cannot write {path}")


def measure(pool, bench, families, quick, long):
    """Results of all cases, in order; what runs that failed have said; the cases that were left out because they are long."""
    cases = [(family, case) for family in families for case in family.cases if case.quick or not quick]
    left_out = [case for _, case in cases if case.long and not long]
    cases = [(family, case) for family, case in cases if long or not case.long]
    futures = [[pool.submit(measured, bench) for measured in (case.measure, case.beside) if measured] for _, case in cases]
    results, failures = [], []
    for (family, case), found in zip(cases, futures):
        try:
            results.append(Result(family.name, case, *(future.result() for future in found)))
        except RunFailed as failure:
            results.append(Result(family.name, case, None))
            failures.append(str(failure))
    return results, list(dict.fromkeys(failures)), left_out


def main():
    parser, arguments = parse()
    families = all_families()
    names = [family.name for family in families]
    for name in arguments.only:
        if name not in names:
            parser.error(f"no family {name}; there are {', '.join(names)}")
    families = [family for family in families if not arguments.only or family.name in arguments.only]
    bench = Bench(arguments.platform, arguments.set)
    refusal = bench.refusal(sensitivity.PRESETS) if arguments.set else ""
    if refusal:
        print(refusal, file=sys.stderr)
        return 2
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        if arguments.sensitivity:
            sensitivity.write(pool, arguments.platform, families)
            return 0
        results, failures, left_out = measure(pool, bench, families, arguments.quick, arguments.long or arguments.docs)
        if arguments.docs and not failures:
            document.write(bench, families, results)
    report(arguments, families, results, left_out)
    print("".join(f"{failure}\n" for failure in failures), end="", file=sys.stderr)
    if arguments.docs and failures:
        print("The pages were not written: runs failed", file=sys.stderr)
    missed = [result for result in results if not result.holds]
    for result in missed:
        if result.ours is not None:
            print(f"{result.family}: {result.case.name}: {document.number(result.ours)} {result.case.unit}, published "
                  f"{document.number(result.case.published)}, allowed {result.case.tolerance.text}", file=sys.stderr)
    scattered = [line for family in families for line in document.scattered(family, results)]
    print("".join(f"{line}\n" for line in scattered), end="", file=sys.stderr)
    return 1 if missed or scattered else 0


def report(arguments, families, results, left_out):
    print(document.summary(families, results))
    if arguments.json:
        write_text(arguments.json, json.dumps([result.as_json() for result in results], indent=2, allow_nan=False) + "\n")
    if left_out:
        print(f"{len(left_out)} runs of minutes were left out, --long makes them: {', '.join(case.name for case in left_out)}")


if __name__ == "__main__":
    sys.exit(main())
