#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a Python wheel of a build (docs/packages.md): `pip install FILE` gives a virtual environment the executables, the command
tessera, cs_python, and the Python packages. SystemC, Boost and what else a computer may lack are inside.

    scripts/wheel.py [--build BUILD] [--out FOLDER]      build, BUILD/packages

What a wheel holds under `data` goes below the prefix of the environment, so the files lie there as `cmake --install` lays them.
Needs patchelf and the Python module wheel (Debian: patchelf, python3-wheel).
"""
import argparse
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
COMPONENTS = ("tools", "library", "python")
# What every Linux for this kind of wheel has (PEP 600 and the policies of manylinux); all other libraries go inside.
SYSTEM = re.compile(r"(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|libz)\.so(\.\d+)?$")
LIBRARIES = "lib/tessera"  # below the prefix
START = """#!python
import os, pathlib, sys
prefix = pathlib.Path(__file__).resolve().parents[1]
"""
SCRIPTS = {
    "tessera": 'os.execv(sys.executable, [sys.executable, str(prefix / "share/tessera/scripts/tessera.py"), *sys.argv[1:]])',
    "tessera-sweep": 'os.execv(sys.executable, [sys.executable, str(prefix / "share/tessera/scripts/sweep.py"), *sys.argv[1:]])',
    "cs_python": 'command = prefix / "libexec/tessera/sdk/bin/cs_python"\nos.execv(command, [str(command), *sys.argv[1:]])',
    "cslc": 'command = prefix / "libexec/tessera/sdk/bin/cslc"\nos.execv(command, [str(command), *sys.argv[1:]])',
}


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        sys.exit(f"wheel.py: {' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def needed(files):
    """{name: path} of the libraries that files need, directly or through others, and that are not the system's."""
    found = {}
    for file in files:
        for line in run("ldd", file).splitlines():
            words = line.split()
            name = pathlib.Path(words[0]).name
            if SYSTEM.match(name):
                continue
            if "not" in words:
                sys.exit(f"wheel.py: {file} needs {name}, which was not found")
            found[name] = words[2]
    return found


def bundle(data):
    """Copies the libraries that executables need, and lets all find them from where they lie."""
    files = [path for path in data.rglob("*") if path.is_file() and not path.is_symlink() and is_elf(path)]
    folder = data / LIBRARIES
    folder.mkdir(parents=True)
    for name, path in sorted(needed(files).items()):
        shutil.copyfile(os.path.realpath(path), folder / name)
        run("strip", "--strip-unneeded", folder / name)
        run("patchelf", "--set-rpath", "$ORIGIN", folder / name)
    for file in files:
        run("patchelf", "--set-rpath", "$ORIGIN/" + os.path.relpath(folder, file.parent), file)
    return files


def install(build, data):
    for component in COMPONENTS:
        run("cmake", "--install", build, "--strip", "--component", component, "--prefix", data)
    for folder in data.glob("lib*/**/libtessera.so.*"):  # lib64 and folders of a machine become lib
        if folder.parent != data / "lib":
            (data / "lib").mkdir(exist_ok=True)
            shutil.move(folder, data / "lib" / folder.name)
    for name in SCRIPTS:
        (data / "bin" / name).unlink(missing_ok=True)


def version_of(build):
    cache = (build / "CMakeCache.txt").read_text(encoding="utf-8")
    return re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.*)$", cache, re.MULTILINE)[1]


def write_metadata(tree, version, tag):
    information = tree / f"tessera-{version}.dist-info"
    information.mkdir()
    (information / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: tessera\nVersion: {version}\nSummary: Cycle-level models of spatial accelerators\n"
        "License: Apache-2.0\nRequires-Python: >=3.11\nRequires-Dist: numpy\nProvides-Extra: sweeps\n"
        "Requires-Dist: PyYAML; extra == 'sweeps'\nDescription-Content-Type: text/markdown\n\n"
        + (ROOT / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    (information / "WHEEL").write_text(
        f"Wheel-Version: 1.0\nGenerator: tessera\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n", encoding="utf-8")
    shutil.copyfile(ROOT / "LICENSE", information / "LICENSE")


def arrange(tree, version):
    """tree/data as `cmake --install` has left it becomes what the wheel holds."""
    held = tree / f"tessera-{version}.data"
    data, scripts = held / "data", held / "scripts"
    scripts.mkdir(parents=True)
    (tree / "prefix").rename(data)
    for name, text in SCRIPTS.items():
        (scripts / name).write_text(START + text + "\n", encoding="utf-8")
        (scripts / name).chmod(0o755)
    # The package is imported from where Python looks; cs_python adds the folder of the host modules.
    next(data.rglob("tessera/library.py")).parent.rename(tree / "tessera")
    for path in [*tree.rglob("__pycache__")]:
        shutil.rmtree(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path(os.environ.get("TESSERA_BUILD_DIR", ROOT / "build")))
    parser.add_argument("--out", type=pathlib.Path)
    arguments = parser.parse_args()
    out = arguments.out or arguments.build / "packages"
    version = version_of(arguments.build)
    # The C library of this computer is the oldest that is promised.
    tag = f"manylinux_{platform.libc_ver()[1].replace('.', '_')}_{platform.machine()}"
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder) / "tree"
        prefix = tree / "prefix"
        install(arguments.build, prefix)
        bundle(prefix)
        arrange(tree, version)
        write_metadata(tree, version, tag)
        out.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "wheel", "pack", tree, "--dest-dir", out)
    print(out / f"tessera-{version}-py3-none-{tag}.whl")


if __name__ == "__main__":
    main()
