#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the PTO texts of a checkout that have a host program and expected values beside them, and prints a table.

    scripts/pto_golden.py FOLDER [--json FILE] [--platform PATH] [--only TEXT] [--every N] [--jobs N] [--seconds N] [--known FOLDER]..

Such a folder has a text (*.pto), launchers (launch.cpp), a host program (main.cpp), a generator of inputs and expected values (golden.py or
gen_data.py) and a comparison with its tolerance (compare.py). The host program is compiled against scripts/pto_cpp_host, where memory of the
device is memory of the process and each launch is a run of ascend_platform. docs/pto-corpus.md explains the table.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from files import write_text
from pto_corpus import CLASSES, PLACE, class_of
from pto_cpp_corpus import split
from pto_host import HOST, call, host_object

ROOT = Path(__file__).resolve().parent.parent
FUNCTION = re.compile(r"func\.func\s+(?:private |public )?@([\w.$-]+)\s*\(([^{]*?)\)\s*(?:->[^{]*?)?(?:attributes\s*\{[^}]*\}\s*)?\{", re.S)
LAUNCH = re.compile(r"([\w:]+(?:<[^<>]*>)?)\s*<<<\s*([^,>]+),[^>]*>>>\s*\(")
DTYPES = {"f32": "f4", "f16": "f2", "bf16": "u2", "f64": "f8", **{s + f"i{8 * n}": ("u" if s == "u" else "i") + str(n)
                                                                for s in ("", "s", "u") for n in (1, 2, 4, 8)}}
BITS = {"f16": "tessera_host::F16", "bf16": "tessera_host::Bf16"}
OWN_CLASSES = (("takes too long", re.compile(r"takes too long")), *CLASSES)


def parameters_of(text):
    """Name and .npy type of the parameters of each function of a PTO text; a number has no type."""
    functions = {}
    for name, parameters in FUNCTION.findall(re.sub(r"//[^\n]*", "", text)):
        rows = []
        for item in split(parameters):
            found = re.match(r"%([\w.$-]+)\s*:\s*(.*)", item, re.S)
            array = re.match(r"!pto\.ptr<\s*([^,>\s]+)|memref<(?:[^,]*x)?(\w+)", found.group(2)) if found else None
            if found:
                rows.append((found.group(1), DTYPES.get(array.group(1) or array.group(2), "u1") if array else "", found.group(2).strip()))
        functions[name] = rows
    return functions


def closing(text, open_):
    depth = 0
    for at in range(open_, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)


def launchers(text, kernel, functions):
    """launch.cpp as a program of the host: each launch of a kernel is a run of the simulator with that function of the text."""
    text = re.sub(r"^\s*#\s*include[^\n]*", "", text, flags=re.M)
    text = subprocess.run(["g++", "-E", "-P", "-x", "c++", "-"], input=text, capture_output=True, text=True).stdout  # launches in macros
    parts, at, missing = [], 0, []
    for found in LAUNCH.finditer(text):
        end = closing(text, found.end() - 1)
        name = found.group(1)
        arguments = split(text[found.end():end])
        rows = functions.get(name)
        if rows is None or len(rows) != len(arguments):
            missing.append(name)
            rows = []
        table = ", ".join(f'{{"{n}", "{t}"}}' for n, t, _ in rows)
        values = ", ".join(f"tessera_host::text_value<{BITS.get(row[2], 'void')}>({a})"
                           for a, row in zip(arguments, rows or [("", "", "")] * len(arguments)))
        parts += [text[at:found.start()], f'tessera_host::try_launch({{{json.dumps(str(kernel))}, "{name}", {{{table}}}, '
                                          f"static_cast<int>({found.group(2).strip()})}}, {{{values}}})"]
        at = end + 1
    parts.append(text[at:])
    return '#include "text_launch.h"\nusing namespace std;\n' + "".join(parts).replace("[aicore]", ""), missing


class Case:
    def __init__(self, folder, root):
        self.folder, self.name = folder, str(folder.relative_to(root))
        self.kernel = next((p for p in [folder / "kernel.pto", *sorted(folder.glob("*.pto"))] if p.is_file()), None)
        self.makers = [p for p in (folder / "golden.py", folder / "gen_data.py") if p.is_file()]
        needed = [folder / n for n in ("launch.cpp", "main.cpp", "compare.py")]
        self.is_whole = self.kernel is not None and bool(self.makers) and all(p.is_file() for p in needed)
        parts = Path(self.name).parts
        self.set = "/".join(p for p in parts[-3:-1]) if "cases" in parts else "/".join(parts[:2])
        self.common = [p / "common" for p in [folder.parent, *folder.parents][:8] if (p / "common/test_common.h").is_file()]
        self.common += [p / "npu_validation/common" for p in folder.parents if (p / "npu_validation/common/test_common.h").is_file()]

    def digest(self):
        return hashlib.sha1(b"".join(p.read_bytes() for p in [self.kernel, *self.makers, self.folder / "compare.py"])).hexdigest()


