# SPDX-License-Identifier: Apache-2.0
"""Tessera from Python: machines to load, run, feed and read (docs/c-api.md).

    import tessera
    with tessera.Machine("layout.json", "--preset", "wse2") as machine:
        machine.write("A", values, x=0, y=0)
        machine.launch("main")
        machine.run()
        print(machine.read("y", x=3, y=0), machine.report()["cycles"])
"""

import ctypes
import enum
import json
import os
import pathlib
import threading
from typing import Any, Callable, NamedTuple, Sequence

import numpy as np

try:
    from .csl_arguments import argument_word  # an installation has a copy of the module, as the package is there without the other one
except ImportError:
    from tessera_csl.arguments import argument_word

from . import ascend, debug as _debug, library as _library, values as _values
from .debug import Breakpoint
from .errors import Error, FailedError
from .library import data_folder

__all__ = ["Breakpoint", "Edge", "Error", "FailedError", "Machine", "Notice", "Stop", "Symbol", "Wait", "Waits",
           "ascend", "data_folder", "version"]

_c = _library.load()
# The library carries out one call at a time. Texts are copied, and errors read, before the next one; a listener may call for
# another machine.
_lock = threading.RLock()
_NO_LIMIT = 2**64 - 1
_DTYPES = {"i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
           "f16": np.float16, "f32": np.float32, "i8": np.int8, "u8": np.uint8, "i64": np.int64, "u64": np.uint64,
           "bf16": np.uint16, "cb16": np.uint16}  # NumPy has not the last two: their bits
_SIDES = ("WEST", "EAST", "SOUTH", "NORTH", "RAMP")


class Stop(enum.IntEnum):
    """Why a run stopped."""
    AT_REST = 0
    AT_LIMIT = 1
    ON_REQUEST = 2
    AT_STOP = 3


class Notice(enum.IntFlag):
    """What a listener is told."""
    LAUNCH_DONE = 1
    STREAM_DONE = 2
    CAME_TO_REST = 4
    MACHINE_FAILED = 8


class Symbol(NamedTuple):
    """A named array in the memory of the tiles that run one program."""
    name: str
    program: int
    address: int
    bytes: int
    dtype: np.dtype


class Edge(NamedTuple):
    """A link that the host holds."""
    number: int
    x: int
    y: int
    side: str
    colors_out: tuple[int, ...]


class Wait(NamedTuple):
    """Who waits for what."""
    at: tuple[int, ...]
    who: str
    what: str


class Waits(list):
    """A list of Wait that prints as a table, also in a notebook."""

    def __str__(self) -> str:
        rows = [("at", "who", "waits for")] + [(str(w.at), w.who, w.what) for w in self]
        widths = [max(len(row[i]) for row in rows) for i in range(2)]
        return "\n".join(f"{at:{widths[0]}}  {who:{widths[1]}}  {what}" for at, who, what in rows)

    def _repr_html_(self) -> str:
        import html
        cells = "".join("<tr>" + "".join(f"<td>{html.escape(str(part))}</td>" for part in wait) +
                        "</tr>" for wait in self)
        return f"<table><tr><th>at</th><th>who</th><th>waits for</th></tr>{cells}</table>"


def version() -> str:
    """The version of the library."""
    return _c.tessera_version().decode()


def _check(status: int) -> None:
    if status == 0:
        return
    error = FailedError if status == 4 else Error
    raise error(status, _c.tessera_last_error().decode())


def _text(name: str) -> bytes:
    """A name for the C interface, which would end it at a NUL."""
    if "\0" in name:
        raise ValueError(f"{name!r}: a name has no NUL character")
    return name.encode()


def _path(path: str | pathlib.Path) -> bytes:
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"{path!r}: a path has no NUL character")
    return name


def _kind_of(program: str) -> str:
    if program.endswith(".pto"):
        return "ascend"
    path = pathlib.Path(program)
    if path.suffix in (".cpp", ".cc", ".cxx", ".cce", ".asc", ".hpp"):  # those that ascend_platform compiles
        raise ValueError(f"{program}: a kernel in C++ is compiled first, by tessera.ascend.compile")
    is_mesh = path.suffix == ".json" and path.is_file() and b"tessera-numesh-program" in path.read_bytes()
    return "numesh" if is_mesh else "wse"


