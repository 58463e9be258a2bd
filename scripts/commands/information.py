# SPDX-License-Identifier: Apache-2.0
"""tessera info: what is installed, and how to cite it."""
import re
import subprocess
from pathlib import Path

from commands.programs import Problem, executable

EXECUTABLES = ("wse_platform", "ascend_platform", "numesh_platform", "vp_platform", "qemu_platform", "cslc", "cs_python")


def citation():
    """The fields of CITATION.cff that BibLaTeX has: it lies beside the folder of the scripts, in a checkout and in an installation."""
    place = Path(__file__).resolve().parents[2] / "CITATION.cff"
    if place.exists():
        return dict(re.findall(r'^([\w-]+): "?(.*?)"?$', place.read_text(encoding="utf-8"), re.MULTILINE))
    raise Problem(f"{place} is missing")


def bibtex():
    fields = citation()
    return "\n".join(["@software{tessera,", f"  title = {{{fields['title']}}},", "  author = {{The Tessera authors}},",
                      f"  version = {{{fields['version']}}},", f"  date = {{{fields['date-released']}}},",
                      f"  license = {{{fields['license']}}}", "}"])


def info(arguments):
    if arguments.cite:
        print(bibtex())
        return 0
    found = 0
    for name in EXECUTABLES:
        try:
            path = executable(name)
        except Problem:
            continue
        found += 1
        if name.endswith("_platform"):
            result = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
            print(f"{path}\n  " + "\n  ".join(result.stdout.strip().splitlines()))
        else:
            print(path)
    if found == 0:
        raise Problem("no executable was found; build Tessera, or name a folder with the environment variable TESSERA_BIN")
    return 0


def add_to(commands):
    parser = commands.add_parser("info", help="which executables are used, their versions, and how to cite them")
    parser.add_argument("--cite", action="store_true", help="prints an entry for BibLaTeX")
    parser.set_defaults(call=info)
