# SPDX-License-Identifier: Apache-2.0
"""The host of programs of SDK 0.4 to 0.8: it streams arrays across the edges of a program that is active from the start, waits for
its end, and reads and sets variables.

The edges are known from the calls of the host alone, after the program was compiled. So the program is compiled again, as the whole of a
fabric, with a stream at every PE whose edge a tensor crosses.
"""
import contextlib
import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from tessera_csl.arrays import elements_in, little_endian, wavelets_in
from tessera_csl.memory import DebugUtil
from tessera_csl.platform import tool
from tessera_csl.portmap import Elements
from tessera_csl.runtime import SdkRuntime

_EDGES = {"N": "NORTH", "S": "SOUTH", "E": "EAST", "W": "WEST"}
_SIDES = {"WEST": "W", "EAST": "E", "NORTH": "N", "SOUTH": "S"}
_runs = {}  # by the name of their core file


class _Stream:
    """What goes over one edge of one PE in one color: parts of tensors, one after the other."""

    def __init__(self, name, color, place, is_out):
        self.name, self.color, self.place, self.is_out = name, color, place, is_out
        self.parts = []  # tensors with the numbers of their elements
        self.sentinels = []  # for each part the control task that a control wavelet behind it starts, or None

    @property
    def size(self):
        """Wavelets."""
        return sum(len(numbers) for _, numbers in self.parts)

    def option(self, width, height):
        """The option of the compiler."""
        x, y, side = _edge(self.place, width, height)
        return f"--host-stream={self.name}:{'out' if self.is_out else 'in'}:{x},{y}:{side}:{self.color}"


def _edge(place, width, height):
    """The PE and its side, of a place next to the program."""
    x, y = place
    if 0 <= y < height and x in (-1, width):
        return (0, y, "WEST") if x < 0 else (width - 1, y, "EAST")
    if 0 <= x < width and y in (-1, height):
        return (x, 0, "NORTH") if y < 0 else (x, height - 1, "SOUTH")
    raise ValueError(f"PE[{x}, {y}] does not lie next to an edge of the program, which has {width}x{height} PEs")


def _wavelets(array):
    """A word for each element; one of 16 bits lies in the low half."""
    if array.dtype.itemsize not in (2, 4) or array.dtype.kind not in "iuf":
        raise ValueError(f"wavelets carry elements of 16 or 32 bits, not {array.dtype}")
    return wavelets_in(array, array.size)


def _part(words, numbers, width):
    """The elements of a tensor for one PE. A wavelet of 16 bits has the number of the element in its high half, which tasks with a
    second parameter and operations with `.index` read: public programs of SDK 0.4 to 0.8 send vectors so."""
    if width != 2:
        return words, numbers
    order = np.arange(len(numbers), dtype=np.uint32)
    return words[numbers] | (order & np.uint32(0xFFFF)) << np.uint32(16), order


class _Runtime(SdkRuntime):
    """A machine whose variables are set before the program begins, and whose streams may end with a control wavelet."""

    def run_with(self, values):
        """Starts the machine; `values` are pairs of (x, y, name) and an array."""
        self.run()
        written = [self._server.submit({"cmd": "write", "x": x, "y": y, "symbol": name}, value) for (x, y, name), value in values]
        for reply in written:
            self._server.wait(reply)

    def send_with_end(self, port, words):
        """Sends wavelets of which the last is a control wavelet; does not wait."""
        header, words, transfer = self._streams.send(port, words, None, ends_with_control=True)
        return self._transfer(header, transfer, words, nonblock=True)


