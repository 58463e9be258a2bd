# SPDX-License-Identifier: Apache-2.0
"""Values that variables have at the start of a run, beside the compiled program that they belong to."""
import hashlib
import os
import zipfile
import zlib
from pathlib import Path

import numpy as np

FILE = "initial.npz"


def _program(folder):
    return hashlib.sha256((Path(folder) / "tessera.json").read_bytes()).hexdigest()


def write(folder, regions):
    """Writes the data of set_symbol_all() of all regions."""
    arrays = {"program": np.array(_program(folder))}
    for region in regions:
        (left, top), (width, _) = region["place"], region["size"]
        # One array for all PEs: NumPy reads the description of each array as a text of Python.
        for number, symbol in enumerate(region["symbols"]):
            arrays[f"{number},{left},{top},{width},{symbol['name']}"] = np.asarray(symbol["blocks"])
    temporary = Path(folder) / f"tmp-{os.getpid()}-{FILE}"
    try:
        np.savez(temporary, **arrays)
        os.replace(temporary, Path(folder) / FILE)
    finally:
        temporary.unlink(missing_ok=True)


def read(folder):
    """Pairs of (x, y, name) and an array; none if they belong to another program that was in the folder."""
    if not (Path(folder) / FILE).is_file():
        return
    try:
        with np.load(Path(folder) / FILE) as arrays:
            if str(arrays["program"]) != _program(folder):
                return
            found = [(key.split(",", 4), arrays[key]) for key in arrays.files if key != "program"]
        values = [((int(left) + number % int(width), int(top) + number // int(width), name), block)
                  for (_, left, top, width, name), blocks in found for number, block in enumerate(blocks)]
    except (OSError, ValueError, KeyError, NotImplementedError, zipfile.BadZipFile, zlib.error) as error:
        raise RuntimeError(f"{Path(folder) / FILE} is not what SdkLayout.compile() has written: {error}; compile again") from None
    yield from values
