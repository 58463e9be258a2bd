#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the C++ PTO kernels of a checkout with ascend_platform and prints a table.

    scripts/pto_cpp_corpus.py FOLDER [--json FILE] [--only TEXT] [--cases N] [--jobs N] [--seconds N] [--compile-only] [--every N]

A kernel with a host program beside it (main.cpp, with gen_data.py for inputs and expected values) runs as that program says: the
script compiles the program against scripts/pto_cpp_host, where memory of the device is memory of the process and a launch is a run
of ascend_platform, and takes the program's own comparison. A kernel without one that pto_cpp_kernels.py knows runs with the
arguments that are given there, and its results are compared with NumPy. With --compile-only every kernel is compiled, whether or not it has
a host program, with the folders of the checkout that have the headers that it includes. docs/pto-cpp-corpus.md explains the table.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import pto_cpp_kernels
from files import write_text
from pto_corpus import class_of
from pto_host import HOST, call, host_object

ROOT = Path(__file__).resolve().parent.parent
LIBRARY = ROOT / "frontends/pto_cpp/library"
DEVICE = re.compile(r"__global__")
# A kernel that a run time starts by this name, with an array of arguments.
ENTRY = re.compile(r"\bvoid\s+(kernel_entry)\s*\(")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
# Other devices, grids of them, and languages that are not PTO.
ELSEWHERE = re.compile(r"\bpto/comm/|\bpto::comm\b|\b[Hh]ccl|\bHCCL|\bshmem|\bAscendC::|\bTNOTIFY\b")
DEVICE_CLUSTERS = {"a2a3": 24, "a5": 36}
SCALARS = {"float": "double", "double": "double", "int": "std::int64_t", "unsigned int": "std::int64_t", "long": "std::int64_t",
           "unsigned long": "std::int64_t", "unsigned short": "std::int64_t", "short": "std::int64_t", "bool": "std::int64_t",
           "unsigned char": "std::int64_t", "signed char": "std::int64_t", "char": "std::int64_t", "long long": "std::int64_t",
           "unsigned long long": "std::int64_t"}
DTYPES = {"float": "f4", "aclFloat16": "f2", "double": "f8", "int": "i4", "unsigned int": "u4", "long": "i8", "unsigned long": "i8",
          "short": "i2", "unsigned short": "u2", "signed char": "i1", "unsigned char": "u1", "char": "i1"}
CLASSES = (
    ("does not compile", re.compile(r"does not compile for")),
    ("unknown operation", re.compile(r"unknown operations? (?P<name>'[^']*')")),
    ("unknown type", re.compile(r"unknown (?:element )?type|expected a type|of this type is not taken")),
    ("deadlock", re.compile(r"deadlock")),
    ("hazard", re.compile(r"/tessera/cluster/")),
    ("outside of a buffer or array", re.compile(r"reach|needs \d+ bytes|belongs to no array|lies outside")),
    ("time", re.compile(r"takes too long")),
    ("operands", re.compile(r"operands? |expected |takes |must ")),
    ("values differ", re.compile(r"is false|differ|differs")),
)
COMPILER_ERROR = re.compile(r"(?:error: )([^\n\x1f]*)")


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


def split(text):
    """The items of a list with commas, which are not in brackets."""
    items, depth = [""], 0
    for c in text:
        depth += (c in "(<[{") - (c in ")>]}")
        if c == "," and depth == 0:
            items.append("")
        else:
            items[-1] += c
    return [item.strip() for item in items if item.strip()]


def parameters_of(text, function, count):
    """The names of the parameters of a function with so many of them that a text defines, also by a macro that pastes its name together."""
    pasted = r"(\w+)##\w+|\w+\(\s*(\w+)\s*,\s*\w+\s*\)"
    for found in re.finditer(r"(?:\b" + re.escape(function) + r"(?:<[^<>()]*>)?|" + pasted + r")\s*\(([^(){};]*)\)[\s\\]*\{", text):
        names = [re.findall(r"\w+", re.sub(r"=.*", "", item))[-1] for item in split(found.group(3))]
        if len(names) == count and function.startswith(found.group(1) or found.group(2) or ""):
            return names
    return None


