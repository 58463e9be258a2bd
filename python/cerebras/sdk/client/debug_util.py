# SPDX-License-Identifier: Apache-2.0
"""Memory of the PEs after a run of an artifact. An independent implementation of a published interface."""
from tessera_csl.client import debug_util

__all__ = ["debug_util"]
