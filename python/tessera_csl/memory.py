"""The memory of the PEs after a run: a file that the server leaves in the compile directory."""
import json
from pathlib import Path

import numpy as np

from tessera_csl import arguments

DIRECTORY = "memory.json"


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
