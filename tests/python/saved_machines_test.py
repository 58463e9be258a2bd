#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Machines of the Python package that are saved, restored and debugged: runs as python3 tests/python/saved_machines_test.py."""
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import tessera  # noqa: E402
from tessera_test import GEMV, JACOBI, ADD, gemv  # noqa: E402

DENSE = ("--structure", "dense")
TILES = ("--param", "TILES=4")
HOST = ROOT / "tests/platforms/wse/programs/csl_host/layout.csl"
CSL = ("--params", "width:3,height:2")


def seen(machine):
    """All that must not depend on where a machine was saved."""
    report = machine.report()
    for part in ("run", "wall"):
        report.pop(part, None)
    memory = [bytes(machine.sram(x, y)) for y in range(machine.height) for x in range(machine.width)
              if any((s.name == "A") or (s.name == "a") for s in machine.symbols)]
    return machine.cycle, machine.time_ps, report, machine.counters(), machine.open_launches, memory


def results(machine):
    return [machine.receive(machine.edge(3, y, "east"), 2, np.float32).tolist() for y in range(3)]


class Saved(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "state"

    def test_a_layout_goes_on_in_the_same_and_in_another_machine(self):
        for structure, other_order in (("dense", ("--threads", "3")), ("modules", ("--shuffle-step-order",)), ("auto", ("--shuffle-step-order", "--seed=7"))):
            chosen = ("--structure", structure)
            with self.subTest(structure), tessera.Machine(GEMV, *chosen) as machine, tessera.Machine(GEMV, *chosen, *other_order) as other:
                self.check_layout(machine, other)

    def check_layout(self, machine, other):
        gemv(machine)
        end = seen(machine)
        draw = random.Random(46)
        for limit in (0, *draw.sample(range(1, end[0]), 6)):
            machine.reset()
            stop, partial = gemv(machine, limit)
            self.assertEqual(stop, tessera.Stop.AT_LIMIT)
            there = seen(machine)[0], seen(machine)[2:]
            machine.save(self.file)
            once = self.file.read_bytes()
            machine.save(self.file)
            self.assertEqual(self.file.read_bytes(), once)
            for each in (machine, other, other):
                each.restore(self.file)
                self.assertEqual((seen(each)[0], seen(each)[2:]), there)
                each.save(self.folder / "again")
                self.assertEqual((self.folder / "again").read_bytes(), once)
                self.assertEqual(each.run(), tessera.Stop.AT_REST)
                self.assertEqual((seen(each)[0], seen(each)[2:]), (end[0], end[2:]))
                self.assertEqual([a + b for a, b in zip(partial, results(each))], [[26, 44]] * 3)
        other.restore(self.file)
        self.assertEqual(other.time_ps % other.period_ps, 0)

    def test_meshes_and_clusters_go_on_in_either_structure(self):
        for program, options, array in ((JACOBI, (), None), (ADD, TILES, 0)):
            draw = random.Random(4)
            with tessera.Machine(program, "--structure", "modules", *options) as modules, \
                 tessera.Machine(program, "--structure", "dense", "--shuffle-step-order", *options) as dense:
                def begin(machine):
                    machine.reset()
                    machine.launch(machine.functions[0])

                def all_of(machine):
                    report = machine.report()
                    # Cycles of a run that is not over: up to the last one that was stepped, or that was passed to (docs/checkpoints.md).
                    unfinished = ("cycles", "time_ns") if array is not None and machine.open_launches else ()
                    for part in ("run", "wall", "structure", *unfinished):
                        report.pop(part, None)
                    memory = bytes(machine.sram(0, 0)) if array is None else bytes(machine.array(machine.arrays[array]))
                    return machine.cycle, report, machine.counters(), machine.open_launches, memory
                begin(modules)
                self.assertEqual(modules.run(), tessera.Stop.AT_REST)
                first = modules.cycle
                modules.launch(modules.functions[0])  # the second launch begins where the first has ended
                modules.run()
                end = all_of(modules)
                for limit in (0, *draw.sample(range(1, end[0]), 5)):
                    for saving, other in ((modules, dense), (dense, modules)):
                        begin(saving)
                        is_first = limit < first
                        if not is_first:
                            saving.run()
                            saving.launch(saving.functions[0])
                        saving.run(limit)
                        saving.save(self.file)
                        there = all_of(saving)
                        for each in (other, saving, other):
                            each.restore(self.file)
                            self.assertEqual(all_of(each), there, (program, limit))
                            if each is saving:
                                each.save(self.folder / "again")
                                self.assertEqual((self.folder / "again").read_bytes(), self.file.read_bytes(), (program, limit))
                            self.assertEqual(each.run(), tessera.Stop.AT_REST)
                            if is_first:
                                each.launch(each.functions[0])
                                each.run()
                            self.assertEqual(all_of(each), end, (program, limit))
                for each in (modules, dense):  # before any launch
                    each.reset()
                    each.save(self.file)
                    each.run(3)
                    each.restore(self.file)
                    each.launch(each.functions[0])
                    each.run()
                    each.launch(each.functions[0])
                    each.run()
                    self.assertEqual(all_of(each), end)

    def test_accounts_of_waits_go_on(self):
        with tessera.Machine(GEMV, *DENSE, "--waits") as machine, tessera.Machine(GEMV, *DENSE, "--waits") as other:
            gemv(machine, 20)
            machine.save(self.file)
            other.restore(self.file)
            for each in (machine, other):
                each.run()
            self.assertEqual(seen(machine), seen(other))

    def test_another_process_goes_on(self):
        with tessera.Machine(GEMV, *DENSE) as machine:
            gemv(machine, 30)
            machine.save(self.file)
            machine.run()
            digest = machine.report()["digest"]
        code = (f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import tessera\n"
                f"m = tessera.Machine({str(GEMV)!r}, '--structure=dense'); m.restore({str(self.file)!r}); m.run(); print(m.report()['digest'])")
        found = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=300)
        self.assertEqual(found.stdout.strip(), digest)

    def test_a_warm_machine_and_variants_of_what_follows(self):
        for structure in ("dense", "modules"):
            options = (*CSL, "--structure", structure)
            with self.subTest(structure), tessera.Machine(HOST, *options) as machine, tessera.Machine(HOST, *options) as plain:
                self.check_variants(machine, plain)

    def check_variants(self, machine, plain):
        values = np.arange(24, dtype=np.float32)
        machine.csl_copy_to("a", values)
        machine.csl_launch("add", np.uint16(1), 1.0)
        machine.save(self.file)
        for add in range(10):
            machine.restore(self.file)
            plain.reset()
            plain.csl_copy_to("a", values)
            plain.csl_launch("add", np.uint16(1), 1.0)
            found = []
            for each in (machine, plain):
                each.csl_launch("add", np.uint16(2), float(add))
                each.csl_launch("echo")
                each.csl_stream_to(1, np.arange(30, dtype=np.uint32))
                words = each.csl_stream_from(2, 5, dtype=np.uint32)
                found.append((each.csl_copy_from("a", 4).tolist(), words.tolist(), each.cycle, each.report()["digest"],
                              each.counters()))
            self.assertEqual(found[0], found[1])
            self.assertEqual(found[0][0][2], 2 + add)

    def test_what_does_not_fit_is_refused_in_one_sentence(self):
        with tessera.Machine(GEMV, *DENSE) as machine:
            gemv(machine, 30)
            machine.save(self.file)
            digest = machine.report()["digest"]
            whole = self.file.read_bytes()
            bad = self.folder / "bad"
            draw = random.Random(7)
            for number in range(40):
                place = draw.randrange(len(whole))
                bad.write_bytes(whole[:place] if number % 2 else whole[:place] + bytes([whole[place] ^ 4]) + whole[place + 1:])
                with self.assertRaisesRegex(tessera.Error, "the checkpoint|no checkpoint"):
                    machine.restore(bad)
            self.assertEqual(machine.report()["digest"], digest)
            with self.assertRaisesRegex(tessera.Error, "cannot be read"):
                machine.restore(self.folder / "nowhere")
            with self.assertRaisesRegex(tessera.Error, "cannot be written"):
                machine.save(self.folder / "no/such")
        for program, options, words in (
                (GEMV, ("--structure", "modules"), "the structure is dense in the checkpoint and modules in this run"),
                (GEMV, ("--structure", "modules", "--check-links"), "the watch over the links has no state"),
                (GEMV, (*DENSE, "--set", "fabric.hop_latency=3"), "fabric.hop_latency is 2 in the checkpoint and 3 in this run"),
                (HOST, CSL, "in the checkpoint and|belongs to"), (GEMV, (*DENSE, "--waits"), "accounts of waits.*|has been reset"),
                (GEMV, (*DENSE, "--print-log", str(self.folder / "log")), "--print-log"),
                (JACOBI, (), "belongs to|in the checkpoint and"), (ADD, TILES, "belongs to|in the checkpoint and")):
            with tessera.Machine(program, *options) as machine:
                with self.assertRaisesRegex(tessera.Error, words) as refused:
                    machine.restore(self.file)
                self.assertEqual(refused.exception.status, 2)

    def test_a_machine_that_failed_is_not_saved(self):
        with tessera.Machine(HOST, *CSL) as machine:
            with self.assertRaises(tessera.FailedError):
                machine.csl_launch("silent")
            with self.assertRaises(tessera.FailedError):
                machine.csl_launch("silent")
            machine.reset()
            machine.csl_launch("add", np.uint16(1), 1.0)
            machine.save(self.file)


