#!/usr/bin/env python3
"""Runs public PTO kernels in C++ on the model: a checkout of a repository, unmodified, nothing of it is kept.

    scripts/pto_cpp_corpus.py DIR --json FILE [--only WORD] [--jobs N] [--cases N]

Two kinds of programs are found below DIR:

* Tests on a device: folders `tests/npu/MACHINE/src/st/testcase/NAME` with a kernel, a `main.cpp` of GoogleTest and `gen_data.py`.
  The generator writes inputs and expected results; each case runs as a host program (`ascend_platform --host-program`).
* Other kernels, files `.cpp` that include pto/pto-inst.hpp: both kinds of core are compiled (`--validate` is not needed for that).

The table shows how many compile, run, and give the results that their own generators expect.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHIM = ROOT / "scripts" / "pto_cpp_corpus"
DEFINED = re.compile(r"\b(\w+)\s*\([^;{}()]*\)\s*\{")
CASE = re.compile(r"^\s*TEST_F\(\s*(\w+)\s*,\s*(\w+)\s*\)", re.MULTILINE)


class Corpus:
    def __init__(self, arguments):
        self.executable = str(arguments.executable)
        self.root, self.limit = arguments.folder.resolve(), arguments.cases
        self.work = pathlib.Path(tempfile.mkdtemp(prefix="pto_cpp_"))
        os.environ.setdefault("TESSERA_CACHE", str(self.work / "cache"))

    def tests(self):
        for machine in ("a2a3", "a5"):
            yield from ((machine, p) for p in sorted(self.root.glob(f"tests/npu/{machine}/src/st/testcase/*"))
                        if (p / "main.cpp").exists())

    def run_test(self, machine, folder):
        """One test folder: {"name", "machine", "cases": [(case, "passed" | "wrong" | "failed" | .., message)]}"""
        result = {"name": folder.name, "machine": machine, "cases": []}
        work = self.work / machine / folder.name
        (work / "run").mkdir(parents=True)
        kernels = sorted(f for f in folder.glob("*.cpp") if f.name != "main.cpp")
        texts = {f: f.read_text() for f in [*kernels, folder / "main.cpp"]}
        # Both become one source, in which helpers of the same name would be defined twice.
        ours = set(DEFINED.findall(texts[folder / "main.cpp"])) - {"main", "if", "for", "while", "switch", "constexpr"}
        for f in kernels:
            for name in ours & set(DEFINED.findall(texts[f])):
                texts[f] = re.sub(rf"\b{name}\b", f"{name}_of_kernel", texts[f])
        parts = [f'#line 1 "{f}"\n{text}' for f, text in texts.items()]
        program = work / f"{folder.name}.cpp"
        program.write_text("\n".join(parts) + '\nextern "C" void tsr_case(int number) { testing::run_test(number); }\n')
        cases = CASE.findall((folder / "main.cpp").read_text())
        generator = folder / "gen_data.py"
        if generator.exists():
            done = subprocess.run([sys.executable, str(generator)], cwd=work, capture_output=True, text=True, timeout=600)
            if done.returncode != 0:
                result["cases"] = [("all", "no data", (done.stderr.strip().splitlines() or [""])[-1])]
                return result
        for number, (suite, name) in enumerate(cases[:self.limit]):
            state, message = self.run_case(machine, program, folder, number)
            result["cases"].append((f"{suite}.{name}", state, message))
            if state == "does not compile":
                break
        shutil.rmtree(work, ignore_errors=True)
        return result

    def run_case(self, machine, program, folder, number):
        command = [self.executable, str(program), "--preset", machine, "--host-program", "--function", "tsr_case", "--arg",
                   f"number={number}", "--include", str(SHIM), "--include", str(self.root / "tests/common"), "--include", str(folder),
                   "--quiet", "--hazards", "off"]
        try:
            done = subprocess.run(command, cwd=program.parent / "run", capture_output=True, text=True, timeout=300, errors="replace")
        except subprocess.TimeoutExpired:
            return "too long", ""
        said = done.stderr.strip()
        if "TEST PASSED" in done.stdout:
            return "passed", ""
        if "does not compile" in said:
            errors = [line for line in said.splitlines() if "error:" in line]
            return "does not compile", (errors or [said])[0][-200:]
        if "TEST FAILED" in done.stdout:
            return "wrong", (done.stdout.strip().splitlines() or [""])[-2][-200:]
        return "failed", (said or f"exit {done.returncode}")[:300]


def summary(results):
    """Rows of the table: machine, folders, those in which all cases passed, at least one passed, and cases by state."""
    rows = []
    for machine in ("a2a3", "a5"):
        own = [r for r in results if r["machine"] == machine]
        states = collections.Counter(state for r in own for _, state, _ in r["cases"])
        all_passed = sum(all(s == "passed" for _, s, _ in r["cases"]) and bool(r["cases"]) for r in own)
        some_ran = sum(any(s in ("passed", "wrong") for _, s, _ in r["cases"]) for r in own)
        rows.append({"machine": machine, "tests": len(own), "all cases equal": all_passed, "run": some_ran, "cases": dict(states)})
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--only", default="", help="names that contain this word")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--cases", type=int, help="so many cases of each test at most")
    parser.add_argument("--executable", type=pathlib.Path, default=ROOT / "build/bin/ascend_platform")
    arguments = parser.parse_args()
    corpus = Corpus(arguments)
    chosen = [(m, f) for m, f in corpus.tests() if arguments.only in f"{m}/{f.name}"]
    results = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for result in pool.map(lambda t: corpus.run_test(*t), chosen):
            results.append(result)
            bad = [(c, s, m) for c, s, m in result["cases"] if s != "passed"]
            print(f"{result['machine']} {result['name']}: {len(result['cases']) - len(bad)} of {len(result['cases'])} passed"
                  + (f"; {bad[0][0]}: {bad[0][1]}: {bad[0][2]}" if bad else ""), flush=True)
    table = summary(results)
    for row in table:
        print(row)
    if arguments.json:
        arguments.json.write_text(json.dumps({"summary": table, "tests": results}, indent=1) + "\n")
    shutil.rmtree(corpus.work, ignore_errors=True)


if __name__ == "__main__":
    main()
