# SPDX-License-Identifier: Apache-2.0
"""A client of the Debug Adapter Protocol: messages, and the few requests that a session needs."""
import collections
import json
import os
import select
import socket
import subprocess
import time


class Refused(Exception):
    """A request that was answered with an error; the text is that of the answer."""


class Gone(Exception):
    """The other side has ended."""


class Client:
    """Speaks over two files of the system: those of a process, or a socket."""

    def __init__(self, read_from, write_to):
        self.read_from, self.write_to = read_from, write_to
        self.buffer = b""
        self.events = collections.deque()
        self.sequence = 0

    @classmethod
    def start(cls, command, **options):
        """`command` speaks on its standard input and output. It does not get the SIGINT of a terminal."""
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True, **options)
        client = cls(process.stdout.fileno(), process.stdin.fileno())
        client.process = process
        return client

    @classmethod
    def connect(cls, path, seconds=10.0):
        """To a socket, which may not be there yet."""
        until = time.monotonic() + seconds
        while True:
            try:
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                connection.connect(str(path))
                break
            except OSError:
                connection.close()
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        client = cls(connection.fileno(), connection.fileno())
        client.connection = connection
        return client

    def close(self):
        """Ends the connection. The exit code of the process, if it has one."""
        if hasattr(self, "connection"):
            self.connection.close()
            return None
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()

    def send(self, command, arguments=None):
        self.sequence += 1
        body = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments or {}}).encode()
        data = b"Content-Length: %d\r\n\r\n" % len(body) + body
        try:
            while data:
                data = data[os.write(self.write_to, data):]
        except OSError as error:
            raise Gone("the run has ended") from error
        return self.sequence

    def receive(self, seconds=None):
        """The next message; None: none has come in this time."""
        until = None if seconds is None else time.monotonic() + seconds
        while True:
            head, found, rest = self.buffer.partition(b"\r\n\r\n")
            if found:
                length = int(head.split(b":", 1)[1])
                if len(rest) >= length:
                    self.buffer = rest[length:]
                    return json.loads(rest[:length])
            left = None if until is None else max(until - time.monotonic(), 0)
            if not select.select([self.read_from], [], [], left)[0]:
                return None
            piece = os.read(self.read_from, 1 << 16)
            if not piece:
                raise Gone("the run has ended")
            self.buffer += piece

    def request(self, command, **arguments):
        """The body of the answer; events that come before it are kept."""
        number = self.send(command, arguments)
        while True:
            message = self.receive()
            if message["type"] == "event":
                self.events.append(message)
            elif message.get("request_seq") == number:
                if not message["success"]:
                    raise Refused(message.get("message", "the request was refused"))
                return message.get("body", {})
            elif message.get("request_seq") == 0 and not message.get("success", True):  # what was sent is no request, so it has no number
                raise Refused(message.get("message", "the request was refused"))

    def event(self, seconds=None):
        """The next event; None: none has come in this time."""
        if self.events:
            return self.events.popleft()
        while True:
            message = self.receive(seconds)
            if message is None or message["type"] == "event":
                return message

    def wait_for(self, *names):
        """The next event of these names, and all that came before it."""
        before = []
        while True:
            event = self.event()
            if event["event"] in names:
                return event, before
            before.append(event)
