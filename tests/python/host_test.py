#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package of host programs, against a stand-in of the server."""
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
import warnings
import zipfile
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))

from cerebras.sdk import sdk_utils  # noqa: E402
from cerebras.sdk.debug.debug_util import debug_util  # noqa: E402
from cerebras.sdk.runtime import sdkruntimepybind as sdk  # noqa: E402
from tessera_csl import arguments, copies, runtime  # noqa: E402

COPY = {"streaming": False, "data_type": sdk.MemcpyDataType.MEMCPY_32BIT, "order": sdk.MemcpyOrder.ROW_MAJOR}
FAKE = Path(__file__).resolve().parent / "fake_server.py"


class HostTest(unittest.TestCase):
    """A folder of executables with the stand-in, and a folder of a compiled program."""

    def setUp(self):
        self.work = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.work)
        server = self.work / "tessera_csl_server"
        server.write_text(f"#!/bin/sh\nexec {sys.executable} -B {FAKE}\n", encoding="utf-8")
        server.chmod(0o755)
        self.out = self.work / "out"
        self.out.mkdir()
        (self.out / "tessera.json").write_text("{}", encoding="utf-8")
        environment = mock.patch.dict(os.environ, {"TESSERA_BIN": str(self.work), "TESSERA_OPTIONS": "--set a.b='c d' --quiet",
                                                   "TESSERA_PRESET": "wse3"})
        environment.start()
        self.addCleanup(environment.stop)

    def runtime(self):
        runtime = sdk.SdkRuntime(str(self.out), cmaddr="")
        runtime.load()
        runtime.run()
        return runtime

    def headers(self):
        return [json.loads(line) for line in (self.out / "headers").read_text(encoding="utf-8").splitlines()]

    def refused(self, kind, words, call, *args, **keywords):
        with self.assertRaises(kind) as raised:
            call(*args, **keywords)
        for word in words if isinstance(words, (list, tuple)) else [words]:
            self.assertIn(word, str(raised.exception))


