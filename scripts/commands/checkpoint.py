# SPDX-License-Identifier: Apache-2.0
"""tessera checkpoint: what is in a saved state (docs/checkpoints.md; the form of the file: platforms/run/checkpoint_file.cpp)."""
import os
import stat
import struct

from commands.programs import Problem

MAGIC = b"tessera state\n\x1a\n"
FIRST_FORMAT = 5  # of platforms/run/checkpoint_file.cpp whose header has this form; later ones changed the state only
CHUNK = 1 << 22  # bytes of the state in a part that is compressed on its own
MOST_DIGESTED = 1 << 24  # bytes of a file whose digest is computed here, in a few seconds
WORD = (1 << 64) - 1


def mixed(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def digest_of(data):
    whole = len(data) // 8 * 8
    digest = mixed(len(data) + 1)
    for (word,) in struct.iter_unpack("<Q", data[:whole]):
        digest = mixed(digest ^ word) + 0x9E3779B97F4A7C15 & WORD
    return mixed(digest ^ int.from_bytes(data[whole:], "little"))


class Header:
    """The part of the file before the state; what is beyond its end is damage."""

    def __init__(self, path):
        self.path = path
        try:
            status = os.stat(path)
            if not stat.S_ISREG(status.st_mode):
                raise Problem(f"{path}: is no file, so it is no checkpoint")
            self.file = open(path, "rb")
        except OSError as error:
            raise Problem(f"{path}: cannot be read: {error.strerror}") from error
        with self.file:
            if self.file.read(len(MAGIC)) != MAGIC:
                raise Problem(f"{path}: this is no checkpoint")
            version = self.version = self.number()
            if version < FIRST_FORMAT:
                raise Problem(f"{path}: the checkpoint has format {version}; this version of Tessera reads formats from {FIRST_FORMAT} on")
            self.same = self.texts()
            self.told = self.texts()
            self.cycle = self.number()
            self.state_bytes = self.number()
            self.check_rest(status.st_size)

    def check_rest(self, file_bytes):
        """The parts are there, and the file is what was written as far as that is known soon."""
        count = self.number()
        if count != -(-self.state_bytes // CHUNK) or self.file.tell() + 8 * count + 8 > file_bytes:
            raise self.damage()
        parts = sum(self.number() for _ in range(count))
        self.is_large = file_bytes > MOST_DIGESTED
        is_whole = self.file.tell() + parts + 8 == file_bytes
        if is_whole and not self.is_large:
            self.file.seek(0)
            data = self.file.read()
            is_whole = digest_of(data[:-8]) == int.from_bytes(data[-8:], "little")
        if not is_whole:
            raise self.damage()

    def damage(self):
        return Problem(f"{self.path}: the checkpoint is damaged: it is not what was written; take the one before it")

    def bytes(self, count):
        found = self.file.read(count) if count < 1 << 20 else b""
        if len(found) != count:
            raise self.damage()
        return found

    def number(self):
        return struct.unpack("<Q", self.bytes(8))[0]

    def text(self):
        return self.bytes(self.number()).decode(errors="replace")

    def texts(self):
        return {self.text(): self.text() for _ in range(self.number())}


def checkpoint(arguments):
    header = Header(arguments.file)
    lines = {"cycle": header.cycle, "format": header.version, **header.told, **header.same, "bytes of the state": header.state_bytes}
    for name, value in lines.items():
        print(f"{name}: {value}")
    if header.is_large:
        print("not checked here: the digest of a file this large; --restore checks it")
    return 0


def add_to(commands):
    parser = commands.add_parser("checkpoint", help="what is in a saved state: cycle, program, machine, digests")
    parser.add_argument("file", metavar="FILE")
    parser.set_defaults(call=checkpoint)
