"""The memory of the PEs after a run: a file that the server leaves in the compile directory."""
import json
from pathlib import Path

import numpy as np

from tessera_csl import arguments

DIRECTORY = "memory.json"
TRACE = "tessera.trace."


def _whole(words):
    return sum(int(word) << 16 * n for n, word in enumerate(words))


def _as(dtype):
    return lambda words: words.view(dtype)[0].item()


# Kinds of records by number: words, and the value.
RECORDS = [("text", 1, _whole), ("time stamp", 3, _whole), ("bool", 1, lambda words: bool(words[0])), ("u8", 1, _whole),
           ("i8", 1, _as(np.int16)), ("u16", 1, _whole), ("i16", 1, _as(np.int16)), ("f16", 1, _as(np.float16)),
           ("u32", 2, _whole), ("i32", 2, _as(np.int32)), ("f32", 2, _as(np.float32))]


class MemoryDump:
    """Reads memory.json (which PE runs what, and where its variables lie) and memory.bin (the bytes, PE by PE)."""

    def __init__(self, folder):
        folder = Path(folder)
        try:
            self._directory = json.loads((folder / DIRECTORY).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise RuntimeError(f"{folder} has no memory of a run; SdkRuntime.stop() leaves it there") from None
        self.path = folder / "memory.bin"
        self._places = {(x, y): (n, code) for n, (x, y, code) in enumerate(self._directory["tiles"])}

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
        with open(self.path, "rb") as file:
            file.seek(number * self._directory["bytes"] + address)
            return file.read(size)

    def symbol(self, x, y, name, dtype):
        """The value of a variable of one PE, flat."""
        return arguments.elements_of(self._bytes(x, y, name), dtype, name)

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
