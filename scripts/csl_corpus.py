#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the CSL programs of a folder with their own scripts, and tells which pass.

    scripts/csl_corpus.py FOLDER [--json FILE] [--markdown FILE] [--only TEXT] [--arch wse2|wse3] [--seeds N] [--vary=OPTIONS]..

A program is a shell script commands*.sh below FOLDER. It runs unmodified in a copy of its folder, with cslc and cs_python of
Tessera on PATH. A run passes if the script succeeds within the time limit and, where the script itself checks nothing, if the
check of this runner succeeds. With --evaluate nothing runs: tessera_cslc evaluates the layout of every command line.

--seeds N runs each program N times; from the second time on the seeds that its host program sets are shifted, and host programs
that set none begin with another one. --vary runs each program once more with options of the simulator (repeatable).

The exit status is 1 if a run fails.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from files import write_text

ROOT = Path(__file__).resolve().parent.parent
# Scripts of a release without a name for Python.
PLACEHOLDER, REPLACEMENT = "%python_sdk_paint", "cs_python run.py"
# Host programs that do not judge all of their results: a file that a right run leaves (None: its output), and what is in it.
CHECKS = {"bandwidth-test": (None, r"cycles_send = [1-9]"),
          "spmv-hypersparse": (None, r"Result within tolerance \S+: PASS"),
          "topic-13-simprint": ("sim.log", r"PE\(3,0\): recv_task: in_data = 4, global = 20")}
# Published cycles of programs as they are: what the host program prints, the cycles, and where they come from.
PUBLISHED = {("single-tile-matvec", "wse3"): (r"Max cycles .*: +(\d+)", 780, "wse_timing_2.md B1"),
             ("7pt-stencil-spmv", "wse3"): (r"cycles_send = (\d+)", 2129, "wse_timing_3.md C1"),
             ("power-method", "wse3"): (r"cycles_send = (\d+)", 4877, "wse_timing_3.md C1")}
SEEDS = """
import os, random
try:
    import numpy.random as source
except ImportError:
    source = None
def shifted(function, offset):
    return lambda seed=None, *more: function(seed if seed is None else seed + offset, *more)
offset = int(os.environ["TESSERA_CORPUS_SEED"])
random.seed(offset)
random.seed = shifted(random.seed, offset)
if source is not None:
    source.seed(offset)
    source.seed = shifted(source.seed, offset)
"""
SHIM = """#!/bin/sh
exec {python} -B {runner} --shim {command} "$@"
"""


def shim(command, arguments):
    """Runs a command of sdk/bin for a script, and notes how it went."""
    notes = Path(os.environ["TESSERA_CORPUS_NOTES"])
    number = len(list(notes.glob("*.begin")))
    (notes / f"{number:03}.begin").touch()
    report = notes / f"{number:03}.report"
    environment = dict(os.environ)
    if command == "cs_python":
        environment["TESSERA_OPTIONS"] = f"{environment.get('TESSERA_OPTIONS', '')} --report {report}"
    begin = time.monotonic()
    status = subprocess.run([os.path.join(os.environ["TESSERA_CORPUS_SDK"], command), *arguments], env=environment, check=False)
    cycles = json.loads(report.read_text(encoding="utf-8"))["cycles"] if report.exists() else None
    note = {"command": shlex.join([command, *arguments]), "status": status.returncode, "cycles": cycles,
            "wall_s": round(time.monotonic() - begin, 3)}
    (notes / f"{number:03}.json").write_text(json.dumps(note), encoding="utf-8")
    return status.returncode if status.returncode >= 0 else 128 - status.returncode


def arch_of(script):
    named = re.search(r"wse[23]", script.name) or re.search(r"--arch[= ](wse[23])", script.read_text(encoding="utf-8"))
    return named.group(0)[-4:] if named else "wse2"


class Copy:
    """A copy of a program's folder, with the folders beside it, in which its script runs."""

    def __init__(self, folder, script):
        self.top = Path(tempfile.mkdtemp(prefix="csl_corpus_"))
        self.folder = self.top / "tree" / script.parent.relative_to(folder)
        self.folder.parent.mkdir(parents=True)
        for sibling in script.parent.parent.iterdir():
            if sibling != script.parent:
                (self.folder.parent / sibling.name).symlink_to(sibling.resolve())
        shutil.copytree(script.parent, self.folder)
        self.script = self.folder / script.name
        text = self.script.read_text(encoding="utf-8")
        self.has_placeholder = PLACEHOLDER in text
        if self.has_placeholder:
            self.script.write_text(text.replace(PLACEHOLDER, REPLACEMENT), encoding="utf-8")
        self.tools, self.notes = self.top / "tools", self.top / "notes"
        self.tools.mkdir()
        self.notes.mkdir()
        for command in ("cslc", "cs_python"):
            path = self.tools / command
            path.write_text(SHIM.format(python=sys.executable, runner=Path(__file__).resolve(), command=command), encoding="utf-8")
            path.chmod(0o755)
        (self.tools / "sitecustomize.py").write_text(SEEDS, encoding="utf-8")

    def commands(self):
        return [json.loads(note.read_text(encoding="utf-8")) for note in sorted(self.notes.glob("*.json"))]

    def remove(self):
        shutil.rmtree(self.top, ignore_errors=True)  # what a run beyond its time limit left may still write


