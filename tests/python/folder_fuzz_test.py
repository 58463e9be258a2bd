#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Folders of compiled programs with random changes, on a machine: each is refused with one sentence, or runs.

folder_fuzz_test.py COUNT [SEED]. Digests are made right again in most mutants, so that the contents are looked at. The mutants run in
processes of their own, a hundred in each; one that crashes is named by its seed.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).resolve().parent)]
import server_program  # noqa: E402

FILES = ("tessera.json", "layout.json", "bin/out_0_0.elf")
NUMBERS = ("0", "1", "-1", "3", "7", "24", "31", "4096", "49151", "65535", "65536", "2147483647", "4294967295", "4294967296", "1e99", '"x"',
           "null", "[]", "{}", "true", '""')
A_PIECE = 100


def mutant_of(text, choose):
    """A number, a word or some characters are changed."""
    at = choose.randrange(len(text))
    kind = choose.randrange(6)
    if kind < 2:
        digits = [i for i, c in enumerate(text) if c.isdigit() and not text[i - 1].isdigit()]
        start = choose.choice(digits)
        end = start
        while end < len(text) and text[end].isdigit():
            end += 1
        return text[:start] + choose.choice(NUMBERS) + text[end:]
    if kind == 2:
        return text[:at] + text[at + choose.randint(1, 40):]
    if kind == 3:
        other = choose.randrange(len(text))
        return text[:at] + text[other:other + choose.randint(1, 60)] + text[at:]
    if kind == 4:
        return text[:at] + chr(choose.randrange(32, 127)) + text[at + 1:]
    lines = text.splitlines(keepends=True)
    del lines[choose.randrange(len(lines))]
    return "".join(lines) if len(lines) > 1 else text[:at]


def change(folder, seed):
    """Makes the mutant of this number."""
    choose = random.Random(seed)
    file = folder / choose.choice(FILES + FILES[:1])
    text = file.read_text(encoding="utf-8")
    if choose.randrange(8) == 0:
        file.write_text(mutant_of(text, choose), encoding="utf-8")
        return
    try:
        facts = json.loads((folder / FILES[0]).read_text(encoding="utf-8"))
        if file.name != FILES[0]:
            file.write_text(mutant_of(text, choose), encoding="utf-8")
        else:
            facts = json.loads(mutant_of(text, choose))
        server_program.sign(folder, {key: value for key, value in facts.items() if key not in ("digest", "digests")})
    except (ValueError, AttributeError, TypeError):  # no object any more
        pass


def use(folder):
    """What a host does with it; the sentences of refusals."""
    import tessera  # pylint: disable=import-outside-toplevel
    said = []

    def attempt(call, *arguments, **named):
        try:
            return call(*arguments, **named)
        except (tessera.Error, ValueError) as error:
            said.append(str(error))
            return None
        except TypeError as error:  # a folder may name a type that the argument does not have
            if not str(error).startswith("argument "):
                raise
            said.append(str(error))
            return None
    machine = attempt(tessera.Machine, folder, kind="wse")
    if machine is None:
        return said
    with machine:
        attempt(machine.csl_copy_to, "A", np.arange(4, dtype=np.float32), 0, 0, 1, 1)
        attempt(machine.csl_launch, "put", 1.0, 2)
        attempt(machine.csl_launch, "double")
        attempt(machine.csl_copy_from, "A", 4)
        attempt(machine.read, "B", 4, 1)
        attempt(machine.waits)
        attempt(machine.step, 100)
        attempt(machine.report)
    return said


def work(version, first, count):
    """Mutants `first` on, in this process."""
    for seed in range(first, first + count):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name) / "out"
            server_program.write(folder, version)
            change(folder, seed)
            print(seed, flush=True)
            for sentence in use(folder):
                if "internal error" in sentence or not sentence:
                    print(f"mutant {seed}: {sentence}", file=sys.stderr)
                    return 1
    return 0


def main():
    """Runs pieces, and names the mutant at which one ended."""
    if sys.argv[1] == "work":
        return work(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
    count, first = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0
    import tessera  # pylint: disable=import-outside-toplevel
    version, status = tessera.version(), 0
    for begin in range(first, first + count, A_PIECE):
        done = subprocess.run([sys.executable, "-B", __file__, "work", version, str(begin), str(min(A_PIECE, first + count - begin))],
                              capture_output=True, text=True, check=False, timeout=600, env=os.environ)
        if done.returncode != 0:
            last = done.stdout.split()[-1] if done.stdout else "?"
            print(f"mutant {last} ended the process with {done.returncode}: {done.stderr.strip()[-2000:]}", file=sys.stderr)
            status = 1
    print(f"{count} mutants")
    return status


if __name__ == "__main__":
    sys.exit(main())
