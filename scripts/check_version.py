#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The version stands in several files; they agree, and CHANGELOG.md has a section for it (docs/releasing.md).

    scripts/check_version.py
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PLACES = {
    "CMakeLists.txt": r"project\(Tessera VERSION ([\d.]+)",
    "CITATION.cff": r"^version: ([\d.]+)",
    "scripts/editors/vscode/package.json": r'"version": "([\d.]+)"',
    "CHANGELOG.md": r"^## ([\d.]+)",
}


def main():
    found = {}
    for name, pattern in PLACES.items():
        match = re.search(pattern, (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE)
        found[name] = match[1] if match else "none"
    if len(set(found.values())) != 1 or "none" in found.values():
        print("the versions differ: " + ", ".join(f"{name} has {version}" for name, version in found.items()), file=sys.stderr)
        return 1
    # The shared library is called after the interface, the promise (docs/releasing.md) speaks of the version.
    major = found["CMakeLists.txt"].partition(".")[0]
    interface = re.search(r"^#define TESSERA_ABI_VERSION (\d+)", (ROOT / "platforms/capi/tessera.h").read_text(encoding="utf-8"), re.MULTILINE)[1]
    if major != "0" and major != interface:
        print(f"the version is {found['CMakeLists.txt']} and platforms/capi/tessera.h has the ABI {interface}; from 1.0.0 on they begin with "
              "one number", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
