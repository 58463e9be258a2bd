# SPDX-License-Identifier: Apache-2.0
"""Conversions of arrays as host programs of SDK 0.6 to 0.9 import them. An independent implementation of a published interface."""
from cerebras.sdk.sdk_utils import input_array_to_u32, memcpy_view
from tessera_csl.portmap import convert_input_tensor, format_output_tensor, prepare_output_tensor

__all__ = ["convert_input_tensor", "format_output_tensor", "input_array_to_u32", "memcpy_view", "output_array_from_u32", "prepare_output_tensor"]


def output_array_from_u32(words, dtype):
    """The elements in the low halves of the words of a 16-bit copy, or the words as elements of 32 bits."""
    return memcpy_view(words, dtype).copy()