class Program:
    """Kernel and host program of one folder."""

    def __init__(self, kernel, folder):
        self.kernel, self.folder, self.name = kernel, kernel.parent, str(kernel.relative_to(folder))
        self.text = text_of(kernel)
        host = self.folder / "main.cpp"
        self.host = host if host.is_file() else None
        everything = self.text + (text_of(host) if self.host else "")
        self.elsewhere = bool(ELSEWHERE.search(everything))
        self.preset = "a5" if re.search(r"(^|[/_])a5([/_.]|$)", self.name) else "a2a3"
        parts = Path(self.name).parts
        self.set = "/".join(p for p in parts[:3] if p not in ("src", "st"))
        top = [p for p in self.folder.relative_to(folder).parents]
        self.includes = [self.folder] + [folder / p / "tests/common" for p in top if (folder / p / "tests/common").is_dir()]


class Headers:
    """The folders of a checkout in which the compiler finds what a file includes."""

    def __init__(self, folder):
        self.places = collections.defaultdict(list)
        for path in folder.rglob("*"):
            if path.suffix in (".h", ".hpp", ".hh", ".inc", ".cce") and path.is_file():
                self.places[path.name].append(path)

    def folders_for(self, kernel):
        found, seen, files = [], set(), [kernel]
        while files:
            file = files.pop()
            for name in INCLUDE.findall(text_of(file)):
                if (name, file.parent) in seen or name.startswith("pto/"):
                    continue
                seen.add((name, file.parent))
                near = [f / name for f in [file.parent, *found] if (f / name).is_file()]
                if not near:
                    there = [p for p in self.places[Path(name).name] if p.as_posix().endswith("/" + name)]
                    # Of several, the one that shares most words with the path of the kernel.
                    words = set(kernel.parts)
                    near = sorted(there, key=lambda p: (-len(words & set(p.parts)), len(p.parts), str(p)))[:1]
                    found += [Path(str(p)[:-len(name) - 1]) for p in near]
                files += near[:1]
        return list(dict.fromkeys(found))


