# SPDX-License-Identifier: Apache-2.0
"""Where a program runs: always the simulator; what the interface lets a script say about it is accepted."""
import enum
import os
import shutil
import warnings
from pathlib import Path


class Numbered(enum.Enum):
    """An enumeration whose members also stand for their numbers."""

    def __int__(self):
        return self.value

    def __index__(self):
        return self.value


class SdkTarget(Numbered):
    """Generation of the machine."""
    WSE2 = 0
    WSE3 = 1


class FP16TYPE(Numbered):
    """Format of 16-bit floating point numbers."""
    F16 = 0
    BF16 = 1
    CB16 = 2


def ignore(where, keywords):
    """Warns about arguments that have no meaning here."""
    for name in keywords:
        warnings.warn(f"{where}: the argument '{name}' has no effect", stacklevel=3)


def require_simulator(cmaddr):
    """Refuses the address of a machine."""
    if cmaddr:
        raise RuntimeError(f"cmaddr is '{cmaddr}': Tessera is a simulator and reaches no machine; leave cmaddr out, or "
                           "let it be None or empty")


class SimfabConfig:
    """Settings of the simulator. Options of Tessera go into the environment variable TESSERA_OPTIONS instead."""

    def __init__(self, num_threads=16, suppress_trace=False, dump_core=False, core_path=None, **unknown):
        self.num_threads = num_threads
        self.suppress_trace = suppress_trace
        self.dump_core = dump_core
        self.core_path = core_path
        ignore("SimfabConfig", unknown)


class SdkExecutionPlatform:
    """A simulated machine of one generation."""

    def __init__(self, config=None, target=SdkTarget.WSE3):
        if not isinstance(target, SdkTarget):
            raise TypeError(f"the target is SdkTarget.WSE2 or SdkTarget.WSE3, not {target!r}")
        self.config = config or SimfabConfig()
        self.target = target

    @staticmethod
    def is_simulation():
        """Whether it is a simulator: always."""
        return True

    @staticmethod
    def is_system():
        """Whether it is a machine: never."""
        return False


def get_platform(cmaddr=None, config=None, target=SdkTarget.WSE3, *, addr=None):
    """The simulator; `cmaddr`, also called `addr`, must be None or empty."""
    require_simulator(cmaddr or addr)
    return SdkExecutionPlatform(config, target)


def get_simulator(config=None, target=SdkTarget.WSE3):
    """The simulator."""
    return SdkExecutionPlatform(config, target)


def get_system(cmaddr=None, *, addr=None):
    """A machine: there is none."""
    require_simulator(cmaddr or addr or "that of get_system()")


class SdkCompileArtifacts:
    """The folder that a compilation left."""

    def __init__(self, artifacts_path):
        self.path = Path(artifacts_path)

    def __fspath__(self):
        return os.fspath(self.path)

    def add_port_mapping(self, file):
        """Names of ports in a file of their own: the folder has them, so nothing is read."""
        warnings.warn(f"add_port_mapping: '{file}' is not read; the folder of a compilation knows its ports", stacklevel=2)
        return self


def tool(name):
    """Path of an executable of Tessera: in the folder TESSERA_BIN, which cs_python sets, else on PATH."""
    folder = os.environ.get("TESSERA_BIN")
    path = shutil.which(name, path=folder or None)
    if path is None:
        raise RuntimeError(f"{name} is not found in {folder or 'the folders of PATH'}; run the script with cs_python of "
                           "Tessera, or let TESSERA_BIN name the folder of Tessera's executables")
    return path


def sdk_folder():
    """The folder of cslc and cs_python: cs_python names it in TESSERA_SDK; else it lies beside the executables, or on PATH."""
    named = os.environ.get("TESSERA_SDK")
    if named:
        return named
    found = shutil.which("cs_python")
    beside = [Path(tool("tessera_csl_server")).resolve().parents[1] / part for part in ("sdk/bin", "libexec/tessera/sdk/bin")]
    for folder in beside + ([Path(found).resolve().parent] if found else []):
        if (folder / "cs_python").is_file():
            return str(folder)
    raise RuntimeError("the folder with cs_python and cslc of Tessera is not found; let TESSERA_SDK name it")
