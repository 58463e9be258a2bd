#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Port maps, core files and csdb: what host programs and users do without a machine."""
import io
import json
import os
import random
import sys
import tempfile
import unittest
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

from cerebras.sdk.runtime import runtime_utils  # noqa: E402
from tessera_csl import csdb, memory  # noqa: E402
from tessera_csl.portmap import PortMap  # noqa: E402


class PortMaps(unittest.TestCase):
    def test_a_tensor_is_cut_into_the_blocks_of_pes(self):
        tensor = np.arange(48, dtype=np.float32).reshape(8, 6)
        portmap = "{ A[j=0:7][i=0:5] -> [PE[i//3, j//2] -> \\\n index[i%3, j%2]] }".replace("\\\n", " ")
        x, y, w, h, elements, data = runtime_utils.convert_input_tensor(portmap, tensor)
        self.assertEqual((x, y, w, h, elements), (0, 0, 2, 4, 6))
        expected = tensor.reshape(4, 2, 2, 3).transpose(0, 2, 3, 1)
        np.testing.assert_array_equal(data.reshape(4, 2, 3, 2), expected)
        np.testing.assert_array_equal(runtime_utils.format_output_tensor(portmap, np.float32, data), tensor)

    def test_regions_begin_where_the_first_pe_is(self):
        x, y, w, h, elements, data = runtime_utils.prepare_output_tensor("{C[n = 0:11] -> [PE[2 + 1, 1 + n // 4] -> index[n % 4]]}", np.float32)
        self.assertEqual((x, y, w, h, elements, data.size, data.dtype), (3, 1, 1, 3, 4, 12, np.float32))

    def test_elements_of_16_bits_are_words(self):
        portmap = "{x[i=0:2] -> [PE[0, 0] -> index[i]]}"
        for order in "<>":
            data = runtime_utils.convert_input_tensor(portmap, np.array([1, -2, 3], order + "i2"))[-1]
            self.assertEqual((data.dtype, data.tolist()), (np.uint32, [1, 0xFFFE, 3]))
        back = runtime_utils.prepare_output_tensor(portmap, np.float16)[-1]
        back[:] = [0x3C00, 0xBC00, 0]
        self.assertEqual(runtime_utils.format_output_tensor(portmap, np.float16, back).tolist(), [1, -1, 0])

    def test_any_byte_order_comes_back(self):
        portmap = "{x[i=0:2] -> [PE[0, 0] -> index[i]]}"
        for name in ("f2", "i2", "u2", "f4", "i4", "u4"):
            for order in "<>":
                values = np.array([1, 2, 3], order + name)
                data = runtime_utils.convert_input_tensor(portmap, values)[-1]
                back = runtime_utils.prepare_output_tensor(portmap, values.dtype)[-1]
                bits = data.view(np.uint32)  # what a copy moves
                back[:] = bits if back.dtype.kind == "u" else bits.view(data.dtype)
                found = runtime_utils.format_output_tensor(portmap, values.dtype, back)
                self.assertEqual((found.dtype, found.tolist()), (values.dtype, [1, 2, 3]), values.dtype)
                self.assertEqual(runtime_utils.format_output_tensor(portmap, values.dtype, bits).tolist(), [1, 2, 3], values.dtype)

    def test_words_of_a_launch(self):
        from tessera_csl.arguments import raw_words
        self.assertEqual(raw_words([1, -2], "memcpy_launch"), [1, 0xFFFFFFFE])
        self.assertEqual(raw_words(np.array([1.5, -2.0], ">f4"), "memcpy_launch"), [0x3FC00000, 0xC0000000])
        self.assertEqual(raw_words([], "memcpy_launch"), [])
        for values, error in (([1.5, 2.0], TypeError), ([1 << 32], ValueError), (["a"], TypeError), ([-(1 << 31) - 1], ValueError)):
            with self.assertRaises(error):
                raw_words(values, "memcpy_launch")

    def test_holes_are_zeros(self):
        data = runtime_utils.convert_input_tensor("{x[i=1:2] -> [PE[i, 0] -> index[i]]}", np.array([5, 6], np.int32))[-1]
        self.assertEqual(data.tolist(), [0, 5, 0, 0, 0, 6])

    def test_a_range_of_one(self):
        x, y, w, h, elements, _ = runtime_utils.prepare_output_tensor("{x[i=0:3][j=0] -> [PE[j, 1] -> index[i]]}", np.float32)
        self.assertEqual((x, y, w, h, elements), (0, 1, 1, 1, 4))

    def test_elements_out_of_words(self):
        back = runtime_utils.output_array_from_u32(np.array([1, 0x5FFFE], np.uint32), np.dtype(np.int16))
        self.assertEqual((back.dtype, back.tolist()), (np.int16, [1, -2]))

    def test_mistakes(self):
        for text, words in (("{x[i=0:2] -> PE[0, 0]}", "no port map"), ("{x[i=0:2] -> [PE[0] -> index[i]]}", "two coordinates"),
                            ("{x[i=2:0] -> [PE[0, 0] -> index[i]]}", "no elements"), ("{x[i=0:2] -> [PE[-1, 0] -> index[i]]}", "below 0"),
                            ("{x[i=0:2] -> [PE[k, 0] -> index[i]]}", "'k' is no expression"), ("{x[i] -> [PE[0, 0] -> index[i]]}", "ranges"),
                            ("{x[i=0:2] -> [PE[0, 0] -> index[i ** 2]]}", "no expression"), ("{x[i=0:2] -> [PE[0, 0] -> index[(]]}", "no expression")):
            with self.assertRaisesRegex(ValueError, words.replace("*", r"\*")):
                runtime_utils.prepare_output_tensor(text, np.float32)
        self.assertEqual(PortMap("{x[i=0:7, 0] -> [PE[floor(i / 4), 0] -> index[i mod 4]]}").region, (0, 0, 2, 1, 4))
        portmap = "{x[i=0:2] -> [PE[0, 0] -> index[i]]}"
        with self.assertRaisesRegex(ValueError, "shape"):
            runtime_utils.convert_input_tensor(portmap, np.zeros(4, np.float32))
        with self.assertRaisesRegex(ValueError, "float64"):
            runtime_utils.convert_input_tensor(portmap, np.zeros(3))
        with self.assertRaisesRegex(ValueError, "3 words"):
            runtime_utils.format_output_tensor(portmap, np.float32, np.zeros(2, np.float32))


