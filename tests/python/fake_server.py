#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Stands in for tessera_csl_server in tests of the Python package: speaks its protocol, has memory, simulates nothing.

The program has 3 x 2 PEs from (4, 1), the variables A and y (constant) and a few functions; functions with telling names
fail in the way of their name.
"""
import json
import mmap
import os
import signal
import struct
import sys

LENGTHS = struct.Struct("<IQ")
PROGRAM = {
    "arch": "wse2", "size": [3, 2], "offset": [4, 1],
    "symbols": [{"name": "A", "kind": "variable", "type": "[*]f32", "mutable": True, "inputs": []},
                {"name": "y", "kind": "variable", "type": "[*]f32", "mutable": False, "inputs": []},
                {"name": "refused", "kind": "variable", "type": "[*]f32", "mutable": True, "inputs": []},
                {"name": "compute", "kind": "function", "type": "fn", "inputs": ["i16", "f32", "u32"]},
                {"name": "crash", "kind": "function", "type": "fn", "inputs": []},
                {"name": "leave", "kind": "function", "type": "fn", "inputs": []},
                {"name": "stuck", "kind": "function", "type": "fn", "inputs": []},
                {"name": "refuse", "kind": "function", "type": "fn", "inputs": []}],
    "streams": [1 << 7, 1 << 8],
    "ports": [{"name": "x", "direction": "in"}, {"name": "z", "direction": "out"}]}


def frame():
    lengths = sys.stdin.buffer.read(LENGTHS.size)
    if len(lengths) < LENGTHS.size:
        sys.exit(0)
    header, data = LENGTHS.unpack(lengths)
    return json.loads(sys.stdin.buffer.read(header)), sys.stdin.buffer.read(data)


def reply(header, data=b""):
    text = json.dumps(header).encode()
    sys.stdout.buffer.write(LENGTHS.pack(len(text), len(data)) + text + data)
    sys.stdout.buffer.flush()


def fail(number, text, kind="runtime", fatal=True):
    reply({"id": number, "error": {"kind": kind, "text": text, "fatal": fatal}})


class Fake:
    """Holds the words of the last copy, and of the streams."""

    def __init__(self):
        self.memory = b""
        self.stream = b""
        self.open = {}
        self.folder = None

    def launch(self, number, name):
        if name == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if name == "leave":
            sys.exit(3)
        if name == "stuck":
            fail(number, "the launch of 'stuck' cannot end; PE (4, 1) waits for color 3")
            sys.exit(4)
        if name == "refuse":
            return fail(number, "the machine refuses", "value", False)
        return reply({"id": number})

    def copy(self, header, data):
        if header.get("symbol") == "refused":
            return fail(header["id"], "the machine refuses", "value", False)
        if "file" in header:
            with open(header["file"], "r+b") as file, mmap.mmap(file.fileno(), header["bytes"]) as words:
                if header["cmd"] == "h2d":
                    self.memory = bytes(words)
                else:
                    words[:] = self.memory
            return reply({"id": header["id"]})
        if header["cmd"] == "h2d":
            self.memory = data
            return reply({"id": header["id"]})
        return reply({"id": header["id"]}, self.memory)

    def transfer(self, header, data):
        number = header["id"]
        if header["cmd"] == "send":
            self.stream += data
            self.open[number] = b""
        else:
            self.open[number] = 4 * header["words"]
        reply({"id": number, "transfer": number})

    def wait(self, header):
        wanted = self.open[header["transfer"]]
        if wanted == b"":
            return reply({"id": header["id"], "done": True})
        if header.get("rest"):
            wanted = len(self.stream)
        if len(self.stream) < wanted:
            if header["must_end"]:
                return fail(header["id"], "the stream 'z' cannot end")
            return reply({"id": header["id"], "done": False})
        data, self.stream = self.stream[:wanted], self.stream[wanted:]
        return reply({"id": header["id"], "done": True}, data)

    @staticmethod
    def dump(folder):
        with open(os.path.join(folder, "memory.bin"), "wb") as file:
            trace = [13, 0, 1, 1, 3, 4, 5, 2, 1, 10, 0, 0x3FC0, 6, 0xFFFE]
            file.write(bytes(range(64)) + bytes(range(16)) + struct.pack("<24H", *(trace + [0] * 10)))
        with open(os.path.join(folder, "memory.json"), "w", encoding="utf-8") as file:
            json.dump({"bytes": 64, "offset": [4, 1], "tiles": [[4, 1, 0], [5, 1, 0]],
                       "codes": [{"symbols": {"A": [8, 8], "tessera.trace.k": [16, 48]},
                                  "strings": ["zero", "one"]}]}, file)

    def serve(self):
        while True:
            header, data = frame()
            command, number = header["cmd"], header["id"]
            if command in ("h2d", "d2h"):
                with open(os.path.join(self.folder, "headers"), "a", encoding="utf-8") as file:
                    file.write(json.dumps(header) + "\n")
                self.copy(header, data)
            elif command == "launch":
                self.folder_note(header)
                self.launch(number, header["function"])
            elif command == "load":
                self.folder = header["folder"]
                if not os.path.exists(os.path.join(self.folder, "tessera.json")):
                    fail(number, f"{self.folder}: no compiled program")
                    sys.exit(2)
                self.folder_note(header)
                reply(dict(PROGRAM, id=number))
            elif command in ("send", "receive"):
                self.transfer(header, data)
            elif command == "wait":
                self.wait(header)
            elif command == "read":
                reply({"id": number}, bytes(range(8)))
            elif command == "dump":
                self.dump(header["folder"])
                reply({"id": number})
            elif command == "stop":
                self.dump(self.folder)
                reply({"id": number, "cycles": 7})
                return
            else:
                reply({"id": number})

    def folder_note(self, header):
        with open(os.path.join(self.folder, "headers"), "a", encoding="utf-8") as file:
            file.write(json.dumps(header) + "\n")


Fake().serve()