class Copies(HostTest):
    def test_a_copy_carries_region_order_and_size(self):
        runtime = self.runtime()
        values = np.arange(12, dtype=np.float32).reshape(6, 2)
        runtime.memcpy_h2d(runtime.get_id("A"), values, 0, 1, 3, 1, 4, **dict(COPY, order=sdk.MemcpyOrder.COL_MAJOR))
        back = np.zeros((4, 3), np.float32)
        runtime.memcpy_d2h(back, runtime.get_id("y"), 1, 0, 2, 2, 3, **dict(COPY, data_type=sdk.MemcpyDataType.MEMCPY_16BIT))
        runtime.stop()
        np.testing.assert_array_equal(back.ravel(), np.arange(12, dtype=np.float32))
        load, h2d, d2h = self.headers()
        self.assertEqual(load["options"], ["--preset", "wse3", "--set", "a.b=c d", "--quiet"])
        self.assertEqual([h2d[k] for k in ("symbol", "region", "elements", "order", "bits")], ["A", [0, 1, 3, 1], 4, "column", 32])
        self.assertEqual([d2h[k] for k in ("symbol", "region", "elements", "order", "bits")], ["y", [1, 0, 2, 2], 3, "row", 16])

    def test_broadcasts_and_strides_take_the_part_that_is_sent(self):
        runtime = self.runtime()
        symbol = runtime.get_id("A")
        runtime.memcpy_h2d_rowbcast(symbol, np.zeros(2 * 5, np.uint32), 0, 0, 3, 2, 5, **COPY)
        runtime.memcpy_h2d_colbcast(symbol, np.zeros(3 * 5, np.uint32), 0, 0, 3, 2, 5, **COPY)
        runtime.memcpy_h2d_stride(symbol, np.zeros(2 * 1 * 5, np.uint32), 0, 0, 3, 2, 5, row_stride=2, col_stride=2, **COPY)
        runtime.memcpy_h2d(7, np.zeros(6, np.uint32), 0, 0, 3, 2, 1, **dict(COPY, streaming=True))
        runtime.stop()
        row, column, stride, stream = self.headers()[1:]
        self.assertEqual((row["broadcast"], column["broadcast"], stride["strides"]), ("row", "column", [2, 2]))
        self.assertEqual(stream["color"], 7)

    def test_a_symbol_of_another_program_is_refused(self):
        runtime = self.runtime()
        symbol, values = runtime.get_id("A"), np.zeros(6, np.uint32)
        other = copies.SymbolHandle(symbol, [{"name": "b", "kind": "variable"}] * (symbol + 1))
        with self.assertRaisesRegex(ValueError, "'b' is of another program"):
            runtime.memcpy_h2d(other, values, 0, 0, 3, 2, 1, **COPY)
        runtime.memcpy_h2d(symbol, values, 0, 0, 3, 2, 1, **COPY)
        runtime.stop()

    def test_longer_arrays_give_and_take_their_first_elements(self):
        runtime = self.runtime()
        runtime.memcpy_h2d(runtime.get_id("A"), np.arange(9, dtype=np.uint32), 0, 0, 3, 2, 1, **COPY)
        back = np.full((2, 4), 77, np.uint32)
        runtime.memcpy_d2h(back, runtime.get_id("A"), 0, 0, 3, 2, 1, **COPY)
        runtime.stop()
        np.testing.assert_array_equal(back.ravel(), [0, 1, 2, 3, 4, 5, 77, 77])

    def test_sizes_of_numpy_integers_do_not_overflow(self):
        runtime = self.runtime()
        self.refused(ValueError, "moves 180000", runtime.memcpy_h2d, runtime.get_id("A"), np.zeros(4, np.uint32), np.int16(0),
                     np.int16(0), np.int16(3), np.int16(2), np.int16(30000), **COPY)
        runtime.stop()

    def test_copies_all_by_position(self):
        runtime = self.runtime()
        symbol, back = runtime.get_id("A"), np.zeros(6, np.uint32)
        runtime.memcpy_h2d(symbol, np.arange(6, dtype=np.uint32), False, 0, 0, 3, 2, 1, 0, False)
        task = runtime.memcpy_d2h(back, symbol, False, 0, 0, 3, 2, 1, 0, True)
        runtime.memcpy_h2d(7, np.arange(6, dtype=np.uint32), True, 0, 0, 3, 2, 1)
        runtime.task_wait(task)
        runtime.stop()
        self.assertEqual(list(back), [0, 1, 2, 3, 4, 5])
        self.assertEqual(self.headers()[3]["color"], 7)

    def test_a_refused_copy_leaves_no_descriptor(self):
        runtime = self.runtime()
        big = np.zeros(6 << 18, np.uint32)
        before = len(os.listdir("/proc/self/fd"))
        for _ in range(5):
            self.refused(ValueError, "the machine refuses", runtime.memcpy_h2d, runtime.get_id("refused"), big, 0, 0, 3, 2, 1 << 18, **COPY)
            self.refused(ValueError, "the machine refuses", runtime.memcpy_d2h, big, runtime.get_id("refused"), 0, 0, 3, 2, 1 << 18, **COPY)
            self.refused(ValueError, "a function", runtime.memcpy_h2d, runtime.get_id("compute"), big, 0, 0, 3, 2, 1 << 18, **COPY)
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
        runtime.stop()

    def test_a_task_belongs_to_its_runtime(self):
        first, second = self.runtime(), self.runtime()
        task = first.launch("compute", 1, 1.0, 1, nonblock=True)
        self.refused(ValueError, "another runtime", second.task_wait, task)
        self.refused(ValueError, "another runtime", second.is_task_done, task)
        first.task_wait(task)
        first.stop()
        second.stop()

    def test_large_arrays_travel_in_shared_memory(self):
        runtime = self.runtime()
        values = np.arange(6 << 18, dtype=np.uint32)
        task = runtime.memcpy_h2d(runtime.get_id("A"), values, 0, 0, 3, 2, 1 << 18, nonblock=True, **COPY)
        back = np.zeros_like(values)
        runtime.memcpy_d2h(back, runtime.get_id("A"), 0, 0, 3, 2, 1 << 18, **COPY)
        self.assertTrue(runtime.is_task_done(task))
        runtime.stop()
        np.testing.assert_array_equal(back, values)
        self.assertTrue(all("file" in header for header in self.headers()[1:]))

    def test_shared_memory_is_not_needed(self):
        with mock.patch("os.posix_fallocate", side_effect=OSError(28, "No space left on device")):
            runtime = self.runtime()
            values = np.arange(6 << 18, dtype=np.uint32)
            back = np.zeros_like(values)
            for task in (runtime.memcpy_h2d(runtime.get_id("A"), values, 0, 0, 3, 2, 1 << 18, nonblock=True, **COPY),
                         runtime.memcpy_d2h(back, runtime.get_id("A"), 0, 0, 3, 2, 1 << 18, nonblock=True, **COPY)):
                runtime.task_wait(task)
            runtime.stop()
        np.testing.assert_array_equal(back, values)

    def test_a_call_without_blocking_has_taken_its_data(self):
        runtime = self.runtime()
        values = np.arange(6, dtype=np.uint32)
        runtime.memcpy_h2d(runtime.get_id("A"), values, 0, 0, 3, 2, 1, nonblock=True, **COPY)
        values[:] = 0
        back = np.zeros(6, np.uint32)
        task = runtime.memcpy_d2h(back, runtime.get_id("A"), 0, 0, 3, 2, 1, nonblock=True, **COPY)
        runtime.stop()
        self.assertTrue(runtime.is_task_done(task))
        np.testing.assert_array_equal(back, np.arange(6))

    def test_several_runtimes_live_side_by_side(self):
        first, second = self.runtime(), self.runtime()
        for runtime, value in ((first, 1), (second, 2)):
            runtime.memcpy_h2d(runtime.get_id("A"), np.full(6, value, np.uint32), 0, 0, 3, 2, 1, **COPY)
        for runtime, value in ((first, 1), (second, 2)):
            back = np.zeros(6, np.uint32)
            runtime.memcpy_d2h(back, runtime.get_id("A"), 0, 0, 3, 2, 1, **COPY)
            self.assertEqual(set(back), {value})
            runtime.stop()


