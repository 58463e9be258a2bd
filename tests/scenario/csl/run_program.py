"""Compiles a program of this folder and runs its host program: in all styles of code and in both structures.

    run_program.py CSLC FOLDER ARCH

The arguments of the compiler follow `// cslc:` in layout.csl. The host program run.py gets the folder of the compiled
program and the generation; the executables of Tessera are those beside CSLC.
"""
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


# Options of the compiler, and of the machine.
VARIANTS = (((), "--structure modules"),
            (("--csl-code=best",), "--structure dense --shuffle-step-order --seed 7"),
            (("--csl-code=plain",), "--structure dense"))


def finished(command, folder, **environment):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}exit status {done.returncode}")


def main():
    cslc, folder, arch = sys.argv[1:]
    here, source = Path(__file__).resolve().parent, Path(folder).resolve()
    modules = os.pathsep.join([str(here), str(here.parents[2] / "python")])
    line = re.search(r"^// cslc: *(.*)$", (source / "layout.csl").read_text(), re.M)[1]
    for options, machine in VARIANTS:
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "out"
            finished([cslc, "layout.csl", *shlex.split(line), "--arch=" + arch, *options, "-o", out], source)
            finished([sys.executable, "-B", source / "run.py", out, arch], folder, PYTHONPATH=modules,
                     TESSERA_BIN=str(Path(cslc).parent), TESSERA_OPTIONS=machine)


if __name__ == "__main__":
    main()
