#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public CSL repositories as they are, each by a small recipe, and tells which programs compile, run and are right.

    scripts/csl_wild.py DIR... [--only TEXT] [--json FILE] [--markdown FILE] [--keep FOLDER] [--timeout N] [--jobs N]

DIR is a checked-out repository, or a folder of them. The recipe of a repository is scripts/csl_wild/NAME.yaml; it is found by its field
`repository` (OWNER/NAME): the folder is called NAME, OWNER+NAME or OWNER_NAME, or its remote says so. A recipe for a branch is that of a
folder which has the branch checked out, or whose name ends with @BRANCH (slashes as _). Every program runs in a copy of its repository,
unmodified, with cslc, cs_python, sdk_debug_shell and csdb of Tessera on PATH.

Fields of a recipe:

    repository: OWNER/NAME
    branch: NAME                    a branch, or a commit by its number, where it is not what a clone has
    state: COMMIT                   the state that the recipe was made for
    programs:
      - name: TEXT
        folder: FOLDER              where the commands run, seen from the repository
        arch: wse2 | wse3           where no command of cslc says it
        commands: [COMMAND, ..]     shell commands; the first one that fails ends the program
        output: REGULAR EXPRESSION  what the commands must have printed (default SUCCESS); '' where the exit status says it all
        check: PYTHON               our own check where the program has none: statements that see `text` (the output), `folder`
                                    and `python` (the folder of Tessera's modules)
        wrong: TEXT                 why the program itself is wrong; then it need not be right
        options: TEXT               options of the simulator
        timeout: SECONDS
        each: [WORD, ..]            one program for each word, which stands for {each} in name, folder, commands and check

The exit status is 1 if a program falls short that has no field `wrong`.
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

import yaml

import csl_corpus
from files import write_text

ROOT = Path(__file__).resolve().parent.parent
FIELDS = {"name", "folder", "arch", "commands", "output", "check", "wrong", "options", "timeout", "each"}


def expanded(program):
    """One program for each word of its field `each`."""
    if "each" not in program:
        return [program]
    fill = {"name", "folder", "commands", "check"}
    text = lambda value, word: [text(v, word) for v in value] if isinstance(value, list) else value.replace("{each}", word)
    return [{key: text(value, word) if key in fill else value for key, value in program.items() if key != "each"}
            for word in program["each"]]


def read_recipe(file):
    recipe = yaml.safe_load(file.read_text(encoding="utf-8"))
    for program in recipe["programs"]:
        unknown = set(program) - FIELDS
        if unknown or not {"name", "commands"} <= set(program):
            raise ValueError(f"{file}: a program has a name, commands and perhaps {', '.join(sorted(FIELDS))}; found {sorted(program)}")
    recipe["programs"] = [one for program in recipe["programs"] for one in expanded(program)]
    return recipe


def recipes():
    return [read_recipe(file) for file in sorted((ROOT / "scripts/csl_wild").glob("*.yaml"))]


def remote_of(folder):
    done = subprocess.run(["git", "-C", str(folder), "config", "remote.origin.url"], capture_output=True, text=True, check=False)
    found = re.search(r"([\w.-]+)[/+]([\w.-]+?)(?:/repo|\.git)?\s*$", done.stdout)
    return f"{found[1]}/{found[2]}" if done.returncode == 0 and found else ""


def branch_of(folder):
    done = subprocess.run(["git", "-C", str(folder), "symbolic-ref", "--short", "-q", "HEAD"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


def recipe_of(folder, known):
    """The recipe of a checked-out repository and branch."""
    base, _, named = folder.name.partition("@")
    fitting = []
    for recipe in known:
        owner, name = recipe["repository"].split("/")
        if base in (name, f"{owner}+{name}", f"{owner}_{name}") or remote_of(folder) == recipe["repository"]:
            fitting.append(recipe)
    branch = named or (branch_of(folder) if any("branch" in recipe for recipe in fitting) else "")
    for recipe in fitting:
        if "branch" in recipe and branch in (recipe["branch"], recipe["branch"].replace("/", "_")):
            return recipe
    return next((recipe for recipe in fitting if "branch" not in recipe and not named), None)


def title_of(recipe):
    return recipe["repository"] + (f", branch {recipe['branch']}" if "branch" in recipe else "")


def repositories(folders, known):
    """Pairs of a folder and its recipe."""
    for folder in folders:
        if recipe := recipe_of(folder, known):
            yield folder, recipe
            continue
        inner = [(entry, found) for entry in sorted(folder.iterdir()) if entry.is_dir() and (found := recipe_of(entry, known))]
        if not inner:
            print(f"{folder}: no recipe in scripts/csl_wild names this repository", file=sys.stderr)
        yield from inner


def run_commands(program, copy, environment, limit):
    """The stage at which it ended (compile, run, done), why, and the output."""
    script = f"set -e\ncd {shlex.quote(str(copy.folder))}\n" + "\n".join(program["commands"]) + "\n"
    file = copy.top / "program.sh"
    file.write_text(script, encoding="utf-8")
    with open(copy.top / "output", "w+b") as output:
        process = subprocess.Popen(["bash", str(file)], cwd=copy.top, env=environment, stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(limit)
        except subprocess.TimeoutExpired:
            status = "time"
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        output.seek(0)
        return status, output.read().decode(errors="replace")


class Copy(csl_corpus.Copy):
    """A copy of a repository, in which the commands of a recipe run."""

    def __init__(self, repository, folder, sdk):  # pylint: disable=super-init-not-called
        self.top = Path(tempfile.mkdtemp(prefix="csl_wild_"))
        shutil.copytree(repository, self.top / "tree", ignore=shutil.ignore_patterns(".git"), symlinks=True)
        self.folder = self.top / "tree" / folder
        self.tools, self.notes = self.top / "tools", self.top / "notes"
        self.tools.mkdir()
        self.notes.mkdir()
        for command in ("cslc", "cs_python"):
            path = self.tools / command
            path.write_text(csl_corpus.SHIM.format(python=sys.executable, runner=ROOT / "scripts/csl_corpus.py", command=command),
                            encoding="utf-8")
            path.chmod(0o755)
        shutil.copy(sdk / "sdk_debug_shell", self.tools)  # a copy, which calls the cslc beside it
        (self.tools / "csdb").symlink_to(sdk / "csdb")


def why_wrong(program, folder, status, text):
    """What falls short of the recipe; empty: nothing."""
    if status != 0:
        return csl_corpus.reason_of(status, text)
    pattern = program.get("output", "SUCCESS")
    if pattern and not re.search(pattern, text):
        return f"the output has no /{pattern}/"
    if "check" in program:
        try:
            exec(program["check"], {"text": text, "folder": folder, "python": str(ROOT / "python")})  # pylint: disable=exec-used
        except Exception as error:  # pylint: disable=broad-except
            return f"check: {type(error).__name__}: {error}"[:300]
    return ""


def run(repository, recipe, program, options):
    copy = Copy(repository, program.get("folder", "."), options.sdk)
    try:
        begin = time.monotonic()
        environment = csl_corpus.environment_of(copy, options, 0, program.get("options", ""))
        environment["PYTHONPATH"] = os.environ.get("PYTHONPATH", "")
        status, text = run_commands(program, copy, environment, program.get("timeout", options.timeout))
        notes = copy.commands()
        reason = why_wrong(program, copy.folder, status, text)
        if options.keep:
            options.keep.mkdir(parents=True, exist_ok=True)
            name = re.sub(r"\W+", "_", f"{title_of(recipe)} {program['name']}")
            (options.keep / f"{name}.txt").write_text(text, encoding="utf-8")
        compiled = [note for note in notes if note["command"].startswith("cslc")]
        named = re.search(r"--?arch[= ](wse[23])", " ".join(note["command"] for note in compiled))
        return {"repository": title_of(recipe), "program": program["name"], "arch": named[1] if named else program.get("arch", "wse2"),
                "compiles": bool(compiled) and all(note["status"] == 0 for note in compiled), "runs": status == 0, "right": not reason,
                "reason": reason, "wrong": program.get("wrong", ""), "cycles": sum(note["cycles"] or 0 for note in notes),
                "seconds": round(time.monotonic() - begin, 1)}
    finally:
        copy.remove()


def table(results):
    lines = ["| Repository | Program | Generation | Compiles | Runs | Right | Cycles | Seconds | Remark |",
             "| --- | --- | --- | --- | --- | --- | --: | --: | --- |"]
    for one in results:
        flags = ["yes" if one[key] else "no" for key in ("compiles", "runs", "right")]
        remark = (one["wrong"] or one["reason"]).replace("|", " ").replace("\n", " ")
        lines.append(f"| {one['repository']} | {one['program']} | {one['arch']} | {' | '.join(flags)} | {one['cycles'] or ''} | "
                     f"{one['seconds']} | {remark} |")
    return "\n".join(lines) + "\n"


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=lambda text: Path(text).resolve(), metavar="DIR")
    parser.add_argument("--sdk", type=lambda text: Path(text).resolve(), default=ROOT / "build/sdk/bin", help="folder of cslc and cs_python")
    parser.add_argument("--only", default="", help="only programs whose repository and name have this text")
    parser.add_argument("--json", type=Path, help="file for a list of the results")
    parser.add_argument("--markdown", type=Path, help="file for their table")
    parser.add_argument("--keep", type=Path, help="folder for the output of every program")
    parser.add_argument("--csl-version", help="as the option of cslc")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for a program")
    parser.add_argument("--options", default="", help="options of the simulator for all programs")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main():
    options = read_options()
    work = [(folder, recipe, program) for folder, recipe in repositories(options.folders, recipes()) for program in recipe["programs"]
            if options.only in f"{title_of(recipe)} {program['name']}"]
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for one in pool.map(lambda args: run(*args, options), work):
            results.append(one)
            verdict = "right" if one["right"] else "wrong itself" if one["wrong"] else "FAIL"
            print(f"{verdict:12} {one['seconds']:7.1f} s {one['cycles']:9} cycles  {one['repository']} {one['program']}", flush=True)
            if one["reason"]:
                print(f"             {one['reason']}", flush=True)
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")
    if options.markdown:
        write_text(options.markdown, table(results))
    right = sum(one["right"] for one in results)
    excused = sum(bool(one["wrong"]) and not one["right"] for one in results)
    print(f"{right} of {len(results)} programs are right" + (f"; {excused} are wrong themselves" if excused else ""))
    return right + excused != len(results)


if __name__ == "__main__":
    sys.exit(main())