class Launches(HostTest):
    def test_arguments_are_words_by_declared_type(self):
        runtime = self.runtime()
        runtime.launch("compute", np.int16(-2), np.float32(1.5), np.uint32(7), nonblock=False)
        runtime.call("compute", [3, 2.0, 0xFFFFFFFF])
        runtime.call("compute", np.array([0xFFFF8001, 0x40000000, 5], np.uint32))
        runtime.stop()
        first, second, raw = (header["arguments"] for header in self.headers()[1:])
        self.assertEqual(first, [0xFFFE, 0x3FC00000, 7])
        self.assertEqual(second, [3, 0x40000000, 0xFFFFFFFF])
        self.assertEqual(raw, [0x8001, 0x40000000, 5])

    def test_words_hold_what_their_types_hold(self):
        words = lambda value, kind: arguments.raw_word(value, kind, "argument 0")
        for kind, (lowest, highest) in arguments.RANGES.items():
            self.assertEqual(words(highest, kind), highest)
            self.assertEqual(words(np.int64(lowest), kind), lowest % (2 if kind == "bool" else 2 ** int(kind[1:])))
            beyond = [lowest - 1, 2 ** 32 + 1, -2 ** 40] + ([] if kind[0] == "i" else [highest + 1])
            for number in beyond + [0x12345678 if kind not in ("i32", "u32") else 2 ** 33]:
                self.refused(TypeError, ["argument 0", kind, str(number), "outside"], words, number, kind)
        self.assertEqual([words(0xFFFF, "i16"), words(0xFFFFFF80, "i8"), words(0xC000, "f16"), words(-1, "f32")],
                         [0xFFFF, 0x80, 0xC000, 0xFFFFFFFF])
        for number, kind in ((0x10000, "i16"), (0xFFFF7FFF, "i16"), (0xFFFF8000, "u16"), (0x10000, "f16"), (0x1FF, "i8")):
            self.refused(TypeError, [kind, "outside"], words, number, kind)
        self.refused(TypeError, ["i64", "cannot pass"], words, 1, "i64")

    def test_wrong_arguments_are_refused_before_anything_runs(self):
        runtime = self.runtime()
        self.refused(TypeError, ["takes 3 arguments", "i16, f32, u32", "not 1"], runtime.launch, "compute", np.int16(1))
        self.refused(TypeError, ["argument 0", "i16", "int32"], runtime.launch, "compute", np.int32(1), 1.0, 1)
        self.refused(TypeError, ["argument 1", "f32"], runtime.launch, "compute", 1, "one", 1)
        self.refused(TypeError, ["argument 1", "f32", "int16"], runtime.launch, "compute", 1, np.int16(1), 1)
        self.refused(TypeError, ["argument 2", "u32", "-1"], runtime.launch, "compute", 1, 1.0, -1)
        for large in (1e300, -1e39, np.float64(3.5e38), 10**400):  # an f32 would be infinite
            self.refused(TypeError, ["argument 1", "f32", "largest"], runtime.launch, "compute", 1, large, 1)
        self.refused(ValueError, ["no exported symbol 'comptue'", "did you mean 'compute'"], runtime.launch, "comptue")
        self.refused(ValueError, "a variable", runtime.launch, "A")
        runtime.stop()
        self.assertEqual(len(self.headers()), 1)


