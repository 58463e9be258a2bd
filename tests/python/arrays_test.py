#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every type and layout of NumPy for every call that takes or fills an array: the values arrive, or the call is refused.

arrays_test.py FOLDER, which has cs_python; TESSERA_LIBRARY names libtessera.so.
"""
import os
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
SDK = Path(sys.argv.pop(1) if len(sys.argv) > 1 else "build/sdk/bin").resolve()
sys.path[:0] = [str(ROOT / "python"), str(Path(__file__).resolve().parent)]
os.environ["TESSERA_BIN"] = str(SDK.parent.parent / "bin")

import server_program  # noqa: E402
import tessera  # noqa: E402
from cerebras.sdk import sdk_utils  # noqa: E402
from cerebras.sdk.runtime import sdkruntimepybind as sdk  # noqa: E402

VALUES = np.arange(24) * 3 + 1  # exact in all types
COPY = {"streaming": False, "data_type": sdk.MemcpyDataType.MEMCPY_32BIT, "order": sdk.MemcpyOrder.ROW_MAJOR}
TYPES = [order + kind for kind in ("f4", "u4", "i4", "f2", "u2", "i2", "f8", "i8", "u1", "c8", "c16") for order in "<>"]
TYPES += ["?", "O", "S4", "U1", "M8[s]", "m8[s]", "V4", [("a", "<f4")], [("a", ">i2"), ("b", "<u2")]]


def offset(array):
    """The same values at an odd address."""
    if array.dtype.hasobject:
        return array
    bytes_ = bytearray(array.nbytes + 1)
    moved = np.frombuffer(bytes_, array.dtype, array.size, 1).reshape(array.shape)
    moved[...] = array
    return moved


def strided(array):
    wide = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    wide[..., ::2] = array
    return wide[..., ::2]


def frozen(array):
    array = array.copy()
    array.flags.writeable = False
    return array


LAYOUTS = {"flat": lambda a: a, "table": lambda a: a.reshape(4, 6), "fortran": lambda a: np.asfortranarray(a.reshape(4, 6)),
           "transposed": lambda a: np.ascontiguousarray(a.reshape(4, 6).T).T, "strided": strided, "backwards": lambda a: a[::-1].copy()[::-1],
           "odd address": offset, "read-only": frozen, "masked": lambda a: np.ma.masked_array(a, np.arange(a.size) % 2),
           "matrix": lambda a: np.asmatrix(a.reshape(4, 6)), "longer": lambda a: np.concatenate([a, a])}
REFUSED = (TypeError, ValueError, tessera.Error)


def cases():
    """Name, array and its values as a list in the order of the indices."""
    for kind in TYPES:
        dtype = np.dtype(kind)
        try:
            array = VALUES.astype(dtype)
        except (TypeError, ValueError):
            array = np.zeros(24, dtype)
        for layout, make in LAYOUTS.items():
            made = make(array)
            yield f"{dtype} {layout}", made, layout


class Arrays(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.out, self.echo = Path(work.name) / "out", Path(work.name) / "echo"
        server_program.write(self.out, tessera.version())
        server_program.write_echo(self.echo, tessera.version())
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(work.name)

    def runtime(self, folder):
        runtime = sdk.SdkRuntime(folder)
        runtime.load()
        runtime.run()
        self.addCleanup(runtime.stop)
        return runtime

    def check(self, name, array, sizes, read, write):
        """`write(array)` refuses, or `read(dtype)` gives the values of the array. Types of `sizes` bytes must be taken."""
        plain = array.dtype.kind in "iuf" and array.dtype.itemsize in sizes and not isinstance(array, np.ma.MaskedArray)
        try:
            write(array)
        except REFUSED as error:
            self.assertFalse(plain, f"{name}: {error}")
            self.assertNotEqual(str(error), "")
            return 0
        expected = np.asarray(array).reshape(-1)[:24]
        np.testing.assert_array_equal(read(array.dtype.newbyteorder("<")), expected.astype(array.dtype.newbyteorder("<")), name)
        return 1

    def test_copies_to_the_device(self):
        runtime = self.runtime(self.out)
        symbol, zeros, back = runtime.get_id("A"), np.zeros(24, np.uint32), np.zeros(24, np.uint32)

        def read(dtype):
            runtime.memcpy_d2h(back, symbol, 0, 0, 3, 2, 4, **COPY)
            return back.view(dtype)
        taken = 0
        for name, array, _ in cases():
            runtime.memcpy_h2d(symbol, zeros, 0, 0, 3, 2, 4, **COPY)
            taken += self.check(name, array, (4,), read, lambda a: runtime.memcpy_h2d(symbol, a, 0, 0, 3, 2, 4, **COPY))
        self.assertEqual(taken, 6 * (len(LAYOUTS) - 1))

    def test_copies_with_broadcasts_and_strides(self):
        runtime = self.runtime(self.out)
        symbol, back = runtime.get_id("A"), np.zeros((2, 3), np.uint32)
        for order in "<>":
            for values, copy, named, expected in (([1, 2], runtime.memcpy_h2d_rowbcast, {}, [[1, 1, 1], [2, 2, 2]]),
                                                  ([1, 2, 3], runtime.memcpy_h2d_colbcast, {}, [[1, 2, 3], [1, 2, 3]]),
                                                  ([7, 8], runtime.memcpy_h2d_stride, {"row_stride": 2, "col_stride": 2}, [[7, 2, 8], [1, 2, 3]])):
                copy(symbol, np.array(values, order + "u4"), 0, 0, 3, 2, 1, **named, **COPY)
                runtime.memcpy_d2h(back, symbol, 0, 0, 3, 2, 1, **COPY)
                self.assertEqual(back.tolist(), expected)

    def test_copies_from_the_device(self):
        runtime = self.runtime(self.out)
        symbol, taken = runtime.get_id("A"), 0
        for name, array, layout in cases():
            plain = array.dtype.kind in "iuf" and array.dtype.itemsize == 4
            given = VALUES.astype(array.dtype.newbyteorder("<") if plain else np.uint32)
            runtime.memcpy_h2d(symbol, given, 0, 0, 3, 2, 4, **COPY)
            must = plain and layout in ("flat", "table", "odd address", "matrix", "longer")
            if array.flags.writeable and array.dtype.kind in "iuf":
                array[...] = 0
            try:
                runtime.memcpy_d2h(array, symbol, 0, 0, 3, 2, 4, **COPY)
            except REFUSED:
                self.assertFalse(must, name)
                continue
            self.assertTrue(plain, name)
            taken += 1
            np.testing.assert_array_equal(np.asarray(array).reshape(-1)[:24], VALUES, name)
        self.assertGreaterEqual(taken, 6 * 5)

    def test_streams(self):
        for name, array, layout in cases():
            plain = array.dtype.kind in "iuf" and array.dtype.itemsize in (2, 4) and layout != "masked"
            if array.dtype.itemsize == 2 and layout not in ("flat", "fortran"):
                continue
            back = np.zeros(6, array.dtype if plain else np.uint32)
            if layout not in ("flat", "fortran", "strided"):
                continue
            runtime = sdk.SdkRuntime(self.echo)
            runtime.load()
            runtime.run()
            try:
                runtime.send("x", array, 6)
                runtime.receive("z", back, 6)
                self.assertTrue(plain, name)
                np.testing.assert_array_equal(back, np.asarray(array).reshape(-1)[:6], name)
            except REFUSED:
                self.assertFalse(plain, name)
            try:
                runtime.stop()
            except RuntimeError:
                self.assertFalse(plain, name)

    def test_variables_and_launches(self):
        runtime = self.runtime(self.out)
        runtime.launch("put", np.array(1.5, ">f4"), np.array(-3, ">i2"))
        for dtype in ("<f4", ">f4"):
            self.assertEqual(runtime.read_symbol(4, 1, "A", dtype)[0], 1.5)
        for dtype in ("<i2", ">i2"):
            self.assertEqual(list(runtime.read_symbol(4, 1, "B", dtype)[:2]), [-3, 0])
        self.assertEqual(runtime.read_symbol(4, 1, "B", [("a", ">i2"), ("b", "<u2")])[0].tolist(), (-3, 0))
        with self.assertRaises(TypeError):
            runtime.read_symbol(4, 1, "A", object)
        with self.assertRaisesRegex(TypeError, "an array of elements; read it as float32 and reshape it"):
            runtime.read_symbol(4, 1, "A", "(3,)f4")

    def test_words_of_16_bits(self):
        for order in "<>":
            values = np.array([[1, -2], [3, 4]], order + "i2").T
            self.assertEqual(sdk_utils.input_array_to_u32(values, None, 1).tolist(), [1, 3, 0xFFFE, 4])
            self.assertEqual(sdk_utils.input_array_to_u32(np.array([1.0], order + "f4"), None, 1).tolist(), [0x3F800000])
            self.assertEqual(sdk_utils.calculate_cycles(np.array([5, 0x00090000, 0], order + "u4")), 4)
        np.testing.assert_array_equal(sdk_utils.memcpy_view(np.array([0x12345678], "<u4"), np.uint16), [0x5678])
        for array, dtype in ((np.array([1], ">u4"), np.uint16), (np.array([1], "<u4"), ">u2")):
            with self.assertRaisesRegex(ValueError, "little-endian"):
                sdk_utils.memcpy_view(array, dtype)

    def test_the_library(self):
        machine = tessera.Machine(self.out)
        self.addCleanup(machine.close)
        taken = 0
        for name, array, _ in cases():
            if array.size != 24:
                continue
            if array.dtype.itemsize == 2:
                array = array.reshape(-1)
            elements = dict(dtype=array.dtype if array.dtype.itemsize in (2, 4) and array.dtype.kind in "iuf" else np.uint32)
            taken += self.check(name, array, (2, 4), lambda dtype, e=elements: machine.csl_copy_from("A", 4, **e),
                                lambda a: machine.csl_copy_to("A", a))
        self.assertEqual(taken, 12 * (len(LAYOUTS) - 2))
        for kind in ("<f4", ">f4", "<i8", ">i2", "?", "f8"):
            machine.write("A", np.array([1, 0, 1, 1], kind), 4, 1)
            self.assertEqual(machine.read("A", 4, 1).tolist(), [1, 0, 1, 1])
        for bad in ([1.5], [70000], [1j], ["x"], np.ma.masked_array([1], [True])):
            with self.assertRaises(REFUSED):
                machine.write("B", bad, 4, 1)
        for large in ([1e300], [-1e39]):
            with self.assertRaises(REFUSED):
                machine.write("A", large, 4, 1)
        machine.write("A", [np.inf, -np.inf], 4, 1)
        self.assertEqual(machine.read("A", 4, 1).tolist()[:2], [np.inf, -np.inf])
        machine.write("B", [-1, 65535], 4, 1)
        self.assertEqual(machine.read("B", 4, 1).tolist(), [65535, 65535, 0, 0])

    def test_wavelets_of_the_library(self):
        layout = ROOT / "examples/stream_rows/layout.json"
        with tessera.Machine(layout, "--param", "W=2", "--param", "H=1", "--param", "B=4") as machine:
            edge = machine.edges[0]
            for bad in (np.zeros(2, np.float16), np.zeros(2, np.complex64), [1 << 32], np.ma.masked_array([1.0], [True]), ["a"],
                        [1e300]):
                with self.assertRaises(REFUSED):
                    machine.send(edge, 0, bad)
            for call in (lambda: machine.step(-1), lambda: machine.run(-1), lambda: machine.send(edge, 1 << 32, [1]),
                         lambda: machine.send(-1, 0, [1]), lambda: machine.read("x", 1 << 32, 0), lambda: machine.sram(-1, 0),
                         lambda: machine.expect(edge, 0, -1), lambda: machine.step(1 << 64)):
                with self.assertRaises((ValueError, tessera.Error)):
                    call()


if __name__ == "__main__":
    unittest.main()
