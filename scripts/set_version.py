#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a version into all files that have it (docs/releasing.md); scripts/check_version.py then finds that they agree.

    scripts/set_version.py VERSION DATE      1.0.0 2026-11-28
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = (
    ("CMakeLists.txt", r"(project\(Tessera VERSION )[\d.]+", r"\g<1>{version}"),
    ("CITATION.cff", r"^(version: )[\d.]+", r"\g<1>{version}"),
    ("CITATION.cff", r"^(date-released: )[\d-]+", r"\g<1>{date}"),
    ("scripts/editors/vscode/package.json", r'("version": ")[\d.]+', r"\g<1>{version}"),
    ("CHANGELOG.md", r"^## [\d.]+ \(unreleased\)$", "## {version} ({date})"),
)


def replace(name, pattern, text):
    path = ROOT / name
    before = path.read_text(encoding="utf-8")
    after, count = re.subn(pattern, text, before, count=1, flags=re.MULTILINE)
    if count != 1:
        sys.exit(f"{name}: has nothing like {pattern}")
    path.write_text(after, encoding="utf-8")


def main():
    if len(sys.argv) != 3 or not re.fullmatch(r"\d+\.\d+\.\d+", sys.argv[1]) or not re.fullmatch(r"\d{4}-\d\d-\d\d", sys.argv[2]):
        sys.exit(__doc__)
    version, date = sys.argv[1:]
    for name, pattern, text in PLACES:
        replace(name, pattern, text.format(version=version, date=date))
    # Consumers ask for the MAJOR and MINOR version that they were written for.
    short = version.rpartition(".")[0]
    files = subprocess.run(["git", "grep", "-lE", r"find_package\(Tessera \[?[0-9]"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in files.splitlines():
        if not name.startswith("scripts/"):
            replace(name, r"(find_package\(Tessera \[?)\d+\.\d+", rf"\g<1>{short}")


if __name__ == "__main__":
    main()
