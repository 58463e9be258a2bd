#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The Python package tessera: runs as python3 tests/python/tessera_test.py, and with pytest."""
import json
import pathlib
import sys
import tempfile
import threading
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

import tessera  # noqa: E402

GEMV = ROOT / "examples/gemv_stream/layout.json"
JACOBI = ROOT / "examples/numesh/jacobi.json"
ADD = ROOT / "examples/ascend/vector_add.pto"


def gemv(machine, limit=None):
    """A = 1, 2, 3, 4 in every tile, x = 1, b = 10 and 20: y = 26 and 44 in each row."""
    for y in range(machine.height):
        for x in range(machine.width):
            machine.write("A", [1, 2, 3, 4], x, y)
    for y in range(3):
        machine.expect(machine.edge(3, y, "east"), 2, 2)
    machine.launch(machine.functions[0])
    for x in range(4):
        machine.send(machine.edge(x, 0, "north"), 0, [1.0, 1.0])
    for y in range(3):
        machine.send(machine.edge(0, y, "west"), 2, [10.0, 20.0])
    stop = machine.run(limit)
    return stop, [machine.receive(machine.edge(3, y, "east"), 2, np.float32).tolist() for y in range(3)]


class Mesh(unittest.TestCase):
    def test_launches_and_a_reset_in_the_middle(self):
        with tessera.Machine(JACOBI) as machine:
            self.assertEqual((machine.kind, machine.width, machine.functions), ("numesh", 6, ["program"]))
            np.testing.assert_array_equal(machine.read("u", 1, 1), [100, 101, 102, 103])
            digests = []
            for limit in (0, 200, 880):
                machine.launch("program")
                machine.run(limit)
                machine.reset()
                machine.launch("program")
                self.assertEqual(machine.run(), tessera.Stop.AT_REST)
                self.assertEqual(machine.read("u", 2, 2)[0], 157400)
                digests.append(machine.report()["digest"])
                machine.reset()
            self.assertEqual(digests, digests[:1] * 3)


class Types(unittest.TestCase):
    def test_symbols_are_of_the_types_of_the_program(self):
        layout = ROOT / "tests/platforms/wse/programs/types/layout.csl"
        for half, three in (("f16", [1.0, 2.5, -3.0]), ("bf16", [0x3F80, 0x4020, 0xC040]), ("cb16", [0x5400, 0x5680, 0xD700])):
            with tessera.Machine(layout, "--fp16-format", half) as machine:
                expected = {"bytes": [-1, 2, -3, 4, -128], "small": [1, 255, 3], "large": [-5000000000, 7], "huge": [5000000000], "words": [-1, 300]}
                for name, values in {**expected, "halves": three}.items():
                    self.assertEqual(machine.read(name).tolist(), values, (half, name))
                machine.write("bytes", [-5, 6, 7])
                machine.write("large", [-1])
                machine.write("huge", [2**64 - 1])
                self.assertEqual(machine.read("bytes").tolist(), [-5, 6, 7, 4, -128])
                self.assertEqual(machine.read("large").tolist(), [-1, 7])
                self.assertEqual(machine.read("huge").tolist(), [2**64 - 1])
                for name, value in (("bytes", [300]), ("small", [-200]), ("small", [1, 2, 3, 4])):
                    with self.assertRaises(ValueError):
                        machine.write(name, value)


