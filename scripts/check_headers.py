#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Public headers compile alone: whoever includes one needs nothing in front of it.

    scripts/check_headers.py INCLUDE_DIR [--standard 17] [--jobs 2] [--all | --one-in N] [--compiler g++] [--flags="..."]

INCLUDE_DIR is include/tessera of an installation. A header that another header or a source of the tree includes first is
proven by that one; without --all only the others are compiled, or one in N of them. In the standards of --together all headers are compiled
as one, in alphabetic order and the other way round: what they need is known by then, what the standard refuses is not.
"""
import argparse
import concurrent.futures
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("tlm_ifaces", "models", "frontends", "platforms")
FIRST_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


def first_include(path):
    found = FIRST_INCLUDE.search(path.read_text(encoding="utf-8"))
    return found.group(1) if found else None


def proven_by_others(headers, include_dir):
    """Headers that come first in a source of the tree, which the build compiles, or in another header."""
    leaders = [ROOT / folder for folder in (*FOLDERS, "tests")]
    first = {first_include(source) for folder in leaders for source in folder.rglob("*.cpp")}
    return first | {first_include(include_dir / header) for header in headers}


def compile_text(text, standard, arguments):
    command = [arguments.compiler, f"-std=c++{standard}", "-fsyntax-only", "-Wall", "-Wextra", "-Werror",
               "-I", str(arguments.include_dir), *shlex.split(arguments.flags), "-x", "c++", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    return done.stderr if done.returncode else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("include_dir", type=Path)
    parser.add_argument("--standard", default="17", help="comma-separated; each header alone")
    parser.add_argument("--together", default="20", help="comma-separated; all headers as one")
    parser.add_argument("--all", action="store_true", help="also headers that are proven by others")
    parser.add_argument("--one-in", type=int, default=1, metavar="N", help="one in N of those that are not proven by others")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--flags", default="")
    arguments = parser.parse_args()
    include_dir = arguments.include_dir
    headers = sorted(h.relative_to(include_dir).as_posix() for h in include_dir.rglob("*.h"))
    if not headers:
        print(f"there are no headers in {include_dir}")
        return 1
    proven = set() if arguments.all else proven_by_others(headers, include_dir)
    alone = [h for h in headers if h not in proven][::arguments.one_in]
    work = [(h, f'#include "{h}"\n', s) for s in arguments.standard.split(",") if s for h in alone]
    for standard in arguments.together.split(","):
        if standard:
            for order, name in ((headers, "a to z"), (headers[::-1], "z to a")):
                work.append((f"all headers, {name}", "".join(f'#include "{h}"\n' for h in order), standard))
    failures = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for (name, _, standard), errors in zip(work, pool.map(
                lambda item: compile_text(item[1], item[2], arguments), work)):
            if errors:
                failures += 1
                print(f"{name} does not compile in C++{standard}:\n{errors[:2000]}")
    print(f"{len(headers)} headers, {len(alone)} compiled alone: {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
