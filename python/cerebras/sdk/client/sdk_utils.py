# SPDX-License-Identifier: Apache-2.0
"""Conversions of arrays, under the name that clients of a cluster import. An independent implementation of a published interface."""
from cerebras.sdk.sdk_utils import calculate_cycles, input_array_to_u32, memcpy_view

__all__ = ["calculate_cycles", "input_array_to_u32", "memcpy_view"]
