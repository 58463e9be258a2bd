import re
import sys
from pathlib import Path

import numpy as np
from cerebras.sdk.debug.debug_util import debug_util
from host import Machine

with Machine(2, 1) as machine:
    machine.launch("run", np.int16(-3), np.uint32(0x1234ABCD), np.float32(1.5))

lines = re.findall(r"^@(\d+) (.*)$", Path("sim.log").read_text(), re.M)
lines = lines[[text.startswith("Sim stats:") for _, text in lines].index(True) + 1:[text.startswith("Stopping") for _, text in lines].index(True)]
for x in range(2):
    for text in (f"x = {x} 0x1234abcd", f"{{-3}} {{x}} 1234ABCD 000000000000000{x} 1.5", f"PE({x},0): done"):
        assert text in [line for _, line in lines], (text, lines)
assert len(lines) == 6, lines

memory = debug_util(sys.argv[1])
for x in range(2):
    *records, half = memory.read_trace(4 + x, 1, "events")
    time = records.pop(5)
    assert records == ["begin", x, 1.5, True, -3, 0x1234ABCD] and half == 1.5, records
    assert 100 < time < 2000, time
    assert memory.read_trace(4 + x, 1, "small") == [0x1234ABCD]
