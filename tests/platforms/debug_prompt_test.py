"""The prompt of `tessera debug` (docs/debugger.md).

    debug_prompt_test.py WSE_PLATFORM ROOT
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from debug_session import BIN, GEMV, ROOT


class Prompt(unittest.TestCase):
    def tessera(self, script, *program, expect=0):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "script"
            file.write_text(script)
            command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "debug", *program, "-x", str(file), "--batch"]
            result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300,
                                    env={**os.environ, "TESSERA_BIN": str(BIN)})
        self.assertEqual(result.returncode, expect, result.stdout + result.stderr)
        return result.stdout

    def test_a_session(self):
        said = self.tessera("""break pe.csl:60 pe=(2,1) if left == 2
run
where
print left
print y[0..4]
x/4f &y
info regs
info tasks
info queues
info dsr
info routes
info waits
list
disas
stepi
next
delete 1
tbreak done pe=(3,0)
continue
pe 0,0
why 0,0
watch left pe=(0,0)
continue
info breakpoints
""", *GEMV)
        for words in ("breakpoint 1 at pe.csl:60", "breakpoint 1, examples/csl/gemv/pe.csl:60", "PE (2, 1)", "#0 task on_x",
                      "(tessera) print left\n2\n", "r15: u16", "on_x: data task", "> 60", "=> ", "PE (3, 0)", "task done",
                      "PE (0, 0)", "the run is over, exit code 0", "3: watch left, 0 hits"):
            self.assertIn(words, said)

    def test_numbers_of_breakpoints_stay(self):
        """They are the user's, for the whole session: going back runs again, a refused one takes none, ignore changes one."""
        said = self.tessera("""break pe.csl:50
break pe.csl:0
break nowhere.csl:3
break pe.csl:53
break pe.csl:60
delete 1
run
ignore 3 1
stepi
back
info breakpoints
delete 2
info breakpoints
step -1
step abc
continue 0
stepi -1
back x
""", *GEMV, expect=1)  # some are refused
        self.assertIn("breakpoint 2 at pe.csl:53", said)
        self.assertIn("breakpoint 3 at pe.csl:60", said)
        self.assertIn("the first line of a file has the number 1", said)
        lists = [part.partition("(tessera)")[0] for part in said.split("(tessera) info breakpoints\n")[1:]]
        for numbers, text in zip((["2", "3"], ["3"]), lists):
            self.assertEqual(re.findall(r"^ *(\d+)[ :]", text, re.MULTILINE), numbers, text)
        for words in ("step takes nothing more: '-1'", "step takes nothing more: 'abc'", "continue takes nothing more: '0'",
                      "expected such as stepi 10", "expected such as back 10"):
            self.assertIn(words, said)

    def test_going_back(self):
        said = self.tessera("""tbreak done pe=(3,0)
run
print left
back 5
print cycle
goto 300
print cycle
goto 200
print cycle
stepc
print cycle
""", *GEMV)
        cycles = [int(n) for n in re.findall(r"\(tessera\) print cycle\n(\d+)", said)]
        self.assertEqual(len(cycles), 4, said)
        self.assertTrue(cycles[1] >= 300 and 200 <= cycles[2] < cycles[3], cycles)

    def test_mistakes_are_said(self):
        said = self.tessera("break nowhere.csl:3\nprint nothing\nfly\nrun\nrun\n", *GEMV, expect=1)
        self.assertIn("error: no program has code of nowhere.csl", said)
        self.assertIn("error: the PE has no 'nothing'", said)

    def test_a_line_before_the_run_is_of_the_file_that_the_program_has(self):
        self.assertIn("breakpoint 1 at pe.csl:60", self.tessera("break 60\n", *GEMV))
        self.assertIn("breakpoint 1 at gemv.tasm:", self.tessera("break 12\n", "examples/gemv_stream/layout.json"))
        self.assertIn("there is no source here; name it, as in receiver.tasm:73; files: receiver.tasm, sender.tasm",
                      self.tessera("break 12\n", "examples/hello_wavelet/layout.json", expect=1))

    def test_what_is_no_text_is_said(self):
        """Bytes that are no UTF-8 come to the debugger as no request; it answers, and nobody waits for another answer."""
        for options, text, expect in ((["-ex", b"print \xff\xfe", "--batch"], b"", 1), ([], b"print \xff\xfe\nprint 41 + 1\n", 0)):
            command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "debug", *GEMV, *options]
            result = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, check=False, timeout=300,
                                    env={**os.environ, "TESSERA_BIN": str(BIN), "PYTHONUTF8": "1"})
            self.assertEqual(result.returncode, expect, result.stderr)
            self.assertIn(b"error: the message is no JSON object", result.stdout)
            self.assertEqual(b"42" in result.stdout, not options)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "script").write_bytes(b"\xff\n")
            for script in ("script", "absent", "."):
                command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "debug", *GEMV, "-x", str(pathlib.Path(folder) / script), "--batch"]
                result = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300,
                                        env={**os.environ, "TESSERA_BIN": str(BIN)})
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertNotIn("Traceback", result.stderr)

    def test_attaching_to_what_is_no_run(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "socket"
            for words in ("nobody waits", "is no socket of a run"):
                command = [sys.executable, "-B", str(ROOT / "scripts/tessera.py"), "attach", str(path)]
                result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual(result.returncode, 2)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1)
                path.write_text("a file")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
