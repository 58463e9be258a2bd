# SPDX-License-Identifier: Apache-2.0
"""What the scripts share that run host programs of public PTO tests: commands, and the host of scripts/pto_cpp_host as an object."""
import subprocess
from pathlib import Path

HOST = Path(__file__).resolve().parent / "pto_cpp_host"


def call(command, folder, seconds, **more):
    return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, errors="replace", timeout=seconds, **more)


def host_object(folder):
    """Compiles the host program's device into an object in `folder`."""
    object_ = folder / "host.o"
    done = call(["g++", "-std=c++17", "-O1", "-I", HOST, "-c", HOST / "host.cpp", "-o", object_], folder, 300)
    if done.returncode:
        raise SystemExit(f"{HOST / 'host.cpp'} does not compile: {done.stderr[:400]}")
    return object_
