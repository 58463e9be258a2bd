# SPDX-License-Identifier: Apache-2.0
"""Conversions between arrays of the host and the 32-bit words of copies (csl.md 13).

An independent implementation of a published interface.
"""
import numpy as np

from tessera_csl.arrays import is_native


def memcpy_view(array, datatype):
    """A writable view of `array`, which has 32-bit elements, as `datatype`: of 8 and 16 bits the low part of each word."""
    array = np.asarray(array)
    datatype = np.dtype(datatype)
    if array.dtype.itemsize != 4:
        raise ValueError(f"memcpy_view takes an array of 32-bit elements, this one has {array.dtype}")
    if datatype.itemsize not in (1, 2, 4):
        raise ValueError(f"memcpy_view makes views of 8, 16 and 32 bits, {datatype} has {8 * datatype.itemsize}")
    for kind in (array.dtype, datatype):
        if not is_native(kind):
            raise ValueError(f"memcpy_view gives the bits of words, which are little-endian; {kind} are not")
    step = 4 // datatype.itemsize
    if step == 1:
        return array.view(datatype)
    if array.ndim == 0 or not array.flags.c_contiguous:
        raise ValueError("memcpy_view takes a contiguous array")
    return array.view(datatype)[..., ::step]


def input_array_to_u32(np_arr, sentinel, fast_dim_sz):
    """One 32-bit word for each element of `np_arr`, as a flat array.

    16-bit elements lie in the low half. The high half is 0 if `sentinel` is None, else the index of the element modulo
    `fast_dim_sz`. Words of 32-bit elements are their bits.
    """
    flat = np.ascontiguousarray(np_arr).ravel()
    if isinstance(np_arr, np.ma.MaskedArray) or flat.dtype.kind not in "iuf":
        raise ValueError(f"input_array_to_u32 takes an array of numbers without a mask, not {type(np_arr).__name__} of {flat.dtype}")
    flat = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    if flat.dtype.itemsize == 4:
        return flat.view(np.uint32).copy()
    if flat.dtype.itemsize != 2:
        raise ValueError(f"input_array_to_u32 takes elements of 16 or 32 bits, these are {flat.dtype}")
    words = flat.view(np.uint16).astype(np.uint32)
    if sentinel is not None:
        index = np.arange(flat.size, dtype=np.uint32) % np.uint32(fast_dim_sz)
        words |= index << np.uint32(16)
    return words


def calculate_cycles(timestamp_buf):
    """Cycles between two 48-bit time stamps packed into three 32-bit words: (start1:start0), (end0:start2), (end2:end1)."""
    words = np.ascontiguousarray(timestamp_buf).ravel()
    if words.size != 3 or words.dtype.itemsize != 4:
        raise ValueError(f"calculate_cycles takes 3 words of 32 bits, not {words.size} elements of {words.dtype}")
    words = words.astype(words.dtype.newbyteorder("<"), copy=False)
    first, second, third = (int(word) for word in words.view(np.uint32))
    start = first | (second & 0xFFFF) << 32
    end = second >> 16 | third << 16
    return end - start
