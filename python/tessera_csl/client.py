# SPDX-License-Identifier: Apache-2.0
"""The client of a cluster of machines (docs/csl-host.md, "Appliance mode"): without a cluster everything runs here, on the
simulator. A job that would be scheduled there is a temporary folder here, and a compilation is cslc.
"""
import json
import os
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import weakref
from pathlib import Path

from tessera_csl import artifacts, runtime
from tessera_csl.memory import DebugUtil
from tessera_csl.platform import ignore, sdk_folder, tool

# Of the cluster, without meaning here.
_RESOURCES = ("mgmt_namespace", "resource_cpu", "resource_mem", "disable_version_check")
MODE = "TESSERA_APPLIANCE"


def _ignore(where, keywords):
    ignore(where, [name for name in keywords if name not in _RESOURCES])


def _use_simulator(simulator):
    """A machine is asked for where there is none."""
    mode = os.environ.get(MODE, "")
    if mode not in ("", "simulate", "refuse"):
        raise RuntimeError(f"{MODE} is '{mode}'; it may be simulate or refuse")
    if simulator or mode == "simulate":
        return
    if mode == "refuse":
        raise RuntimeError("simulator=False asks for a machine of a cluster, and Tessera reaches none; pass simulator=True, or set "
                           f"{MODE}=simulate to run on the simulator")
    if not _use_simulator.told:
        _use_simulator.told = True
        print("tessera: remark: simulator=False asks for a machine of a cluster; there is none, so the program runs on the "
              f"simulator ({MODE}=simulate leaves this remark out, {MODE}=refuse makes it an error)", file=sys.stderr)


_use_simulator.told = False


def _note_job(kind):
    """Jobs of a cluster leave notes in the working directory, which launch scripts remove."""
    try:
        for name in ("wsjob-tessera.json", "run_meta.json"):
            Path(name).write_text(json.dumps({"jobs": [{"id": "wsjob-tessera", "kind": kind}]}) + "\n", encoding="utf-8")
    except OSError:
        pass  # a note is no reason to stop


class _Context:
    """For `with`; objects that are made without it work too."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


def _output_of(words):
    """The folder that the compiler's options name, and the options with that name in the form `-o NAME`."""
    kept, name = [], "out"
    rest = iter(words)
    for word in rest:
        if word == "-o":
            name = next(rest, None)
            if name is None:
                raise ValueError("the compiler's option -o needs the name of a folder")
        elif word.startswith("-o=") or (word.startswith("-o") and not word.startswith("-o-") and len(word) > 2):
            name = word[2:].removeprefix("=")
        else:
            kept.append(word)
    if os.path.isabs(name) or ".." in Path(name).parts:
        raise ValueError(f"the compiler's option -o names '{name}'; in an artifact it is a folder below that of the program")
    return kept, name


