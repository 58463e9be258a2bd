# SPDX-License-Identifier: Apache-2.0
"""The memory of the PEs after a run: a file that the server leaves in the compile directory."""
import contextlib
import fcntl
import json
import os
import shutil
import weakref
import zipfile
from pathlib import Path

import numpy as np

from tessera_csl import arguments, arrays
from tessera_csl.halves import half_value

DIRECTORY = "memory.json"
BYTES = "memory.bin"
TRACE = "tessera.trace."


def _whole(words):
    return sum(int(word) << 16 * n for n, word in enumerate(words))


def _as(dtype):
    return lambda words: words.view(dtype)[0].item()


def _half(format_name):
    return lambda words: half_value(int(words[0]), format_name)


# Kinds of records by number: words, and the value.
RECORDS = [("text", 1, _whole), ("time stamp", 3, _whole), ("bool", 1, lambda words: bool(words[0])), ("u8", 1, _whole),
           ("i8", 1, _as(np.int16)), ("u16", 1, _whole), ("i16", 1, _as(np.int16)), ("f16", 1, _as(np.float16)),
           ("u32", 2, _whole), ("i32", 2, _as(np.int32)), ("f32", 2, _as(np.float32)),
           ("bf16", 1, _half("bf16")), ("cb16", 1, _half("cb16"))]


@contextlib.contextmanager
def _opened(folder, is_held):
    """Both files, of the same run: who writes them holds the lock of the folder."""
    folder = Path(folder)
    try:
        lock = os.open(folder, os.O_RDONLY)
        try:
            if not is_held:
                fcntl.flock(lock, fcntl.LOCK_SH)
            directory, memory = open(folder / DIRECTORY, "rb"), open(folder / BYTES, "rb")  # pylint: disable=consider-using-with
        finally:
            os.close(lock)
    except FileNotFoundError:
        raise RuntimeError(f"{folder} has no memory of a run; SdkRuntime.stop() leaves it there") from None
    with directory, memory:
        yield directory, memory


class MemoryDump:
    """Reads memory.json (which PE runs what, and where its variables lie) and memory.bin (the bytes, PE by PE). `is_held`: the
    server has written them and still keeps others from replacing them."""

    def __init__(self, folder, is_held=False):
        with _opened(folder, is_held) as (directory, memory):
            try:
                self._text = directory.read()
                self._directory = json.loads(self._text)
                self._places = {(x, y): (n, code) for n, (x, y, code) in enumerate(self._directory["tiles"])}
                self._size = self._directory["bytes"]
            except (ValueError, KeyError, TypeError):
                raise RuntimeError(f"{Path(folder) / DIRECTORY} is not what a run leaves; run the program again") from None
            self._file = os.dup(memory.fileno())  # stays that of this run
            weakref.finalize(self, os.close, self._file)

    def write_core(self, path):
        """Both files as one, for csdb."""
        temporary = f"{path}.tmp-{os.getpid()}"
        try:
            with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as core:
                core.writestr(DIRECTORY, self._text)
                with core.open(BYTES, "w", force_zip64=True) as entry, open(os.dup(self._file), "rb") as memory:
                    memory.seek(0)
                    shutil.copyfileobj(memory, entry, 1 << 20)
            os.replace(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)

    def _bytes(self, x, y, name):
        x, y = arguments.whole(x, "the column"), arguments.whole(y, "the row")
        if (x, y) not in self._places:
            raise ValueError(f"PE ({x}, {y}) has no program; coordinates are those of the fabric, in which the program begins "
                             f"at {tuple(self._directory['offset'])}")
        number, code = self._places[x, y]
        symbols = self._directory["codes"][code]["symbols"]
        if name not in symbols:
            raise arguments.unknown(f"variable of PE ({x}, {y})", name, list(symbols))
        address, size = symbols[name]
        found = os.pread(self._file, size, number * self._size + address)
        if len(found) != size:
            raise RuntimeError(f"{BYTES}: the memory of PE ({x}, {y}) is not there to its end; run the program again")
        return found

    def symbol(self, x, y, name, dtype):
        """The value of a variable of one PE, flat."""
        return arrays.elements_of(self._bytes(x, y, name), dtype, name)

    def rectangle(self, rectangle, name, dtype):
        """The values of a variable on ((column, row), (width, height)): an array [column, row, element]."""
        (column, row), (width, height) = rectangle
        return np.array([[self.symbol(column + x, row + y, name, dtype) for y in range(height)] for x in range(width)])

    def trace(self, x, y, key):
        """The records of the trace buffer `key` of one PE: frontends/csl/library/debug.csl writes them."""
        words = np.frombuffer(self._bytes(x, y, TRACE + key), np.uint16)
        code = self._places[x, y][1]
        records, place, end = [], 1, 1 + int(words[0])
        while place < end:
            kind, size, value_of = RECORDS[words[place]]
            value = value_of(words[place + 1:place + 1 + size])
            records.append(self._directory["codes"][code]["strings"][value] if kind == "text" else value)
            place += 1 + size
        return records


class DebugUtil:
    """What a run has left in a folder; coordinates are those of the whole fabric."""

    def __init__(self, folder):
        self._dump = MemoryDump(folder)

    def get_symbol(self, col, row, symbol, dtype):
        """The value of a variable on one PE, flat."""
        return self._dump.symbol(col, row, symbol, dtype)

    def get_symbol_rect(self, rectangle, symbol, dtype):
        """The values on a rectangle ((column, row), (width, height)); the first two dimensions are column and row."""
        return self._dump.rectangle(rectangle, symbol, dtype)

    def read_trace(self, px, py, name):
        """The records of the trace buffer `name` of one PE: text, numbers, booleans, 48-bit time stamps, in order."""
        return self._dump.trace(px, py, name)
