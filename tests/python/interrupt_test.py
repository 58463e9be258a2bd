#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupts at random times: the session goes on, and every value is right. interrupt_test.py FOLDER, which has cs_python."""
import contextlib
import gc
import os
import random
import signal
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import numpy.testing  # np.testing imports itself when it is first used, and an interrupt would leave it in pieces

ROOT = Path(__file__).resolve().parents[2]
SDK = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/sdk/bin").resolve()
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).resolve().parent), str(ROOT / "tests/support")]
os.environ["TESSERA_BIN"] = str(SDK.parent.parent / "bin")

import server_program  # noqa: E402
import share  # noqa: E402
from cerebras.sdk.runtime import sdkruntimepybind as sdk  # noqa: E402

COPY = {"streaming": False, "data_type": sdk.MemcpyDataType.MEMCPY_32BIT, "order": sdk.MemcpyOrder.ROW_MAJOR}
INTERRUPTS = share.count(1000, otherwise=200)


class Interrupter:
    """Runs work that is cut off at a random time."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.armed = False
        signal.signal(signal.SIGALRM, self.interrupt)

    def interrupt(self, *_):
        if self.armed:
            self.armed = False
            raise KeyboardInterrupt

    def run(self, work, longest):
        """Whether the work came to its end."""
        try:
            self.armed = True
            signal.setitimer(signal.ITIMER_REAL, self.random.uniform(2e-5, longest))
            work()
            self.armed = False
            return True
        except KeyboardInterrupt:
            return False
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)


class Alarm(RuntimeError):
    """What a program raises in a handler of its own; the machine raises errors of this kind too."""


def interrupt_at(line, kind, call, has_ended):
    """Calls with an interrupt of this kind at that line of the package, and again until it has ended. Whether there was one."""
    package, lines = str(ROOT / "python/tessera_csl"), 0

    def at_line(frame, event, _):
        nonlocal lines
        if not frame.f_code.co_filename.startswith(package):
            return None
        if event == "line":
            lines += 1
            if lines == line:
                raise kind
        return at_line
    before = sys.gettrace()
    sys.settrace(at_line)
    with contextlib.suppress(kind):
        try:
            call()
        finally:
            sys.settrace(before)
    if not has_ended():
        call()
    return lines >= line


class Interrupts(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(work.name)
        self.version = os.popen(f"{SDK}/cslc --version").read().split()[-1]
        self.interrupter = Interrupter(7)
        self.addCleanup(signal.signal, signal.SIGALRM, signal.SIG_DFL)

    @staticmethod
    def start(folder):
        runtime = sdk.SdkRuntime(folder)
        runtime.load()
        runtime.run()
        return runtime

    def test_a_session_survives_interrupts(self):
        server_program.write("out", self.version)
        runtime = self.start("out")
        symbol, choose = runtime.get_id("A"), random.Random(3)

        def copy(values, nonblock=False):
            back = np.zeros(24, np.float32)
            runtime.memcpy_h2d(symbol, values, 0, 0, 3, 2, 4, nonblock=nonblock, **COPY)
            runtime.memcpy_d2h(back, symbol, 0, 0, 3, 2, 4, **COPY)
            np.testing.assert_array_equal(back, values)

        def work():
            for _ in range(40):
                which = choose.randrange(6)
                if which < 3:
                    copy(np.full(24, choose.random(), np.float32), which == 0)
                elif which == 3:
                    with mock.patch("tessera_csl.shared.LARGE", 16):
                        copy(np.full(24, choose.random(), np.float32))
                elif which == 4:
                    runtime.task_wait(runtime.launch("put", 1.5, 2, nonblock=True))
                else:
                    runtime.read_symbol(4, 1, "B")
        descriptors = len(os.listdir("/proc/self/fd"))
        interrupts = 0
        while interrupts < INTERRUPTS:
            if not self.interrupter.run(work, 0.004):
                interrupts += 1
                if interrupts % 10 == 0:
                    copy(np.arange(24, dtype=np.float32) + interrupts)
        copy(np.arange(24, dtype=np.float32))
        gc.collect()
        self.assertLessEqual(len(os.listdir("/proc/self/fd")), descriptors)
        runtime.stop()
        self.assertEqual(list(runtime.read_symbol(6, 2, "A", np.float32)), [20, 21, 22, 23])

    def test_a_start_and_a_stop_may_be_made_again(self):
        server_program.write_echo("out", self.version)
        interrupts = 0
        for _ in range(max(12, INTERRUPTS // 60)):
            runtime = sdk.SdkRuntime("out")
            runtime.load()
            while runtime._state == "loaded" and not self.interrupter.run(runtime.run, 0.05):  # pylint: disable=protected-access
                interrupts += 1
            runtime.receive_tofile("z", "words")
            runtime.send("x", np.arange(6, dtype=np.float32), nonblock=True)
            while runtime._state != "stopped" and not self.interrupter.run(runtime.stop, 0.03):  # pylint: disable=protected-access
                interrupts += 1
            self.assertEqual(list(np.fromfile("words", np.float32)), [0, 1, 2, 3, 4, 5])
            self.assertEqual(list(runtime.read_symbol(0, 0, "last", np.uint32)), [0])
        self.assertGreater(interrupts, 0)

    def test_a_start_and_a_stop_survive_an_interrupt_at_any_line(self):
        server_program.write_echo("out", self.version)
        for name, kind in (("run", KeyboardInterrupt), ("stop", KeyboardInterrupt), ("stop", Alarm)):
            lines = 1
            while self.is_interrupted_in(name, kind, lines):
                lines += 1 + lines * 60 // INTERRUPTS
            self.assertGreater(lines, 20, name)

    def is_interrupted_in(self, name, kind, line):
        """Whether the method executes that many lines of the package; it is called again until it has ended."""
        runtime, interrupted = sdk.SdkRuntime("out"), False
        runtime.load()
        for method, end in ((runtime.run, "running"), (runtime.stop, "stopped")):
            if method.__name__ == "stop":
                runtime.receive_tofile("z", "words")
                runtime.send("x", np.arange(6, dtype=np.float32), nonblock=True)
            if method.__name__ == name:
                interrupted = interrupt_at(line, kind, method, lambda: runtime._state == end)  # pylint: disable=protected-access
            else:
                method()
        with self.subTest(method=name, kind=kind, line=line):
            self.assertEqual(list(np.fromfile("words", np.float32)), [0, 1, 2, 3, 4, 5])
            self.assertEqual(list(runtime.read_symbol(0, 0, "last", np.uint32)), [0])
        return interrupted


if __name__ == "__main__":
    unittest.main()
