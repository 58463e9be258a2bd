# SPDX-License-Identifier: Apache-2.0
"""tessera checkpoint: what is in a saved state (docs/checkpoints.md; the form of the file: platforms/run/checkpoint_file.cpp)."""
import struct

from commands.programs import Problem

MAGIC = b"tessera state\n\x1a\n"
FORMAT = 1


class Header:
    """The part of the file before the state; what is beyond its end is damage."""

    def __init__(self, path):
        self.path = path
        try:
            self.file = open(path, "rb")
        except OSError as error:
            raise Problem(f"{path}: cannot be read: {error.strerror}") from error
        with self.file:
            if self.file.read(len(MAGIC)) != MAGIC:
                raise Problem(f"{path}: this is no checkpoint")
            version = self.number()
            if version != FORMAT:
                raise Problem(f"{path}: the checkpoint has format {version}; this version of Tessera reads format {FORMAT}")
            self.same = self.texts()
            self.told = self.texts()
            self.cycle = self.number()
            self.state_bytes = self.number()

    def bytes(self, count):
        found = self.file.read(count) if count < 1 << 20 else b""
        if len(found) != count:
            raise Problem(f"{self.path}: the checkpoint is damaged: it is not what was written")
        return found

    def number(self):
        return struct.unpack("<Q", self.bytes(8))[0]

    def text(self):
        return self.bytes(self.number()).decode(errors="replace")

    def texts(self):
        return {self.text(): self.text() for _ in range(self.number())}


def checkpoint(arguments):
    header = Header(arguments.file)
    lines = {"cycle": header.cycle, **header.told, **header.same, "bytes of the state": header.state_bytes}
    for name, value in lines.items():
        print(f"{name}: {value}")
    return 0


def add_to(commands):
    parser = commands.add_parser("checkpoint", help="what is in a saved state: cycle, program, machine, digests")
    parser.add_argument("file", metavar="FILE")
    parser.set_defaults(call=checkpoint)