class Runner:
    def __init__(self, options):
        self.options = options
        self.scratch = Path(options.scratch or tempfile.mkdtemp(prefix="pto_cpp_corpus."))
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.table = pto_cpp_kernels.KERNELS
        self.headers = Headers(options.folder) if options.compile_only else None
        self.host_object = host_object(self.scratch)

    def stubs(self, program, symbols):
        """C++ that turns each launcher that the host program calls into a launch of tessera_host."""
        parts = ['#include "host.h"\nusing namespace tessera_host;\n']
        # A host program may start kernels of several files.
        siblings = [p for p in sorted(program.folder.glob("*.cpp")) if p not in (program.kernel, program.host)]
        files = [program.kernel, *sorted(program.folder.glob("*.h*")), *(p for p in siblings if DEVICE.search(text_of(p)))]
        texts = [text_of(p) for p in files]
        for n, (symbol, text) in enumerate(symbols):
            text = re.sub(r"^void ", "", text)
            open_ = text.rfind("(") if text.endswith(")") else -1
            depth, at = 0, len(text)
            for at in range(len(text) - 1, -1, -1):  # the bracket that closes the list of parameters
                depth += (text[at] == ")") - (text[at] == "(")
                if depth == 0:
                    break
            open_ = at
            function, types = text[:open_], split(text[open_ + 1:-1])
            plain = re.sub(r"<.*", "", function).split("::")[-1]
            found = ((p, file) for file, t in zip(files, texts) if (p := parameters_of(t, plain, len(types))) is not None)
            names, file = next(found, (None, None))
            kernel = file if file in siblings else program.kernel
            if names is None:
                return None, f"the launcher {function} has no text with {len(types)} parameters"
            arguments, values, rows = [], [], []
            for k, type_ in enumerate(types):
                bare = re.sub(r"\b(const|volatile)\b", "", type_).strip()
                if bare.endswith("*"):
                    dtype = DTYPES.get(bare.rstrip("* ").strip(), "u1")
                    arguments.append(f"const void* a{k}")
                    values.append(f"value(a{k})")
                elif bare == "aclFloat16":
                    dtype = ""
                    arguments.append(f"aclFloat16 a{k}")
                    values.append(f"value(a{k})")
                elif bare in SCALARS:
                    dtype = ""
                    arguments.append(f"{bare} a{k}")
                    values.append(f"value(static_cast<{SCALARS[bare]}>(a{k}))")
                else:
                    return None, f"the launcher {function} takes a {type_}"
                rows.append(f'{{"{names[k]}", "{dtype}"}}')
            if any(len(re.findall(r"\bvoid\s+" + re.escape(plain) + r"\s*\([^(){};]*\)\s*\{", t)) > 1 for t in texts):
                function = f"{function}({', '.join(types)})"  # an overload
            parts.append(f'void stub_{n}({", ".join(arguments)}) asm("{symbol}");\nvoid stub_{n}({", ".join(arguments)}) {{\n'
                         f'  launch({{{json.dumps(str(kernel))}, {json.dumps(function)}, {{{", ".join(rows)}}}}},'
                         f' {{{", ".join(values)}}});\n}}\n')
        return "".join(parts), ""

    def host_part(self, program, folder):
        """The kernel's file as code of the host, for functions of it that are no launchers."""
        text = re.sub(r"<<<([^;{}]*?)>>>", r"->*tsr_launch(\1)", program.text)
        text = re.sub(r'\basm volatile\s*\(\s*"MOV %0, \w+[^)]*\)\s*\)', "(void)0", text)  # assembly of the device
        write_text(folder / "kernel.cpp", f'#line 1 "{program.kernel}"\n{text}')
        kind = ["-D__CCE_AICORE__=220", "-DPTO_NPU_ARCH_A2A3"] if program.preset == "a2a3" else ["-D__CCE_AICORE__=310", "-DPTO_NPU_ARCH_A5"]
        done = call(["g++", "-std=c++17", "-O1", "-w", "-fPIC", *kind, "-D__DAV_VEC__", "-I", LIBRARY, "-I", program.folder, "-include",
                          "pto/pto-inst.hpp", "-c", "kernel.cpp", "-o", "kernel.o"], folder, 300)
        if done.returncode or call(["objcopy", "--weaken", "kernel.o"], folder, 60).returncode:
            return []
        return ["kernel.o"]

    def build_host(self, program, folder):
        """The host program as an executable, or why there is none."""
        object_ = folder / "main.o"
        command = ["g++", "-std=c++17", "-O0", "-w", "-x", "c++", "-I", HOST, "-I", LIBRARY]
        command += [word for path in program.includes for word in ("-I", path)] + ["-c", program.host, "-o", object_]
        done = call(command, folder, 300)
        if done.returncode:
            return None, "host program: " + (COMPILER_ERROR.findall(done.stderr) or ["error"])[0]
        mangled = [line.split()[-1] for line in call(["nm", "-u", object_], folder, 60).stdout.splitlines()]
        clear = call(["c++filt"], folder, 60, input="\n".join(mangled) + "\n").stdout.splitlines()
        wanted = [(m, c) for m, c in zip(mangled, clear)
                  if "(" in c and not re.match(r"(std::|operator |__|acl|testing::|rt[A-Z])|.*\bstd::.*\[abi|vtable|typeinfo", c)]
        own = [pair for pair in wanted if re.match(r"(int|bool|size_t|unsigned long) ", pair[1])]  # launchers return nothing
        text, why = self.stubs(program, [pair for pair in wanted if pair not in own])
        if text is None:
            return None, why
        write_text(folder / "stubs.cpp", text)
        done = call(["g++", "-std=c++17", "-O0", "-w", "-I", HOST, "stubs.cpp", object_, self.host_object,
                          *(self.host_part(program, folder) if own else []), "-o", "host"], folder, 300)
        if done.returncode:
            return None, "host program: " + (re.findall(r"undefined reference to (.*)", done.stderr) or [done.stderr[-200:]])[0]
        return folder / "host", ""

    def with_host(self, program):
        folder = self.scratch / re.sub(r"\W", "_", program.name)
        shutil.rmtree(folder, ignore_errors=True)
        build = folder / "build"
        build.mkdir(parents=True)
        result = {"cases": 0, "equal": 0, "failures": [], "class": "", "message": ""}
        options = f"--preset {program.preset} " + self.options.options
        if "SYNCALL" in program.text:  # all blocks have to be there at once
            options += f" --set launch.clusters={DEVICE_CLUSTERS[program.preset]}"
            if any("_KERNEL_META" in text_of(path) for path in program.folder.glob("*.cpp")):  # marks of a mixed launch
                options += " --set launch.mix=yes"
        try:
            cases = program.folder / "scripts/generate_cases.py"
            if cases.is_file():  # a header with the instances of the kernel
                call([sys.executable, cases, "--output-header", build / "generated_cases.h", "--output-json", build / "generated_cases.json"],
                          folder, 300)
                program.includes.append(build)
                options += f" --include {build}"
            executable, why = self.build_host(program, folder)
            if executable is None:
                return {**result, "class": "host program", "message": why}
            for maker in [p for p in (program.folder / "gen_data.py", program.folder / "scripts/gen_data.py") if p.is_file()]:
                done = call([sys.executable, maker], folder, 300)
                if done.returncode:
                    return {**result, "class": "no expected values", "message": done.stderr.strip().splitlines()[-1]}
            environment = {**os.environ, "TESSERA_PLATFORM": str(self.options.platform), "TESSERA_SECONDS": str(self.options.seconds),
                           "TESSERA_OPTIONS": options}
            if self.options.cases:
                environment["TESSERA_CASES"] = str(self.options.cases)
            done = call([executable], build, 3600, env=environment)
        except subprocess.TimeoutExpired:
            return {**result, "class": "time", "message": "takes too long"}
        for how, case, why in re.findall(r"^TESSERA (passed|failed) (\S+): (.*)$", done.stderr, re.M):
            result["cases"] += 1
            result["equal"] += how == "passed"
            if how == "failed":
                result["failures"].append({"case": case, "class": class_of(why, CLASSES), "message": why.replace("\x1f", "\n")})
        if not result["cases"]:
            result["cases"], result["equal"] = 1, int(done.returncode == 0)
            if done.returncode:
                message = (done.stderr + done.stdout).strip()[-1500:].replace("\x1f", "\n")
                result["failures"].append({"case": "", "class": class_of(message, CLASSES), "message": message})
        if result["failures"]:
            result["class"], result["message"] = result["failures"][0]["class"], result["failures"][0]["message"]
        if not self.options.keep:
            shutil.rmtree(folder, ignore_errors=True)
        return result

    def with_table(self, program):
        """A kernel of pto_cpp_kernels.py, on arguments that are made here."""
        function, preset, make = pto_cpp_kernels.KERNELS[program.name]
        call = make(np.random.default_rng(len(program.name)))
        failures = []
        with tempfile.TemporaryDirectory(dir=self.scratch) as folder:
            command = [self.options.platform, program.kernel, "--function", function, "--preset", preset, "--quiet", "--set",
                       f"launch.clusters={call.clusters}", "--include", self.options.folder / "csrc/kernel"]
            command += [word.format(folder=self.options.folder) for word in call.options]
            for setting in call.settings:
                command += ["--set", setting]
            for name, value in call.arguments.items():
                if isinstance(value, np.ndarray):
                    np.save(Path(folder) / f"{name}.npy", value)
                    value = f"{name}.npy"
                command += ["--arg", f"{name}={'u8[0]' if value is None else value}"]
            for name in call.results:
                command += ["--output", f"{name}={name}.out.npy"]
            try:
                done = call(command, folder, self.options.seconds)
                message = done.stderr[:2000] if done.returncode else ""
            except subprocess.TimeoutExpired:
                message = "takes too long"
            for name, expected in call.results.items() if not message else ():
                got = np.load(Path(folder) / f"{name}.out.npy").reshape(expected.shape).astype(np.float64)
                why = call.difference(got, np.asarray(expected, np.float64))
                message = f"{name} {why}" if why else message
        if message:
            failures.append({"case": function, "class": class_of(message, CLASSES), "message": message})
        return {"cases": 1, "equal": int(not message), "failures": failures, "class": failures[0]["class"] if failures else "",
                "message": message}

    def compiled(self, program):
        """Whether a kernel compiles; its first error otherwise."""
        command = [self.options.platform, program.kernel, "--preset", program.preset, "--print-program"]
        entry = ENTRY.search(program.text)
        if entry and not DEVICE.search(program.text):
            command += ["--function", entry.group(1)]
        for folder in [*self.headers.folders_for(program.kernel), *program.includes]:
            command += ["--include", folder]
        try:
            done = call(command, self.scratch, self.options.seconds)
            message = done.stderr.strip() if done.returncode else ""
        except subprocess.TimeoutExpired:
            message = "takes too long"
        # Several kernels in one file compile, if one of them does.
        if "expected the name of the function" in message:
            names = re.findall(r"the file has (.*)", message)
            done = call([*command, "--function", re.split(r", ", names[0])[0]], self.scratch, self.options.seconds) if names else done
            message = done.stderr.strip() if done.returncode else ""
        why = (COMPILER_ERROR.findall(message) or [message[:300]])[0]
        return {"cases": 1, "equal": int(not message), "failures": [], "class": class_of(message, CLASSES) if message else "", "message": why}

    def run(self, program):
        if self.options.compile_only:
            result = self.compiled(program)
        elif program.name in self.table:
            result = self.with_table(program)
        elif program.elsewhere:
            result = {"cases": 0, "equal": 0, "failures": [], "class": "several devices", "message": ""}
        elif program.host is None:
            result = {"cases": 0, "equal": 0, "failures": [], "class": "no host program", "message": ""}
        else:
            result = self.with_host(program)
        if self.options.verbose:
            print(f"{program.name}: {result['equal']} of {result['cases']} {result['class']} {result['message'][:300]}", flush=True)
        return {"file": program.name, "set": program.set, **result}


