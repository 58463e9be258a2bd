#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs all PTO programs of a folder with ascend_platform and prints a table.

    scripts/pto_corpus.py FOLDER [--json FILE] [--platform PATH] [--only TEXT] [--pto-version V] [--sample N] [--jobs N] [--seconds N]
    scripts/pto_corpus.py FOLDER --check [--only TEXT]

Each file is run twice: timing only (--no-data), and with data. The script reads the expected result and the machine from the
RUN lines of a file (`not ptoas ..`, `--pto-arch=a5`), from its name and from its folder, and gives scalar arguments the first of some
values with which the kernel completes, and arrays of i32 the same one. A kernel that asks for its block runs with two blocks, or
with one if it does not complete with two. docs/pto-corpus.md explains the table.
"""
import argparse
import collections
import concurrent.futures
import itertools
import json
import random
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from files import write_text

ROOT = Path(__file__).resolve().parent.parent
GUESSES = ("1", "128", "0", "2", "16", "64", "4096")  # values of a scalar argument: a count, a size, an index
BLOCKS = re.compile(r"spmd_block|get_block_idx")
REGISTER_LEVEL = re.compile(r"\bpto\.(vmi\.|vecscope|strict_vecscope|simd\.|mte_|v(lds|sts|add|mul|sub|dup|brc)\b|plt_|pset_|copy_gm_to_ubuf)")
SEED = 22  # seed of --sample
ARRAY = 1 << 20  # elements of an array that the script makes
PLACE = re.compile(r"^.*?\.pto:\d+(:\d+)?: ")
# The first that fits names the class of a failure.
CLASSES = (
    ("unknown operation", re.compile(r"unknown operations? (?P<name>'[^']*')")),
    ("unknown type", re.compile(r"unknown (?:element )?type|expected a type|of this type is not taken")),
    ("several functions", re.compile(r"both run on")),
    ("argument without value", re.compile(r"give --param")),
    ("deadlock", re.compile(r"deadlock")),
    ("outside of a buffer or array", re.compile(r"cluster/access|reach|needs \d+ bytes")),
    ("values", re.compile(r"which have no values|has no values|needs? (?:its|the) values|--no-data")),
    ("synchronisation", re.compile(r"/tessera/cluster/")),
    ("operands", re.compile(r"operands of|are .* and .*: expected|expected one type|expected a tile|the (tensor|tile) ")),
    ("syntax", re.compile(r"expected .*, found")),
)


class File:
    """One program with what its text, name and folder say about it."""

    def __init__(self, path, folder):
        self.path, self.name = path, str(path.relative_to(folder))
        text = path.read_text(encoding="utf-8", errors="replace")
        self.has_code = bool(re.search(r"^[^/\n]*func\.func", text, re.M))  # the others are RUN lines for a file elsewhere
        runs = [line for line in re.findall(r"^\s*//\s*RUN:(.*)$", text, re.M) if re.search(r"ptoas|pto-test-opt", line)]
        runs = [line for line in runs if "sed " not in line] or runs
        runs = [line for line in runs if not re.search(r"\benv ", line)]  # about the machine of the test
        named = bool(re.search(r"_(invalid|xfail)", path.stem)) and (not runs or bool(re.search(r"//\s*[A-Z0-9_-]+:.*error", text)))
        self.functions = re.findall(r"^[^/\n]*func\.func (?:private |public )?@([\w.$-]+)", text, re.M)
        self.counts = sorted(set(re.findall(r"%(\w+): !pto\.ptr<i32(?:, gm)?>", text)))
        self.asks_for_block = bool(BLOCKS.search(text))
        self.has_pipes = bool(re.search(r"pto\.t(push|pop)", text))
        self.register_level = bool(REGISTER_LEVEL.search(text))
        self.names_machine = bool(re.search(r"pto\.target_arch|pto\.device-spec", text))
        parts = Path(self.name).parts
        self.is_a5 = self.register_level or bool({"vpto", "vmi_new"} & set(parts))
        self.set = "/".join(parts[:-1][:3]) or "."
        if "samples" in parts:
            self.set = "samples, kernels" if "kernels" in parts else "samples, others"
        refusals = [line for line in runs if named or self.expects_error(line, text)]
        accepted = [line for line in runs if line not in refusals]
        # If a line accepts the same, an option that only the assembler has makes the difference.
        same = [self.case(line) for line in accepted]
        self.refusals = [case for case in map(self.case, dict.fromkeys(refusals)) if case not in same]
        self.positive = [self.case(line) for line in accepted[:1]] or ([] if refusals or named else [self.case("")])
        if named and not runs:
            self.refusals = [self.case("")]

    @staticmethod
    def expects_error(run, text):
        """Whether a RUN line says `not`, or FileCheck wants an error of it."""
        if re.search(r"(?<![\w-])not\s", run):
            return True
        prefix = re.search(r"--check-prefix(?:es)?[= ](\w+)", run)
        pattern = r"^\s*//\s*" + (prefix.group(1) if prefix else "CHECK") + r": *error:"
        return "2>&1" in run and bool(re.search(pattern, text, re.M))

    def case(self, run):
        """The arguments that the line of RUN, the folder or the name stands for; several to try one after the other."""
        named = re.search(r"--pto-arch[= ](a\d)", run)
        in_folder = re.search(r"A([35])\b|A([35])/", self.name)
        arch = named.group(1) if named else "a" + (in_folder.group(1) or in_folder.group(2)) if in_folder else None
        level = re.search(r"--pto-level[= ](level\d)", run)
        own = ["--pto-level", level.group(1)] if level else []
        if self.is_a5:
            arch = "a5"
        if arch is None and self.names_machine:
            return [own]
        presets = {"a5": ["a5"], None: ["a2a3"] if run else ["a2a3", "a5"]}.get(arch, ["a2a3"])  # A3 is the default of the assembler
        return [["--preset", preset, *own] for preset in presets]


def class_of(message, classes=CLASSES):
    """The first of the classes that a message fits."""
    for name, pattern in classes:
        found = pattern.search(message)
        if found:
            return name + (" " + found.group("name") if "name" in pattern.groupindex else "")
    return "other"


def last_error(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return PLACE.sub("", re.sub(r"^ascend_platform: ", "", lines[0])) if lines else ""


class Runner:
    def __init__(self, options):
        self.options, self.folder, self.lock = options, tempfile.TemporaryDirectory(), threading.Lock()

    def array(self, value):
        """A file with many i32 of one value, as only the host of a kernel would know them: lengths, counts, signals."""
        path = Path(self.folder.name) / f"{value}.npy"
        with self.lock:
            if not path.exists():
                header = "{'descr': '<i4', 'fortran_order': False, 'shape': (%d,), }" % ARRAY
                data = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little") + header.ljust(117).encode() + b"\n"
                path.write_bytes(data + value.to_bytes(4, "little") * ARRAY)
        return path

    def start(self, file, arguments):
        with tempfile.TemporaryDirectory() as folder:
            report = Path(folder) / "report.json"
            command = [str(self.options.platform), str(file.path), "--quiet", "--report", str(report), *arguments]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=self.options.seconds)
            except subprocess.TimeoutExpired:
                return -1, "takes too long", None
            cycles = json.loads(report.read_text()).get("cycles") if report.exists() else None
            return done.returncode, done.stderr, cycles

    def attempt(self, file, arguments, guess):
        """One guess for all arguments; functions and arguments that the messages ask for are added."""
        extra = []
        for _ in range(12):
            status, text, cycles = self.start(file, arguments + extra)
            wanted = [name for name in re.findall(r"--param ([\w.$-]+)=", text)]
            function = re.search(r"--function ([\w.$-]+)", text)
            if status == 2 and "has no body" in text and "--pto-unknown=cost:1" not in extra:
                extra.append("--pto-unknown=cost:1")  # a function that only its author has
                continue
            if status != 2 or not (wanted or function):
                break
            more = [item for name in wanted for item in ("--param", f"{name}={guess}")]
            more += ["--function", function.group(1)] if function and not wanted else []
            if all(item in extra for item in more):
                break
            extra += more
        return status, text, cycles, extra

    def run(self, file, arguments):
        """The first guess that completes; otherwise the first that does not."""
        first = None
        clusters = ("2", "1") if file.asks_for_block else ("1",)
        for fill, cluster, guess in itertools.product((None, 64), clusters, GUESSES):
            own = arguments + (["--set", "launch.clusters=2", "--set", "launch.blocks=2"] if cluster == "2" else [])
            for name in file.counts if fill is not None else ():
                own += ["--input", f"{name}={self.array(fill)}"]
            status, text, cycles, extra = self.attempt(file, own, guess)
            message = last_error(text)
            result = {"status": status, "cycles": cycles, "arguments": own + extra, "message": message if status else "",
                      "class": class_of(text) if status > 0 else "time" if status else ""}
            first = first or result
            if status == 0:
                return result
            if status < 0 or (status == 2 and "--param" not in extra):
                break
        return first

    def positive(self, file, arguments, data):
        """Tries one machine after the other until the text is taken."""
        for own in file.positive[0]:
            own = own + arguments + ([] if data else ["--no-data"])
            result = self.run(file, own)
            if result["class"] == "deadlock" and file.has_pipes:  # perhaps of one end of a pipe
                peer = self.run(file, own + ["--external-peers"])
                result = peer if peer["status"] == 0 else result
            if result["status"] != 2:
                break
        return result

    def refusal(self, file, arguments):
        """The first line of RUN that is not refused, or the last one; the assembler looks at all functions."""
        for own in (case[0] for case in file.refusals):
            result = self.run(file, own + arguments + ["--no-data"])
            for name in file.functions[:20] if result["status"] == 0 else ():
                result = self.run(file, own + arguments + ["--no-data", "--function", name])
                if result["status"] > 0:
                    break
            if result["status"] == 0:
                result = self.run(file, own + arguments)
            if result["status"] == 0:
                break
        return result

    def both(self, file):
        """One result for each expectation that the file has: that it runs, and that it is refused."""
        version = ["--pto-version", self.options.pto_version] if self.options.pto_version else []
        common = {"file": file.name, "set": file.set, "register_level": file.register_level}
        results = []
        if file.positive:
            timing = self.positive(file, version, False)
            refused = timing["status"] == 2  # the text is, whatever its data are
            data = timing if refused else self.positive(file, version, True)
            results.append({**common, "negative": False, "timing": timing, "data": data})
        if file.refusals:
            refusal = self.refusal(file, version)
            results.append({**common, "negative": True, "timing": refusal, "data": refusal})
        return results


def print_tables(results):
    groups = collections.defaultdict(list)
    for result in results:
        groups[result["set"] + (", register level" if result["register_level"] else "")].append(result)
    print("| files | positive | accepted | timing only | with data | negative | refused |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, group in sorted(groups.items()) + [("all", results)]:
        positive = [r for r in group if not r["negative"]]
        negative = [r for r in group if r["negative"]]
        ran = {key: sum(r[key]["status"] == 0 for r in positive) for key in ("timing", "data")}
        accepted = sum(r["timing"]["status"] in (0, 4) for r in positive)  # 4: the text is, and the run stops
        refused = sum(r["timing"]["status"] > 0 for r in negative)
        print(f"| {name} | {len(positive)} | {accepted} | {ran['timing']} | {ran['data']} | {len(negative)} | {refused} |")
    for key, title in (("timing", "timing only"), ("data", "with data")):
        classes = collections.Counter(r[key]["class"] for r in results if not r["negative"] and r[key]["status"] != 0)
        print(f"\n| why files fail, {title} | files |\n| --- | --- |")
        for name, count in classes.most_common():
            print(f"| {name} | {count} |")
    accepted = [r["file"] for r in results if r["negative"] and not r["timing"]["status"]]
    if accepted:
        print("\nnegative tests that are accepted:\n  " + "\n  ".join(accepted))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="all results as data")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    parser.add_argument("--only", default="", help="only files whose path has this text, a regular expression")
    parser.add_argument("--sample", type=int, help="so many of the positive files, always the same")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--check", action="store_true",
                        help="instead, compare the results of some kernels of models with NumPy (pto_corpus_numpy.py)")
    parser.add_argument("--pto-version", help="--pto-version of ascend_platform, for a checkout of an older state")
    parser.add_argument("--seconds", type=int, default=30, help="for one run")
    options = parser.parse_args()

    if options.check:
        import pto_corpus_numpy  # needs NumPy
        sys.exit(1 if pto_corpus_numpy.check(options.platform, options.folder, options.only) else 0)
    paths = sorted(path for path in options.folder.rglob("*.pto") if path.is_file())
    files = [file for file in (File(path, options.folder) for path in paths) if re.search(options.only, file.name) and file.has_code]
    if not files:
        sys.exit(f"pto_corpus.py: {options.folder} has no files *.pto" + (f" with '{options.only}'" if options.only else ""))
    if options.sample:
        positive = [file for file in files if file.positive]
        files = random.Random(SEED).sample(positive, min(options.sample, len(positive)))
    runner = Runner(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = [result for both in pool.map(runner.both, files) for result in both]
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")
    print_tables(results)


if __name__ == "__main__":
    main()
