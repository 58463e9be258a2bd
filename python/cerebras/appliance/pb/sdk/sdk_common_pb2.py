# SPDX-License-Identifier: Apache-2.0
"""Words of copies, under the name that clients of a cluster import (see the package `cerebras`). An independent implementation of a
published interface."""
from tessera_csl.copies import MemcpyDataType, MemcpyOrder

__all__ = ["MemcpyDataType", "MemcpyOrder"]