class Ascend(unittest.TestCase):
    def setUp(self):
        source = ROOT / "examples/ascend/cpp/vector_add.cpp"
        self.add = tessera.ascend.compile(source, "--set", "launch.clusters=2", function="vector_add", preset="a2a3")
        self.a, self.b = np.random.default_rng(1).random((2, 384, 512), np.float32)

    def test_a_kernel_is_a_function(self):
        self.assertEqual([tuple(p) for p in self.add.parameters],
                         [("a", "f32", True), ("b", "f32", True), ("c", "f32", True), ("tiles", "i32", False)])
        for arguments, named in (((self.a, self.b, "f32[384,512]", 6), {}), ((self.a, self.b), {"tiles": 6, "c": np.zeros_like(self.a)})):
            run = self.add(*arguments, **named)
            np.testing.assert_array_equal(run["c"], self.a + self.b)
            np.testing.assert_array_equal(run.arrays["a"], self.a)
            self.assertEqual(run.report["status"], "finished")
            self.assertGreater(run.report["cycles"], 1000)

    def test_mistakes_raise(self):
        with self.assertRaisesRegex(TypeError, "no argument 'd'"):
            self.add(self.a, d=1)
        with self.assertRaisesRegex(TypeError, "takes 4 arguments, 5"):
            self.add(1, 2, 3, 4, 5)
        with self.assertRaisesRegex(tessera.Error, "give --arg tiles=NUMBER") as refused:
            self.add(self.a, self.b, self.a)
        self.assertEqual(refused.exception.status, 2)
        with self.assertRaises(tessera.FailedError) as failed:
            self.add(self.a, self.b, "f32[4]", 6)
        self.assertEqual(failed.exception.report["status"], "could_not_finish")
        for wrong in ((self.a.astype(np.int32), self.b, "f32[384,512]", 6), (self.a, self.b, "f32[384,512]", 6 + (1 << 32)),
                      (np.ma.masked_array(self.a, False), self.b, "f32[384,512]", 6)):
            with self.assertRaises((tessera.Error, TypeError)):
                self.add(*wrong)
        np.testing.assert_array_equal(self.add(self.a, self.b, "f32[384,512]", np.array(6))["c"], self.a + self.b)
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "wrong.cpp").write_text("__global__ AICORE void k() { nothing(); }")
            with self.assertRaisesRegex(tessera.Error, "does not compile"):
                tessera.ascend.compile(pathlib.Path(folder) / "wrong.cpp")