class Debugged(unittest.TestCase):
    def test_a_layout_stops_and_goes_on(self):
        for structure in ("modules", "dense"):
            with tessera.Machine(GEMV, "--structure", structure, "--waits") as machine:
                gemv(machine)
                digest = machine.report()["digest"]
                machine.reset()
                everywhere = machine.break_at("on_x")
                once = machine.break_at("gemv.tasm:" + str(self.line("actvt  reduce")), pe=(3, 0), when="left == 0")
                stop, _ = gemv(machine)
                stops = []
                while stop == tessera.Stop.AT_STOP:
                    stops.append(machine.stop)
                    if once.hits == 1 and len(machine.debugger.ask("where")) and "(3, 0)" in machine.stop:
                        self.assertTrue(machine.debugger.ask("print left").endswith("0"))
                    stop = machine.run()
                self.assertEqual(stop, tessera.Stop.AT_REST)
                self.assertEqual((everywhere.hits, once.hits), (24, 1), stops)
                self.assertEqual(machine.report()["digest"], digest)
                self.assertEqual(results(machine), [[26, 44]] * 3)
                # After a reset they stop again; a deleted one does not.
                once.delete()
                machine.reset()
                self.assertEqual(gemv(machine)[0], tessera.Stop.AT_STOP)
                everywhere.delete()
                self.assertEqual(machine.run(), tessera.Stop.AT_REST)

    @staticmethod
    def line(text):
        source = next(GEMV.parent.glob("*.tasm")).read_text().splitlines()
        return next(n for n, line in enumerate(source, 1) if text in line)

    def test_steps(self):
        with tessera.Machine(GEMV, *DENSE) as machine:
            machine.break_at("on_x", pe=(1, 1), hits=1)
            self.assertEqual(gemv(machine)[0], tessera.Stop.AT_STOP)
            cycle = machine.cycle
            machine.debugger.request("next", threadId=machine.debugger.thread)
            self.assertEqual(machine.run(), tessera.Stop.AT_STOP)
            self.assertGreater(machine.cycle, cycle)
            self.assertIn("step", machine.stop)
            self.assertEqual(machine.step(3), tessera.Stop.AT_LIMIT)
            self.assertEqual(machine.run(), tessera.Stop.AT_REST)

    def test_a_launch_of_csl_is_held_and_completed(self):
        with tessera.Machine(HOST, *CSL) as machine:
            def commands():
                machine.csl_copy_to("a", np.arange(24, dtype=np.float32))
                stop = machine.csl_launch("add", np.uint16(2), 0.5)
                while stop == tessera.Stop.AT_STOP:
                    with self.assertRaisesRegex(tessera.Error, "the launch of 'add' is held"):
                        machine.csl_copy_from("a", 4)
                    with self.assertRaisesRegex(tessera.Error, "is held"):
                        machine.save("nowhere")
                    limited = machine.step(1)
                    self.assertIn(limited, tuple(tessera.Stop))
                    stop = machine.run() if limited != tessera.Stop.AT_REST else limited
                return machine.csl_copy_from("a", 4).tolist(), machine.cycle, machine.report()["digest"]
            plain = commands()
            machine.reset()
            stop = machine.break_at("add")
            self.assertEqual(commands(), plain)
            self.assertEqual(stop.hits, 6)
            machine.debugger.request("disconnect")

    def test_a_restored_machine_keeps_its_breakpoints(self):
        with tempfile.TemporaryDirectory() as folder, tessera.Machine(GEMV, *DENSE) as machine:
            gemv(machine, 8)
            machine.save(f"{folder}/state")
            machine.run()
            digest = machine.report()["digest"]
            stop = machine.break_at("reduce")
            for _ in range(2):
                machine.restore(f"{folder}/state")
                while machine.run() == tessera.Stop.AT_STOP:
                    pass
                self.assertEqual(machine.report()["digest"], digest)
            self.assertEqual(stop.hits, 24)

    def test_what_cannot_be_debugged_is_refused(self):
        for program, options, words in ((JACOBI, (), "only fabrics have a debugger"), (ADD, TILES, "only fabrics have a debugger"),
                                        (GEMV, (*DENSE, "--threads", "2"), "has one thread")):
            with tessera.Machine(program, *options) as machine, self.assertRaisesRegex(tessera.Error, words):
                machine.break_at("reduce")
        with tessera.Machine(GEMV) as machine:
            for where in ("nothing", "gemv.tasm:9999", "other.tasm:3"):
                with self.assertRaises(tessera.Error):
                    machine.break_at(where)
            with self.assertRaises(tessera.Error):
                machine.break_at("reduce", when="nonsense +")
            gemv(machine)


if __name__ == "__main__":
    unittest.main()