def environment_of(copy, options, seed, vary):
    simulator = " ".join(filter(None, (os.environ.get("TESSERA_OPTIONS"), options.options, vary)))
    environment = dict(os.environ, PATH=f"{copy.tools}:{os.environ['PATH']}", TESSERA_CORPUS_SDK=str(options.sdk),
                       TESSERA_CORPUS_NOTES=str(copy.notes), TESSERA_CORPUS_SEED=str(seed), TESSERA_OPTIONS=simulator,
                       PYTHONPATH=":".join(filter(None, (str(copy.tools), os.environ.get("PYTHONPATH")))), MPLBACKEND="Agg",
                       PYTHONDONTWRITEBYTECODE="1")
    if options.csl_version:
        environment["TESSERA_CSL_VERSION"] = options.csl_version
    return environment


def run_script(copy, environment, limit):
    """Exit status ("time" beyond the limit) and output."""
    with open(copy.top / "output", "w+b") as output:
        process = subprocess.Popen(["bash", copy.script.name], cwd=copy.folder, env=environment, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = "time"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return status, output.read().decode(errors="replace")


def reason_of(status, text):
    """Why a run failed: the line that says so best."""
    if status == "time":
        return "exceeded the time limit"
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    errors = [line for line in lines if re.match(r"(error: |[\w.]*(Error|Exception)\b)", line)]
    return (errors or lines or ["no output"])[-1][:300]


def missing(folder, check, text):
    """What a check of this runner finds wrong."""
    if check is None:
        return ""
    file, pattern = check
    if file is not None:
        text = (folder / file).read_text(encoding="utf-8") if (folder / file).is_file() else ""
    return "" if re.search(pattern, text) else f"{file or 'the output'} has no /{pattern}/"


def run(folder, script, options, seed, vary):
    copy = Copy(folder, script)
    try:
        begin = time.monotonic()
        status, text = run_script(copy, environment_of(copy, options, seed, vary), options.timeout)
        program = str(script.parent.relative_to(folder))
        passed, reason = status == 0, "" if status == 0 else reason_of(status, text)
        if passed:
            reason = missing(copy.folder, CHECKS.get(script.parent.name), text)
            passed = not reason
        if options.keep and not passed:
            options.keep.mkdir(parents=True, exist_ok=True)
            name = f"{script.parent.name}.{script.stem}"
            (options.keep / f"{name}.txt").write_text(text, encoding="utf-8")
        rows = [dict(program=program, arch=arch_of(script), seed=seed, options=vary, passed=passed and note["status"] == 0,
                     reason=reason, **note) for note in copy.commands()]
        done = {"program": program, "script": script.name, "arch": arch_of(script), "seed": seed, "options": vary,
                "passed": passed, "reason": reason, "wall_s": round(time.monotonic() - begin, 3),
                "cycles": sum(row["cycles"] or 0 for row in rows), "placeholder": copy.has_placeholder}
        pattern = PUBLISHED.get((script.parent.name, done["arch"]), (r"(?!)",))[0]
        if found := re.search(pattern, text):
            done["measured"] = int(found[1])
        if not rows:
            rows = [dict({k: done[k] for k in ("program", "arch", "seed", "options", "passed", "reason", "wall_s")},
                         command=script.name, status=status, cycles=None)]
        return done, rows
    finally:
        copy.remove()


def evaluate(folder, script, options, arguments):
    """tessera_cslc on one command line, without code."""
    with tempfile.TemporaryDirectory() as out:
        command = [str(options.sdk / "cslc"), *arguments, "-o", out, "--print-layout"]
        if options.csl_version:
            command.append("--csl-version=" + options.csl_version)
        begin = time.monotonic()
        try:
            done = subprocess.run(command, cwd=script.parent, capture_output=True, text=True, timeout=options.timeout, check=False)
            status, text = done.returncode, done.stderr
        except subprocess.TimeoutExpired:
            status, text = "time", ""
    row = {"program": str(script.parent.relative_to(folder)), "arch": arch_of(script), "seed": 0, "options": "",
           "command": shlex.join(["cslc", *arguments]), "passed": status == 0, "cycles": None, "status": status,
           "reason": "" if status == 0 else reason_of(status, text), "wall_s": round(time.monotonic() - begin, 3)}
    return dict(row, script=script.name), [row]


def command_lines(script):
    """The arguments after each cslc of a script, without its output folder."""
    for line in script.read_text(encoding="utf-8").replace("\\\n", " ").splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] != ["cslc"]:
            continue
        arguments = [word for before, word in zip(words, words[1:]) if before != "-o" and not re.match("-o($|=)", word)]
        yield arguments