class SdkCompiler(_Context):
    """Compiles programs."""

    def __init__(self, **unknown):
        _ignore("SdkCompiler", unknown)

    def compile(self, codedir=None, layout=None, args=None, outdir=None, *, app_path=None, csl_main=None, options=None,
                out_path=None):
        """Compiles `layout` in the folder `codedir` with the options `args` of cslc, which leaves its folder there, and packs that
        folder into an archive in the folder `outdir` (default: the working directory), or with that name. Returns the path of the archive. The other four names
        are those of older versions."""
        given = [("codedir", codedir, app_path), ("layout", layout, csl_main), ("args", args, options), ("outdir", outdir, out_path)]
        values = []
        for name, value, older in given:
            if value is None and older is None and name == "outdir":
                value = "."
            if (value is None) == (older is None):
                raise TypeError(f"compile() takes '{name}' once; it is missing or given twice")
            values.append(older if value is None else value)
        codedir, layout, args, outdir = values
        _note_job("compile")
        if not Path(codedir).is_dir():
            raise RuntimeError(f"there is no folder {codedir} with the program")
        words, name = _output_of(shlex.split(args))
        folder = Path(codedir) / name
        done = subprocess.run([tool("tessera_cslc"), str(layout), *words, "-o", name], cwd=codedir, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        sys.stderr.write(done.stdout)
        if done.returncode != 0:
            raise RuntimeError(f"{layout} cannot be compiled: {done.stdout.strip()}")
        return artifacts.pack(folder, name, outdir)


class SdkLauncher(_Context):
    """Runs commands where an artifact has been unpacked."""

    def __init__(self, artifact_path, simulator=False, **unknown):
        _ignore("SdkLauncher", unknown)
        _use_simulator(simulator)
        _note_job("launch")
        self._simulator = simulator
        self._folder = Path(tempfile.mkdtemp(prefix="tessera-"))
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)
        artifacts.unpack(artifact_path, self._folder)

    def __exit__(self, *_):
        self._remove()

    def _inside(self, name):
        path = Path(name)
        if path.is_absolute() or ".." in path.parts:
            raise ValueError(f"'{name}' is not the name of something in the folder of the launcher")
        return self._folder / path

    def stage(self, artifact_path):
        """Copies a file or folder of this machine to where the commands run."""
        source = Path(artifact_path)
        target = self._folder / source.resolve().name
        if source.is_dir():
            shutil.copytree(source, target, dirs_exist_ok=True)
        elif source.is_file():
            shutil.copy2(source, target)
        else:
            raise FileNotFoundError(f"there is no file or folder {source} to stage")

    def run(self, *commands):
        """Runs commands of the shell one after the other, up to one that fails. Returns what they print."""
        printed = []
        for command in commands:
            if self._simulator and "%CMADDR%" in command:
                raise ValueError("a command for the simulator has no %CMADDR%")
            for written in ('"%CMADDR%"', "'%CMADDR%'", "%CMADDR%"):
                command = command.replace(written, "''")
            done = subprocess.run(["bash", "-c", command], cwd=self._folder, env=self._environment(), stdout=subprocess.PIPE,
                                  text=True, errors="replace", check=False)
            printed.append(done.stdout)
            if done.returncode != 0:
                print(f"tessera: the command '{command}' has ended with exit status {done.returncode}", file=sys.stderr)
                break
        return "".join(printed)

    @staticmethod
    def _environment():
        return dict(os.environ, PATH=os.pathsep.join([sdk_folder(), os.environ.get("PATH", os.defpath)]))

    def download_artifact(self, artifact_name, out_path):
        """Copies a file to this machine, a folder as an archive. `out_path`: a folder, or the name to write. Returns that name."""
        source = self._inside(artifact_name)
        if not source.exists():
            raise FileNotFoundError(f"the commands have left no '{artifact_name}'")
        target = Path(out_path)
        if target.is_dir():
            target = target / (source.name + (".tar.gz" if source.is_dir() else ""))
        if source.is_file():
            shutil.copy2(source, target)
        else:
            with tarfile.open(target, "w:gz", compresslevel=1) as archive:
                archive.add(source, arcname=source.name)
        return str(target)


class SdkRuntime(runtime.SdkRuntime):
    """A runtime for an artifact: `with` loads, runs and stops the program."""

    def __init__(self, artifact_path, simulator=False, **keywords):
        _use_simulator(simulator)
        _note_job("run")
        super().__init__(artifacts.program_of(artifact_path), **{k: v for k, v in keywords.items() if k not in _RESOURCES})

    def __enter__(self):
        if self._state == "created":  # some scripts load and run by themselves
            self.load()
        if self._state == "loaded":
            self.run()
        return self

    def __exit__(self, kind, *_):
        if self._state == "stopped":
            return
        if kind is None:
            self.stop()
        else:
            self._give_up()  # what the body raised is the error


class debug_util(DebugUtil):  # pylint: disable=invalid-name
    """Reads the memory that a run of the artifact in this process has left."""

    def __init__(self, artifact_path, simulator=True, **unknown):
        del simulator
        _ignore("debug_util", unknown)
        super().__init__(artifacts.program_of(artifact_path))
