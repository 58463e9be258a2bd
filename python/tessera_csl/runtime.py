# SPDX-License-Identifier: Apache-2.0
"""SdkRuntime: runs a compiled CSL program on the simulator (csl.md 13).

An exception of a signal handler, such as KeyboardInterrupt, may leave any call at any place: then the call may be made again,
and the run goes on. What must happen once for a runtime (its start, its stop) has a Reply that is kept, so that a second call
finds what the first one has begun.
"""
import contextlib
import os
import shlex
import sys
import tempfile
from pathlib import Path

import numpy as np

from tessera_csl import arguments, arrays, copies, initial
from tessera_csl.copies import MemcpyDataType, MemcpyOrder, SymbolHandle, takes_old_form
from tessera_csl.frames import Reply
from tessera_csl.memory import MemoryDump
from tessera_csl.platform import ignore, require_simulator
from tessera_csl.server import Server
from tessera_csl.streams import Streams


class Task:
    """An operation that has been given to the machine."""

    def __init__(self, owner, reply=None, transfer=None, store=None):
        self.owner = owner
        self.reply = reply
        self.transfer = transfer
        self.store = store


def _tell_warning(reply):
    if reply.warning:
        print(f"tessera: warning: {reply.warning}", file=sys.stderr)


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


def _make_trace_folder():
    """Scripts move or delete the folder of the vendor's binary traces, which lies beside the log."""
    if not os.path.exists("sim.log"):
        return
    with contextlib.suppress(OSError):  # one that cannot be made is missed only by such a script
        os.makedirs("simfab_traces", exist_ok=True)
        Path("simfab_traces/README").write_text("The traces are in sim.log; the variable SIMFABRIC_DEBUG asks for them.\n", encoding="utf-8")


