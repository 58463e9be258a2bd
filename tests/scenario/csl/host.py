"""What the host programs of these scenarios share: a machine with its copies and launches, and comparisons with NumPy.

It uses the published interface only.
"""
import json
import sys
from pathlib import Path

import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime


def arch():
    return sys.argv[2]


def options(dtype=np.float32, streaming=False, by_columns=False):
    """The keyword arguments of a copy."""
    is_narrow = np.dtype(dtype).itemsize == 2
    return {"streaming": streaming, "order": MemcpyOrder.COL_MAJOR if by_columns else MemcpyOrder.ROW_MAJOR, "nonblock": False,
            "data_type": MemcpyDataType.MEMCPY_16BIT if is_narrow else MemcpyDataType.MEMCPY_32BIT}


class Machine:
    """The program in the folder that the command line names, on a rectangle of PEs; it runs while the object is used.

    Arrays have the shape (height, width, elements of a PE). For one PE the first two may be left out.
    """

    def __init__(self, width=1, height=1):
        self.size = width, height
        self.params = json.loads((Path(sys.argv[1]) / "out.json").read_text())["params"]
        self.runtime = SdkRuntime(sys.argv[1], suppress_simfab_trace=True)

    def __enter__(self):
        self.runtime.load()
        self.runtime.run()
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.runtime.stop()

    def _to(self, target, array, at, **how):
        x, y, width, height = at or (0, 0, *self.size)
        values = np.ascontiguousarray(array).reshape(height, width, -1)
        count = values.shape[2]
        dtype = values.dtype
        if values.dtype.itemsize == 2:
            values = values.view(np.uint16).astype(np.uint32)
        if how.get("by_columns"):
            values = values.transpose(2, 1, 0)
        self.runtime.memcpy_h2d(target, np.ascontiguousarray(values).ravel(), x, y, width, height, count, **options(dtype, **how))

    def _from(self, source, count, dtype, at, **how):
        x, y, width, height = at or (0, 0, *self.size)
        words = np.zeros(width * height * count, np.uint32)
        self.runtime.memcpy_d2h(words, source, x, y, width, height, count, **options(dtype, **how))
        if how.get("by_columns"):
            words = np.ascontiguousarray(words.reshape(count, width, height).transpose(2, 1, 0))
        is_narrow = np.dtype(dtype).itemsize == 2
        values = words.astype(np.uint16).view(dtype) if is_narrow else words.view(dtype)
        values = values.reshape(height, width, count)
        return values[0, 0] if (width, height) == (1, 1) else values

    def put(self, name, array, at=None, **how):
        """Copies to the array `name` of every PE of the region `at` = (x, y, width, height), of all without it."""
        self._to(self.runtime.get_id(name), array, at, **how)

    def get(self, name, count, dtype, at=None, **how):
        return self._from(self.runtime.get_id(name), count, dtype, at, **how)

    def send(self, color, array, at=None):
        self._to(color, array, at, streaming=True)

    def receive(self, color, count, dtype, at=None):
        return self._from(color, count, dtype, at, streaming=True)

    def launch(self, name, *arguments, nonblock=False):
        self.runtime.launch(name, *arguments, nonblock=nonblock)


def expect(found, wanted, tolerance=0):
    """The values and the type are the same, or nearly."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.dtype == wanted.dtype and found.shape == wanted.shape, (found.dtype, found.shape, wanted.dtype, wanted.shape)
    if tolerance:
        np.testing.assert_allclose(found, wanted, rtol=tolerance)
    else:
        np.testing.assert_array_equal(found, wanted)


def expect_failure(action, *parts):
    """The action raises an error whose text has all parts."""
    try:
        action()
    except RuntimeError as error:
        for part in parts:
            assert part in str(error), (part, str(error))
    else:
        raise AssertionError("the action does not fail")


def integer_quotient(a, b):
    """Quotient and rest, truncated toward zero."""
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return quotient, a - b * quotient


def fused(a, b, factor):
    """a + b * factor, rounded once."""
    return (a.astype(np.float64) + b.astype(np.float64) * float(factor)).astype(a.dtype)
