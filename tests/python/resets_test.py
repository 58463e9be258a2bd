#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines with CSL programs that were reset in random cycles equal new ones: all programs of scenario/csl and examples/csl, in
both structures. resets_test.py [PATTERN]; TESSERA_RESETS: resets of each program and structure, 7 by default."""
import hashlib
import os
import pathlib
import random
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import tessera  # noqa: E402

RESETS = int(os.environ.get("TESSERA_RESETS", "7"))
LONGEST = 20_000  # cycles; some programs never come to rest


def programs():
    """Layouts with the options of the compiler."""
    for layout in sorted(ROOT.glob("tests/scenario/csl/*/layout.csl")):
        found = re.search(r"^// cslc: (.*)$", layout.read_text(encoding="utf-8"), re.MULTILINE)
        preset = ["--preset", "wse2"] if re.search("_sdk_0_|_wse2$", layout.parent.name) else []  # SDK 0.4 to 0.9 had WSE-2 alone
        yield layout, [word for word in found.group(1).split() if word != "--memcpy"] + preset
    for name, sizes in (("gemv", "M:16,N:16"), ("stencil", "depth:8"), ("allreduce", "length:16")):
        yield ROOT / f"examples/csl/{name}/layout.csl", [f"--params=width:4,height:4,{sizes}"]


def run(machine, limit):
    """Launches each function; what became of the machine up to cycle `limit`."""
    try:
        for function in machine.functions:
            machine.launch(function)
        machine.run(limit)
    except tessera.FailedError as error:
        ended = str(error)
    else:
        ended = ""
    report = machine.report()
    memory = hashlib.sha256()
    for y in range(machine.height):
        for x in range(machine.width):
            try:
                memory.update(machine.sram(x, y))
            except tessera.Error:
                pass  # a tile without a program
    return (ended, report["digest"], report["cycles"], machine.counters(), memory.hexdigest(), str(machine.waits()))


def check(layout, options, generator):
    """Answers the digest of a new machine."""
    digests = set()
    for structure in ("modules", "dense"):
        with tessera.Machine(layout, *options, "--structure", structure) as machine:
            fresh = run(machine, LONGEST)
            cycles = max(fresh[2], 1)
            for _ in range(RESETS):
                at = generator.randrange(cycles)
                machine.reset()
                run(machine, at)
                machine.reset()
                assert run(machine, LONGEST) == fresh, f"{layout.parent.name}, {structure}: reset in cycle {at}"
            digests.add(fresh[1])
    assert len(digests) == 1, f"{layout.parent.name}: the structures differ"
    return digests.pop()


def main():
    pattern = sys.argv[1] if len(sys.argv) > 1 else ""
    generator = random.Random(5)
    chosen = [(layout, options) for layout, options in programs() if pattern in str(layout)]
    digests = {check(layout, options, generator) for layout, options in chosen}
    print(f"{len(chosen)} programs, {len(digests)} digests, {len(chosen) * 2 * RESETS} resets")
    assert len(digests) > len(chosen) // 2, "the programs do nothing"


if __name__ == "__main__":
    main()
