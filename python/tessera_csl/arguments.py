# SPDX-License-Identifier: Apache-2.0
"""Checks of what a host program passes: one sentence that helps for each mistake, before anything runs."""
import difflib
import functools
import operator

import numpy as np

from . import halves  # relative: an installation has copies of both files in tessera (cmake/TesseraSdk.cmake)

RANGES = {"i8": (-128, 127), "u8": (0, 255), "i16": (-0x8000, 0x7FFF), "u16": (0, 0xFFFF),
          "i32": (-0x80000000, 0x7FFFFFFF), "u32": (0, 0xFFFFFFFF), "bool": (0, 1)}
FLOATS = {"f16": np.float16, "f32": np.float32}


def whole(value, name):
    """`value` as an int; NumPy integers are as good as those of Python."""
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}; it must be a whole number") from None


def also_named(**names):
    """For a function whose arguments have other names in programs than in the documents: also_named(np_arr="arr")."""
    def decorate(function):
        @functools.wraps(function)
        def call(*given, **named):
            return function(*given, **{names.get(name, name): value for name, value in named.items()})
        return call
    return decorate


def unknown(kind, name, names):
    """A ValueError for a name that a program does not have."""
    close = difflib.get_close_matches(str(name), names, 1)
    known = f"did you mean '{close[0]}'?" if close else ("it has " + ", ".join(f"'{n}'" for n in names) if names else
                                                         "it has none")
    return ValueError(f"the program has no {kind} '{name}'; {known}")


def argument_word(value, type_name, place):
    """The 32-bit word of an argument of a launched function."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]  # a scalar in the byte order of the machine
    if type_name in FLOATS:
        return _float_word(value, type_name, place)
    if type_name in halves.LAYOUTS:
        return _half_word(value, type_name, place)
    if type_name not in RANGES:
        raise TypeError(f"{place} is of type {type_name}, which a launch cannot pass")
    if type_name == "bool" and isinstance(value, np.integer):
        value = int(value)  # a host has no one width for a bool
    if isinstance(value, np.generic) and not isinstance(value, np.bool_) and (
            value.dtype.kind not in "iu" or 8 * value.dtype.itemsize != int(type_name.strip("iubol") or 8)):
        raise TypeError(f"{place} is of type {type_name}, and the value is a {value.dtype}")
    try:
        number = operator.index(int(value) if isinstance(value, np.bool_) else value)
    except TypeError:
        raise TypeError(f"{place} is of type {type_name}, and the value is {value!r}") from None
    lowest, highest = RANGES[type_name]
    bits = highest.bit_length() + (lowest < 0)
    if isinstance(value, np.generic):  # the bits count, as on the machine
        return number & ((1 << bits) - 1)
    if not lowest <= number <= highest:
        raise TypeError(f"{place} is of type {type_name}, and {number} is outside of {lowest} to {highest}")
    return number & ((1 << bits) - 1)


def raw_word(value, type_name, place):
    """The word of an argument that the caller has made a word: whole numbers are bits, the rest goes by the type."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole:
        return argument_word(value, type_name, place)
    number = int(value)
    if type_name not in RANGES and type_name not in FLOATS and type_name not in halves.LAYOUTS:
        raise TypeError(f"{place} is of type {type_name}, which a launch cannot pass")
    bits = 16 if type_name in ("i16", "u16", "f16", *halves.LAYOUTS) else 8 if type_name in ("i8", "u8", "bool") else 32
    lowest, highest = RANGES.get(type_name, (-1 << bits - 1, (1 << bits) - 1))  # of a float: its bits
    # The bits of a negative number, alone or extended to a word.
    is_negative = type_name.startswith("i") and (1 << bits - 1 <= number < 1 << bits
                                                 or 0x100000000 - (1 << bits - 1) <= number <= 0xFFFFFFFF)
    if not lowest <= number <= highest and not is_negative:
        raise TypeError(f"{place} is of type {type_name}, and {number} is outside of {lowest} to {highest}")
    return number & ((1 << bits) - 1)


def raw_words(values, call):
    """Words without types: whole numbers of 32 bits, and the bits of an array of f32."""
    array = np.asarray(values)
    if array.size == 0:
        return []
    if array.dtype.kind == "f" and array.dtype.itemsize == 4:
        array = array.astype("<f4", copy=False).view("<u4")
    if array.dtype.kind not in "iu":
        raise TypeError(f"{call} takes words of 32 bits; {array.dtype} are none (floats: numpy.float32)")
    if not -0x80000000 <= int(array.min()) <= int(array.max()) <= 0xFFFFFFFF:
        raise ValueError(f"{call}: a word does not fit 32 bits")
    return [int(word) & 0xFFFFFFFF for word in array.ravel()]


def _half_word(value, type_name, place):
    if not isinstance(value, (float, int, np.floating)) or isinstance(value, bool):
        raise TypeError(f"{place} is of type {type_name}, and the value is {value!r}")
    bits = halves.half_bits(float(value), type_name)
    if np.isinf(halves.half_value(bits, type_name)) and not np.isinf(float(value)):
        raise TypeError(f"{place} is of type {type_name}, and {value} is beyond its largest number")
    return bits


def _float_word(value, type_name, place):
    wanted = FLOATS[type_name]
    if isinstance(value, np.generic) and value.dtype != wanted and not isinstance(value, np.float64):
        raise TypeError(f"{place} is of type {type_name}, and the value is a {value.dtype}")
    if not isinstance(value, (float, int, np.floating)) or isinstance(value, bool):
        raise TypeError(f"{place} is of type {type_name}, and the value is {value!r}")
    try:
        with np.errstate(over="ignore"):
            number = np.array(value, wanted)
    except OverflowError:
        number = np.array(np.inf, wanted)
    if np.isinf(number) and not (isinstance(value, (float, np.floating)) and np.isinf(value)):
        raise TypeError(f"{place} is of type {type_name}, and {value} is beyond its largest number, {np.finfo(wanted).max}")
    return int(number.view(np.uint16 if wanted is np.float16 else np.uint32))
