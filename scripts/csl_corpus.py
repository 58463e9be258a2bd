#!/usr/bin/env python3
"""Evaluates the CSL programs of a folder with tessera_cslc and prints a table.

    scripts/csl_corpus.py FOLDER [--cslc PATH] [--csl-version 1.4|2.10] [--only TEXT] [--jobs N]

A program is a command line that begins with `cslc` in a file commands*.sh below FOLDER, or in another shell script there. It
runs in the folder of its script; results go to a temporary folder. Exits 1 if a command line fails.
"""
import argparse
import concurrent.futures
import os
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command_lines(folder):
    """Pairs of a script and the arguments behind `cslc`."""
    for script in sorted(folder.rglob("*.sh")):
        text = script.read_text(encoding="utf-8").replace("\\\n", " ")
        for line in text.splitlines():
            line = line.strip()
            if line.startswith("cslc "):
                yield script, shlex.split(line, comments=True)[1:]


def without_output(arguments):
    kept, skip = [], False
    for argument in arguments:
        if skip:
            skip = False
        elif argument == "-o":
            skip = True
        elif not argument.startswith("-o="):
            kept.append(argument)
    return kept


def evaluate(cslc, script, arguments, version):
    with tempfile.TemporaryDirectory() as out:
        command = [str(cslc), *without_output(arguments), "-o", out]
        if version:
            command.append("--csl-version=" + version)
        start = time.monotonic()
        try:
            done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, timeout=120, env=os.environ)
            status, text = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            status, text = "time", "took more than 120 s"
        return status, time.monotonic() - start, text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cslc", type=Path, default=ROOT / "build/bin/tessera_cslc")
    parser.add_argument("--csl-version", choices=("1.4", "2.10"))
    parser.add_argument("--only", default="", help="only scripts whose path has this text")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    lines = [(s, a) for s, a in command_lines(options.folder) if options.only in str(s)]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda l: evaluate(options.cslc.resolve(), *l, options.csl_version), lines))
    failures = 0
    for (script, arguments), (status, seconds, text) in zip(lines, results):
        failures += status != 0
        name = f"{script.parent.relative_to(options.folder)} {script.name}"
        print(f"{'ok  ' if status == 0 else 'FAIL'} {seconds:6.2f} s  {name}")
        if status != 0:
            print("     cslc " + " ".join(arguments))
            print("".join(f"     {line}\n" for line in text.splitlines()[-14:]), end="")
    slowest = max((seconds for _, seconds, _ in results), default=0)
    print(f"{len(lines) - failures} of {len(lines)} command lines evaluate; the slowest takes {slowest:.2f} s")
    return failures > 0


if __name__ == "__main__":
    sys.exit(main())
