# SPDX-License-Identifier: Apache-2.0
"""Streams between a host program and the rim of the fabric (SdkLayout, --host-stream)."""
import os

from tessera_csl import arguments, arrays
from tessera_csl.frames import Reply


class Transfer:
    """Words under way in a stream; `store(data)` takes those of a receive()."""

    def __init__(self, port, store=None):
        self.port = port
        self.store = store
        self.is_done = False


class Streams:
    """The streams of a program by name."""

    def __init__(self, server, ports):
        self._server = server
        self.ports = {port["name"]: port for port in ports}
        self._files = {}  # path and replies, by stream that receive_tofile() names

    def find(self, port, direction):
        """The name of a stream, given by name or number."""
        if not isinstance(port, str):
            names = list(self.ports)
            number = arguments.whole(port, "the port")
            port = names[number] if 0 <= number < len(names) else number
        if port not in self.ports:
            raise arguments.unknown("stream", port, list(self.ports))
        if self.ports[port]["direction"] != direction:
            raise ValueError(f"the stream '{port}' is an {self.ports[port]['direction']}put stream")
        return port

    def number_of(self, name):
        """The place of a stream among all."""
        if name not in self.ports:
            raise arguments.unknown("stream", name, list(self.ports))
        return list(self.ports).index(name)

    def send(self, port, array, n, ends_with_control=False):
        """Header, words and transfer of a send(), whose last wavelet may be a control wavelet."""
        name = self.find(port, "in")
        words = arrays.wavelets_in(array, _count(array, n))
        return {"cmd": "send", "port": name, **({"control": True} if ends_with_control else {})}, words, Transfer(name)

    def receive(self, port, array, n):
        """Header and transfer of a receive()."""
        name = self.find(port, "out")
        if name in self._files:
            raise RuntimeError(f"the stream '{name}' is written to a file by receive_tofile")
        count = _count(array, n)
        store = arrays.wavelet_writer(array, count)
        return {"cmd": "receive", "port": name, "words": count}, Transfer(name, store)

    def add_file(self, port, file):
        """Has what still comes out of a stream written by write_files()."""
        name = self.find(port, "out")
        with open(file, "ab"):  # a path that cannot be written is an error now
            pass
        if name in self._files:
            raise RuntimeError(f"the stream '{name}' is written to '{self._files[name][0]}' already")
        self._files[name] = (os.path.abspath(file), Reply(), Reply())

    def write_files(self):
        """Receives until no word comes any more. May be interrupted, and called again."""
        most = 1 << 30  # words; a PE sends one a cycle
        for port, (path, received, rest) in self._files.items():
            number = self._server.call({"cmd": "receive", "port": port, "words": most}, reply=received).header["transfer"]
            words = self._server.call({"cmd": "wait", "transfer": number, "rest": True}, reply=rest).data
            with open(path, "wb") as file:
                file.write(words)


def _count(array, n):
    arrays.check_stream(array)
    if n is None and array.dtype.itemsize == 2:
        raise TypeError("the number of wavelets must be given for elements of 16 bits")
    count = array.size if n is None else arguments.whole(n, "the number of wavelets")
    if not 0 < count <= array.size:
        raise ValueError(f"{count} wavelets do not fit an array of {array.size} elements")
    return count