class Fabric(unittest.TestCase):
    def test_gemv_and_a_reset_in_the_middle(self):
        with tessera.Machine(GEMV) as machine:
            stop, result = gemv(machine)
            self.assertEqual(stop, tessera.Stop.AT_REST)
            self.assertEqual(result, [[26, 44]] * 3)
            digest, time = machine.report()["digest"], machine.time_ps
            for limit in (5, 30, 50):
                machine.reset()
                self.assertEqual(gemv(machine, limit)[0], tessera.Stop.AT_LIMIT)
                machine.reset()
                self.assertEqual(gemv(machine)[1], [[26, 44]] * 3)
                self.assertEqual(machine.report()["digest"], digest)
            self.assertGreater(machine.time_ps, time)

    def test_sram_is_a_view(self):
        with tessera.Machine(GEMV) as machine:
            symbol = machine.find_symbol("A", 1, 1)
            sram = machine.sram(1, 1)
            self.assertEqual(len(sram), machine.tile_bytes)
            view = sram[symbol.address:symbol.address + symbol.bytes].view(symbol.dtype)
            view[:] = [5, 6, 7, 8]
            np.testing.assert_array_equal(machine.read("A", 1, 1), [5, 6, 7, 8])
            with self.assertRaisesRegex(ValueError, "no NUL"):
                machine.read("A\0B", 1, 1)
            machine.write("A", [9], 1, 1)
            np.testing.assert_array_equal(view, [9, 6, 7, 8])
            machine.reset(keep_memory=True)
            np.testing.assert_array_equal(machine.read("A", 1, 1), [9, 6, 7, 8])
            machine.reset()
            np.testing.assert_array_equal(machine.read("A", 1, 1), [0, 0, 0, 0])

    def test_waits_are_a_table(self):
        with tessera.Machine(GEMV) as machine:
            machine.expect(machine.edge(3, 0, "east"), 2, 1)
            machine.run()
            waits = machine.waits()
            blocked = [wait for wait in waits if "host stream" in wait.who]
            self.assertEqual([wait.at for wait in blocked], [(3, 0)])
            self.assertIn("waits for", str(waits).splitlines()[0])
            self.assertIn("<table>", waits._repr_html_())
            machine.cancel(machine.edge(3, 0, "east"), 2)
            self.assertFalse([wait for wait in machine.waits() if "host stream" in wait.who])

    def test_a_listener_stops_the_run(self):
        with tessera.Machine(GEMV) as machine:
            seen = []

            def listener(notice, cycle):
                seen.append((notice, cycle))
                return notice == tessera.Notice.STREAM_DONE
            machine.listen(listener)
            self.assertEqual(gemv(machine)[0], tessera.Stop.ON_REQUEST)
            self.assertEqual(seen[-1][0], tessera.Notice.STREAM_DONE)
            machine.listen(None)
            self.assertEqual(machine.run(), tessera.Stop.AT_REST)

    def test_structures_and_machines_beside_each_other_agree(self):
        machines = [tessera.Machine(GEMV, "--structure", s) for s in ("modules", "dense")]
        for cycle in range(0, 100, 7):
            for machine in machines:
                machine.run(cycle)
        digests = []
        for machine in machines:
            gemv(machine)
            digests.append((machine.report()["digest"], machine.counters()))
            machine.close()
        self.assertEqual(digests[0], digests[1])

    def test_traces_are_complete_when_the_machine_is_closed(self):
        for program, *options in ((GEMV,), (ADD, "--param", "TILES=4")):
            with tempfile.TemporaryDirectory() as folder:
                trace = pathlib.Path(folder) / "trace.json"
                with tessera.Machine(program, *options, "--trace-perfetto", str(trace)) as machine:
                    machine.launch(machine.functions[0])
                    machine.run()
                self.assertGreater(len(json.loads(trace.read_text())["traceEvents"]), 50)

    def test_mistakes_are_exceptions(self):
        with self.assertRaisesRegex(tessera.Error, "nowhere.json"):
            tessera.Machine("/nowhere.json")
        with self.assertRaisesRegex(tessera.Error, "presett"):
            tessera.Machine(GEMV, "--presett", "wse3")
        with tessera.Machine(GEMV) as machine:
            with self.assertRaisesRegex(tessera.Error, "no symbol 'B'"):
                machine.read("B")
            with self.assertRaisesRegex(tessera.Error, "no function 'f'"):
                machine.launch("f")
            with self.assertRaisesRegex(ValueError, "16 bytes"):
                machine.write("A", np.ones(5))
            with self.assertRaises(KeyError):
                machine.edge(1, 1, "west")

    def test_illegal_behaviour_ends_with_a_reset(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a.tasm").write_text(
                "fn bad\n    movri r2, 0\n    st16 [0], r2\n    ret\nfn good\n    movri r2, 1\n    ret\n")
            layout = pathlib.Path(folder) / "a.json"
            layout.write_text('{"schema": "tessera-wse-layout-1", "grid": [1, 1], "tiles": [{"rect": [0, 0, 1, 1],'
                              ' "code": "a.tasm"}], "routes": [], "host": []}')
            with tessera.Machine(layout) as machine:
                machine.launch("bad")
                with self.assertRaisesRegex(tessera.FailedError, "code_store"):
                    machine.run()
                self.assertIn("code_store", machine.report()["message"])
                machine.reset()
                machine.launch("good")
                self.assertEqual(machine.run(), tessera.Stop.AT_REST)
                self.assertEqual(machine.open_launches, 0)


class Csl(unittest.TestCase):
    def run_gemv(self, machine, a, x, b):
        rows, columns = 4, 4
        for py in range(2):
            for px in range(2):
                part = a[rows * py:rows * (py + 1), columns * px:columns * (px + 1)]
                machine.write("A", part.T, px, py)
                machine.write("x", x[columns * px:columns * (px + 1)], px, py)
                machine.write("b", b[rows * py:rows * (py + 1)], px, py)
        machine.launch("compute")
        self.assertEqual(machine.run(), tessera.Stop.AT_REST)
        y = np.concatenate([machine.read("y", 1, py) for py in range(2)])
        return y, [machine.read("stamps", 1, py).tolist() for py in range(2)]

    def test_gemv_with_the_time_stamps_of_a_new_machine_after_a_reset(self):
        random = np.random.default_rng(1)
        a, x, b = (random.random(shape, np.float32) for shape in ((8, 8), 8, 8))
        with tessera.Machine(ROOT / "examples/csl/gemv/layout.csl", "--params",
                             "width:2,height:2,M:8,N:8") as machine:
            y, stamps = self.run_gemv(machine, a, x, b)
            np.testing.assert_allclose(y, a @ x + b, rtol=1e-5)
            machine.reset()
            machine.launch("compute")
            machine.run(40)
            machine.reset()
            again, new_stamps = self.run_gemv(machine, a, x, b)
            np.testing.assert_array_equal(again, y)
            self.assertEqual(new_stamps, stamps)


