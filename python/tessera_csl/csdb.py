# SPDX-License-Identifier: Apache-2.0
"""csdb: looks at the memory that a run has left, by commands on standard input or in files (docs/csl-host.md, "csdb").

    csdb [FOLDER]

Addresses and lengths are in 16-bit words, coordinates are those of the fabric.
"""
import argparse
import json
import os
import shlex
import sys
import zipfile
import zlib
from pathlib import Path

import numpy as np

from tessera_csl.memory import BYTES, DIRECTORY

COMMANDS = ("context select FOLDER", "target create --core-file=FILE", "rectangle select X,Y --dimension=W,H",
            "rectangle deselect X,Y --dimension=W,H", "memory read --address=A --length=N [--stdoutput] [--output-file=FILE]", "exit")
TILE_WORDS = 24 * 1024


class Mistake(Exception):
    """A command that cannot be carried out."""


class Options(argparse.ArgumentParser):
    """Options of a command; a mistake does not end the program."""

    def error(self, message):
        raise Mistake(message)


def _number(text):
    try:
        return int(text, 0)
    except ValueError:
        raise Mistake(f"'{text}' is no whole number") from None


def _pair(text, what):
    parts = text.split(",")
    if len(parts) != 2:
        raise Mistake(f"{what} are two numbers, such as 4,1, not '{text}'")
    return _number(parts[0]), _number(parts[1])


def _parsed(words, **options):
    parser = Options(prog="", add_help=False, allow_abbrev=False)
    parser.add_argument("rest", nargs="*")
    for name, settings in options.items():
        parser.add_argument("--" + name.replace("_", "-"), **settings)
    return parser.parse_args(words)


class Core:
    """The memory of the PEs in a file of dump_core()."""

    def __init__(self, path):
        try:
            with zipfile.ZipFile(path) as core:
                self.directory = json.loads(core.read(DIRECTORY))
                self._bytes = core.read(BYTES)
            self.tiles = {(x, y): n for n, (x, y, _) in enumerate(self.directory["tiles"])}
            self._size = self.directory["bytes"]
            self.offset = tuple(map(int, self.directory["offset"]))
        except FileNotFoundError:
            raise Mistake(f"there is no file {path}; SdkRuntime.dump_core() writes one") from None
        except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError, KeyError, ValueError, TypeError) as error:
            raise Mistake(f"{path} is no core file of Tessera: {error}") from None

    def words(self, tile, address, length):
        """Words of one PE."""
        start = self.tiles[tile] * self._size + 2 * address
        return np.frombuffer(self._bytes[start:start + 2 * length], "<u2")


class Debugger:
    """What has been selected, and the commands."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.core = None
        self.selected = []
        self.commands = {("context", "select"): self.context, ("target", "create"): self.target, ("rectangle", "select"): self.select,
                         ("rectangle", "deselect"): self.deselect, ("memory", "read"): self.memory, ("register", "read"): self.register,
                         ("help",): self.help}

    def context(self, words):
        """The folder of the compiled program, in which core files are looked for too."""
        given = _parsed(words).rest
        if len(given) != 1 or not (self.folder / given[0]).is_dir():
            raise Mistake(f"there is no folder '{' '.join(given)}'")
        self.folder = self.folder / given[0]

    def target(self, words):
        """Reads a core file and selects all of its PEs."""
        given = _parsed(words, core_file={"required": True})
        found = [path for path in (Path(given.core_file), self.folder / given.core_file, self.folder.parent / given.core_file) if path.is_file()]
        self.core = Core(found[0] if found else given.core_file)
        self.selected = sorted(self.core.tiles, key=lambda tile: (tile[1], tile[0]))
        print(f"{len(self.selected)} PEs with a program")

    def _rectangle(self, words):
        given = _parsed(words, dimension={"default": "1,1"})
        if self.core is None:
            raise Mistake("there is no core file yet: target create --core-file=FILE")
        if len(given.rest) != 1:
            raise Mistake("a rectangle begins at X,Y")
        (x, y), (width, height) = _pair(given.rest[0], "the corner's coordinates"), _pair(given.dimension, "the dimensions")
        inside = {tile for tile in self.core.tiles if x <= tile[0] < x + width and y <= tile[1] < y + height}
        if not inside:
            raise Mistake(f"no PE from ({x}, {y}) on, {width} x {height}, has a program; it begins at {self.core.offset}")
        return inside

    def select(self, words):
        """These PEs only."""
        inside = self._rectangle(words)
        self.selected = sorted(inside, key=lambda tile: (tile[1], tile[0]))

    def deselect(self, words):
        """Without these PEs."""
        inside = self._rectangle(words)
        self.selected = [tile for tile in self.selected if tile not in inside]

    def memory(self, words):
        """Words of all selected PEs, to the output or as a file of 16-bit words."""
        given = _parsed(words, address={"required": True}, length={"required": True}, stdoutput={"action": "store_true"},
                        output_file={"default": None})
        address, length = _number(given.address), _number(given.length)
        if self.core is None:
            raise Mistake("there is no core file yet: target create --core-file=FILE")
        if address < 0 or length < 1 or address + length > TILE_WORDS:
            raise Mistake(f"{length} words from {address:#x} on do not lie in the {TILE_WORDS} words of a PE")
        read = [(tile, self.core.words(tile, address, length)) for tile in self.selected]
        if given.output_file:
            np.concatenate([part for _, part in read] or [np.zeros(0, "<u2")]).tofile(given.output_file)
            return
        for (x, y), part in read:
            for at in range(0, length, 8):
                print(f"P{x}.{y} {address + at:#06x}: " + " ".join(f"{word:04x}" for word in part[at:at + 8]))

    def register(self, _):
        """A core file of Tessera has no registers."""
        raise Mistake("a core file of Tessera has the memory of the PEs, not their registers")

    def help(self, _):
        """The commands."""
        print("\n".join(COMMANDS))

    def carry_out(self, line):
        """False: it was exit."""
        words = shlex.split(line, comments=True)
        if not words:
            return True
        if words[0] in ("exit", "quit"):
            return False
        for names, command in self.commands.items():
            if tuple(words[:len(names)]) == names:
                command(words[len(names):])
                return True
        raise Mistake(f"there is no command '{line.strip()}'; there are: " + "; ".join(COMMANDS))


def main(arguments=None):
    """Carries out the commands of standard input. 2: one of them was a mistake."""
    parser = argparse.ArgumentParser(prog="csdb", description="looks at the memory that a run has left", epilog="commands: " + "; ".join(COMMANDS))
    parser.add_argument("folder", nargs="?", default=".", help="folder of the compiled program")
    given = parser.parse_args(arguments)
    if not os.path.isdir(given.folder):
        parser.error(f"there is no folder {given.folder}")
    debugger, status = Debugger(given.folder), 0
    shows_prompt = sys.stdin.isatty()
    while True:
        try:
            line = input("(csdb) ") if shows_prompt else sys.stdin.readline()
            if not line and not shows_prompt:
                return status
            if not debugger.carry_out(line):
                return status
        except EOFError:
            return status
        except (Mistake, ValueError, OSError) as mistake:
            print(f"csdb: {mistake}", file=sys.stderr)
            status = 2


if __name__ == "__main__":
    sys.exit(main())
