# SPDX-License-Identifier: Apache-2.0
"""PTO kernels in C++ as Python functions (docs/pto-cpp.md#from-python).

    add = tessera.ascend.compile("add.cpp", function="add", preset="a2a3")
    run = add(x, y, np.zeros_like(x), n=42)
    print(run["z"], run.report["cycles"])

A call is a run of ascend_platform in a process of its own, so a kernel that crashes raises an exception here.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
from typing import Any, NamedTuple, Sequence

import numpy as np

from . import library as _library
from . import values as _values
from .errors import Error, FailedError

__all__ = ["Kernel", "Parameter", "Run", "compile"]


class Parameter(NamedTuple):
    """An argument of a kernel. `type`: "f32", "i32", ..; of a pointer that of its elements."""
    name: str
    type: str
    is_pointer: bool


class Run(NamedTuple):
    """What a call gave: all array arguments as the kernel has left them, and the report. run["y"] is an array."""
    arrays: dict[str, np.ndarray]
    report: dict[str, Any]

    def __getitem__(self, name: Any) -> Any:
        return self.arrays[name] if isinstance(name, str) else tuple(self)[name]


def _program(name: str) -> str:
    """An executable of the build or the installation, beside the library; or in the folder TESSERA_BIN, or on the path."""
    folders = [os.environ.get("TESSERA_BIN", "")] + [str(file.parents[1] / "bin") for file in _library.candidates()]
    found = shutil.which(name, path=os.pathsep.join(folder for folder in folders if folder)) or shutil.which(name)
    if not found:
        raise OSError(f"{name} was not found; name its folder with the environment variable TESSERA_BIN")
    return found


def _run(command: Sequence[Any]) -> str:
    """What a program prints. Its exit codes are those of tessera_status."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return done.stdout
    error = FailedError if done.returncode == 4 else Error
    raise error(done.returncode, done.stderr.strip().removeprefix(pathlib.Path(command[0]).name + ": "))


class Kernel:
    """A compiled kernel. A call takes its arguments by position or by name: a NumPy array, or text such as "f32[128]" for an array of
    zeros, where the kernel has a pointer, and a number elsewhere. bf16 is uint16 with its bits."""

    def __init__(self, file: str | pathlib.Path, *options: str):
        self.file, self.options = pathlib.Path(file), options
        text = _run([_program("ascend_platform"), self.file, "--print-program"]).strip()
        self.name, parameters = re.fullmatch(r"(.*?)\((.*)\)", text).groups()
        found = [part.rsplit(" ", 1) for part in parameters.split(", ") if part]
        self.parameters = [Parameter(name, kind.rstrip("*"), kind.endswith("*")) for kind, name in found]

    def __repr__(self) -> str:
        listed = ", ".join(f"{p.type}{'*' * p.is_pointer} {p.name}" for p in self.parameters)
        return f"<kernel {self.name}({listed})>"

    def __call__(self, *arguments: Any, **named: Any) -> Run:
        names = [parameter.name for parameter in self.parameters]
        if len(arguments) > len(names):
            raise TypeError(f"{self.name} takes {len(names)} arguments, {len(arguments)} were given")
        given = dict(zip(names, arguments))
        for name, value in named.items():
            if name not in names or name in given:
                raise TypeError(f"{self.name} has no argument '{name}'" if name not in names else f"'{name}' is given twice")
            given[name] = value
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            return self._run_in(pathlib.Path(folder), given)

    def _run_in(self, folder: pathlib.Path, given: dict[str, Any]) -> Run:
        report = folder / "report.json"
        command = [_program("ascend_platform"), self.file, "--quiet", "--report", report, *self.options]
        has_values = "--no-data" not in self.options  # else the report is the result
        outputs = {p.name: folder / f"{p.name}.out.npy" for p in self.parameters if p.is_pointer and p.name in given and has_values}
        for name, value in given.items():
            if isinstance(value, np.ndarray) and value.ndim > 0:
                np.save(folder / f"{name}.npy", _values.plain(value, f"'{name}'"))
                value = folder / f"{name}.npy"
            elif isinstance(value, (np.ndarray, np.generic)):
                value = value.item()
            if isinstance(value, bool):
                value = int(value)
            command += ["--arg", f"{name}={value}"]
        for name, file in outputs.items():
            command += ["--output", f"{name}={file}"]
        try:
            _run(command)
        except Error as error:
            error.report = json.loads(report.read_text()) if report.exists() else None
            raise
        return Run({name: np.load(file) for name, file in outputs.items()}, json.loads(report.read_text()))


def compile(source: str | pathlib.Path, *options: str, function: str = "", preset: str = "a5",
            flags: Sequence[str] = ()) -> Kernel:
    """Compiles a kernel in C++. `options` are those of ascend_platform, for all calls ("--set", "launch.clusters=24"), `flags` those
    of the compiler. Raises tessera.Error with what the compiler says."""
    folder = tempfile.TemporaryDirectory(prefix="tessera-")
    file = pathlib.Path(folder.name) / "kernel.so"
    _run([_program("ascend-cxx"), source, "-o", file, "--preset", preset, *(["--function", function] if function else []), *flags])
    kernel = Kernel(file, *options)
    kernel.folder = folder  # lives as long as the kernel
    return kernel
