# SPDX-License-Identifier: Apache-2.0
"""The host of programs of SDK 0.4 to 0.9 without copies and launches: it starts a program that is active from the start, waits for its
end, and reads and sets variables. Streams from and to arrays of the host are not here.
"""
from pathlib import Path

from tessera_csl.memory import DebugUtil
from tessera_csl.runtime import SdkRuntime

_NO_STREAMS = ("streams of CSELFRunner from and to arrays of the host are not supported; "
               "programs for SdkRuntime, since SDK 0.6, and for memcpy run")


class CSELFRunner:
    """Coordinates are those of the whole fabric: column, row."""

    def __init__(self, elf_list, cmaddr=None, **_):
        folders = {Path(path).parent.parent for path in elf_list}
        if len(folders) != 1:
            raise ValueError(f"the files of one program are needed, not {list(elf_list)}")
        self._folder = folders.pop()
        self._cmaddr = cmaddr
        self._debug = None
        self.out_tensor_dict = {}

    def add_input_tensor(self, *_, **__):
        """Refused."""
        raise NotImplementedError(_NO_STREAMS)

    add_output_tensor = add_input_array = add_output_array = add_input_tensor

    def connect_and_run(self, *_, **__):
        """Runs the program until nothing moves any more."""
        runtime = SdkRuntime(self._folder, cmaddr=self._cmaddr, memcpy_required=False)
        runtime.load()
        runtime.run()
        runtime.stop()
        self._debug = DebugUtil(self._folder)

    def _after_run(self):
        if self._debug is None:
            raise RuntimeError("connect_and_run() comes before reading")
        return self._debug

    def get_symbol(self, col, row, name, dtype):
        """The value of a variable on one PE, flat."""
        return self._after_run().get_symbol(col, row, name, dtype)

    def get_symbol_rect(self, rectangle, name, dtype):
        """The values on a rectangle ((column, row), (width, height)); the first two dimensions are column and row."""
        return self._after_run().get_symbol_rect(rectangle, name, dtype)

    def read_trace(self, col, row, name):
        """The records of a trace buffer, by its key or, of a module without key, by the name of the constant that imports it."""
        try:
            return self._after_run().read_trace(col, row, name)
        except ValueError:
            return self._after_run().read_trace(col, row, "trace")


def read_trace(runner, col, row, name):
    """The records of a trace buffer of `<debug>`, which has the name of the constant that imports the module, or its key."""
    return runner.read_trace(col, row, name)


class ELFMemory:
    """The memory of one file; programs import it and do not use it."""

    def __init__(self, *_):
        raise NotImplementedError("the files of Tessera's compiler are no ELF files; read variables with get_symbol")
