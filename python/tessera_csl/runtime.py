"""SdkRuntime: runs a compiled CSL program on the simulator (csl.md 13)."""
import enum
import os
import shlex
import shutil
import sys

import numpy as np

from tessera_csl import arguments, initial
from tessera_csl.memory import MemoryDump
from tessera_csl.platform import ignore, require_simulator
from tessera_csl.server import Server, shared_memory


class MemcpyDataType(enum.Enum):
    """Size of the elements that a copy moves."""
    MEMCPY_16BIT = 16
    MEMCPY_32BIT = 32


class MemcpyOrder(enum.Enum):
    """Index of element i of PE (x, y): (y*w + x)*l + i, or y + x*h + i*h*w."""
    ROW_MAJOR = "row"
    COL_MAJOR = "column"


class SymbolHandle(int):
    """What get_id() returns: stands for an exported symbol."""


class Task:
    """An operation that has been given to the machine."""

    def __init__(self, reply, transfer=None):
        self.reply = reply
        self.transfer = transfer


def _check_task(call, task):
    if not isinstance(task, Task):
        raise TypeError(f"{call} takes what a copy, a launch or a stream has returned, not {task!r}")


def _warn_about_numpy_2():
    """Once, since a wrong result has no other sign."""
    if int(np.__version__.split(".", maxsplit=1)[0]) < 2 or _warn_about_numpy_2.done:
        return
    _warn_about_numpy_2.done = True
    print(f"tessera: remark: NumPy {np.__version__} keeps 16-bit results in 16 bits, so that an expression such as "
          "words[1] << 16 on a uint16 array gives 0; scripts written for NumPy 1 may compute wrong time stamps",
          file=sys.stderr)


_warn_about_numpy_2.done = False


def options_from_environment():
    """Options of the machine: TESSERA_OPTIONS, split as a shell does, and TESSERA_PRESET."""
    try:
        options = shlex.split(os.environ.get("TESSERA_OPTIONS", ""))
    except ValueError as error:
        raise RuntimeError(f"TESSERA_OPTIONS cannot be split into words: {error}") from None
    preset = os.environ.get("TESSERA_PRESET")
    return (["--preset", preset] if preset else []) + options


