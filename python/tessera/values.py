# SPDX-License-Identifier: Apache-2.0
"""Numbers and arrays of Python as the words of a machine, which are little-endian. What would lose something is refused."""

from typing import Any, Sequence

import numpy as np

WORD = 0xFFFFFFFF


def _word(value: Any) -> int:
    """An argument: whole numbers and f32 as 32 bits, NumPy's 16-bit scalars in the low half."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, float):  # and np.float64
        return int(floats_of(np.asarray(value), np.float32, "an argument").view(np.uint32).item())
    if isinstance(value, np.floating):
        if value.itemsize > 4:
            raise TypeError(f"{value!r} is a {value.dtype}, which is no word of 32 bits")
        return int(value.view(f"u{value.itemsize}"))
    if isinstance(value, np.integer) and value.itemsize < 4:
        return int(value.view(f"u{value.itemsize}"))
    if not isinstance(value, (int, np.integer, np.bool_)):
        raise TypeError(f"{value!r} is a {type(value).__name__}; an argument is a number of at most 32 bits")
    if not -0x80000000 <= int(value) <= WORD:
        raise ValueError(f"{value} does not fit 32 bits")
    return int(value) & WORD


def words_of(values: Sequence[Any]) -> np.ndarray:
    """Arguments of a launch."""
    return np.array([_word(value) for value in values], np.uint32)


def plain(values: Any, what: str) -> np.ndarray:
    """An array without a mask, in C order and in the byte order of the machine."""
    if isinstance(values, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, and a machine has no masks; fill it or take its data")
    array = np.asarray(values)
    if array.dtype.hasobject or array.dtype.kind in "SUMm":
        raise TypeError(f"{what} has elements of type {array.dtype}, which a machine does not have")
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))


def floats_of(array: np.ndarray, dtype: Any, what: str) -> np.ndarray:
    """Numbers as floats of a type, rounded as NumPy does. Finite numbers that the type would have as infinite are refused."""
    with np.errstate(over="ignore"):
        floats = np.ascontiguousarray(array, dtype)
    if np.any(np.isinf(floats) & ~np.isinf(array)):
        raise ValueError(f"{what} has numbers that are too large for {np.dtype(dtype)}")
    return floats


def wavelets_of(values: Any) -> np.ndarray:
    """Numbers of 32 bits, one a wavelet. Floats of Python are f32."""
    array = plain(values, "what is sent").reshape(-1)
    if array.dtype == np.float64:
        array = floats_of(array, np.float32, "what is sent")
    if array.dtype == np.float32:
        return array.view(np.uint32)
    if array.dtype.kind not in "iub":
        raise TypeError(f"wavelets are numbers of 32 bits, not {array.dtype}; for halves send their bits, .view(numpy.uint16)")
    if array.size and not (-0x80000000 <= int(array.min()) and int(array.max()) <= WORD):
        raise ValueError("a number that is sent does not fit 32 bits")
    return array.astype(np.int64).astype(np.uint32) if array.dtype.itemsize < 8 else (array & WORD).astype(np.uint32)


def elements_of(words: np.ndarray, dtype: Any) -> np.ndarray:
    """Words as elements of a type: one each, of 16 bits their low halves."""
    wanted = np.dtype(dtype)
    if wanted.itemsize not in (2, 4) or wanted.kind not in "iuf":
        raise TypeError(f"words become elements of 16 or 32 bits, not {wanted}")
    return words.astype(f"<u{wanted.itemsize}").view(wanted.newbyteorder("<")).astype(wanted, copy=False)


def array_for(values: Any, dtype: np.dtype, what: str) -> np.ndarray:
    """Values in the type of a symbol. A value that the type does not have is refused; f32 may round, as NumPy does."""
    array = plain(values, what)
    if array.dtype.kind not in "iufb":
        raise TypeError(f"{what} has elements of type {array.dtype}; the symbol has {dtype}")
    if dtype.kind != "f" and array.size:
        found = np.iinfo(dtype)
        if array.dtype.kind == "f" and not np.array_equal(array, np.trunc(array)):
            raise ValueError(f"{what} has values that are no whole numbers; the symbol has {dtype}")
        bits = 8 * dtype.itemsize
        if int(array.min()) < -(1 << (bits - 1)) or int(array.max()) > (1 << bits) - 1:
            raise ValueError(f"{what} has values outside of {found.min} to {found.max}; the symbol has {dtype}")
        words = array.astype(np.uint64 if array.dtype.kind == "u" else np.int64).view(np.uint64)  # negative numbers keep their bits
        return np.ascontiguousarray((words & np.uint64((1 << bits) - 1)).astype(f"u{dtype.itemsize}").view(dtype))
    return floats_of(array, dtype, what)