class CSELFRunner:
    """Coordinates of variables are those of the whole fabric: column, row."""

    def __init__(self, elf_list, cmaddr=None, **_):
        folders = {Path(path).parent.parent for path in elf_list}
        if len(folders) != 1:
            raise ValueError(f"the files of one program are needed, not {list(elf_list)}")
        self._folder = folders.pop()
        self._cmaddr = cmaddr
        self._debug = None
        self._values = []  # column, row, variable and bytes, set before the run
        self._streams = {}  # by color, place and direction
        self._tensors = {}  # of outputs, by name
        self._origin = (0, 0)
        self.out_tensor_dict = {}

    def _program(self):
        """What the compiler has written about the program."""
        return json.loads((self._folder / "tessera.json").read_text(encoding="utf-8"))

    def _add(self, color, place, is_out, part, sentinel=None):
        key = (int(color), place, is_out)
        stream = self._streams.setdefault(key, _Stream(f"stream{len(self._streams)}", *key))
        stream.parts.append(part)
        stream.sentinels.append(sentinel)

    def add_input_tensor(self, color, portmap, np_array, sentinel=None, **_):
        """Sends the elements of an array where the port map says, or over the edge of one PE, as ("WEST", 0). Behind those of each PE, a
        control wavelet starts the control task `sentinel`."""
        array = np.asarray(np_array)
        words = _wavelets(array.ravel())
        if isinstance(portmap, tuple):
            edge, number = portmap
            places = [(self._edge_places(_SIDES.get(edge, edge))[number], np.arange(array.size))]
        else:
            found = Elements(portmap)
            if array.size != int(np.prod(found.shape)):
                raise ValueError(f"the port map has the shape {found.shape}, the array {array.shape}")
            places = found.of_places()
        for place, numbers in places:
            self._add(color, place, False, _part(words, numbers, array.dtype.itemsize), sentinel)

    def add_output_tensor(self, color, portmap, dtype, **_):
        """Receives a tensor, which out_tensor_dict has by the name of the port map after the run."""
        found = Elements(portmap)
        words = np.zeros(int(np.prod(found.shape)), np.uint32)
        self._tensors[found.name] = (words, found.shape, np.dtype(dtype))
        for place, numbers in found.of_places():
            self._add(color, place, True, (words, numbers))

    def _edge_places(self, edge):
        if edge not in _EDGES:
            raise ValueError(f"an edge is one of N, S, E and W, not {edge!r}")
        _, _, width, height = self._program()["rectangle"]
        return {"N": [(x, -1) for x in range(width)], "S": [(x, height) for x in range(width)],
                "W": [(-1, y) for y in range(height)], "E": [(width, y) for y in range(height)]}[edge]

    def _rows(self, edge, array):
        """The places of an edge, each with the numbers of its elements: a row of the array for each PE."""
        places = self._edge_places(edge)
        if len(array) != len(places):
            raise ValueError(f"the array has {len(array)} rows, and the edge {edge} has {len(places)} PEs")
        return zip(places, np.arange(array.size).reshape(len(places), -1))

    def add_input_array(self, name, color, edge, np_array, sentinel=None, **_):
        """Sends a row of the array over an edge to each of its PEs."""
        del name
        array = np.asarray(np_array)
        words = _wavelets(array.ravel())
        for place, numbers in self._rows(edge, array):
            self._add(color, place, False, _part(words, numbers, array.dtype.itemsize), sentinel)

    def add_output_array(self, name, color, edge, np_array, **_):
        """Receives a row of the array over an edge from each of its PEs."""
        array = np.asarray(np_array)
        words = np.zeros(array.size, np.uint32)
        self._tensors[name] = (words, array.shape, array.dtype)
        for place, numbers in self._rows(edge, array):
            self._add(color, place, True, (words, numbers))

    def set_symbol(self, col, row, name, value):
        """The value of a variable on one PE before the run."""
        self._values.append((int(col), int(row), name, little_endian(value)))

    def set_symbol_rect(self, name, np_array, offset=(0, 0)):
        """The values on a rectangle; the first two dimensions are column and row."""
        array = np.asarray(np_array)
        for x, column in enumerate(array):
            for y, value in enumerate(column):
                self.set_symbol(offset[0] + x, offset[1] + y, name, value)

    def _compile_with_streams(self, folder):
        """Compiles the program for a fabric of its own size. Where it lay before is the origin of coordinates."""
        program = self._program()
        left, top, width, height = program["rectangle"]
        self._origin = (left, top)
        pairs = [f"--{kind}={','.join(f'{name}:{value}' for name, value in program[kind].items())}"
                 for kind in ("params", "colors") if program[kind]]
        command = [tool("tessera_cslc"), program["file"], f"--arch={program['arch']}", f"--fabric-dims={width},{height}",
                   "--fabric-offsets=0,0", *pairs, *(stream.option(width, height) for stream in self._streams.values()), "-o", str(folder)]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise RuntimeError(f"{program['file']} cannot be compiled again with its streams, as CSELFRunner needs it, in this folder: {made.stderr.strip()}")
        again = json.loads((folder / "tessera.json").read_text(encoding="utf-8"))
        if [source["digest"] for source in again["sources"]] != [source["digest"] for source in program["sources"]]:
            raise RuntimeError(f"{program['file']} or a file of it has changed since {self._folder} was compiled; compile it again")
        return folder

    def _run(self, folder):
        runtime = _Runtime(folder, cmaddr=self._cmaddr, memcpy_required=False)
        runtime.load()
        runtime.run_with([((col - self._origin[0], row - self._origin[1], name), value) for col, row, name, value in self._values])
        received = []
        for stream in self._streams.values():
            if stream.is_out:
                words = np.zeros(stream.size, np.uint32)
                received.append((stream, words))
                runtime.receive(stream.name, words, stream.size, nonblock=True)
            else:
                for (words, numbers), sentinel in zip(stream.parts, stream.sentinels):
                    if sentinel is None:
                        runtime.send(stream.name, words[numbers], nonblock=True)
                    else:
                        runtime.send_with_end(stream.name, np.append(words[numbers], np.uint32(int(sentinel) << 16)))
        runtime.stop()
        self._debug = DebugUtil(folder)
        for stream, words in received:
            for (tensor, numbers), part in zip(stream.parts, np.split(words, np.cumsum([len(n) for _, n in stream.parts])[:-1])):
                tensor[numbers] = part
        for name, (words, shape, dtype) in self._tensors.items():
            self.out_tensor_dict[name] = elements_in(words, dtype).reshape(shape)

    def connect_and_run(self, core_file=None, *_, **__):
        """Runs the program until nothing moves any more; an ELFLoader of this process knows the run by the name of its core file."""
        with contextlib.ExitStack() as stack:
            folder = self._folder
            if self._streams:
                temporary = stack.enter_context(tempfile.TemporaryDirectory(prefix="tessera-"))
                folder = self._compile_with_streams(Path(temporary) / "out")
            self._run(folder)
        if core_file is not None:
            _runs[str(core_file)] = self

    def _after_run(self):
        if self._debug is None:
            raise RuntimeError("connect_and_run() comes before reading")
        return self._debug

    def get_symbol(self, col, row, name, dtype):
        """The value of a variable on one PE, flat."""
        return self._after_run().get_symbol(col - self._origin[0], row - self._origin[1], name, dtype)

    def get_symbol_rect(self, rectangle, name, dtype):
        """The values on a rectangle ((column, row), (width, height)); the first two dimensions are column and row."""
        (col, row), size = rectangle
        return self._after_run().get_symbol_rect(((col - self._origin[0], row - self._origin[1]), size), name, dtype)

    def read_trace(self, col, row, name):
        """The records of a trace buffer, by its key or, of a module without key, by the name of the constant that imports it."""
        col, row = col - self._origin[0], row - self._origin[1]
        try:
            return self._after_run().read_trace(col, row, name)
        except ValueError:
            return self._after_run().read_trace(col, row, "trace")


