import numpy as np
from host import Machine, expect

with Machine(2, 2) as machine:
    machine.runtime.memcpy_launch(4, np.array([1, 5, 0], np.uint32), False)
    sums = machine.get("y", 3, np.int32)
    machine.runtime.memcpy_launch(4, np.array([0, 1], np.uint32), False)
    both = machine.get("y", 3, np.int32)
    expect(sums, np.array([[[5, 0, 1], [1005, 0, 1]]] * 2, np.int32))
    expect(both, np.array([[[5, 25, 2], [1005, 1010025, 2]]] * 2, np.int32))
    try:
        machine.runtime.memcpy_launch(5, np.array([0, 1], np.uint32), False)
    except ValueError as error:
        assert "no task for launches on color 5" in str(error), error
    else:
        raise AssertionError("a launch on another color")