class SdkRuntime:
    """A simulated machine with a compiled program. Blocking calls return when the operation is complete."""

    def __init__(self, bindir, platform=None, *, cmaddr=None, memcpy_required=True, suppress_simfab_trace=False,
                 simfab_numthreads=5, msg_level="WARNING", **unknown):
        del memcpy_required, simfab_numthreads, msg_level  # only other simulators need them
        self._leaves_trace_folder = not suppress_simfab_trace
        require_simulator(cmaddr)
        ignore("SdkRuntime", unknown)
        _warn_about_numpy_2()
        self._folder = os.path.abspath(bindir)  # a script may change its working directory
        self._state = "created"
        self._core_paths = []
        self._dump = None
        self._start, self._end = Reply(), Reply(on_done=_tell_warning)
        self._transfers = []
        self._streams_back = []  # streams from the PEs that did not block and may be open
        config = getattr(platform, "config", None)
        if config is not None and config.dump_core:
            self._core_paths.append(os.path.abspath(config.core_path or "out.core"))
        self._server = Server()
        try:
            loaded = self._server.call({"cmd": "load", "folder": self._folder, "options": options_from_environment()})
            _tell_warning(loaded)
            self._program = loaded.header
        except Exception:
            self._server.close()
            raise
        self._symbols = {symbol["name"]: dict(symbol, number=n) for n, symbol in enumerate(self._program["symbols"])}
        self._streams = Streams(self._server, self._program["ports"])

    def load(self):
        """Puts the program onto the machine."""
        self._require("created", "load() is called once, first")
        self._state = "loaded"

    def run(self):
        """Starts the machine: tasks that are active at the start begin with the first command."""
        self._require("loaded", "run() is called once, after load()")
        self._server.call({"cmd": "run"}, reply=self._start)
        last = None
        for (x, y, name), values in initial.read(self._folder):
            last = self._server.submit({"cmd": "write", "x": x, "y": y, "symbol": name}, values)
        if last is not None:
            self._server.wait(last)
        self._state = "running"

    def stop(self):
        """Completes what has been given to the machine, lets it run until nothing moves, and ends it."""
        if self._state == "stopped":
            raise RuntimeError("stop() was called before")
        if self._server.has_ended and not self._end.is_done:  # by an error
            self._close()
            return
        self._require("running", "stop() is called after load() and run()")
        try:
            for task in [*self._streams_back, *self._transfers]:
                self.task_wait(task)
            self._streams.write_files()
            self._server.call({"cmd": "stop"}, reply=self._end)
            self._dump = MemoryDump(self._folder, is_held=True)  # by the server, until it is closed
        except Exception as error:
            if self._server.has_ended or error is self._server.raised:  # else a signal handler has raised it, or a file is not written
                self._close()
            raise
        self._close()  # not after an interrupt above: stop() is then called again, and reads the memory
        for path in self._core_paths:
            self._dump.write_core(path)
        if self._leaves_trace_folder:
            _make_trace_folder()

    def _give_up(self):
        """Ends the machine without completing what was given to it."""
        self._state = "stopped"
        self._server.close(raises=False)

    def _close(self):
        self._state = "stopped"
        self._server.close()

    def get_id(self, symbol):
        """The handle of an exported symbol."""
        return SymbolHandle(self._symbol(symbol)["number"], self._program["symbols"])

    def _symbol(self, name):
        if name not in self._symbols:
            raise arguments.unknown("exported symbol", name, list(self._symbols))
        return self._symbols[name]

    @takes_old_form
    def memcpy_h2d(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                   data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **unknown):
        """Copies `elem_per_pe` elements to each PE of a region: to a symbol, or as a stream to a color."""
        ignore("memcpy_h2d", unknown)
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        return self._to_device(header, src, copies.words_of(header), nonblock)

    @takes_old_form
    def memcpy_h2d_rowbcast(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False,
                            **unknown):
        """Copies the same elements to all PEs of a row: `src` is that of a region of one column."""
        ignore("memcpy_h2d_rowbcast", unknown)
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        header["broadcast"] = "row"
        return self._to_device(header, src, copies.words_of(header), nonblock)

    @takes_old_form
    def memcpy_h2d_colbcast(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                            data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False,
                            **unknown):
        """Copies the same elements to all PEs of a column: `src` is that of a region of one row."""
        ignore("memcpy_h2d_colbcast", unknown)
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        header["broadcast"] = "column"
        return self._to_device(header, src, copies.words_of(header), nonblock)

    def memcpy_h2d_stride(self, dest, src, px, py, w, h, elem_per_pe, row_stride=1, col_stride=1, *, streaming=False,
                          data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False,
                          **unknown):
        """Copies to every `row_stride`-th PE of a row and every `col_stride`-th of a column of the region only."""
        ignore("memcpy_h2d_stride", unknown)
        strides = [arguments.whole(row_stride, "row_stride"), arguments.whole(col_stride, "col_stride")]
        if min(strides) < 1:
            raise ValueError(f"the strides are {strides}; they must be 1 or more")
        header = self._copy("h2d", dest, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        header["strides"] = strides
        return self._to_device(header, src, copies.words_of(header), nonblock)

    @takes_old_form
    def memcpy_d2h(self, dest, src, px, py, w, h, elem_per_pe, *, streaming=False,
                   data_type=MemcpyDataType.MEMCPY_32BIT, order=MemcpyOrder.ROW_MAJOR, nonblock=False, **unknown):
        """Copies `elem_per_pe` elements of each PE of a region into the first elements of the array `dest`."""
        ignore("memcpy_d2h", unknown)
        header = self._copy("d2h", src, (px, py, w, h), elem_per_pe, streaming, data_type, order)
        count = copies.words_of(header)
        return self._from_device(header, count, arrays.writer(dest, count, "the destination of memcpy_d2h"), nonblock)

    def _copy(self, command, target, region, elements, streaming, data_type, order):
        self._require_running(f"memcpy_{command}")
        return copies.header_of(command, self._program, target, region, elements, streaming, data_type, order)

    def _to_device(self, header, array, count, nonblock):
        header = self._may_stay_open(header, nonblock)
        words = arrays.words_in(array, count, "the source of memcpy_h2d")
        shared = self._server.shared_memory(words.nbytes)
        if shared is None:
            return self._issue(Task(self, self._server.submit(header, words)), nonblock)
        # The functions of the reply hold the memory until the reply is there.
        np.frombuffer(shared.map, np.uint32)[:] = words
        reply = self._server.submit(dict(header, file=shared.path, bytes=words.nbytes), reply=Reply(on_end=lambda: shared.close()))
        return self._issue(Task(self, reply), nonblock)

    @staticmethod
    def _may_stay_open(header, nonblock):
        """A stream with nonblock=True that cannot end yet goes on beside later commands."""
        return dict(header, stays_open=True) if nonblock and "color" in header else header

    def _from_device(self, header, count, store, nonblock):
        header = self._may_stay_open(header, nonblock)
        if "stays_open" in header:
            task = Task(self, Reply(on_done=lambda reply: reply.data and store(np.frombuffer(reply.data, np.uint32))), store=store)
            self._server.submit(header, reply=task.reply)
            self._streams_back.append(task)
            return task
        shared = self._server.shared_memory(4 * count)
        if shared is None:
            reply = Reply(on_done=lambda reply: store(np.frombuffer(reply.data, np.uint32)))
        else:
            header = dict(header, file=shared.path, bytes=4 * count)
            reply = Reply(on_done=lambda _: store(np.frombuffer(shared.map, np.uint32)), on_end=lambda: shared.close())
        return self._issue(Task(self, self._server.submit(header, reply=reply)), nonblock)

    def _follow_back(self, task, must_end):
        """Whether a stream from the PEs has ended, whose reply is there."""
        if task in self._streams_back and "open" in task.reply.header:
            reply = self._server.call({"cmd": "follow", "open": task.reply.header["open"], "must_end": must_end})
            if not reply.header["done"]:
                return False
            task.store(np.frombuffer(reply.data, np.uint32))
        if task in self._streams_back:
            self._streams_back.remove(task)
        return True

    def launch(self, symbol, *args, nonblock=False):
        """Calls an exported function on all PEs; complete when each has called unblock_cmd_stream(). One that comes to rest
        without it is complete too, with a warning, and is the last command."""
        return self._launch(symbol, args, arguments.argument_word, nonblock)

    def _launch(self, name, args, word_of, nonblock):
        self._require_running("launch")
        if isinstance(name, SymbolHandle):
            name = name.symbol_in(self._program)["name"]
        symbol = self._symbol(name)
        if symbol["kind"] != "function":
            raise ValueError(f"'{name}' is a variable; launch takes a function")
        inputs = symbol["inputs"]
        if len(args) != len(inputs):
            counts = f"{len(inputs)} argument{'s'[:len(inputs) != 1]}"
            raise TypeError(f"the function '{name}' takes {counts} ({', '.join(inputs) or 'none'}), not {len(args)}")
        words = [word_of(value, kind, f"argument {n} of '{name}'") for n, (value, kind) in enumerate(zip(args, inputs))]
        reply = self._server.submit({"cmd": "launch", "function": name, "arguments": words}, reply=Reply(on_done=_tell_warning))
        return self._issue(Task(self, reply), nonblock)

    def memcpy_launch(self, color, words, nonblock=False):
        """SDK 0.6: words on the color `.LAUNCH`, which a task of the program takes on every PE; complete when each has called
        unblock_cmd_stream()."""
        self._require_running("memcpy_launch")
        color = arguments.whole(color, "the color")
        streams_in = self._program["streams"][0]
        if not 0 <= color < 32 or streams_in >> color & 1 == 0:
            raise ValueError(f"memcpy_launch: the program has no task for launches on color {color}")
        sent = arguments.raw_words(words, "memcpy_launch")
        reply = self._server.submit({"cmd": "launch", "function": f"color {color}", "color": color, "arguments": sent},
                                    reply=Reply(on_done=_tell_warning))
        return self._issue(Task(self, reply), nonblock)

    def call(self, name, args=(), nonblock=False):
        """launch() with the arguments as a list of words: a whole number is the bits of the parameter, which hold it."""
        if not isinstance(args, (list, tuple, np.ndarray)):
            raise TypeError(f"call takes the arguments of '{name}' as a list, not {args!r}")
        return self._launch(name, args, arguments.raw_word, nonblock)

    def _issue(self, task, nonblock):
        if not nonblock:
            self.task_wait(task)
        return task

    def _check_task(self, call, task):
        if not isinstance(task, Task):
            raise TypeError(f"{call} takes what a copy, a launch or a stream has returned, not {task!r}")
        if task.owner is not self:
            raise ValueError(f"{call}: the task belongs to another runtime")

    def is_task_done(self, task_handle):
        """Whether the operation is complete. For a stream of a port this lets the machine run until it is, or is stuck."""
        self._check_task("is_task_done", task_handle)
        if task_handle.reply is None:  # a task of receive_tofile()
            return self._state == "stopped"
        if task_handle.transfer is None:
            return task_handle.reply.is_done and (task_handle.reply.error is not None or self._follow_back(task_handle, must_end=False))
        return task_handle.transfer.is_done or self._follow(task_handle, must_end=False)

    def task_wait(self, task_handle):
        """Returns when the operation is complete."""
        self._check_task("task_wait", task_handle)
        if task_handle.reply is None:
            return
        self._server.wait(task_handle.reply)
        self._follow_back(task_handle, must_end=True)
        if task_handle.transfer is not None and not task_handle.transfer.is_done:
            self._follow(task_handle, must_end=True)

    def _follow(self, task, must_end):
        number = self._server.wait(task.reply).header["transfer"]
        reply = self._server.call({"cmd": "wait", "transfer": number, "must_end": must_end})
        if not reply.header["done"]:
            return False
        if task.transfer.store is not None:
            task.transfer.store(np.frombuffer(reply.data, np.uint32))
        task.transfer.is_done = True
        if task in self._transfers:
            self._transfers.remove(task)
        return True

    def _transfer(self, header, transfer, words=b"", nonblock=False):
        task = Task(self, Reply(), transfer)
        self._transfers.append(task)
        try:
            self._server.submit(header, words, task.reply)
        except Exception:
            self._transfers.remove(task)
            raise
        return self._issue(task, nonblock)

    def send(self, port, src, n_wavelets=None, nonblock=False):
        """Sends `n_wavelets` wavelets into an input stream: one element each."""
        self._require_running("send")
        header, words, transfer = self._streams.send(port, src, n_wavelets)
        return self._transfer(header, transfer, words, nonblock)

    def receive(self, port, dest, n_wavelets=None, nonblock=False):
        """Receives `n_wavelets` wavelets of an output stream into the array."""
        self._require_running("receive")
        header, transfer = self._streams.receive(port, dest, n_wavelets)
        return self._transfer(header, transfer, nonblock=nonblock)

    def receive_tofile(self, port, outfile, nonblock=False):
        """Has all wavelets that still come out of an output stream written to a file, as 32-bit words.

        How many there are is known at stop(), which writes the file; receive() may not be used for the stream any more.
        """
        del nonblock  # the file is complete at stop()
        self._require_running("receive_tofile")
        self._streams.add_file(port, outfile)
        return Task(self)

    def get_port_id(self, port_name):
        """The number of a stream."""
        return self._streams.number_of(port_name)

    def report_port_infos(self):
        """Name, direction and place of each stream."""
        return [dict(port) for port in self._streams.ports.values()]

    def coord_logical_to_physical(self, logical_coords):
        """From coordinates in the program to those of the fabric."""
        x, y = logical_coords
        return x + self._program["offset"][0], y + self._program["offset"][1]

    def read_symbol(self, x, y, symbol_name, dtype="uint8"):
        """The value of a variable of the PE (x, y) of the fabric, flat."""
        if self._dump is not None:
            return self._dump.symbol(x, y, symbol_name, dtype)
        self._require_running("read_symbol")
        reply = self._server.call({"cmd": "read", "x": arguments.whole(x, "x"), "y": arguments.whole(y, "y"),
                                   "symbol": symbol_name})
        return arrays.elements_of(reply.data, dtype, symbol_name)

    def dump_core(self, corefile):
        """Writes the memory of the PEs to a file for csdb, as it is now."""
        if self._state == "created":
            raise RuntimeError("dump_core needs load() and run() before it")
        if self._dump is not None:
            self._dump.write_core(corefile)
        else:
            self._require_running("dump_core")
            with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
                self._server.call({"cmd": "dump", "folder": folder})
                MemoryDump(folder).write_core(corefile)

    dump_elf_core = dump_core

    def _require(self, state, rule):
        if self._state != state:
            raise RuntimeError(f"{rule}; the runtime is {self._state}")

    def _require_running(self, call):
        if self._state == "stopped":
            raise RuntimeError(f"{call} was called after stop(); the run has ended")
        if self._state != "running":
            raise RuntimeError(f"{call} needs load() and run() before it; the runtime is only {self._state}")