def print_tables(results):
    groups = collections.defaultdict(list)
    for result in results:
        groups[result["set"]].append(result)
    print("| kernels | in all | of one device | run | equal | cases | equal |\n| --- | --- | --- | --- | --- | --- | --- |")
    for name, group in sorted(groups.items()) + [("all", results)]:
        own = [r for r in group if r["class"] != "several devices"]
        ran = sum(r["equal"] > 0 or r["class"] == "values differ" for r in own)
        equal = sum(r["cases"] > 0 and r["equal"] == r["cases"] for r in own)
        print(f"| {name} | {len(group)} | {len(own)} | {ran} | {equal} | {sum(r['cases'] for r in own)} | {sum(r['equal'] for r in own)} |")
    classes = collections.Counter(r["class"] for r in results if r["class"])
    print("\n| why kernels fail | kernels |\n| --- | --- |")
    for name, count in classes.most_common():
        print(f"| {name} | {count} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, help="all results as data")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    parser.add_argument("--only", default="", help="only files whose path has this text, a regular expression")
    parser.add_argument("--cases", type=int, help="so many cases of a host program at most, spread over all of them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=120, help="for one launch, compilation included")
    parser.add_argument("--options", default="", help="more options of ascend_platform")
    parser.add_argument("--scratch", help="folder for the host programs")
    parser.add_argument("--keep", action="store_true", help="keep the folders of the host programs")
    parser.add_argument("--compile-only", action="store_true", help="compile every kernel and run none")
    parser.add_argument("--every", type=int, default=1, help="take every Nth kernel")
    parser.add_argument("--verbose", action="store_true", help="a line a kernel")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    marks = [DEVICE, ENTRY] if options.compile_only else [DEVICE]
    paths = sorted(p for p in options.folder.rglob("*.cpp") if p.is_file() and any(mark.search(text_of(p)) for mark in marks))
    programs = [p for p in (Program(path, options.folder) for path in paths) if re.search(options.only, p.name)][::options.every]
    if not programs:
        sys.exit(f"pto_cpp_corpus.py: {options.folder} has no kernels *.cpp" + (f" with '{options.only}'" if options.only else ""))
    runner = Runner(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(runner.run, programs))
    if options.compile_only:
        for why, count in collections.Counter(r["message"] for r in results if r["class"]).most_common(12):
            print(f"{count} x {why}")
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")
    print_tables(results)


if __name__ == "__main__":
    main()
