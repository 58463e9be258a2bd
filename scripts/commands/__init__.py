# SPDX-License-Identifier: Apache-2.0
"""The commands of `tessera` that stand in front of the executables (docs/command.md)."""
from commands import adapter, checkpoint, coverage, debug, diff, golden, information, programs, show


def add_to(commands):
    """To the subparsers of scripts/tessera.py."""
    programs.add_to(commands)
    diff.add_to(commands)
    debug.add_to(commands)
    adapter.add_to(commands)
    golden.add_to(commands)
    coverage.add_to(commands)
    information.add_to(commands)
    checkpoint.add_to(commands)
    show.add_to(commands)


def split(words):
    """`tessera golden add PROGRAM .. -- OPTION ..`: the words of tessera, and the options of the platform."""
    if words[:2] != ["golden", "add"] or "--" not in words:
        return words, []
    at = words.index("--")
    return words[:at], words[at + 1:]
