# SPDX-License-Identifier: Apache-2.0
"""libtessera.so and its functions (tessera.h), through ctypes."""

import ctypes
import operator
import os
import pathlib
from ctypes import POINTER, c_char_p, c_int, c_int32, c_uint32, c_uint64, c_void_p

ABI_VERSION = 1
SONAME = f"libtessera.so.{ABI_VERSION}"


class Whole:
    """A whole number as an argument. ctypes would cut one that does not fit."""

    def __init__(self, kind: type, bits: int):
        self.kind, self.last = kind, (1 << bits) - 1

    def from_param(self, value: object) -> object:
        number = operator.index(value)  # type: ignore[arg-type]
        if not 0 <= number <= self.last:
            raise ValueError(f"{number} is not in 0 to {self.last}")
        return self.kind(number)


_U32, _U64 = Whole(c_uint32, 32), Whole(c_uint64, 64)


class Info(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in (
        "kind", "width", "height", "tile_bytes", "functions", "edges", "arrays", "symbols",
        "counters")] + [("period_ps", c_uint64)]


class Symbol(ctypes.Structure):
    _fields_ = [(name, c_uint32) for name in ("program", "address", "bytes", "type")]


class Edge(ctypes.Structure):
    _fields_ = [("x", c_int32), ("y", c_int32), ("side", c_uint32), ("colors_out", c_uint32)]


class Region(ctypes.Structure):
    _fields_ = ([(name, c_int32) for name in ("x", "y", "width", "height")] +
                [(name, c_uint32) for name in ("elements", "bits", "by_column", "broadcast")] +
                [(name, c_int32) for name in ("column_stride", "row_stride")])


def region(*numbers: int, **named: int) -> Region:
    """A Region whose numbers fit their fields."""
    made = Region()
    for (name, kind), value in list(zip(Region._fields_, numbers)) + [((n, dict(Region._fields_)[n]), v) for n, v in named.items()]:
        number = operator.index(value)
        if kind(number).value != number:
            raise ValueError(f"the {name} {number} of a region is not possible")
        setattr(made, name, number)
    return made


Listener = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint32, c_uint64)

# Argument types after the machine; the answer is a status unless it is named.
_STATUS = {
    "reset": [c_int],
    "save": [c_char_p],
    "restore": [c_char_p],
    "get_info": [POINTER(Info)],
    "get_symbol": [_U32, POINTER(Symbol)],
    "get_edge": [_U32, POINTER(Edge)],
    "find_symbol": [_U32, _U32, c_char_p, POINTER(Symbol)],
    "run": [_U64, POINTER(c_int)],
    "step": [_U64, POINTER(c_int)],
    "read": [_U32, _U32, c_void_p, _U32],
    "write": [_U32, _U32, c_void_p, _U32],
    "map": [_U32, POINTER(c_void_p), POINTER(c_uint32)],
    "resize_array": [_U32, _U32],
    "launch": [c_char_p] + 4 * [_U32] + [POINTER(c_uint32), _U32],
    "send": [_U32, _U32, POINTER(c_uint32), _U32, c_int],
    "expect": 3 * [_U32],
    "cancel": 2 * [_U32],
    "receive": [_U32, _U32, POINTER(c_uint32), _U32, POINTER(c_uint32)],
    "counter": [_U32, POINTER(c_uint64)],
    "csl_rectangle": [POINTER(c_int32)],
    "csl_copy_to": [c_char_p, POINTER(Region), c_void_p, _U64],
    "csl_copy_from": [c_char_p, POINTER(Region), c_void_p, _U64],
    "csl_stream_to": [_U32, POINTER(Region), c_void_p, _U64],
    "csl_stream_from": [_U32, POINTER(Region), c_void_p, _U64],
    "csl_launch": [c_char_p, POINTER(c_uint32), _U32],
}
_OTHERS = {
    "destroy": (None, []),
    "cycle": (c_uint64, []),
    "time_ps": (c_uint64, []),
    "open_launches": (c_uint32, []),
    "set_listener": (None, [Listener, c_void_p]),
    "function_name": (c_char_p, [_U32]),
    "array_name": (c_char_p, [_U32]),
    "symbol_name": (c_char_p, [_U32]),
    "counter_name": (c_char_p, [_U32]),
    "csl_functions": (c_char_p, []),
    "debug": (c_char_p, [c_char_p]),
    "report": (c_char_p, []),
    "waits": (c_char_p, []),
}


def candidates() -> list[pathlib.Path]:
    """Where the library may be: in the installation, or in the build. The name with a number is there without headers too."""
    here = pathlib.Path(__file__).resolve()
    # PREFIX/share/tessera/python, or PREFIX/lib/python3.11/site-packages
    folders = [here.parents[4] / "lib"] if len(here.parents) > 4 else []
    folders.append(here.parents[2] / "build" / "lib")
    return [folder / name for folder in folders for name in ("libtessera.so", SONAME)]


def data_folder() -> pathlib.Path:
    """The folder with examples, presets and scripts: share/tessera of the installation, or the checkout."""
    here = pathlib.Path(__file__).resolve()
    for folder in (here.parents[2], *(above / "share" / "tessera" for above in here.parents[4:5])):
        if (folder / "examples").is_dir():
            return folder
    raise OSError("the folder with the examples of Tessera was not found; it comes with the executables, and this package is "
                  f"installed alone in {here.parent}")


def load() -> ctypes.CDLL:
    """The library: that of the variable TESSERA_LIBRARY, of the installation, of the build, or of the system."""
    named = os.environ.get("TESSERA_LIBRARY")
    found = [pathlib.Path(named)] if named else [p for p in candidates() if p.exists()] + [pathlib.Path(SONAME)]
    try:
        library = ctypes.CDLL(str(found[0]))
    except OSError as error:
        if os.sep in str(found[0]):
            raise
        raise OSError(f"libtessera.so was not found; name it with the environment variable TESSERA_LIBRARY ({error})") from error
    library.tessera_abi_version.restype = c_uint32
    if library.tessera_abi_version() != ABI_VERSION:
        raise OSError(f"{found[0]} has ABI version {library.tessera_abi_version()}, expected "
                      f"{ABI_VERSION}")
    for name in ("version", "last_error"):
        getattr(library, "tessera_" + name).restype = c_char_p
    library.tessera_type_name.restype = c_char_p
    library.tessera_type_name.argtypes = [c_uint32]
    library.tessera_create.argtypes = [c_char_p, c_char_p, c_int, POINTER(c_char_p),
                                       POINTER(c_void_p)]
    for name, arguments in _STATUS.items():
        getattr(library, "tessera_" + name).argtypes = [c_void_p] + arguments
    for name, (answer, arguments) in _OTHERS.items():
        function = getattr(library, "tessera_" + name)
        function.restype = answer
        function.argtypes = [c_void_p] + arguments
    return library