class BadUse(HostTest):
    def test_copies(self):
        runtime = self.runtime()
        symbol, values = runtime.get_id("A"), np.zeros(6, np.float32)
        copy = runtime.memcpy_h2d
        self.refused(ValueError, ["'B'", "'A'"], runtime.get_id, "B")
        self.refused(ValueError, ["5 elements", "moves 6"], copy, symbol, np.zeros(5, np.float32), 0, 0, 3, 2, 1, **COPY)
        self.refused(ValueError, ["float64", "one element a word"], copy, symbol, np.zeros(6), 0, 0, 3, 2, 1, **COPY)
        self.refused(TypeError, "a list", copy, symbol, [0] * 6, 0, 0, 3, 2, 1, **COPY)
        self.refused(ValueError, ["(1, 0)", "3 x 2 PEs"], copy, symbol, values, 1, 0, 3, 2, 1, **COPY)
        self.refused(ValueError, "elem_per_pe is 0", copy, symbol, values, 0, 0, 3, 2, 0, **COPY)
        self.refused(TypeError, "what get_id() returned", copy, 0, values, 0, 0, 3, 2, 1, **COPY)
        self.refused(ValueError, "takes a color", copy, 99, values, 0, 0, 3, 2, 1, **dict(COPY, streaming=True))
        self.refused(ValueError, ["no color 6 as MEMCPYH2D_k", "gives 7"], copy, 6, values, 0, 0, 3, 2, 1,
                     **dict(COPY, streaming=True))
        self.refused(TypeError, ["as a list", "'compute'"], runtime.call, "compute", 5)
        self.refused(TypeError, ["argument 0", "outside"], runtime.call, "compute", [1 << 32, 1, 1])
        self.refused(TypeError, ["by position", "px, py"], copy, symbol, values, True, 0, 0, 3, 2)
        self.refused(TypeError, "not None", runtime.task_wait, None)
        self.refused(TypeError, "not 3", runtime.is_task_done, 3)
        self.refused(ValueError, "a function", copy, runtime.get_id("compute"), values, 0, 0, 3, 2, 1, **COPY)
        copy(runtime.get_id("y"), values, 0, 0, 3, 2, 1, **COPY)  # its pointer is constant, not the array
        self.refused(TypeError, "MemcpyOrder", copy, symbol, values, 0, 0, 3, 2, 1, **dict(COPY, order="row"))
        self.refused(TypeError, "not contiguous", runtime.memcpy_d2h, np.zeros((6, 2), np.float32)[:, 0], symbol, 0, 0, 3, 2, 1,
                     **COPY)
        runtime.stop()

    def test_order_of_calls(self):
        runtime = sdk.SdkRuntime(self.out)
        self.refused(RuntimeError, ["launch needs load() and run()", "created"], runtime.launch, "compute", 1, 1, 1)
        self.refused(RuntimeError, "after load()", runtime.run)
        runtime.load()
        self.refused(RuntimeError, "once", runtime.load)
        runtime.run()
        runtime.stop()
        self.refused(RuntimeError, "after stop()", runtime.launch, "compute", 1, 1, 1)
        self.refused(RuntimeError, "before", runtime.stop)

    def test_a_machine_cannot_be_reached(self):
        for call in (lambda: sdk.SdkRuntime(self.out, cmaddr="10.0.0.1:9000"), lambda: sdk.get_platform("10.0.0.1:9000"),
                     lambda: debug_util(self.out, cmaddr="10.0.0.1:9000"), sdk.get_system):
            self.refused(RuntimeError, "simulator", call)

    def test_unknown_keywords_are_accepted_with_a_warning(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            sdk.SdkRuntime(self.out, some_future_option=1)
        self.assertIn("some_future_option", str(caught[0].message))

    def test_numpy_2_is_remarked_once(self):
        # The NumPy of this machine may be a 2 itself, and an earlier case has heard the remark then.
        with mock.patch.object(np, "__version__", "2.2.0"), mock.patch("sys.stderr", io.StringIO()) as said, \
                mock.patch.object(runtime._warn_about_numpy_2, "done", False):
            for _ in range(2):
                sdk.SdkRuntime(self.out)
        self.assertEqual(said.getvalue().count("NumPy 2.2.0"), 1)

    def test_no_compiled_program(self):
        self.refused(RuntimeError, "no compiled program", sdk.SdkRuntime, self.work)

    def test_no_server(self):
        with mock.patch.dict(os.environ, {"TESSERA_BIN": "/nowhere"}):
            self.refused(RuntimeError, ["tessera_csl_server", "/nowhere", "cs_python"], sdk.SdkRuntime, self.out)


class LostServer(HostTest):
    def test_a_crash_is_one_exception(self):
        runtime = self.runtime()
        self.refused(RuntimeError, "SIGSEGV", runtime.launch, "crash")
        self.refused(RuntimeError, ["has ended", "SIGSEGV"], runtime.launch, "leave")
        runtime.stop()

    def test_a_crash_of_a_call_without_blocking_is_raised_by_the_next(self):
        runtime = self.runtime()
        runtime.launch("crash", nonblock=True)
        self.refused(RuntimeError, "SIGSEGV", runtime.launch, "leave")

    def test_an_exit_is_told(self):
        self.refused(RuntimeError, "exit status 3", self.runtime().launch, "leave")

    def test_a_command_that_cannot_end(self):
        runtime = self.runtime()
        self.refused(RuntimeError, ["cannot end", "waits for color 3"], runtime.launch, "stuck")
        self.refused(RuntimeError, ["has ended", "cannot end"], runtime.launch, "compute", 1, 1, 1)
        runtime.stop()

    def test_a_mistake_does_not_end_the_run(self):
        runtime = self.runtime()
        self.refused(ValueError, "refuses", runtime.launch, "refuse")
        runtime.launch("compute", 1, 1.0, 1)
        runtime.launch("refuse", nonblock=True)
        self.refused(ValueError, "refuses", runtime.stop)

    def test_no_server_is_left_when_the_script_ends(self):
        script = (f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r})\n"
                  "from cerebras.sdk.runtime.sdkruntimepybind import SdkRuntime\n"
                  f"r = SdkRuntime({str(self.out)!r}); r.load(); r.run(); print(r._server._process.pid)\n"
                  "raise SystemExit(1)\n")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True, check=False)
        pid = int(done.stdout)
        deadline = time.monotonic() + 10
        while os.path.exists(f"/proc/{pid}") and time.monotonic() < deadline:
            time.sleep(0.01)
        self.assertFalse(os.path.exists(f"/proc/{pid}"))


