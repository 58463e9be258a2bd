# SPDX-License-Identifier: Apache-2.0
"""Conversions between arrays of the host and the 32-bit words of copies (csl.md 13).

An independent implementation of a published interface.
"""
import json
import math
import os

import numpy as np

from tessera_csl.arguments import FLOATS, RANGES, also_named, argument_word
from tessera_csl.arrays import is_native


def memcpy_view(arr, datatype):
    """A writable view of `arr`, which has 32-bit elements, as `datatype`: of 8 and 16 bits the low part of each word."""
    if isinstance(arr, np.ma.MaskedArray):
        raise ValueError("memcpy_view takes an array without a mask")
    array = np.asarray(arr)
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


@also_named(np_arr="arr")
def input_array_to_u32(arr, sentinel, fast_dim_sz):
    """One 32-bit word for each element of `arr`, which programs also call `np_arr`, as a flat array.

    16-bit elements lie in the low half. The high half is 0 if `sentinel` is None, else the index of the element modulo
    `fast_dim_sz`. Words of 32-bit elements are their bits.
    """
    flat = np.ascontiguousarray(arr).ravel()
    if isinstance(arr, np.ma.MaskedArray) or flat.dtype.kind not in "iuf":
        raise ValueError(f"input_array_to_u32 takes an array of numbers without a mask, not {type(arr).__name__} of {flat.dtype}")
    flat = flat.astype(flat.dtype.newbyteorder("<"), copy=False)
    if flat.dtype.itemsize == 4:
        return flat.view(np.uint32).copy()
    if flat.dtype.itemsize != 2:
        raise ValueError(f"input_array_to_u32 takes elements of 16 or 32 bits, these are {flat.dtype}")
    words = flat.view(np.uint16).astype(np.uint32)
    if sentinel is not None and fast_dim_sz < 1:
        raise ValueError(f"input_array_to_u32 counts elements modulo fast_dim_sz, which cannot be {fast_dim_sz}")
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


def float_to_hex(number):
    """The bits of an f32 as a hexadecimal number."""
    return hex(int(np.float32(number).view(np.uint32)))


def make_u48(words):
    """The number of 48 bits of three words of 16, the lowest first."""
    low, middle, high = (int(word) & 0xFFFF for word in words)
    return np.int64(low | middle << 16 | high << 32)


def sub_ts(words):
    """Cycles from the time stamp of the first three words of 16 bits to that of the next three."""
    words = list(words)
    if len(words) != 6:
        raise ValueError(f"sub_ts takes two time stamps of 3 words each, not {len(words)} words")
    return make_u48(words[3:]) - make_u48(words[:3])


def cast_uint32(value):
    """The bits of a number, or of each number of an array, as words: 16-bit ones lie in the low half."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number, np.ndarray)):
        raise RuntimeError(f"cast_uint32 takes numbers of 16 or 32 bits, not {value!r}")
    if isinstance(value, int):
        if not -(1 << 31) <= value < 1 << 32:
            raise RuntimeError(f"cast_uint32 takes numbers of 16 or 32 bits, and {value} has more")
        return np.uint32(value & 0xFFFFFFFF)
    if type(value) is float:  # pylint: disable=unidiomatic-typecheck
        if math.isfinite(value) and abs(value) > np.finfo(np.float32).max:
            raise RuntimeError(f"cast_uint32 takes numbers of 16 or 32 bits, and {value} is beyond f32")
        value = np.float32(value)
    bits = np.asarray(value)
    if isinstance(value, np.ma.MaskedArray) or bits.dtype.kind not in "iuf" or bits.dtype.itemsize not in (2, 4):
        raise RuntimeError(f"cast_uint32 takes numbers of 16 or 32 bits without a mask, not {type(value).__name__} of {bits.dtype}")
    bits = bits.astype(bits.dtype.newbyteorder("<"), copy=False)
    words = np.ascontiguousarray(bits).view(np.uint16 if bits.dtype.itemsize == 2 else np.uint32).astype(np.uint32)
    return words.reshape(bits.shape) if bits.ndim else words.reshape(())[()]


def is_valid_primitive_type(para_type):
    """Whether a parameter of an exported function may have the type."""
    return para_type in FLOATS or para_type in RANGES


def parse_host_callable_api(rpc_symbols):
    """Of each exported function the names of its parameters and their types, from the list of exported symbols."""
    functions = {}
    for symbol in rpc_symbols:
        if symbol.get("kind") != "Func":
            continue
        inputs = symbol.get("inputs", [])
        if not isinstance(symbol.get("name"), str) or not all(isinstance(one.get(key), str) for one in inputs for key in ("name", "type")):
            raise RuntimeError("the list of exported symbols has a function without a name, or a parameter without name and type")
        for one in inputs:
            if not is_valid_primitive_type(one["type"]):
                raise RuntimeError(f"the function '{symbol['name']}' has a parameter of type {one['type']}, which a launch cannot pass")
        functions[symbol["name"]] = ([one["name"] for one in inputs], [one["type"] for one in inputs])
    return functions


def get_api_info_dict_from_json(json_path):
    """The same from the file out_rpc.json of a compilation."""
    with open(json_path, encoding="utf-8") as file:
        return parse_host_callable_api(json.load(file)["rpc_symbols"])


def get_api_info_dict(app_path):
    """The same from the folder of a compilation."""
    return get_api_info_dict_from_json(os.path.join(app_path, "bin", "out_rpc.json"))


def check_rpc_api(name, arg_list, api_info_dict):
    """Whether there is an exported function of the name that takes these arguments."""
    if name not in api_info_dict:
        return False
    types = api_info_dict[name][1]
    if len(arg_list) != len(types):
        return False
    try:
        for number, (value, kind) in enumerate(zip(arg_list, types)):
            argument_word(value, kind, f"argument {number}")
    except TypeError:
        return False
    return True


def getOutputNameFromCompileOptions(option_list):  # pylint: disable=invalid-name
    """The folder after -o among the options of a compilation, "out" without one."""
    for option, following in zip(option_list, [*option_list[1:], None]):
        if option == "-o" and following is not None:
            return following
        if option.startswith("-o"):
            return option[2:].lstrip("=")
    return "out"
