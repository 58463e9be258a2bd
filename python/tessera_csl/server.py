"""The process that simulates a machine, and the frames exchanged with it.

A frame is the length of its header (32 bits), the length of its data (64 bits), both little-endian, the header as JSON,
and the data. Every command has a number, and its reply has the same one.
"""
import json
import mmap
import os
import select
import signal
import struct
import subprocess
import threading
import weakref

from tessera_csl.platform import tool

PROTOCOL = 1
LENGTHS = struct.Struct("<IQ")
# Data of this size or more travels in memory that both sides map.
LARGE = 1 << 20
ERRORS = {"value": ValueError, "type": TypeError, "runtime": RuntimeError}


class Reply:
    """What came back for a command, or the mark that it has not come yet."""

    def __init__(self, on_done=None):
        self.header = None
        self.data = b""
        self.error = None
        self.on_done = on_done

    @property
    def is_done(self):
        return self.header is not None or self.error is not None


class SharedMemory:
    """Large data that both sides map. It has no name in a file system, so nothing is left behind."""

    def __init__(self, size):
        self._file = os.memfd_create("tessera")
        try:
            os.posix_fallocate(self._file, 0, size)
            self.map = mmap.mmap(self._file, size)
        except OSError:
            os.close(self._file)
            raise
        self.path = f"/proc/{os.getpid()}/fd/{self._file}"

    def close(self):
        self.map.close()
        os.close(self._file)


def shared_memory(size):
    """Shared memory, or None if the data is small or there is no room: then the data goes through the pipe."""
    if size < LARGE:
        return None
    try:
        return SharedMemory(size)
    except OSError:
        return None


def _end_process(process):
    """The server ends when its input ends; one that does not is killed."""
    for pipe in (process.stdin, process.stdout):
        try:
            pipe.close()
        except OSError:
            pass
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class Server:
    """One process of tessera_csl_server. Commands are sent at once and carried out in order."""

    def __init__(self, command=None):
        # A session of its own: an interrupt from the keyboard is for the script, and a notebook survives it.
        self._process = subprocess.Popen(command or [tool("tessera_csl_server")], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, bufsize=0, start_new_session=True)
        self._end = weakref.finalize(self, _end_process, self._process)
        self._lock = threading.RLock()
        self._input, self._output = self._process.stdout.fileno(), self._process.stdin.fileno()
        os.set_blocking(self._input, False)
        os.set_blocking(self._output, False)
        self._to_send = []
        self._received = bytearray()
        self._replies = {}
        self._next = 0
        self._failure = None
        self._unreported = None
        self._is_stopped = False
        self.hello = self.call({"cmd": "hello", "protocol": PROTOCOL}).header

    @property
    def has_ended(self):
        return self._failure is not None

    def submit(self, header, data=b"", on_done=None):
        """Sends a command and returns its Reply, which arrives later; `on_done(reply)` is then called once."""
        with self._lock:
            self._raise_unreported()
            if self._failure is not None:
                raise RuntimeError(f"the run has ended: {self._failure}")
            self._is_stopped = header["cmd"] == "stop"
            reply = Reply(on_done)
            self._next += 1
            self._replies[self._next] = reply
            text, rest = json.dumps(dict(header, id=self._next)).encode(), memoryview(data).cast("B")
            self._to_send.append(memoryview(LENGTHS.pack(len(text), len(rest)) + text))
            if len(rest) > 0:
                self._to_send.append(rest)
            self._exchange(0)
            # The caller may change its array now: what the pipe has not taken is kept as it is.
            self._to_send = [memoryview(bytes(rest)) for rest in self._to_send]
            return reply

    def wait(self, reply):
        """Returns the reply when it is there; raises its error."""
        with self._lock:
            while not reply.is_done:
                self._exchange(None)
            if reply.error is not None:
                if reply.error is self._unreported:
                    self._unreported = None
                raise reply.error
            return reply

    def call(self, header, data=b"", on_done=None):
        """Sends a command and waits for its reply."""
        return self.wait(self.submit(header, data, on_done))

    def poll(self, reply):
        """Whether the reply is there; takes what has arrived."""
        with self._lock:
            if not reply.is_done:
                self._exchange(0)
            return reply.is_done

    def close(self):
        """Ends the process."""
        with self._lock:
            if self._failure is None:
                self._failure = "stop() was called"
            self._end()
        self._raise_unreported()

    def _raise_unreported(self):
        error, self._unreported = self._unreported, None
        if error is not None:
            raise error

    def _exchange(self, timeout):
        """Sends and receives what can be at once; without any, waits up to `timeout` seconds (None: without end)."""
        if self._failure is not None:
            return
        ready = select.select([self._input], [self._output] if self._to_send else [], [], timeout)
        while ready[0] or ready[1]:
            if ready[1]:
                self._send_some()
            if ready[0] and not self._receive_some():
                return
            ready = select.select([self._input], [self._output] if self._to_send else [], [], 0)

    def _send_some(self):
        try:
            sent = os.write(self._output, self._to_send[0])
        except BlockingIOError:
            return
        except BrokenPipeError:  # its last words may still be in the other pipe
            self._to_send.clear()
            return
        rest = self._to_send.pop(0)[sent:]
        if len(rest) > 0:
            self._to_send.insert(0, rest)

    def _receive_some(self):
        try:
            piece = os.read(self._input, 1 << 20)
        except BlockingIOError:
            return True
        if not piece:
            if self._replies or not self._is_stopped:
                self._lose()
            else:
                self._give_up("stop() was called")
            return False
        self._received += piece
        while len(self._received) >= LENGTHS.size:
            header_size, data_size = LENGTHS.unpack_from(self._received)
            end = LENGTHS.size + header_size + data_size
            if len(self._received) < end:
                break
            header = json.loads(self._received[LENGTHS.size:LENGTHS.size + header_size])
            data = bytes(self._received[LENGTHS.size + header_size:end])
            del self._received[:end]
            self._take(header, data)
        return self._failure is None

    def _take(self, header, data):
        reply = self._replies.pop(header["id"], None) or Reply()
        if "error" in header:
            error = ERRORS.get(header["error"]["kind"], RuntimeError)(header["error"]["text"])
            self._fail(reply, error)
            if header["error"].get("fatal"):
                self._give_up(header["error"]["text"])
            return
        reply.header, reply.data = header, data
        if reply.on_done is not None:
            try:
                reply.on_done(reply)
            except Exception as error:  # into the array of the caller: the next wait raises it
                reply.header = None
                self._fail(reply, error)

    def _fail(self, reply, error):
        reply.error = error
        if self._unreported is None:
            self._unreported = error

    def _give_up(self, text):
        """The run is over: commands under way will have no reply."""
        self._failure = text
        for reply in self._replies.values():
            reply.error = RuntimeError(f"the run has ended: {text}")
        self._replies.clear()
        self._end()

    def _lose(self):
        try:
            status = self._process.wait(5)
        except subprocess.TimeoutExpired:
            status = None
        if status is not None and status < 0:
            why = f"was ended by signal {-status} ({signal.Signals(-status).name})"
        elif status is None:
            why = "has closed its output"
        else:
            why = f"has ended with exit status {status}"
        text = f"the simulator tessera_csl_server {why}; its last messages are on the standard error output"
        error = RuntimeError(text)
        self._unreported = error
        pending, self._replies = list(self._replies.values()), {}
        for reply in pending:
            reply.error = error
        self._give_up(text)
