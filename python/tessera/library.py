"""libtessera.so and its functions (tessera.h), through ctypes."""

import ctypes
import os
import pathlib
from ctypes import POINTER, c_char_p, c_int, c_int32, c_uint32, c_uint64, c_void_p

ABI_VERSION = 1


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


Listener = ctypes.CFUNCTYPE(c_int, c_void_p, c_uint32, c_uint64)

# Argument types behind the machine; the answer is a status unless it is named.
_STATUS = {
    "reset": [c_int],
    "get_info": [POINTER(Info)],
    "get_symbol": [c_uint32, POINTER(Symbol)],
    "get_edge": [c_uint32, POINTER(Edge)],
    "find_symbol": [c_uint32, c_uint32, c_char_p, POINTER(Symbol)],
    "run": [c_uint64, POINTER(c_int)],
    "step": [c_uint64, POINTER(c_int)],
    "read": [c_uint32, c_uint32, c_void_p, c_uint32],
    "write": [c_uint32, c_uint32, c_void_p, c_uint32],
    "map": [c_uint32, POINTER(c_void_p), POINTER(c_uint32)],
    "resize_array": [c_uint32, c_uint32],
    "launch": [c_char_p] + 4 * [c_uint32] + [POINTER(c_uint32), c_uint32],
    "send": [c_uint32, c_uint32, POINTER(c_uint32), c_uint32, c_int],
    "expect": 3 * [c_uint32],
    "cancel": 2 * [c_uint32],
    "receive": [c_uint32, c_uint32, POINTER(c_uint32), c_uint32, POINTER(c_uint32)],
    "counter": [c_uint32, POINTER(c_uint64)],
    "csl_rectangle": [POINTER(c_int32)],
    "csl_copy_to": [c_char_p, POINTER(Region), c_void_p, c_uint64],
    "csl_copy_from": [c_char_p, POINTER(Region), c_void_p, c_uint64],
    "csl_stream_to": [c_uint32, POINTER(Region), c_void_p, c_uint64],
    "csl_stream_from": [c_uint32, POINTER(Region), c_void_p, c_uint64],
    "csl_launch": [c_char_p, POINTER(c_uint32), c_uint32],
}
_OTHERS = {
    "destroy": (None, []),
    "cycle": (c_uint64, []),
    "time_ps": (c_uint64, []),
    "open_launches": (c_uint32, []),
    "set_listener": (None, [Listener, c_void_p]),
    "function_name": (c_char_p, [c_uint32]),
    "array_name": (c_char_p, [c_uint32]),
    "symbol_name": (c_char_p, [c_uint32]),
    "counter_name": (c_char_p, [c_uint32]),
    "report": (c_char_p, []),
    "waits": (c_char_p, []),
}


def candidates() -> list[pathlib.Path]:
    """Where the library may be: in the installation, or in the build."""
    here = pathlib.Path(__file__).resolve()
    folders = [here.parents[4] / "lib"] if len(here.parents) > 4 else []  # PREFIX/share/tessera/python
    folders.append(here.parents[2] / "build" / "lib")
    return [folder / "libtessera.so" for folder in folders]


def load() -> ctypes.CDLL:
    """The library: that of the variable TESSERA_LIBRARY, of the installation, or of the build."""
    named = os.environ.get("TESSERA_LIBRARY")
    found = [pathlib.Path(named)] if named else [p for p in candidates() if p.exists()]
    if not found:
        raise OSError("libtessera.so was not found; name it with the environment variable "
                      "TESSERA_LIBRARY")
    library = ctypes.CDLL(str(found[0]))
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