class CslCommands(unittest.TestCase):
    """The host of a CSL program through the library."""

    def host(self, *options):
        return tessera.Machine(ROOT / "tests/platforms/wse/programs/csl_host/layout.csl", "--params", "width:3,height:2",
                               *options)

    def run_commands(self, machine):
        a = np.arange(24, dtype=np.float32).reshape(2, 3, 4)  # the elements of PE (x, y) are a[y, x]
        machine.csl_copy_to("a", a)
        machine.csl_launch("add", np.uint16(2), 0.5)
        a[:, :, 2] += 0.5
        np.testing.assert_array_equal(machine.csl_copy_from("a", 4), a.reshape(-1))
        np.testing.assert_array_equal(machine.csl_copy_from("a", 4, 1, 1, 2, 1, by_column=True),
                                      a[1, 1:].transpose(1, 0).reshape(-1))
        machine.csl_copy_to("a", np.float32([7, 8]), 0, 0, 3, 2, broadcast="row")
        a[:, :, 0] = [[7], [8]]
        machine.csl_copy_to("a", np.float32([1, 2]), 0, 0, 3, 1, column_stride=2)
        a[0, 0, 0], a[0, 2, 0] = 1, 2
        np.testing.assert_array_equal(machine.csl_copy_from("a", 4), a.reshape(-1))
        machine.csl_copy_to("h", np.int16([[-1, 2, -3]]), 2, 1, 1, 1)
        np.testing.assert_array_equal(machine.csl_copy_from("h", 3, 2, 1, 1, 1, dtype=np.int16), [-1, 2, -3])
        machine.csl_launch("echo")
        words = np.arange(100, 130, dtype=np.uint32)
        machine.csl_stream_to(1, words)
        np.testing.assert_array_equal(machine.csl_stream_from(2, 5, dtype=np.uint32), words)
        return machine.cycle, machine.report()["digest"]

    def test_copies_launches_and_streams_are_the_same_in_both_structures_and_after_resets(self):
        ends = []
        for structure in ("modules", "dense"):
            with self.host("--structure", structure) as machine:
                self.assertEqual(machine.csl_rectangle[2:], (3, 2))
                ends.append(self.run_commands(machine))
                for cycles in (0, 40, 400):
                    machine.reset()
                    machine.csl_launch("echo")
                    machine.step(cycles)
                    machine.reset()
                    ends.append(self.run_commands(machine))
        self.assertEqual(len(set(ends)), 1, ends)

    def test_a_command_that_never_ends_says_who_waits(self):
        with self.host() as machine:
            with self.assertRaisesRegex(tessera.FailedError, "launch of 'silent'.*5 other PEs have not called"):
                machine.csl_launch("silent")
            machine.reset()
            self.run_commands(machine)

    def test_mistakes_have_no_effect(self):
        with self.host() as machine:
            for text, mistake in (
                    ("no symbol 'A'; did you mean 'a'", lambda: machine.csl_copy_from("A", 4)),
                    ("the array has 7 words; the region takes 6", lambda: machine.csl_copy_to("a", np.zeros(7, np.float32))),
                    ("does not lie in the rectangle of 3 x 2 PEs", lambda: machine.csl_copy_from("a", 1, 2, 1, 2, 1)),
                    ("no such color as MEMCPYH2D_k", lambda: machine.csl_stream_to(3, np.zeros(6, np.uint32))),
                    ("the function is fn.u16, f32.void", lambda: machine.csl_launch("add", 1))):
                with self.assertRaisesRegex(tessera.Error, text):
                    mistake()
            with self.assertRaisesRegex(TypeError, "16 or 32 bits"):
                machine.csl_copy_to("a", np.zeros(6))
            self.assertEqual(machine.cycle, 0)
        with tessera.Machine(GEMV) as machine, self.assertRaisesRegex(tessera.Error, "not written in CSL"):
            machine.csl_launch("main")