def read_trace(runner, col, row, name):
    """The records of a trace buffer of `<debug>`, which has the name of the constant that imports the module, or its key."""
    return runner.read_trace(col, row, name)


class ELFLoader:
    """The variables of a run, by the name of its core file."""

    def __init__(self, elf, core_file):
        del elf
        if str(core_file) not in _runs:
            raise RuntimeError(f"no connect_and_run('{core_file}') of this process has ended")
        self._runner = _runs[str(core_file)]

    def get_as_array(self, name, count, dtype):
        """The first elements of a variable; the first two dimensions are column and row of the fabric."""
        left, top, width, height = self._runner._program()["rectangle"]
        values = self._runner.get_symbol_rect(((left, top), (width, height)), name, dtype)
        array = np.zeros((left + width, top + height, count), dtype)
        array[left:, top:] = values.reshape(width, height, -1)[:, :, :count]
        return array


class ELFMemory:
    """The files of a program, of which only the places of their PEs are known."""

    def __init__(self, *files):
        self._folder = Path(files[0]).parent.parent

    def iter_coordinates(self):
        """The columns and rows of the PEs, in the fabric."""
        left, top, width, height = json.loads((self._folder / "tessera.json").read_text(encoding="utf-8"))["rectangle"]
        return [(left + x, top + y) for x in range(width) for y in range(height)]
