# SPDX-License-Identifier: Apache-2.0
"""Memory of the PEs after a run (csl.md 13). An independent implementation of a published interface."""
from tessera_csl.memory import DebugUtil
from tessera_csl.platform import require_simulator


class debug_util(DebugUtil):
    """Reads what SdkRuntime.stop() left in the compile directory."""

    def __init__(self, bindir, cmaddr=None, **_unused):
        require_simulator(cmaddr)
        super().__init__(bindir)