def work_of(options):
    """What is to be done: functions without arguments."""
    for script in sorted(options.folder.rglob("commands*.sh")):
        if options.only not in str(script) or (options.arch and arch_of(script) != options.arch):
            continue
        if options.evaluate:
            for arguments in command_lines(script):
                yield lambda s=script, a=arguments: evaluate(options.folder, s, options, a)
            continue
        for seed, vary in [(seed, "") for seed in range(options.seeds)] + [(0, vary) for vary in options.vary]:
            yield lambda s=script, n=seed, v=vary: run(options.folder, s, options, n, v)


def table(runs):
    """A table of programs as Markdown."""
    lines = ["| Program | Generation | Runs that pass | Cycles | Seconds | Remark |", "| --- | --- | --- | --: | --: | --- |"]
    groups = {}
    for one in runs:
        groups.setdefault((one["program"], one["arch"]), []).append(one)
    for (program, arch), group in sorted(groups.items()):
        reasons = sorted({one["reason"] for one in group if one["reason"]})
        cycles = group[0].get("cycles") or ""
        lines.append(f"| {program} | {arch} | {sum(one['passed'] for one in group)} of {len(group)} | {cycles} | "
                     f"{min(one['wall_s'] for one in group):.1f} | {'; '.join(reasons).replace('|', ' ')} |")
    return "\n".join(lines) + "\n" + published_table([group[0] for _, group in sorted(groups.items()) if "measured" in group[0]])


def published_table(runs):
    """Cycles that a program prints beside published ones."""
    if not runs:
        return ""
    lines = ["", "| Program | Generation | Published | Here | Deviation | Source |", "| --- | --- | --: | --: | --: | --- |"]
    for one in runs:
        _, published, source = PUBLISHED[Path(one["program"]).name, one["arch"]]
        lines.append(f"| {one['program']} | {one['arch']} | {published:,} | {one['measured']:,} | "
                     f"{100 * (one['measured'] / published - 1):+.1f} % | {source} |")
    return "\n".join(lines) + "\n"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=lambda text: Path(text).resolve())
    parser.add_argument("--sdk", type=lambda text: Path(text).resolve(), default=ROOT / "build/sdk/bin", help="folder of cslc and cs_python")
    parser.add_argument("--json", type=Path, help="file for a list of all commands that ran")
    parser.add_argument("--markdown", type=Path, help="file for a table of the programs")
    parser.add_argument("--keep", type=Path, help="folder for the output of runs that fail")
    parser.add_argument("--only", default="", help="only scripts whose path has this text")
    parser.add_argument("--arch", choices=("wse2", "wse3"), help="only scripts of this generation")
    parser.add_argument("--csl-version", choices=("1.4", "2.10"))
    parser.add_argument("--evaluate", action="store_true", help="only evaluate layouts")
    parser.add_argument("--timeout", type=float, default=120, help="seconds for a script")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--options", default="", help="options of the simulator for all runs")
    parser.add_argument("--vary", action="append", default=[], help="options of the simulator for one more run of each program")
    return parser.parse_args()


def main():
    options = read_options()
    runs, rows = [], []
    begin = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for done, its_rows in pool.map(lambda work: work(), work_of(options)):
            runs.append(done)
            rows += its_rows
            how = " ".join(filter(None, (f"seed {done['seed']}" if done["seed"] else "", done["options"])))
            print(f"{'ok  ' if done['passed'] else 'FAIL'} {done['wall_s']:7.2f} s {done.get('cycles') or 0:9} cycles  "
                  f"{done['program']} {done['script']} {how}".rstrip(), flush=True)
            if not done["passed"]:
                print(f"       {done['reason']}", flush=True)
    if options.json:
        write_text(options.json, json.dumps(rows, indent=1) + "\n")
    if options.markdown:
        write_text(options.markdown, table(runs))
    passed = sum(one["passed"] for one in runs)
    programs = {one["program"] for one in runs}
    whole = programs - {one["program"] for one in runs if not one["passed"]}
    print(f"{passed} of {len(runs)} runs pass; {len(whole)} of {len(programs)} programs pass all of theirs; "
          f"{time.monotonic() - begin:.0f} s")
    return passed != len(runs)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--shim"]:
        sys.exit(shim(sys.argv[2], sys.argv[3:]))
    sys.exit(main())