class Runner:
    def __init__(self, options):
        self.options = options
        self.scratch = Path(tempfile.mkdtemp(prefix="pto_golden."))
        self.host_object = host_object(self.scratch)

    def run(self, case):
        result = {"file": case.name, "set": case.set, "launches": [], "class": "", "message": ""}
        folder = Path(tempfile.mkdtemp(dir=self.scratch))
        try:
            return self.steps(case, folder, result)
        except subprocess.TimeoutExpired:
            return {**result, "class": "takes too long"}
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def steps(self, case, folder, result):
        def no(why, text):
            lines = [line for line in text.strip().splitlines() if line.strip()]
            return {**result, "class": why, "message": lines[-1][:300] if lines else ""}

        text = case.kernel.read_text(encoding="utf-8", errors="replace")
        code, missing = launchers((case.folder / "launch.cpp").read_text(errors="replace"), case.kernel, parameters_of(text))
        if missing:
            return no("host program", "no function with these parameters: " + ", ".join(missing[:3]))
        write_text(folder / "launch.cpp", code)
        words = ["g++", "-std=c++17", "-O0", "-w", "-I", HOST]
        for common in case.common[:1]:
            words += ["-I", common]
        done = call([*words, "-include", "cstdio", "-D__fp16=std::uint16_t", "launch.cpp", case.folder / "main.cpp", self.host_object,
                          "-o", "host"], folder, 300)
        if done.returncode:
            return no("host program", (re.findall(r"error: ([^\n]*)", done.stderr) or re.findall(r"undefined[^\n]*", done.stderr) or ["error"])[0])
        paths = os.pathsep.join(str(p) for p in [case.folder, case.folder.parent, *case.common])
        environment = {**os.environ, "PYTHONPATH": paths + os.pathsep + os.environ.get("PYTHONPATH", ""), "PYTHONDONTWRITEBYTECODE": "1"}
        for maker in case.makers:
            done = call([sys.executable, maker], folder, 300, env=environment)
            if done.returncode:
                return no("no expected values", done.stderr)
        arch = re.search(r'pto\.target_arch"? *= *"(a\d)', text)
        preset = "a2a3" if arch and arch.group(1) in ("a2", "a3") else "a5"
        own = {"TESSERA_PAGE": "65536", "TESSERA_PLATFORM": str(self.options.platform), "TESSERA_SECONDS": str(self.options.seconds),
               "TESSERA_OPTIONS": f"--preset {preset} {self.options.options}"}
        done = call([folder / "host"], folder, 1800, env={**environment, **own})
        for function, why in re.findall(r"^TESSERA launch ([^:]*):(.*)$", done.stderr, re.M):
            why = re.sub(r"^ status \d+ ", "", why).replace("\x1f", "\n").strip()
            why = PLACE.sub("", re.sub(r"^ascend_platform: ", "", (why.splitlines() or [""])[0]))
            result["launches"].append({"function": function, "class": class_of(why, OWN_CLASSES) if why else "", "message": why[:400]})
        stopped = [entry for entry in result["launches"] if entry["class"]]
        if not result["launches"]:
            return no("host program", done.stdout + done.stderr + "no launch")
        done = call([sys.executable, case.folder / "compare.py"], folder, 300, env=environment)
        said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout + done.stderr)
        failed = re.findall(r"^.*(?:ERROR|compare failed).*$", said, re.M) or ([said] if done.returncode else [])
        result["compared"] = len(re.findall(r"compare failed|compare passed", said))
        result["failed"] = len(re.findall(r"compare failed", said))
        if len(stopped) == len(result["launches"]):
            return {**result, "class": stopped[0]["class"], "message": stopped[0]["message"]}
        if len(failed) and not stopped or result["failed"] > len(stopped):
            return {**result, "class": "values differ", "message": " / ".join(line.strip() for line in failed)[:600]}
        if stopped:
            return {**result, "class": stopped[0]["class"] + ", some", "message": stopped[0]["message"]}
        return {**result, "class": "equal"}


def print_tables(results):
    groups = collections.defaultdict(list)
    for result in results:
        groups[result["set"]].append(result)
    print("| texts | in all | launches | come to the end | equal | values differ |\n| --- | --- | --- | --- | --- | --- |")
    for name, group in sorted(groups.items()) + [("all", results)]:
        launches = [entry for r in group for entry in r["launches"]]
        equal, differ = (sum(r["class"] == c for r in group) for c in ("equal", "values differ"))
        print(f"| {name} | {len(group)} | {len(launches)} | {sum(not e['class'] for e in launches)} | {equal} | {differ} |")
    print("\n| why not equal | texts |\n| --- | --- |")
    for name, count in collections.Counter(r["class"] for r in results if r["class"] != "equal").most_common():
        print(f"| {name} | {count} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="all results as data")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    parser.add_argument("--only", default="", help="only folders whose path has this text, a regular expression")
    parser.add_argument("--every", type=int, default=1, help="take every Nth")
    parser.add_argument("--known", type=Path, action="append", default=[], help="leave out what this checkout has with the same content")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=60, help="for one launch")
    parser.add_argument("--options", default="", help="more options of ascend_platform")
    options = parser.parse_args()
    options.platform = options.platform.resolve()

    def cases_of(folder):
        root = folder.resolve()
        return [case for case in (Case(path.parent, root) for path in sorted(root.rglob("main.cpp"))) if case.is_whole]

    seen = {case.digest() for folder in options.known for case in cases_of(folder)}
    cases = [case for case in cases_of(options.folder) if case.digest() not in seen and re.search(options.only, case.name)][::options.every]
    if not cases:
        sys.exit(f"pto_golden.py: {options.folder} has no texts with a host program and expected values")
    runner = Runner(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(runner.run, cases))
    shutil.rmtree(runner.scratch, ignore_errors=True)
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")
    print_tables(results)


if __name__ == "__main__":
    main()
