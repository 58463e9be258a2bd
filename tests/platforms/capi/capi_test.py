#!/usr/bin/env python3
"""libtessera.so from C and C++, and its list of symbols: capi_test.py LIBRARY --flags=FLAGS."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = pathlib.Path(sys.argv.pop(1)).resolve()
FLAGS = sys.argv.pop(1).removeprefix("--flags=").split()  # flags of the build: sanitizers
HEADER = ROOT / "platforms" / "capi" / "tessera.h"

ILLEGAL = {
    "illegal.tasm": "fn bad\n    movri r2, 0\n    st16 [0], r2\n    ret\nfn good\n    movri r2, 1\n    ret\n",
    "illegal.json": """{"schema": "tessera-wse-layout-1", "grid": [1, 1],
        "tiles": [{"rect": [0, 0, 1, 1], "code": "illegal.tasm"}], "routes": [], "host": []}""",
}


class Capi(unittest.TestCase):
    def test_a_c_program_loads_runs_resets_and_reads(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        self.assertIsNotNone(compiler)
        with tempfile.TemporaryDirectory() as folder:
            for name, text in ILLEGAL.items():
                (pathlib.Path(folder) / name).write_text(text)
            program = f"{folder}/use"
            self.build(compiler, "c99", "use.c", program)
            subprocess.run([program, str(ROOT / "examples/gemv_stream/layout.json"), f"{folder}/illegal.json",
                            f"{folder}/state"],
                           check=True, timeout=600)

    def test_calls_that_make_no_sense_are_refused(self):
        compiler = shutil.which("c++") or shutil.which("g++")
        with tempfile.TemporaryDirectory() as folder:
            self.build(compiler, "c++17", "hostile.cpp", f"{folder}/hostile")
            subprocess.run([f"{folder}/hostile", str(ROOT / "examples/gemv_stream/layout.json"),
                            str(ROOT / "examples/csl/gemv/layout.csl")], check=True, timeout=600)

    def build(self, compiler, standard, source, program):
        subprocess.run([compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", *FLAGS, str(HERE / source),
                        f"-I{HEADER.parent}", str(LIBRARY), f"-Wl,-rpath,{LIBRARY.parent}", "-pthread", "-o", program],
                       check=True)

    def test_the_library_shows_the_header_and_nothing_else(self):
        listed = subprocess.run(["nm", "-D", "--defined-only", str(LIBRARY)], check=True, capture_output=True, text=True)
        shown = {line.split()[-1].split("@")[0] for line in listed.stdout.splitlines()}
        shown -= {"TESSERA_1"}
        expected = set((HERE / "abi.txt").read_text().split())
        self.assertEqual(shown, expected, "a change of tests/platforms/capi/abi.txt may need a new TESSERA_ABI_VERSION")
        declared = set(re.findall(r"\b(tessera_\w+)\(", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL)))
        self.assertEqual(declared, expected - {"sc_main"})

    def test_what_the_header_declares_has_not_changed(self):
        """Types, numbers, structures and functions, without comments: what compiled programs rely on (docs/releasing.md)."""
        recorded = HERE / "declarations.txt"
        now = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
        now = [" ".join(line.split()).rstrip(",") for line in now.splitlines() if line.strip()]
        before = recorded.read_text(encoding="utf-8").splitlines()
        gone = [line for line in before if line not in now]
        self.assertFalse(gone, "programs that were compiled with these lines of tessera.h rely on them: a new TESSERA_ABI_VERSION, and a new MAJOR "
                               "version")
        self.assertEqual(now, before, f"an addition to tessera.h belongs into {recorded.name} too")


if __name__ == "__main__":
    unittest.main()
