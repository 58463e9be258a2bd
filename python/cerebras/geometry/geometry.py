# SPDX-License-Identifier: Apache-2.0
"""Points and rectangles of the grid of PEs. An independent implementation of a published interface."""
from tessera_csl.geometry import IntRectangle, IntVector

__all__ = ["IntRectangle", "IntVector"]