class Clusters(unittest.TestCase):
    def run_add(self, machine, a, b):
        machine.set_array(machine.arrays[0], a)
        machine.set_array(machine.arrays[1], b)
        machine.launch("kernel")
        machine.run()
        return machine.array(machine.arrays[2], np.float32).copy()

    def test_vector_add(self):
        with tessera.Machine(ADD, "--param", "TILES=4") as machine:
            machine.launch("kernel")
            machine.run()
            size = len(machine.array(machine.arrays[0], np.float32))
            self.assertGreater(size, 0)
            machine.reset()
            a, b = np.arange(size, dtype=np.float32), np.full(size, 3, np.float32)
            expected = self.run_add(machine, a, b)
            np.testing.assert_array_equal(expected, a + b)
            report = machine.report()
            for limit in (10, 500, 1500):
                machine.reset()
                machine.launch("kernel")
                machine.run(limit)
                machine.reset(keep_memory=limit == 500)
                np.testing.assert_array_equal(self.run_add(machine, a, b), expected)
                self.assertEqual(machine.report()["digest"], report["digest"])


class Threads(unittest.TestCase):
    def test_four_threads_share_a_machine(self):
        problems = []

        def use(machine):
            try:
                for _ in range(40):
                    # The library itself, without the lock of the package: the text is that of this thread.
                    json.loads(tessera._c.tessera_report(machine._handle))  # pylint: disable=protected-access
                    machine.step(3)
                    self.assertEqual(machine.report()["platform"], "api")
                    self.assertIsInstance(machine.waits(), tessera.Waits)
                    self.assertGreater(machine.cycle, 0)
                    machine.read("A", 1, 1)
            except Exception as error:  # pylint: disable=broad-except
                problems.append(error)
        with tessera.Machine(GEMV) as machine:
            machine.launch(machine.functions[0])
            threads = [threading.Thread(target=use, args=(machine,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(problems, [])

    def test_what_a_listener_raises_comes_out_of_the_run(self):
        def listener(*_):
            raise KeyError("of the listener")
        with tessera.Machine(GEMV) as machine:
            machine.listen(listener)
            machine.launch(machine.functions[0])
            with self.assertRaisesRegex(KeyError, "of the listener"):
                machine.run()
            machine.listen(None)
            machine.run()

    def test_a_listener_may_replace_itself_and_not_close_the_machine(self):
        with tessera.Machine(GEMV) as machine:
            def listener(*_):
                machine.listen(None)
                machine.close()
            machine.listen(listener)
            machine.launch(machine.functions[0])
            with self.assertRaisesRegex(ValueError, "close: the machine runs"):
                machine.run()
            machine.run()

    def test_texts_and_regions_with_mistakes(self):
        with self.assertRaisesRegex(ValueError, "no NUL"):
            tessera.Machine(GEMV, "--structure=dense\0x")
        with self.assertRaisesRegex(ValueError, "no NUL"):
            tessera.Machine(str(GEMV) + "\0")
        for end in "cpp", "cc", "cxx", "cce", "asc", "hpp":
            with self.assertRaisesRegex(ValueError, "ascend.compile"):
                tessera.Machine(f"kernel.{end}")
        with self.assertRaisesRegex(tessera.Error, "--launch: the host"):
            tessera.Machine(ROOT / "examples/csl/gemv/layout.csl", "--launch", "nothing")
        with tessera.Machine(GEMV) as machine:
            with self.assertRaisesRegex(ValueError, "no NUL"):
                machine.save("state\0b")
            for options, error, words in (({"broadcast": "both"}, ValueError, '"row" or "column"'), ({"by_colum": True}, TypeError, "not by_colum")):
                with self.assertRaisesRegex(error, words):
                    machine.csl_copy_from("y", 1, 0, 0, 1, 1, **options)
            with self.assertRaisesRegex(TypeError, "x, y, width and height"):
                machine.csl_copy_from("y", 1, 0, 0, 1)

    def test_a_closed_machine_is_refused(self):
        machine = tessera.Machine(GEMV)
        machine.close()
        for call in (machine.report, lambda: machine.cycle, machine.run, machine.waits, lambda: machine.read("A")):
            with self.assertRaises((tessera.Error, ValueError)):
                call()


if __name__ == "__main__":
    unittest.main()
