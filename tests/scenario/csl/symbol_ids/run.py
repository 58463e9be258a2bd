import numpy as np
from host import Machine, expect


with Machine() as machine:
    machine.launch("run")
    y = machine.get("y", 11, np.uint16)
    assert len(set(y[:3].tolist())) == 3, y
    expect(y[3:], np.array([1, ord("E"), 1, 3 + 11 * 4, 1, 6, 7, 1], np.uint16))
    try:
        machine.get("first", 1, np.uint16)
    except ValueError as error:
        assert "'first' is i16" in str(error), error
    else:
        raise AssertionError("a copy of a number, which has no pointer")
