# SPDX-License-Identifier: Apache-2.0
"""Arrays of the host as the words of copies and streams.

Any layout of NumPy is taken in the order of its indices (C order), any byte order is converted; what has no meaning as
words (structures, dates, masked arrays, elements of another size) is refused.
"""
import numpy as np


def is_native(dtype):
    """Whether the bytes of numbers of this type lie as they do on the machine, which is little-endian."""
    return dtype.newbyteorder("<") == dtype


def _check(array, sizes, what, advice=""):
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{what} is a {type(array).__name__}; it must be a NumPy array")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError(f"{what} is a masked array, and a copy has no mask; fill it (.filled()) or take its data (.data)")
    if array.dtype.itemsize not in sizes or array.dtype.kind not in "iuf":
        raise ValueError(f"{what} has elements of type {array.dtype}; {advice}")


def _check_size(array, count, what):
    if array.size < count:
        raise ValueError(f"{what} has {array.size} elements; the copy moves {count}")


def _flat_bits(array, count):
    """The bits of the first `count` elements in C order, unsigned and little-endian. May be a view."""
    flat = little_endian(np.asarray(array).reshape(-1)[:count])
    return flat.view(f"<u{flat.dtype.itemsize}")


def little_endian(array):
    """The array in C order, its bytes as the machine has them."""
    array = np.asarray(array)
    return np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<"), copy=False))


def elements_in(words, dtype):
    """Words of 32 bits as elements of a type, one each; of 16 bits their low halves."""
    dtype = np.dtype(dtype)
    if dtype.itemsize not in (2, 4) or dtype.kind not in "iuf":
        raise ValueError(f"words become elements of 16 or 32 bits, not {dtype}")
    words = np.asarray(words)
    bits = _flat_bits(words, words.size).astype(f"<u{dtype.itemsize}")
    return bits.view(dtype.newbyteorder("<")).astype(dtype, copy=False)


def words_in(array, count, what):
    """The first `count` elements to send, as flat 32-bit words."""
    _check(array, (4,), what, "a copy takes int32, uint32 or float32, one element a word also for 16-bit data "
                              "(input_array_to_u32 makes such an array)")
    _check_size(array, count, what)
    return _flat_bits(array, count)


def writer(array, count, what):
    """A function that stores `count` words into the first elements of an array."""
    _check(array, (4,), what, "a copy fills int32, uint32 or float32, one element a word also for 16-bit data "
                              "(memcpy_view gives their low halves)")
    _require_writable(array, what)
    _check_size(array, count, what)
    return _store_bits(array, count)


def _require_writable(array, what):
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise TypeError(f"{what} is not contiguous in C order, or not writable, so that nothing can be copied into it; pass an "
                        "array of its own and assign it afterwards")


def _store_bits(array, count):
    flat = np.asarray(array).reshape(-1)  # a view, since the array is contiguous

    def store(words):
        bits = np.asarray(words).astype(f"<u{array.dtype.itemsize}", copy=False)
        flat[:count] = bits.view(array.dtype.newbyteorder("<"))  # turns the bytes if it must

    return store


def wavelets_in(array, count):
    """The words of a stream: 16-bit elements lie in the low half."""
    return _flat_bits(array, count).astype("<u4", copy=False)


def wavelet_writer(array, count):
    """A function that stores the words of a stream, or their low halves."""
    _require_writable(array, "the array of receive()")
    return _store_bits(array, count)


def check_stream(array):
    """Refuses what a stream cannot carry."""
    _check(array, (2, 4), "the array of a stream", "a stream takes elements of 16 or 32 bits")


def elements_of(data, dtype, name):
    """The bytes of a variable as an array of its own, in the type that was asked for."""
    dtype = np.dtype(dtype)
    if dtype.hasobject or dtype.itemsize == 0:
        raise TypeError(f"'{name}' cannot be read as {dtype}")
    if dtype.subdtype is not None:
        raise TypeError(f"'{name}' cannot be read as {dtype}, an array of elements; read it as {dtype.base} and reshape it")
    if len(data) % dtype.itemsize != 0:
        raise ValueError(f"'{name}' has {len(data)} bytes; these are no whole elements of {dtype}")
    return np.frombuffer(data, dtype.newbyteorder("<")).astype(dtype)
