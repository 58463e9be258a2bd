"""Memory of the PEs after a run (csl.md 13). An independent implementation of a published interface."""
from tessera_csl.memory import MemoryDump
from tessera_csl.platform import require_simulator


class debug_util:
    """Reads what SdkRuntime.stop() left in the compile directory; coordinates are those of the whole fabric."""

    def __init__(self, bindir, cmaddr=None, **_unused):
        require_simulator(cmaddr)
        self._dump = MemoryDump(bindir)

    def get_symbol(self, col, row, symbol, dtype):
        """The value of a variable on one PE, flat."""
        return self._dump.symbol(col, row, symbol, dtype)

    def get_symbol_rect(self, rectangle, symbol, dtype):
        """The values on a rectangle ((column, row), (width, height)); the first two dimensions are column and row."""
        return self._dump.rectangle(rectangle, symbol, dtype)

    def read_trace(self, px, py, name):
        """The records of the trace buffer `name` of one PE: text, numbers, booleans, 48-bit time stamps, in order."""
        return self._dump.trace(px, py, name)
