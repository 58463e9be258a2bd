import sys

import numpy as np
from cerebras.sdk.debug.debug_util import debug_util
from host import Machine

with Machine() as machine:
    machine.launch("run", np.float32(6.5))

found = debug_util(sys.argv[1]).read_trace(4, 1, "halves")
assert found == [6.5, -19.5, 0.0, 6.5], found
