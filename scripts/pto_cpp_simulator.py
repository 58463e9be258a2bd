#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares kernels that have no expected values with the public CPU simulator of pto-isa: random arrays, every array that changes.

    scripts/pto_cpp_simulator.py FOLDER PTO_ISA [--only TEXT] [--every N] [--distinct] [--jobs N] [--seconds N] [--json FILE] [--keep FOLDER]

FOLDER is a checkout with generated kernels (a function that `kernel_entry` forwards its arguments to), PTO_ISA one of pto-isa. The inner function is
called as block 0 of 1, once by ascend_platform and once in a program that is compiled with the CPU form of pto-isa. The two halves of a kernel for
both kinds of core (`X_aic.cpp`, `X_aiv.cpp`) run together. How long an array is, is what the simulator touches of it
(scripts/pto_cpp_simulator/arrays.h). docs/pto-cpp-corpus.md explains the verdicts.
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

from files import write_text
from pto_cpp_corpus import COMPILER_ERROR, ENTRY, Headers, split, text_of
from pto_host import call

ROOT = Path(__file__).resolve().parent.parent
PARTS = Path(__file__).resolve().parent / "pto_cpp_simulator"
# Type in the text of a kernel: kind and bytes for arrays.h, and the element type of ascend_platform.
TYPES = {"float": ("f", 4, "f32"), "half": ("h", 2, "f16"), "bfloat16_t": ("b", 2, "bf16"),
         **{f"{u}int{n}_t": (u or "i", n // 8, f"{u or 'i'}{n}") for u in ("", "u") for n in (8, 16, 32, 64)}}
SCALARS = (16, 1, 0)  # what numbers are tried with, until the simulator comes to an end with arrays of a sensible size
# Numbers that say where a core stands.
PLACES = (("spmd_subblock_idx", "tessera_subblock()"), ("spmd_block_idx", "0"), ("spmd_block_num", "1"))
QUEUE = re.compile("pipe_buffer")  # the slots of queues in GM, which the simulator has elsewhere


class Kernel:
    """One kernel: its file or the files of its two halves, the inner function, and its parameters."""

    def __init__(self, path, folder):
        self.path, self.name = path, str(path.relative_to(folder))
        self.preset = "a5" if "/a5/" in f"/{self.name}" else "a2a3"
        self.files = {"cube" if "/aic/" in f"/{self.name}" else "vec": path}
        half = re.match(r"(.*)/aic/(.*)_aic\.cpp$", str(path))
        if half and (other := Path(f"{half.group(1)}/aiv/{half.group(2)}_aiv.cpp")).is_file():
            self.files["vec"] = other
        self.inner = {kind: self.signature(text_of(file)) for kind, file in self.files.items()}
        self.distinct = re.sub(r"_\d+(?=_ai[cv]\.cpp$|\.cpp$)", "", self.name)

    @staticmethod
    def signature(text):
        """The inner function: its name, and type and name of each argument that the entry forwards; None: the entry forwards none."""
        entry = ENTRY.search(text)
        calls = re.findall(r"^    (\w+)\(\s*([^;]*?)\s*\);", text[entry.end():], re.M) if entry else []
        if not calls:
            return None
        function, names = calls[-1][0], split(calls[-1][1])
        head = re.search(r"\b" + re.escape(function) + r"\s*\(([^(){};]*)\)\s*\{", text[:entry.start()])
        types = [re.sub(r"\s*\bv?\w+$", "", re.sub(r"__gm__\s*", "", item)).strip() for item in split(head.group(1))] if head else []
        return (function, list(zip(types, names))) if len(types) == len(names) else None

    def why_not(self):
        if any(inner is None for inner in self.inner.values()):
            return "no inner function"
        bare = {t.rstrip("* ") for _, parameters in self.inner.values() for t, _ in parameters}
        return next((f"type {t}" for t in bare if t not in (*TYPES, "bool", "double")), "")

    def parameters(self):
        """All parameters, those of both halves by place."""
        return max((parameters for _, parameters in self.inner.values()), key=len)

    def values(self, kind, scalar, arrays):
        """The arguments of the call of a half; `arrays(k, type)` and `scalar(k, type)` are texts."""
        words = []
        for k, (type_, name) in enumerate(self.inner[kind][1]):
            place = next((text for pattern, text in PLACES if re.search(pattern, name) and not type_.endswith("*")), None)
            words.append(arrays(k, type_) if type_.endswith("*") else f"({type_}){place}" if place else scalar(k, type_))
        return ", ".join(words)


def lane(kernel, kind):
    """A kernel that keeps its lane in a variable of its own, which its entry sets."""
    has = "pypto_runtime_subblock_id" in text_of(kernel.files[kind])
    return "#ifdef get_subblockid\n  pypto_runtime_subblock_id = tessera_subblock();\n#endif\n" if has else ""


def head(kernel, kind, simulated=False):
    own = "#define cache_line_t kernel_cache_line_t\n" if simulated and "namespace cache_line_t" in text_of(kernel.files[kind]) else ""
    return ("#include <pto/pto-inst.hpp>\nstatic inline int tessera_subblock() { return get_subblockid(); }\n"
            f'{own}#include "{kernel.files[kind]}"\n')


def device_text(kernel):
    """The kernel as ascend_platform compiles it: an entry with plain parameters."""
    parameters = [f"__gm__ {t} a{k}" if t.endswith("*") else f"{t} a{k}" for k, (t, _) in enumerate(kernel.parameters())]
    base = "  set_ffts_base_addr(1);\n" if len(kernel.files) > 1 and kernel.preset == "a2a3" else ""  # as the run time of the kernels does
    parts = []
    for kind in kernel.files:
        mark = ("__DAV_CUBE__" if kind == "cube" else "__DAV_VEC__") if len(kernel.files) > 1 else "__CCE_AICORE__"
        parts.append(f'#if defined({mark})\n{head(kernel, kind)}'
                     f'extern "C" __global__ AICORE void tessera_entry({", ".join(parameters)}) {{\n{base}{lane(kernel, kind)}'
                     f'  {kernel.inner[kind][0]}({kernel.values(kind, lambda k, _: f"a{k}", lambda k, _: f"a{k}")});\n}}\n#endif\n')
    return "".join(parts)


def host_texts(kernel):
    """The kernel for the simulator: a text for each kind of core, and the program that runs them."""
    texts = {}
    for kind in kernel.files:
        values = kernel.values(kind, lambda _, t: f"({t})number", lambda k, t: f"({t})arrays[{k}]")
        texts[kind] = (f'{head(kernel, kind, True)}extern "C" void run_{kind}(void** arrays, long number, int lane, int lanes) {{\n'
                       f'  pto::cpu_sim::set_execution_context(0, lane, lanes);\n  {kernel.inner[kind][0]}({values});\n}}\n')
    added = [f'    tessera_arrays::add("a{k}", \'{TYPES[t.rstrip("* ")][0]}\', {TYPES[t.rstrip("* ")][1]}),\n' if t.endswith("*") else "    nullptr,\n"
             for k, (t, _) in enumerate(kernel.parameters())]
    both = len(kernel.files) > 1
    runs = [(kind, n) for kind in kernel.files for n in range(2 if both and kind == "vec" else 1)]
    texts["main"] = ('#include <cstdlib>\n#include <thread>\n#include <vector>\n#include "arrays.h"\n'
                     + "".join(f'extern "C" void run_{kind}(void**, long, int, int);\n' for kind in kernel.files)
                     + "int main(int, char** words) {\n  void* arrays[] = {\n" + "".join(added) + "    nullptr};\n"
                     "  const long number = std::atol(words[1]);\n  std::vector<std::thread> cores;\n"
                     + "".join(f"  cores.emplace_back([&] {{ run_{kind}(arrays, number, {n}, {2 if both else 1}); }});\n" for kind, n in runs)
                     + "  for (std::thread& core : cores) core.join();\n  tessera_arrays::write();\n  std::fflush(nullptr);\n  std::_Exit(0);\n}\n")
    return texts


def simulator_headers(pto_isa, scratch):
    """A copy of pto-isa's headers that this compiler takes: without assertions that fail in templates nobody uses, with a bf16 of its own."""
    headers = scratch / "include"
    shutil.copytree(pto_isa / "include", headers)
    for path in headers.rglob("*.h*"):
        text = text_of(path)
        new = re.sub(r"static_assert\(false,[^;]*;", "", text)
        new = new.replace("typedef _Float16 bfloat16_t;", '#include "bfloat16.h"')
        new = new.replace("inline void dsb(mem_dsb_t)", "template <typename T>\ninline void dsb(T)")  # generated code declares its own
        if new != text:
            write_text(path, new)
    return headers


def apart(got, expected, dtype):
    """How many elements differ, and whether rounding explains all of them."""
    if dtype == "bf16":
        got, expected = ((x.astype(np.uint32) << 16).view(np.float32) for x in (got, expected))
    unequal = ~((got == expected) | ((got != got) & (expected != expected)))
    count = int(np.count_nonzero(unequal))
    if not count or dtype[0] not in "fb":
        return count, False
    a, b = got[unequal].astype(np.float64), expected[unequal].astype(np.float64)
    limit = {"f32": 1e-4, "f16": 4e-3, "bf16": 3e-2}[dtype]
    scale = np.sqrt(np.mean(np.where(np.isfinite(expected), expected, 0).astype(np.float64) ** 2)) + 1e-30
    return count, bool(np.all(np.abs(a - b) <= limit * np.maximum(np.maximum(np.abs(a), np.abs(b)), scale)))


class Runner:
    def __init__(self, options):
        self.options, self.headers = options, Headers(options.folder)
        self.scratch = Path(options.keep or tempfile.mkdtemp(prefix="pto_cpp_simulator.")).resolve()
        self.scratch.mkdir(parents=True, exist_ok=True)
        self.include = self.scratch / "include"
        if not self.include.is_dir():
            simulator_headers(options.pto_isa, self.scratch)
        self.arrays = self.scratch / "arrays.o"
        done = call(["g++", "-std=c++17", "-O2", "-c", PARTS / "arrays.cpp", "-o", self.arrays], self.scratch, 300)
        if done.returncode:
            raise SystemExit(f"{PARTS / 'arrays.cpp'} does not compile: {done.stderr[:400]}")

    def folders(self, kernel):
        return list(dict.fromkeys(f for file in kernel.files.values() for f in [file.parent, *self.headers.folders_for(file)]))

    def simulator(self, kernel, folder):
        """The program of the simulator, or why there is none."""
        objects = []
        for name, text in host_texts(kernel).items():
            write_text(folder / f"{name}.cpp", text)
            mark = [f"-D__DAV_{name.upper()}__", f"-Dkernel_entry=entry_{name}"] if name != "main" else []
            command = ["g++", "-std=c++20", "-O1", "-w", "-include", "cstdint", "-include", "cmath", "-D__CPU_SIM", "-DNDEBUG", "-DPTO_CPU_MAX_THREADS=1", *mark, "-I", PARTS, "-I", self.include]
            command += [word for f in self.folders(kernel) for word in ("-I", f)]
            done = call([*command, "-c", f"{name}.cpp", "-o", f"{name}.o"], folder, 600)
            if done.returncode:
                return "simulator: " + (COMPILER_ERROR.findall(done.stderr) or [done.stderr[-200:]])[0]
            objects.append(f"{name}.o")
        done = call(["g++", *objects, self.arrays, "-o", "simulator", "-pthread", "-ldl"], folder, 300)
        return "" if done.returncode == 0 else "simulator: " + done.stderr[-200:]

    def expected(self, kernel, folder):
        """Runs the simulator: the number that it took and the lengths of the arrays, or why not."""
        why = self.simulator(kernel, folder)
        if why:
            return None, why
        for number in SCALARS:
            try:
                done = call(["./simulator", number], folder, self.options.seconds, env={**os.environ, "PTO_CPU_SIM_NUM_CORES": "1"})
            except subprocess.TimeoutExpired:
                why = "the simulator comes to no end"
                continue
            if done.returncode == 0:
                return (number, dict((n, int(b)) for n, b in re.findall(r"^(a\d+) (\d+)$", done.stdout, re.M))), ""
            why = ("arrays of more than 256 MB" if done.returncode == 3 else
                   f"the simulator ends with {done.returncode}: " + (done.stderr.strip().splitlines() or [""])[-1][:160])
        return None, why

    def got(self, kernel, folder, number, lengths):
        """Runs ascend_platform on the same arrays; "" or its message."""
        write_text(folder / "kernel.cpp", device_text(kernel))
        command = [self.options.platform, "kernel.cpp", "--function", "tessera_entry", "--preset", kernel.preset, "--quiet"]
        command += ["--set", "launch.clusters=1"] + (["--set", "launch.ratio=1:2"] if len(kernel.files) > 1 else [])
        command += [word for f in self.folders(kernel) for word in ("--include", f)]
        for k, (type_, name) in enumerate(kernel.parameters()):
            if not type_.endswith("*"):
                command += ["--arg", f"a{k}={number}"]
            elif QUEUE.search(name):
                command += ["--arg", f"a{k}=f32[{1 << 20}]"]
            elif not lengths[f"a{k}"]:
                command += ["--arg", f"a{k}={TYPES[type_.rstrip('* ')][2]}[64]"]
            else:
                np.save(folder / f"a{k}.npy", self.read(folder / f"a{k}.in", type_))
                command += ["--arg", f"a{k}=a{k}.npy", "--output", f"a{k}=a{k}.out.npy"]
        try:
            done = call(command, folder, self.options.seconds)
        except subprocess.TimeoutExpired:
            return "takes too long"
        write_text(folder / "log", done.stderr)
        return done.stderr.strip()[:600] if done.returncode else ""

    @staticmethod
    def read(path, type_):
        kind, bytes_, _ = TYPES[type_.rstrip("* ")]
        return np.fromfile(path, {"f": "f4", "h": "f2", "b": "u2"}.get(kind, f"{kind}{bytes_}"))

    def run(self, kernel):
        folder = self.scratch / re.sub(r"\W", "_", kernel.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            result = self.compared(kernel, folder)
        finally:
            if not self.options.keep:
                shutil.rmtree(folder, ignore_errors=True)
        result = {"file": kernel.name, **result}
        if self.options.verbose:
            print(json.dumps(result), flush=True)
        return result

    def compared(self, kernel, folder):
        if why := kernel.why_not():
            return {"verdict": "not tried", "why": why}
        found, why = self.expected(kernel, folder)
        if found is None:
            return {"verdict": "not tried", "why": why}
        number, lengths = found
        if message := self.got(kernel, folder, number, lengths):
            return {"verdict": "stops", "why": message, "number": number}
        changed, differ, rounding, worst = 0, 0, True, ""
        for k, (type_, name) in enumerate(kernel.parameters()):
            if not type_.endswith("*") or QUEUE.search(name) or not lengths[f"a{k}"]:
                continue
            before, expected = (self.read(folder / f"a{k}.{end}", type_) for end in ("in", "out"))
            got = np.load(folder / f"a{k}.out.npy").reshape(-1).view(expected.dtype)
            changed += int(np.count_nonzero((before != expected) & ((before == before) | (expected == expected))))
            count, near = apart(got, expected, TYPES[type_.rstrip("* ")][2])
            differ, rounding = differ + count, rounding and (near or not count)
            worst = worst or (f"a{k} ({name}): {count} elements" if count else "")
        verdict = ("equal" if not differ and changed else "changes nothing" if not differ else "rounding" if rounding else "values differ")
        return {"verdict": verdict, "why": worst, "number": number, "changed": changed, "differ": differ}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("pto_isa", type=Path)
    parser.add_argument("--only", default="", help="only files whose path has this text, a regular expression")
    parser.add_argument("--every", type=int, default=1, help="take every Nth kernel")
    parser.add_argument("--distinct", action="store_true", help="of kernels that differ by a number in their names take the first")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=120, help="for one run")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    parser.add_argument("--json", type=Path, help="all results as data")
    parser.add_argument("--keep", help="a folder for the programs, which are kept")
    parser.add_argument("--verbose", action="store_true", help="a line a kernel")
    options = parser.parse_args()
    options.folder, options.pto_isa = options.folder.resolve(), options.pto_isa.resolve()
    if not (options.pto_isa / "include/pto/cpu").is_dir():
        sys.exit(f"pto_cpp_simulator.py: {options.pto_isa} has no include/pto/cpu")
    paths = sorted(p for p in options.folder.rglob("*.cpp") if p.is_file() and ENTRY.search(text_of(p)) and re.search(options.only, str(p)))
    kernels = [Kernel(p, options.folder) for p in paths]
    halves = {file for k in kernels if len(k.files) > 1 for file in k.files.values()}
    kernels = [k for k in kernels if len(k.files) > 1 or k.path not in halves]
    if options.distinct:
        kernels = list({k.distinct: k for k in reversed(kernels)}.values())[::-1]
    runner = Runner(options)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(runner.run, kernels[::options.every]))
    if options.json:
        write_text(options.json, json.dumps(results, indent=1) + "\n")
    print("| verdict | kernels | elements that change |\n| --- | --- | --- |")
    for verdict, count in collections.Counter(r["verdict"] for r in results).most_common():
        print(f"| {verdict} | {count} | {sum(r.get('changed', 0) for r in results if r['verdict'] == verdict)} |")


if __name__ == "__main__":
    main()
