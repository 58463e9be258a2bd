# SPDX-License-Identifier: Apache-2.0
"""Artifacts of compilations: an archive of the folder that cslc has written, and where it was unpacked."""
import hashlib
import os
import tarfile
import tempfile
from pathlib import Path

_unpacked = {}  # (path, inode, time) -> TemporaryDirectory, for the life of the process


def pack(folder, name, path):
    """Writes the archive with `folder` under `name`. `path` is a file, or a folder that gets cs_DIGEST.tar.gz."""
    path = Path(path)
    is_file = path.name.endswith((".tar.gz", ".tgz")) and not path.is_dir()
    (path.parent if is_file else path).mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256((Path(folder) / "tessera.json").read_bytes()).hexdigest()[:16]
    target = path if is_file else path / f"cs_{digest}.tar.gz"
    temporary = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    try:
        with tarfile.open(temporary, "w:gz", compresslevel=1) as archive:
            archive.add(folder, arcname=str(name))
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
    return str(target)


def unpack(path, into):
    """Unpacks an artifact into a folder."""
    path = Path(path)
    if path.is_dir():
        raise RuntimeError(f"{path} is a folder; an artifact is the file whose name SdkCompiler.compile() returns")
    try:
        with tarfile.open(path) as archive:
            for member in archive.getmembers():
                if not (member.isfile() or member.isdir()) or os.path.isabs(member.name) or ".." in Path(member.name).parts:
                    raise RuntimeError(f"{path} is no artifact of a compilation: it holds '{member.name}'")
            archive.extractall(into)
    except FileNotFoundError:
        raise RuntimeError(f"there is no artifact {path}; SdkCompiler.compile() makes one") from None
    except (tarfile.TarError, EOFError, OSError) as error:
        raise RuntimeError(f"{path} is no artifact of a compilation: {error}") from None


def program_in(folder):
    """The folder of the compiled program in an unpacked artifact."""
    found = sorted(Path(folder).rglob("tessera.json"))
    if len(found) != 1:
        raise RuntimeError(f"the artifact has {len(found)} compiled programs; one is expected")
    return found[0].parent


def program_of(path):
    """The folder of the compiled program of an artifact: that folder itself, or where the archive is unpacked for this process.
    A run leaves its memory there, for debug_util."""
    if Path(path).is_dir():
        return program_in(path)
    try:
        facts = os.stat(path)
    except FileNotFoundError:
        raise RuntimeError(f"there is no artifact {path}; SdkCompiler.compile() makes one") from None
    key = (os.path.realpath(path), facts.st_ino, facts.st_mtime_ns)
    if key not in _unpacked:
        folder = tempfile.TemporaryDirectory(prefix="tessera-")  # pylint: disable=consider-using-with
        unpack(path, folder.name)
        _unpacked[key] = folder
    return program_in(_unpacked[key].name)
