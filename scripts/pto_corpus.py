#!/usr/bin/env python3
"""Runs all PTO programs of a folder with ascend_platform and prints a table.

    scripts/pto_corpus.py FOLDER [--json FILE] [--platform PATH] [--only TEXT] [--sample N] [--jobs N] [--seconds N]
    scripts/pto_corpus.py FOLDER --check [--only TEXT]

Each file is run twice: timing only (--no-data), and with data. The script reads the expected result and the machine from the
RUN lines of a file (`not ptoas ..`, `--pto-arch=a5`), from its name and from its folder, and gives scalar arguments the first of some
values with which the kernel completes, and arrays of i32 the same one. A kernel that asks for its block runs on two clusters, or on
one if it does not complete on two. docs/pto-corpus.md explains the table.
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
GUESSES = ("1", "128", "0", "2", "16", "64", "4096")  # of a scalar argument: a count, a size, an index
BLOCKS = re.compile(r"spmd_block|get_block_idx")
REGISTER_LEVEL = re.compile(r"\bpto\.(vmi\.|vecscope|strict_vecscope|simd\.|mte_|v(lds|sts|add|mul|sub|dup|brc)\b|plt_|pset_|copy_gm_to_ubuf)")
SEED = 22  # of --sample
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
        named = bool(re.search(r"_(invalid|xfail)", path.stem)) and (not runs or bool(re.search(r"//\s*[A-Z0-9_-]+:.*error", text)))
        self.negative = named or bool(runs and re.search(r"(?<![\w-])not\s", runs[0]))
        self.functions = re.findall(r"^[^/\n]*func\.func (?:private |public )?@([\w.$-]+)", text, re.M)
        named = re.search(r"--pto-arch[= ](a\d)", runs[0]) if runs else None
        in_folder = re.search(r"A([35])\b|A([35])/", self.name)
        arch = named.group(1) if named else "a" + (in_folder.group(1) or in_folder.group(2)) if in_folder else None
        if arch is None and not re.search(r"pto\.target_arch|pto\.device-spec", text):
            arch = "a3"  # the default of the public assembler
        self.preset = {"a5": "a5", "a3": "a2a3", "a2": "a2a3"}.get(arch)
        self.counts = sorted(set(re.findall(r"%(\w+): !pto\.ptr<i32(?:, gm)?>", text)))
        level = re.search(r"--pto-level[= ](level\d)", runs[0]) if runs else None
        self.level = level.group(1) if level else None
        self.asks_for_block = bool(BLOCKS.search(text))
        self.register_level = bool(REGISTER_LEVEL.search(text))
        parts = Path(self.name).parts
        if self.register_level or {"vpto", "vmi_new"} & set(parts):
            self.preset = "a5"
        self.set = "/".join(parts[:-1][:3]) or "."
        if "samples" in parts:
            self.set = "samples, kernels" if "kernels" in parts else "samples, others"


def class_of(message):
    for name, pattern in CLASSES:
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
            own = arguments + (["--set", "launch.clusters=2"] if cluster == "2" else [])
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

    def both(self, file):
        arguments = ["--preset", file.preset] if file.preset else []
        arguments += ["--pto-level", file.level] if file.level else []
        timing = self.run(file, arguments + ["--no-data"])
        if file.negative:  # the assembler looks at all functions
            for name in file.functions[:20] if timing["status"] == 0 else ():
                timing = self.run(file, arguments + ["--no-data", "--function", name])
                if timing["status"] > 0:
                    break
        refused = timing["status"] == 2 and not file.negative  # the text is, whatever its data are
        return {"file": file.name, "set": file.set, "negative": file.negative, "register_level": file.register_level,
                "timing": timing, "data": timing if refused else self.run(file, arguments)}


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
        refused = sum(r["timing"]["status"] > 0 or r["data"]["status"] > 0 for r in negative)
        print(f"| {name} | {len(positive)} | {accepted} | {ran['timing']} | {ran['data']} | {len(negative)} | {refused} |")
    for key, title in (("timing", "timing only"), ("data", "with data")):
        classes = collections.Counter(r[key]["class"] for r in results if not r["negative"] and r[key]["status"] != 0)
        print(f"\n| why files fail, {title} | files |\n| --- | --- |")
        for name, count in classes.most_common():
            print(f"| {name} | {count} |")
    accepted = [r["file"] for r in results if r["negative"] and not (r["timing"]["status"] or r["data"]["status"])]
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
        positive = [file for file in files if not file.negative]
        files = random.Random(SEED).sample(positive, min(options.sample, len(positive)))
    runner = Runner(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(runner.both, files))
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")
    print_tables(results)


if __name__ == "__main__":
    main()