class Machine:
    """A machine with its program. `kind`: "wse" (a layout, a CSL file or the folder of a compiled one),
    "ascend" (a PTO program) or "numesh" (a communication program); by default the program tells. `options`: those of the
    executable, as on its command line. Threads may share machines; their calls are carried out one after the other."""

    def __init__(self, program: str | pathlib.Path, *options: str, kind: str | None = None):
        self._handle = ctypes.c_void_p()
        path = str(program)
        words = (ctypes.c_char_p * len(options))(*(_text(str(option)) for option in options))
        with _lock:
            _check(_c.tessera_create(_text(kind or _kind_of(path)), _path(path), len(options),
                                     words, ctypes.byref(self._handle)))
        self._calls = 0  # that the machine is in
        self._listener: Any = None
        self._on_notice: Callable[[Notice, int], bool | None] | None = None
        self._listener_error: BaseException | None = None
        self._debugger: _debug.Debugger | None = None
        info = _library.Info()
        self._call("get_info", ctypes.byref(info))
        self.kind = {1: "wse", 2: "ascend", 3: "numesh"}[info.kind]
        self.width, self.height = info.width, info.height
        self.tile_bytes, self.period_ps = info.tile_bytes, info.period_ps
        self.functions = self._names("function", info.functions)
        self.arrays = self._names("array", info.arrays)
        self.counter_names = self._names("counter", info.counters)
        self.symbols = [self._symbol(n) for n in range(info.symbols)]
        self.edges = [self._edge(n) for n in range(info.edges)]

    def close(self) -> None:
        """Destroys the machine; views of its memory are invalid from now on. Not while it runs, so not by its listener."""
        with _lock:
            if self._calls:
                raise ValueError("close: the machine runs; a listener stops the run by a true answer, and close() comes after it")
            handle, self._handle = self._handle, ctypes.c_void_p()
            _c.tessera_destroy(handle)

    def __enter__(self) -> "Machine":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()

    # --- running

    def run(self, limit: int | None = None) -> Stop:
        """Runs until nothing moves any more, or up to cycle `limit`."""
        return self._run("run", _NO_LIMIT if limit is None else limit)

    def step(self, cycles: int = 1) -> Stop:
        """Runs for so many cycles."""
        return self._run("step", cycles)

    def reset(self, keep_memory: bool = False) -> None:
        """The machine is as it was built; simulated time goes on, cycles count from 0."""
        self._call("reset", int(keep_memory))

    def save(self, path: str | pathlib.Path) -> None:
        """Writes the state of the machine to a file."""
        self._call("save", _path(path))

    def restore(self, path: str | pathlib.Path) -> None:
        """The machine becomes the one that was saved, by this or another process, with the same program and options."""
        self._call("restore", _path(path))

    # --- the debugger

    @property
    def debugger(self) -> _debug.Debugger:
        """Requests of the Debug Adapter Protocol (docs/debugger.md), between two calls that let the machine run."""
        if self._debugger is None:
            self._debugger = _debug.Debugger(lambda request: self._value("debug", request))
        return self._debugger

    def break_at(self, where: str, pe: str | tuple[int, int] = "", when: str = "", hits: int | str = "") -> Breakpoint:
        """Holds run() and step(), and launches of CSL, where a PE comes to "pe.csl:73", a function or task, or instruction "*12".
        `pe`: (3, 0) or places as in docs/debugger.md; `when`: an expression; `hits`: 3 is the third hit, ">=3" it and later
        ones. run() goes on."""
        return self.debugger.break_at(where, pe, when, hits)

    @property
    def stop(self) -> str:
        """What holds the machine: "breakpoint 1, pe.csl:73, cycle 40, PE (3, 0)"; "": nothing."""
        return "" if self._debugger is None else self._debugger.stop

    @property
    def cycle(self) -> int:
        """The next cycle that has not been stepped."""
        return self._value("cycle")

    @property
    def time_ps(self) -> int:
        return self._value("time_ps")

    def listen(self, listener: Callable[[Notice, int], bool | None] | None) -> None:
        """`listener(notice, cycle)` is called while the machine runs; a true answer stops the run. What it raises stops the
        run too, and comes out of run() or step(). A listener may give the machine another one."""
        self._on_notice = listener
        if self._listener is not None:
            return

        def call(_user: int, notice: int, cycle: int) -> int:
            try:
                found = self._on_notice
                return 1 if found is not None and found(Notice(notice), cycle) else 0
            except BaseException as error:  # an interrupt too; ctypes would only print it  # pylint: disable=broad-except
                self._listener_error = error
                return 1
        with _lock:
            self._listener = _library.Listener(call)  # one for the life of the machine, which may be in it
            _c.tessera_set_listener(self._handle, self._listener, None)

    # --- memory

    def sram(self, x: int, y: int) -> np.ndarray:
        """The memory of a tile as bytes: a view, until the machine runs, is reset or closed."""
        return self._view(self._place(x, y))

    def array(self, name: str, dtype: Any = np.uint8) -> np.ndarray:
        """An array in GM: a view as sram()."""
        wanted = np.dtype(dtype)
        if wanted.newbyteorder("<") != wanted:
            raise TypeError(f"the memory of a machine is little-endian, so that it has no view of type {wanted}")
        return self._view(self._array(name)).view(wanted)

    def set_array(self, name: str, values: np.ndarray) -> None:
        """Gives an array in GM size and contents."""
        data = _values.plain(values, f"the contents of '{name}'")
        self._call("resize_array", self._array(name), data.nbytes)
        self.array(name)[:] = data.reshape(-1).view(np.uint8)

    def find_symbol(self, name: str, x: int = 0, y: int = 0) -> Symbol:
        found = _library.Symbol()
        self._call("find_symbol", x, y, _text(name), ctypes.byref(found))
        return self._to_symbol(name, found)

    def read(self, name: str, x: int = 0, y: int = 0) -> np.ndarray:
        """A copy of what a tile has in a symbol."""
        symbol = self.find_symbol(name, x, y)
        values = np.empty(symbol.bytes // symbol.dtype.itemsize, symbol.dtype)
        self._call("read", self._place(x, y), symbol.address, values.ctypes.data, symbol.bytes)
        return values

    def write(self, name: str, values: Any, x: int = 0, y: int = 0) -> None:
        """Writes the first elements of a symbol."""
        symbol = self.find_symbol(name, x, y)
        data = _values.array_for(values, symbol.dtype, f"what is written to '{name}'")
        if data.nbytes > symbol.bytes:
            raise ValueError(f"'{name}' has {symbol.bytes} bytes, the values have {data.nbytes}")
        self._call("write", self._place(x, y), symbol.address, data.ctypes.data, data.nbytes)

    # --- launches and streams

    def launch(self, function: str, *arguments: int | float,
               tiles: tuple[int, int, int, int] = (0, 0, 0, 0)) -> None:
        """Starts a function on the tiles (x, y, width, height) that have it; default: all."""
        words = self._words(_values.words_of(arguments))
        self._call("launch", _text(function), *tiles, words, len(words))

    @property
    def open_launches(self) -> int:
        return self._value("open_launches")

    def edge(self, x: int, y: int, side: str) -> Edge:
        """The link at a side of a tile."""
        for edge in self.edges:
            if (edge.x, edge.y, edge.side) == (x, y, side.upper()):
                return edge
        raise KeyError(f"the host holds no link at the {side.upper()} side of tile ({x}, {y})")

    def send(self, edge: Edge | int, color: int, values: Any, control: bool = False) -> None:
        """Wavelets into the fabric: 32-bit numbers, one a wavelet."""
        words = self._words(_values.wavelets_of(values))
        self._call("send", self._number(edge), color, words, len(words), int(control))

    def expect(self, edge: Edge | int, color: int, count: int) -> None:
        self._call("expect", self._number(edge), color, count)

    def cancel(self, edge: Edge | int, color: int) -> None:
        self._call("cancel", self._number(edge), color)

    def receive(self, edge: Edge | int, color: int, dtype: Any = np.uint32) -> np.ndarray:
        """Takes all wavelets that have come."""
        parts = []
        words, taken = (ctypes.c_uint32 * 4096)(), ctypes.c_uint32(1)
        while taken.value:
            self._call("receive", self._number(edge), color, words, len(words),
                       ctypes.byref(taken))
            parts.append(np.array(words[:taken.value], np.uint32))
        return _values.elements_of(np.concatenate(parts), dtype)

    # --- commands of the host to a CSL program, one after the other

    @property
    def csl_rectangle(self) -> tuple[int, int, int, int]:
        """x, y, width and height of the program on the tiles."""
        rectangle = (ctypes.c_int32 * 4)()
        self._call("csl_rectangle", rectangle)
        return tuple(rectangle)

    def csl_copy_to(self, symbol: str, values: np.ndarray, *rectangle: int, **region: Any) -> None:
        """Copies an array of 16-bit or 32-bit elements to PEs: `rectangle` is x, y, width and height in the program,
        by default all of it. `region`: by_column, broadcast ("row": the same for all PEs of a row, "column"),
        column_stride, row_stride."""
        self._csl_in("copy_to", _text(symbol), values, rectangle, region)

    def csl_copy_from(self, symbol: str, elements: int, *rectangle: int, dtype: Any = np.float32,
                      **region: Any) -> np.ndarray:
        """The first elements from a symbol on of each PE, flat."""
        return self._csl_out("copy_from", _text(symbol), elements, rectangle, dtype, region)

    def csl_stream_to(self, color: int, values: np.ndarray, *rectangle: int, **region: Any) -> None:
        """Words into the PEs on a color that the program takes from the host."""
        self._csl_in("stream_to", color, values, rectangle, region)

    def csl_stream_from(self, color: int, elements: int, *rectangle: int, dtype: Any = np.float32,
                        **region: Any) -> np.ndarray:
        """The next words that each PE sends on a color."""
        return self._csl_out("stream_from", color, elements, rectangle, dtype, region)

    def csl_launch(self, function: str, *arguments: Any) -> Stop:
        """Calls an exported function on all PEs that have it, until each has asked for the next command: AT_REST. With a
        breakpoint it may be AT_STOP; run() goes on then and says the same. Raises TypeError for an argument that its parameter
        does not hold."""
        types = self._json("csl_functions").get(function)
        if types is None or len(types) != len(arguments):
            words = _values.words_of(arguments)  # the machine says what it has
        else:
            words = [argument_word(value, kind, f"argument {n} of '{function}'") for n, (value, kind) in enumerate(zip(arguments, types), 1)]
        words = self._words(np.array(words, np.uint32))
        self._call("csl_launch", _text(function), words, len(words))
        return Stop.AT_STOP if self._debugger is not None and self._debugger.look() else Stop.AT_REST

    # --- results

    def counters(self) -> dict[str, int]:
        value, found = ctypes.c_uint64(), {}
        for number, name in enumerate(self.counter_names):
            self._call("counter", number, ctypes.byref(value))
            found[name] = value.value
        return found

    def report(self) -> dict[str, Any]:
        """The report of the machine as it is now."""
        return self._json("report")

    def waits(self) -> Waits:
        """Who waits for what now."""
        return Waits(Wait(tuple(next(iter(wait.values()))), wait["who"], wait["what"])
                     for wait in self._json("waits"))  # the place comes first

    # --- helpers

    def _place(self, x: int, y: int) -> int:
        if not (0 <= x < self.width and 0 <= y < self.height):
            raise ValueError(f"tile ({x}, {y}) is not on the grid of {self.width} x {self.height}")
        return y * self.width + x

    def _csl_region(self, rectangle: Sequence[int], itemsize: int, options: dict[str, Any]) -> _library.Region:
        if itemsize not in (2, 4):
            raise TypeError("commands of CSL take elements of 16 or 32 bits")
        if rectangle and len(rectangle) != 4:
            raise TypeError(f"a rectangle is x, y, width and height, not {rectangle}")
        x, y, width, height = rectangle or (0, 0, *self.csl_rectangle[2:])
        unknown = set(options) - {"by_column", "broadcast", "column_stride", "row_stride"}
        if unknown:
            raise TypeError(f"a region has by_column, broadcast, column_stride and row_stride, not {', '.join(sorted(unknown))}")
        names = ("", "row", "column")
        broadcast = options.pop("broadcast", "")
        if broadcast not in names:
            raise ValueError(f'broadcast is "row" or "column", not {broadcast!r}')
        copies = names.index(broadcast)
        return _library.region(x, y, width, height, 0, 8 * itemsize, int(options.pop("by_column", False)), copies, **options)

    @staticmethod
    def _csl_pes(region: _library.Region) -> int:
        """How many PEs have words of their own in the array."""
        columns = -(-region.width // max(region.column_stride, 1)) if region.broadcast != 1 else 1
        rows = -(-region.height // max(region.row_stride, 1)) if region.broadcast != 2 else 1
        return columns * rows

    def _csl_in(self, command: str, target: Any, values: np.ndarray, rectangle: Sequence[int],
                options: dict[str, Any]) -> None:
        array = _values.plain(values, f"what is copied to '{target}'")
        if array.dtype.kind not in "iuf":
            raise TypeError(f"commands of CSL take numbers, not {array.dtype}")
        region = self._csl_region(rectangle, array.itemsize, options)
        region.elements = array.size // max(self._csl_pes(region), 1)
        words = array.reshape(-1).view(f"u{array.itemsize}").astype(np.uint32)
        self._call("csl_" + command, target, ctypes.byref(region), words.ctypes.data, words.size)

    def _csl_out(self, command: str, target: Any, elements: int, rectangle: Sequence[int], dtype: Any,
                 options: dict[str, Any]) -> np.ndarray:
        region = self._csl_region(rectangle, np.dtype(dtype).itemsize, options)
        _values.elements_of(np.empty(0, np.uint32), dtype)  # refuses the type before anything runs
        region.elements = _library.Whole(int, 32).from_param(elements)
        words = np.empty(elements * self._csl_pes(region), np.uint32)
        self._call("csl_" + command, target, ctypes.byref(region), words.ctypes.data, words.size)
        return _values.elements_of(words, dtype)

    def _call(self, name: str, *arguments: Any) -> None:
        with _lock:
            self._calls += 1
            try:
                status = getattr(_c, "tessera_" + name)(self._handle, *arguments)
            except ctypes.ArgumentError as error:  # "argument 2: ValueError: -1 is not in .."
                raise ValueError(f"{name}: {str(error).rsplit('Error: ', 1)[-1]}") from None
            finally:
                self._calls -= 1
            _check(status)

    def _value(self, name: str, *arguments: Any) -> Any:
        """The answer of a function that has no status: a number, or the copy of a text."""
        with _lock:
            found = getattr(_c, "tessera_" + name)(self._handle, *arguments)
            if found is None or not self._handle:
                raise Error(2, _c.tessera_last_error().decode() or "the machine has been closed")
        return found

    def _run(self, name: str, cycles: int) -> Stop:
        stop = ctypes.c_int()
        try:
            self._call(name, cycles, ctypes.byref(stop))
        finally:
            error, self._listener_error = self._listener_error, None
            if error is not None:
                raise error
        if self._debugger is not None:
            self._debugger.look()
        return Stop(stop.value)

    def _json(self, name: str) -> Any:
        return json.loads(self._value(name))

    def _names(self, kind: str, count: int) -> list[str]:
        return [self._value(f"{kind}_name", number).decode() for number in range(count)]

    def _symbol(self, number: int) -> Symbol:
        found = _library.Symbol()
        self._call("get_symbol", number, ctypes.byref(found))
        return self._to_symbol(self._value("symbol_name", number).decode(), found)

    @staticmethod
    def _to_symbol(name: str, found: _library.Symbol) -> Symbol:
        dtype = np.dtype(_DTYPES[_c.tessera_type_name(found.type).decode()])
        return Symbol(name, found.program, found.address, found.bytes, dtype)

    def _edge(self, number: int) -> Edge:
        found = _library.Edge()
        self._call("get_edge", number, ctypes.byref(found))
        colors = tuple(c for c in range(24) if found.colors_out >> c & 1)
        return Edge(number, found.x, found.y, _SIDES[found.side], colors)

    @staticmethod
    def _number(edge: Edge | int) -> int:
        return edge if isinstance(edge, int) else edge.number

    def _array(self, name: str) -> int:
        if name not in self.arrays:
            raise KeyError(f"the machine has no array '{name}'; it has {', '.join(self.arrays)}")
        return self.arrays.index(name)

    def _view(self, place: int) -> np.ndarray:
        data, size = ctypes.c_void_p(), ctypes.c_uint32()
        self._call("map", place, ctypes.byref(data), ctypes.byref(size))
        if not size.value:
            return np.empty(0, np.uint8)
        buffer = (ctypes.c_uint8 * size.value).from_address(data.value)
        return np.frombuffer(buffer, np.uint8)

    @staticmethod
    def _words(words: np.ndarray) -> Any:
        return (ctypes.c_uint32 * len(words)).from_buffer_copy(words) if len(words) else (ctypes.c_uint32 * 0)()
