import numpy as np
from host import Machine, expect



def rounded(values):
    """The nearest bf16, ties to even, as f32."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    return ((bits + 0x7FFF + (bits >> 16 & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)


x = rounded(np.array([1.7, -2.3, 1000.1, 3e-20], np.float32))
with Machine() as machine:
    machine.put("x", (x.view(np.uint32) >> 16).astype(np.uint16))
    machine.launch("run")
    wanted = np.concatenate([2 * x, rounded([x[0] * x[1]]), rounded([1 / 3])])
    expect(machine.get("y", 6, np.float32), wanted)