class Csdb(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.work = Path(work.name)
        words = np.arange(2 * csdb.TILE_WORDS, dtype=np.uint16)
        (self.work / "memory.bin").write_bytes(words.tobytes())
        (self.work / "memory.json").write_text(json.dumps({"bytes": 2 * csdb.TILE_WORDS, "offset": [4, 1], "tiles": [[4, 1, 0], [5, 1, 0]],
                                                           "codes": [{"symbols": {}, "strings": []}]}), encoding="utf-8")
        memory.MemoryDump(self.work).write_core(self.work / "corefile.cs1")

    def run_commands(self, text):
        out, err = io.StringIO(), io.StringIO()
        with mock.patch("sys.stdin", io.StringIO(text)), redirect_stdout(out), redirect_stderr(err):
            status = csdb.main([str(self.work)])
        return status, out.getvalue(), err.getvalue()

    def test_the_memory_of_selected_pes(self):
        status, out, err = self.run_commands("target create --core-file=corefile.cs1\nrectangle select 5,1 --dimension=1,1\n"
                                             "memory read --address=0x10 --length=9 --stdoutput\nexit\nnonsense\n")
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(out.splitlines(), ["2 PEs with a program", "P5.1 0x0010: 6010 6011 6012 6013 6014 6015 6016 6017", "P5.1 0x0018: 6018"])

    def test_all_are_selected_first_and_some_can_be_left_out(self):
        (self.work / "out").mkdir()
        file = self.work / "words"
        status, out, _ = self.run_commands(f"context select out\ntarget create --core-file=corefile.cs1\nmemory read --address=0 --length=1\n"
                                           f"rectangle deselect 5,0 --dimension=2,2\nmemory read --address=2 --length=2 --output-file={file}\n")
        self.assertEqual((status, out.splitlines()[1:]), (0, ["P4.1 0x0000: 0000", "P5.1 0x0000: 6000"]))
        self.assertEqual(np.fromfile(file, np.uint16).tolist(), [2, 3])

    def test_mistakes_are_told_and_the_rest_goes_on(self):
        (self.work / "text").write_text("text", encoding="utf-8")
        for command, words in (("memory read --address=0 --length=1", "no core file yet"), ("memory write", "there is no command 'memory write'"),
                               ("target create --core-file=nowhere", "no file nowhere"), ("target create --core-file=text", "no core file of Tessera"),
                               ("context select nowhere", "no folder 'nowhere'"), ("rectangle select 4,1", "no core file yet"),
                               ("target create", "core-file"), ("memory read --address='", "No closing quotation")):
            status, out, err = self.run_commands(f"{command}\ntarget create --core-file=corefile.cs1\n")
            self.assertEqual((status, out), (2, "2 PEs with a program\n"))
            self.assertIn(words, err)
        for command, words in (("memory read --address=24576 --length=1", "do not lie"), ("memory read --address=x --length=1", "no whole number"),
                               ("rectangle select 0,0", r"begins at (4, 1)"), ("rectangle select 4", "two numbers"), ("register read", "registers")):
            status, _, err = self.run_commands(f"target create --core-file=corefile.cs1\n{command}\n")
            self.assertEqual(status, 2)
            self.assertIn(words, err)

    def test_changed_core_files_are_read_or_refused(self):
        whole, pick = (self.work / "corefile.cs1").read_bytes(), random.Random(5)

        def is_refused(data):
            (self.work / "changed.cs1").write_bytes(data)
            status, _, err = self.run_commands("target create --core-file=changed.cs1\nmemory read --address=0 --length=1\n")
            self.assertIn(status, (0, 2))
            self.assertEqual(status == 2, bool(err))
            return status == 2
        refused = 0
        for _ in range(300):
            data = bytearray(whole)
            for _ in range(pick.choice((1, 1, 5))):
                at = pick.choice((pick.randrange(len(data)), pick.randrange(200), len(data) - 1 - pick.randrange(200)))
                data[at] = pick.randrange(256)
            refused += is_refused(data)
        self.assertGreater(refused, 100)
        encrypted = bytearray(whole)
        encrypted[whole.index(b"PK\x01\x02") + 8] |= 0x41  # strong encryption
        compressed = bytearray(whole)
        compressed[whole.index(b"memory.json") + len("memory.json")] = 0xFF  # no block of deflate begins so
        self.assertTrue(is_refused(encrypted) and is_refused(compressed))

    def test_core_files_are_whole(self):
        with zipfile.ZipFile(self.work / "corefile.cs1") as core:
            self.assertEqual(sorted(core.namelist()), ["memory.bin", "memory.json"])
        self.assertEqual([name for name in os.listdir(self.work) if "tmp" in name], [])


if __name__ == "__main__":
    unittest.main()
