# SPDX-License-Identifier: Apache-2.0
"""Memory that a host program and its simulator share, for large arrays."""
import mmap
import os
import weakref

# Data of this size or more travels in memory that both sides map.
LARGE = 1 << 20


def _free(memory, file):
    memory.close()
    os.close(file)


class SharedMemory:
    """Large data that both sides map. It has no name in a file system, so nothing is left when it is forgotten."""

    def __init__(self, size):
        file = os.memfd_create("tessera")
        try:
            os.posix_fallocate(file, 0, size)
            self.map = mmap.mmap(file, size)
        except OSError:
            os.close(file)
            raise
        self.path = f"/proc/{os.getpid()}/fd/{file}"
        self.close = weakref.finalize(self, _free, self.map, file)


def shared_memory(size):
    """Shared memory, or None if the data is small or there is no room: then the data goes through the pipe."""
    if size < LARGE:
        return None
    try:
        return SharedMemory(size)
    except OSError:
        return None