class Streams(HostTest):
    def test_both_directions(self):
        runtime = self.runtime()
        back = np.zeros(3, np.float32)
        task = runtime.receive("z", back, 3, nonblock=True)
        self.assertFalse(runtime.is_task_done(task))
        runtime.send("x", np.array([1, 2, 3], np.float32), nonblock=True)
        runtime.stop()
        np.testing.assert_array_equal(back, [1, 2, 3])

    def test_elements_of_16_bits_travel_one_a_word(self):
        runtime = self.runtime()
        runtime.send(runtime.get_port_id("x"), np.array([1, -2, 9], np.int16), 2)
        back = np.zeros(2, np.int16)
        runtime.receive("z", back, 2)
        runtime.stop()
        np.testing.assert_array_equal(back, [1, -2])

    def test_what_comes_out_is_written_to_a_file(self):
        runtime, file = self.runtime(), self.work / "words"
        task = runtime.receive_tofile("z", file)
        self.assertFalse(runtime.is_task_done(task))
        runtime.send("x", np.array([1, 2, 3], np.float32), nonblock=True)
        self.refused(RuntimeError, "receive_tofile", runtime.receive, "z", np.zeros(1, np.float32))
        self.refused(RuntimeError, "already", runtime.receive_tofile, "z", file)
        self.refused(OSError, "nowhere", runtime.receive_tofile, runtime.get_port_id("z"), self.work / "nowhere" / "words")
        runtime.stop()
        self.assertTrue(runtime.is_task_done(task))
        np.testing.assert_array_equal(np.fromfile(file, np.float32), [1, 2, 3])

    def test_bad_use(self):
        runtime = self.runtime()
        values = np.zeros(2, np.uint32)
        self.refused(ValueError, "input stream", runtime.receive_tofile, "x", "words")
        self.refused(ValueError, ["no stream 'w'", "'x', 'z'"], runtime.send, "w", values)
        self.refused(ValueError, "output stream", runtime.send, "z", values)
        self.refused(ValueError, ["3 wavelets", "2 elements"], runtime.receive, "z", values, 3)
        self.refused(TypeError, "must be given", runtime.send, "x", np.zeros(2, np.int16))
        task = runtime.receive("z", values, 2, nonblock=True)
        self.refused(RuntimeError, "cannot end", runtime.task_wait, task)