class SdkRuntime:
    """A simulated machine with a compiled program. Blocking calls return when the operation is complete."""

    def __init__(self, bindir, platform=None, *, cmaddr=None, memcpy_required=True, suppress_simfab_trace=False,
                 simfab_numthreads=5, msg_level="WARNING", **unknown):
        del memcpy_required, suppress_simfab_trace, simfab_numthreads, msg_level  # only other simulators need them
        require_simulator(cmaddr)
        ignore("SdkRuntime", unknown)
        _warn_about_numpy_2()
        self._folder = os.path.abspath(bindir)  # a script may change its working directory
        self._state = "created"
        self._core_paths = []
        self._dump = None
        self._transfers = []
        self._files = {}  # files that receive_tofile() names, by stream
        config = getattr(platform, "config", None)
        if config is not None and config.dump_core and config.core_path:
            self._core_paths.append(config.core_path)
        self._server = Server()
        try:
            self._program = self._server.call({"cmd": "load", "folder": self._folder,
                                               "options": options_from_environment()}).header
        except Exception:
            self._server.close()
            raise
        self._symbols = {symbol["name"]: dict(symbol, number=n) for n, symbol in enumerate(self._program["symbols"])}
        self._ports = {port["name"]: port for port in self._program["ports"]}

    def load(self):
        """Puts the program onto the machine."""
        self._require("created", "load() is called once, first")
        self._state = "loaded"

    def run(self):
        """Starts the machine: tasks that are active at the start begin with the first command."""
        self._require("loaded", "run() is called once, after load()")
        self._server.call({"cmd": "run"})
        for (x, y, name), values in initial.read(self._folder):
            self._server.call({"cmd": "write", "x": x, "y": y, "symbol": name}, values)
        self._state = "running"

    def stop(self):
        """Completes what has been given to the machine, lets it run until nothing moves, and ends it."""
        if self._state == "stopped":
            raise RuntimeError("stop() was called before")
        if self._server.has_ended:  # by an error that has been raised
            self._state = "stopped"
            self._server.close()
            return
        self._require("running", "stop() is called after load() and run()")
        try:
            for task in list(self._transfers):
                self.task_wait(task)
            self._write_files()
            self._server.call({"cmd": "stop"})
        finally:
            self._state = "stopped"
            self._server.close()
        self._dump = MemoryDump(self._folder)
        for path in self._core_paths:
            shutil.copyfile(self._dump.path, path)

    def get_id(self, name):
        """The handle of an exported symbol."""
        return SymbolHandle(self._symbol(name)["number"])

    def _symbol(self, name):
        if name not in self._symbols:
            raise arguments.unknown("exported symbol", name, list(self._symbols))
        return self._symbols[name]

    def memcpy_h2d(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                   data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **unknown):
        """Copies `elem_per_pe` elements to each PE of a region: to a symbol, or as a stream to a color."""
        ignore("memcpy_h2d", unknown)
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        return self._to_device(header, src, w * h * elem_per_pe, nonblock)

    def memcpy_h2d_rowbcast(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False,
                            **unknown):
        """Copies the same elements to all PEs of a row: `src` is that of a region of one column."""
        ignore("memcpy_h2d_rowbcast", unknown)
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        return self._to_device(dict(header, broadcast="row"), src, h * elem_per_pe, nonblock)

    def memcpy_h2d_colbcast(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False,
                            **unknown):
        """Copies the same elements to all PEs of a column: `src` is that of a region of one row."""
        ignore("memcpy_h2d_colbcast", unknown)
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        return self._to_device(dict(header, broadcast="column"), src, w * elem_per_pe, nonblock)

    def memcpy_h2d_stride(self, dest, src, px, py, w, h, elem_per_pe, *, row_stride=1, col_stride=1, streaming=False,
                          data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False,
                          **unknown):
        """Copies to every `row_stride`-th PE of a row and every `col_stride`-th of a column of the region only."""
        ignore("memcpy_h2d_stride", unknown)
        strides = [arguments.whole(row_stride, "row_stride"), arguments.whole(col_stride, "col_stride")]
        if min(strides) < 1:
            raise ValueError(f"the strides are {strides}; they must be 1 or more")
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        receivers = (1 + (w - 1) // strides[0]) * (1 + (h - 1) // strides[1])
        return self._to_device(dict(header, strides=strides), src, receivers * elem_per_pe, nonblock)

    def memcpy_d2h(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                   data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **unknown):
        """Copies `elem_per_pe` elements of each PE of a region into the array `dest`."""
        ignore("memcpy_d2h", unknown)
        header = self._copy("d2h", src, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        words = arguments.words_out(dest, w * h * elem_per_pe, "the destination of memcpy_d2h")
        return self._from_device(header, words, nonblock)

    def _copy(self, command, target, region, elements, streaming, data_type, order):
        """The header of a copy or a stream, checked."""
        self._require_running(f"memcpy_{command}")
        if not isinstance(data_type, MemcpyDataType):
            raise TypeError(f"data_type is {data_type!r}; it must be a MemcpyDataType")
        if not isinstance(order, MemcpyOrder):
            raise TypeError(f"order is {order!r}; it must be a MemcpyOrder")
        x, y, w, h = (arguments.whole(value, name) for value, name in zip(region, ("px", "py", "w", "h")))
        width, height = self._program["size"]
        if x < 0 or y < 0 or w < 1 or h < 1 or x + w > width or y + h > height:
            raise ValueError(f"the region of {w} x {h} PEs from ({x}, {y}) does not lie in the program, which has "
                             f"{width} x {height} PEs")
        if arguments.whole(elements, "elem_per_pe") < 1:
            raise ValueError(f"elem_per_pe is {elements}; it must be 1 or more")
        header = {"cmd": command, "region": [x, y, w, h], "elements": int(elements), "order": order.value,
                  "bits": data_type.value}
        return dict(header, **self._target(command, target, streaming))

    def _target(self, command, target, streaming):
        number = arguments.whole(target, f"the color or symbol of memcpy_{command}")
        if streaming:
            if not 0 <= number <= 23:
                raise ValueError(f"memcpy_{command} with streaming=True takes a color; {number} is none")
            known = [color for color in range(24) if self._program["streams"][command == "d2h"] >> color & 1]
            if number not in known:
                name = f"MEMCPY{command.upper()}_k"
                raise ValueError(f"the program gives <memcpy/get_params> no color {number} as {name}; it gives "
                                 + (", ".join(map(str, known)) or "none"))
            return {"color": number}
        if not isinstance(target, SymbolHandle):
            raise TypeError(f"memcpy_{command} with streaming=False takes what get_id() returned, not {target!r}")
        symbol = self._program["symbols"][number]
        if symbol["kind"] != "variable":
            raise ValueError(f"'{symbol['name']}' is a function; memcpy_{command} takes a variable")
        if command == "h2d" and not symbol.get("mutable", True):
            raise ValueError(f"the layout exports '{symbol['name']}' as constant, so that nothing can be copied to it")
        return {"symbol": symbol["name"]}

    def _to_device(self, header, array, count, nonblock):
        words = arguments.words_in(array, count, "the source of memcpy_h2d")
        shared = shared_memory(words.nbytes)
        if shared is None:
            return self._issue(Task(self._server.submit(header, words)), nonblock)
        np.frombuffer(shared.map, np.uint32)[:] = words
        reply = self._server.submit(dict(header, file=shared.path, bytes=words.nbytes), on_done=lambda _: shared.close())
        return self._issue(Task(reply), nonblock)

    def _from_device(self, header, words, nonblock):
        shared = shared_memory(words.nbytes)
        if shared is not None:
            header = dict(header, file=shared.path, bytes=words.nbytes)

        def store(reply):
            if shared is None:
                words[:] = np.frombuffer(reply.data, np.uint32)
            else:
                words[:] = np.frombuffer(shared.map, np.uint32)
                shared.close()

        return self._issue(Task(self._server.submit(header, on_done=store)), nonblock)

    def launch(self, name, *args, nonblock=False):
        """Calls an exported function on all PEs; complete when each has called unblock_cmd_stream()."""
        self._require_running("launch")
        if isinstance(name, SymbolHandle):
            name = self._program["symbols"][name]["name"]
        symbol = self._symbol(name)
        if symbol["kind"] != "function":
            raise ValueError(f"'{name}' is a variable; launch takes a function")
        inputs = symbol["inputs"]
        if len(args) != len(inputs):
            counts = f"{len(inputs)} argument{'s'[:len(inputs) != 1]}"
            raise TypeError(f"the function '{name}' takes {counts} ({', '.join(inputs) or 'none'}), not {len(args)}")
        words = [arguments.argument_word(value, kind, f"argument {n} of '{name}'")
                 for n, (value, kind) in enumerate(zip(args, inputs))]
        reply = self._server.submit({"cmd": "launch", "function": name, "arguments": words})
        return self._issue(Task(reply), nonblock)

    def call(self, name, args=(), nonblock=False):
        """launch() with the arguments as a list."""
        if not isinstance(args, (list, tuple, np.ndarray)):
            raise TypeError(f"call takes the arguments of '{name}' as a list, not {args!r}")
        return self.launch(name, *args, nonblock=nonblock)

    def _issue(self, task, nonblock):
        if not nonblock:
            self.task_wait(task)
        return task

    def is_task_done(self, task):
        """Whether the operation is complete. For a stream of a port this lets the machine run until it is, or is stuck."""
        _check_task("is_task_done", task)
        if task.reply is None:  # a task of receive_tofile()
            return self._state == "stopped"
        if task.transfer is None or task not in self._transfers:
            return self._server.poll(task.reply)
        return self._follow(task, must_end=False)

    def task_wait(self, task):
        """Returns when the operation is complete."""
        _check_task("task_wait", task)
        if task.reply is None:
            return
        self._server.wait(task.reply)
        if task in self._transfers:
            self._follow(task, must_end=True)

    def _follow(self, task, must_end):
        number = self._server.wait(task.reply).header["transfer"]
        reply = self._server.call({"cmd": "wait", "transfer": number, "must_end": must_end})
        if not reply.header["done"]:
            return False
        self._transfers.remove(task)
        task.transfer(reply.data)
        return True

    def send(self, port, array, n=None, nonblock=False):
        """Sends `n` wavelets into an input stream: one element each."""
        self._require_running("send")
        name = self._port(port, "in")
        words = self._wavelets(array, n)
        if array.dtype.itemsize == 2:
            data = np.ascontiguousarray(array).reshape(-1)[:words].view(np.uint16).astype(np.uint32)
        else:
            data = np.ascontiguousarray(array).reshape(-1)[:words].view(np.uint32)
        task = Task(self._server.submit({"cmd": "send", "port": name}, data), lambda _: None)
        self._transfers.append(task)
        return self._issue(task, nonblock)

    def receive(self, port, array, n=None, nonblock=False):
        """Receives `n` wavelets of an output stream into the array."""
        self._require_running("receive")
        name = self._port(port, "out")
        if name in self._files:
            raise RuntimeError(f"the stream '{name}' is written to a file by receive_tofile")
        words = self._wavelets(array, n)
        if not array.flags.c_contiguous or not array.flags.writeable:
            raise TypeError("the array of receive() is not contiguous in C order, or not writable")

        def store(data):
            values = np.frombuffer(data, np.uint32)
            bits = np.uint16 if array.dtype.itemsize == 2 else np.uint32
            array.reshape(-1).view(bits)[:words] = values.astype(bits)

        task = Task(self._server.submit({"cmd": "receive", "port": name, "words": words}), store)
        self._transfers.append(task)
        return self._issue(task, nonblock)

    def receive_tofile(self, port, file, nonblock=False):
        """Has all wavelets that still come out of an output stream written to a file, as 32-bit words.

        How many there are is known at stop(), which writes the file; receive() may not be used for the stream any more.
        """
        del nonblock  # the file is complete at stop()
        self._require_running("receive_tofile")
        name = self._port(port, "out")
        with open(file, "ab"):  # a path that cannot be written is an error now
            pass
        if name in self._files:
            raise RuntimeError(f"the stream '{name}' is written to '{self._files[name]}' already")
        self._files[name] = os.path.abspath(file)
        return Task(None)

    def _write_files(self):
        """Receives until no word comes any more."""
        most = 1 << 30  # words; a PE sends one a cycle
        for port, path in self._files.items():
            number = self._server.call({"cmd": "receive", "port": port, "words": most}).header["transfer"]
            with open(path, "wb") as file:
                file.write(self._server.call({"cmd": "wait", "transfer": number, "rest": True}).data)

    @staticmethod
    def _wavelets(array, n):
        if not isinstance(array, np.ndarray):
            raise TypeError(f"a stream takes a NumPy array, not a {type(array).__name__}")
        if array.dtype.itemsize not in (2, 4) or array.dtype.kind not in "iuf":
            raise ValueError(f"a stream takes elements of 16 or 32 bits, not {array.dtype}")
        if n is None and array.dtype.itemsize == 2:
            raise TypeError("the number of wavelets must be given for elements of 16 bits")
        count = array.size if n is None else arguments.whole(n, "the number of wavelets")
        if not 0 < count <= array.size:
            raise ValueError(f"{count} wavelets do not fit an array of {array.size} elements")
        return count

    def _port(self, port, direction):
        if not isinstance(port, str):
            names = [p["name"] for p in self._program["ports"]]
            number = arguments.whole(port, "the port")
            port = names[number] if 0 <= number < len(names) else number
        if port not in self._ports:
            raise arguments.unknown("stream", port, list(self._ports))
        if self._ports[port]["direction"] != direction:
            raise ValueError(f"the stream '{port}' is an {self._ports[port]['direction']}put stream")
        return port

    def get_port_id(self, name):
        """The number of a stream."""
        if name not in self._ports:
            raise arguments.unknown("stream", name, list(self._ports))
        return list(self._ports).index(name)

    def report_port_infos(self):
        """Name, direction and place of each stream."""
        return [dict(port) for port in self._ports.values()]

    def coord_logical_to_physical(self, coordinates):
        """From coordinates in the program to those of the fabric."""
        x, y = coordinates
        return x + self._program["offset"][0], y + self._program["offset"][1]

    def read_symbol(self, x, y, name, dtype="uint8"):
        """The value of a variable of the PE (x, y) of the fabric, flat."""
        if self._dump is not None:
            return self._dump.symbol(x, y, name, dtype)
        self._require_running("read_symbol")
        reply = self._server.call({"cmd": "read", "x": arguments.whole(x, "x"), "y": arguments.whole(y, "y"),
                                   "symbol": name})
        return arguments.elements_of(reply.data, dtype, name)

    def dump_core(self, path):
        """Has the memory of the machine copied to a file at stop()."""
        self._core_paths.append(path)

    dump_elf_core = dump_core

    def _require(self, state, rule):
        if self._state != state:
            raise RuntimeError(f"{rule}; the runtime is {self._state}")

    def _require_running(self, call):
        if self._state == "stopped":
            raise RuntimeError(f"{call} was called after stop(); the run has ended")
        if self._state != "running":
            raise RuntimeError(f"{call} needs load() and run() before it; the runtime is only {self._state}")
