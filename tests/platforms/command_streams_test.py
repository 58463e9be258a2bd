# SPDX-License-Identifier: Apache-2.0
"""Commands in Python with streams that are closed or full, and interrupted before they have begun.

    command_streams_test.py WSE_PLATFORM ROOT
"""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

PLATFORM = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(sys.argv[2]).resolve()
SCRIPTS = ROOT / "scripts"
LAYOUT = str(ROOT / "examples/gemv_stream/layout.json")
SWEEP = [LAYOUT, "--param", "W=1,2", "--bin", str(PLATFORM.parent)]


class Streams(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.work = pathlib.Path(folder.name)
        self.environment = {**os.environ, "TESSERA_BIN": str(PLATFORM.parent)}

    def with_streams(self, redirection, script, *arguments):
        """Exit code, and what is left of both streams."""
        command = ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, str(SCRIPTS / script), *arguments]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240, cwd=self.work, env=self.environment)
        return result.returncode, result.stdout, result.stderr

    def test_a_stream_that_is_closed_changes_nothing(self):
        report = self.work / "r.json"
        subprocess.run([PLATFORM, LAYOUT, "--quiet", "--report", report], check=True, timeout=120)
        for redirection in (">&-", "2>&-", "<&-", "<&- >&- 2>&-"):
            for arguments in (["info"], ["show", "r.json"], ["diff", "r.json", "r.json"]):
                self.assertEqual(self.with_streams(redirection, "tessera.py", *arguments)[0], 0, (redirection, arguments))
            self.assertEqual(self.with_streams(redirection, "golden.py", "log", "--dir", str(ROOT / "tests/golden"))[0], 0, redirection)
            out = self.work / f"out{len(redirection)}"
            code, _, error = self.with_streams(redirection, "sweep.py", *SWEEP, "--out", str(out))
            self.assertEqual((code, len((out / "results.csv").read_text(encoding="utf-8").splitlines())), (0, 3), (redirection, error))

    def test_a_message_goes_to_its_own_stream_only(self):
        code, printed, error = self.with_streams("2>&-", "tessera.py", "show", "nowhere.json")
        self.assertEqual((code, printed, error), (2, "", ""))

    @unittest.skipUnless(os.path.exists("/dev/full"), "there is no full device")
    def test_a_stream_that_is_full_is_told(self):
        code, _, error = self.with_streams(">/dev/full", "tessera.py", "info")
        self.assertEqual((code, error), (2, "tessera: what it prints cannot be written: No space left on device\n"))

    def test_an_interrupt_while_modules_are_loaded_leaves_no_traceback(self):
        (self.work / "argparse.py").write_text("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(60)\n", encoding="utf-8")
        self.environment["PYTHONPATH"] = str(self.work)
        for script in ("tessera.py", "sweep.py", "golden.py"):
            result = subprocess.run([sys.executable, str(SCRIPTS / script), "--help"], capture_output=True, text=True, check=False, timeout=50,
                                    env=self.environment)
            self.assertEqual((result.returncode, result.stderr), (-signal.SIGINT, ""), script)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
