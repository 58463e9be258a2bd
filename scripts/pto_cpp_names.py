#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lists public names of pto-isa that the library for kernels in C++ lacks.

    scripts/pto_cpp_names.py PTO_ISA

PTO_ISA is a checkout of hw-native-sys/pto-isa. Compared are instructions (functions that are PTO_INST), enumerations with their values, and
structures and aliases of the headers that kernels include. Names of the public library alone (..._IMPL, headers of other machines) do not count.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "frontends/pto_cpp/library"
HEADERS = ("common/pto_instr.hpp", "common/pto_tile.hpp", "common/constants.hpp", "common/type.hpp", "common/fifo.hpp", "common/memory.hpp",
           "common/utils.hpp", "common/event.hpp", "comm/pto_comm_inst.hpp", "comm/comm_types.hpp")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)


def text_of(path):
    return COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))


def instructions(text):
    return set(re.findall(r"PTO_INST\b[^;{()]*?\b([A-Za-z]\w*)\s*\(", text))


def enumerations(text):
    found = {}
    for name, body in re.findall(r"\benum\s+(?:class\s+)?(\w+)[^{;]*\{([^}]*)\}", text):
        found[name] = {word for item in body.split(",") for word in re.findall(r"^\s*(\w+)", item)}
    return found


def types(text):
    return set(re.findall(r"\b(?:struct|class)\s+(\w+)\s*[:{]", text)) | set(re.findall(r"^using\s+(\w+)\s*=", text, re.M))


def main():
    if len(sys.argv) != 2 or sys.argv[1] in ("-h", "--help"):
        sys.exit(__doc__)
    public = Path(sys.argv[1]) / "include/pto"
    theirs = {name: text_of(public / name) for name in HEADERS if (public / name).is_file()}
    if not theirs:
        sys.exit(f"pto_cpp_names.py: {public} has no headers of pto-isa")
    ours = "".join(text_of(path) for path in sorted(LIBRARY.rglob("*.h")))
    words = set(re.findall(r"\w+", ours))
    functions = set(re.findall(r"\b(\w+)\s*\(", ours)) | set(re.findall(r"\((\w+),", ours))  # rows of macros too
    known = enumerations(ours)
    everything = "".join(theirs.values())
    print("instructions:", " ".join(sorted(n for n in instructions(everything) if n not in functions)) or "none")
    for name, values in sorted(enumerations(everything).items()):
        if name not in known:
            print("enumeration:", name, "" if name in words else "(not named at all)", " ".join(sorted(values))[:100])
        elif values - known[name]:
            print(f"values of {name}:", " ".join(sorted(values - known[name])))
    print("types:", " ".join(sorted(n for n in types(everything) if n not in words)) or "none")


if __name__ == "__main__":
    main()
