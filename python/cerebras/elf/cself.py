# SPDX-License-Identifier: Apache-2.0
"""Names under which host programs of SDK 0.4 to 0.9 import their runtime. An independent implementation of a published interface."""
from tessera_csl.elf_runner import ELFLoader, ELFMemory

__all__ = ["ELFLoader", "ELFMemory"]
