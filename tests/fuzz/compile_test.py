"""The fuzz targets compile with clang, whose rules are stricter than those of GCC in places. Only the front half of the compiler
runs, on the sources of the targets and of the front ends that they link; with --all also on those of the cores, which take longer.

compile_test.py SOURCES FOLDER CMAKE [--all]; exits with 77 where clang is missing"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SKIPPED = 77
# Targets of CMake, as they stand in the paths of object files.
CORE_TARGETS = ("tessera_cores",)
TARGETS = ("tessera_frontends", "tessera_test_support", "fuzz.fabric", "fuzz.pto", "fuzz.csl")
HEADER_TARGET = "tessera_library_pch"


def target_of(entry):
    return re.search(r"CMakeFiles/([^/]+)\.dir/", entry["command"].split(" -o ")[1])[1]


def run(command, folder):
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def check(entry):
    """What clang says against a source; empty: nothing."""
    command = shlex.split(entry["command"])
    at = command.index("-o")
    done = run([*command[:at], "-fsyntax-only", *command[at + 2:]], entry["directory"])
    return "" if done.returncode == 0 else f"{entry['file']}\n{done.stderr}"


def main():
    sources, folder = map(pathlib.Path, sys.argv[1:3])
    cmake = sys.argv[3]
    targets = TARGETS + (CORE_TARGETS if "--all" in sys.argv[4:] else ())
    if shutil.which("clang++") is None:
        print("skipped: clang is not installed; scripts/test.sh --all installs it")
        return SKIPPED
    configured = run([cmake, "--preset", "fuzz", "-B", folder.resolve()], sources)
    if configured.returncode != 0:
        print(configured.stdout + configured.stderr)
        return 1
    entries = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    header = next(e for e in entries if target_of(e) == HEADER_TARGET and "-emit-pch" in e["command"])
    made = run(shlex.split(header["command"]), header["directory"])
    if made.returncode != 0:
        print(made.stderr)
        return 1
    checked = [entry for entry in entries if target_of(entry) in targets]
    missing = set(targets) - set(map(target_of, checked))
    assert not missing, f"preset fuzz has no target {missing}"
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        problems = [problem for problem in pool.map(check, checked) if problem]
    print("\n".join(problems))
    print(f"{len(checked)} sources, {len(problems)} with errors")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
