# SPDX-License-Identifier: Apache-2.0
"""Files that scripts write: whoever reads one sees a whole file, the older one or the new one."""
import os
import stat
from pathlib import Path


def write_text(path, text):
    """Writes a temporary beside `path` and renames it. What is no file (/dev/stdout, a pipe) is written as it is."""
    path = Path(path)
    if str(path).startswith(("/dev/", "/proc/")) or (path.exists() and not stat.S_ISREG(path.stat().st_mode)):
        path.write_text(text, encoding="utf-8")
        return
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f"{target.name}.tmp-{os.getpid()}")
    try:
        temporary.write_text(text, encoding="utf-8")
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
