import sys

import numpy as np
from cerebras.sdk.debug.debug_util import debug_util
from host import Machine, expect

with Machine() as machine:
    machine.launch("run")
symbols = debug_util(sys.argv[1])
expect(symbols.get_symbol(4, 1, "left.total", np.uint16), np.array([103], np.uint16))
expect(symbols.get_symbol(4, 1, "right.total", np.uint16), np.array([110], np.uint16))