class AfterTheRun(HostTest):
    def test_variables_are_read_before_and_after_stop_and_from_elsewhere(self):
        runtime = self.runtime()
        np.testing.assert_array_equal(runtime.read_symbol(4, 1, "A"), np.arange(8))
        runtime.dump_core(str(self.work / "core"))
        runtime.stop()
        runtime.dump_core(str(self.work / "core2"))
        with zipfile.ZipFile(self.work / "core") as one, zipfile.ZipFile(self.work / "core2") as other:
            self.assertEqual({n: one.read(n) for n in one.namelist()}, {n: other.read(n) for n in ("memory.json", "memory.bin")})
        expected = np.arange(8, 16, dtype=np.uint8)
        np.testing.assert_array_equal(runtime.read_symbol(5, 1, "A").view(np.uint16), expected.view(np.uint16))
        reader = debug_util(self.out)
        np.testing.assert_array_equal(reader.get_symbol(5, 1, "A", np.uint32), expected.view(np.uint32))
        self.assertEqual(reader.get_symbol_rect(((4, 1), (2, 1)), "A", np.uint32).shape, (2, 1, 2))
        self.assertEqual(reader.read_trace(5, 1, "k"), ["one", 3 + (4 << 16) + (5 << 32), True, 1.5, -2])
        self.refused(ValueError, ["PE (0, 0)", "(4, 1)"], reader.get_symbol, 0, 0, "A", np.uint32)
        self.refused(ValueError, ["'B'", "'A'"], reader.get_symbol, 4, 1, "B", np.uint32)

    def test_no_run(self):
        self.refused(RuntimeError, "no memory of a run", debug_util, self.out)


class Utilities(unittest.TestCase):
    def test_input_array_to_u32(self):
        values = np.array([[1, -1], [3, 4]], np.int16)
        np.testing.assert_array_equal(sdk_utils.input_array_to_u32(values, None, 1), [1, 0xFFFF, 3, 4])
        self.assertEqual([int(sdk_utils.cast_uint32(one)) for one in (np.int16(-1), np.float16(1), np.float32(-2), 1.5, -1)],
                         [0xFFFF, 0x3C00, 0xC0000000, 0x3FC00000, 0xFFFFFFFF])
        np.testing.assert_array_equal(sdk_utils.cast_uint32(np.array([[1, -1]], np.int16)), [[1, 0xFFFF]])
        for kind in "iuf":
            for size in (2, 4):
                for order in "<>":
                    numbers = np.array([1, 2], f"{order}{kind}{size}")
                    words = numbers.astype(f"<{kind}{size}").view(f"<u{size}")
                    np.testing.assert_array_equal(sdk_utils.cast_uint32(numbers), words)
                    self.assertEqual(int(sdk_utils.cast_uint32(numbers[0])), int(words[0]))
        for wrong in ("1", None, np.float64(1), True, 1 << 32, -(1 << 31) - 1, 1e300, np.ma.array([1], mask=[1], dtype=np.int32)):
            self.assertRaises(RuntimeError, sdk_utils.cast_uint32, wrong)
        self.assertRaises(ValueError, sdk_utils.memcpy_view, np.ma.array([1], mask=[1], dtype=np.int32), np.int16)
        self.assertRaises(ValueError, sdk_utils.input_array_to_u32, np.zeros(2, np.int16), 0, 0)
        self.assertEqual(sdk_utils.sub_ts([0xFFFF, 0, 1, 4, 1, 1]), 5)
        self.assertEqual((sdk_utils.make_u48([1, 2, 3]), sdk_utils.float_to_hex(np.float32(1))), (0x300020001, "0x3f800000"))
        functions = sdk_utils.parse_host_callable_api([
            {"kind": "Var", "name": "y", "type": "f32"},
            {"kind": "Func", "name": "f", "type": "void", "inputs": [{"name": "n", "type": "i16"}, {"name": "x", "type": "f32"}]}])
        self.assertEqual(functions, {"f": (["n", "x"], ["i16", "f32"])})
        for wrong in ({"kind": "Func"}, {"kind": "Func", "name": "f", "inputs": [{"name": "n"}]}, {"kind": "Func", "name": 3}):
            self.assertRaises(RuntimeError, sdk_utils.parse_host_callable_api, [wrong])
        self.assertTrue(sdk_utils.check_rpc_api("f", [np.int16(3), np.float32(1)], functions))
        for arguments in ([3], [70000, 1.0], [1.5, 1.0]):
            self.assertFalse(sdk_utils.check_rpc_api("f", arguments, functions))
        self.assertFalse(sdk_utils.check_rpc_api("g", [], functions))
        self.assertEqual([sdk_utils.getOutputNameFromCompileOptions(one) for one in (["a.csl", "-o", "d"], ["-o=e"], ["a.csl"])],
                         ["d", "e", "out"])
        np.testing.assert_array_equal(sdk_utils.input_array_to_u32(values, 0, 2), [1, 0x1FFFF, 3, 0x10004])
        words = sdk_utils.input_array_to_u32(np.array([1.0], np.float32), None, 1)
        self.assertEqual((words.dtype, words[0]), (np.uint32, 0x3F800000))
        with self.assertRaises(ValueError):
            sdk_utils.input_array_to_u32(np.zeros(2), None, 1)

    def test_memcpy_view_writes_into_the_words(self):
        words = np.array([[0x12345678, 0x9ABCDEF0]], np.uint32)
        np.testing.assert_array_equal(sdk_utils.memcpy_view(words, np.uint16), [[0x5678, 0xDEF0]])
        sdk_utils.memcpy_view(words, np.dtype(np.uint8))[0, 1] = 1
        self.assertEqual(words[0, 1], 0x9ABCDE01)
        self.assertIs(sdk_utils.memcpy_view(words, np.float32).base, words)

    def test_calculate_cycles(self):
        start, end = 0x0002_0001_FFFF, 0x0003_0000_0005
        packed = start | end << 48
        words = np.array([packed >> shift & 0xFFFFFFFF for shift in (0, 32, 64)], np.uint32).view(np.float32)
        self.assertEqual(sdk_utils.calculate_cycles(words), end - start)


if __name__ == "__main__":
    unittest.main()
