# SPDX-License-Identifier: Apache-2.0
"""Frames over a pair of pipes, sent and received whole by a thread of their own.

A signal interrupts the main thread of Python only, so whatever an exception of a signal handler cuts off there, the
frames stay whole and each reply finds its command. The main thread puts a command into a queue, which is one step, and
waits.

A frame is the length of its header (32 bits), the length of its data (64 bits), both little-endian, the header as JSON,
and the data. Every command has a number, and its reply has the same one.
"""
import json
import os
import queue
import select
import signal
import struct
import subprocess
import threading

LENGTHS = struct.Struct("<IQ")
ERRORS = {"value": ValueError, "type": TypeError, "runtime": RuntimeError}
# Seconds after which a waiting thread looks again whether its reply is there.
LOOK_AGAIN = 0.2


class Reply:
    """What came back for a command, or the mark that it has not come yet. `on_done(reply)` is called once, by the thread of
    the frames; `on_end()` also for a command that was refused."""

    def __init__(self, on_done=None, on_end=None):
        self.header = None
        self.data = b""
        self.warning = None
        self.error = None
        self.is_submitted = False  # the thread has taken it
        self.on_done = on_done
        self.on_end = on_end
        self._lock = threading.Lock()
        self._lock.acquire()  # pylint: disable=consider-using-with

    @property
    def is_done(self):
        return self.header is not None or self.error is not None

    def wait(self):
        """Returns when the reply is there, or after a while. May be interrupted, and called again."""
        if not self.is_done and self._lock.acquire(timeout=LOOK_AGAIN):
            self._lock.release()

    def complete(self, header, data, error):
        """Called by the thread of the frames."""
        self.data = data
        self.warning = (header or {}).get("warning")
        if error is None and self.on_done is not None:
            try:
                self.on_done(self)
            except Exception as failure:  # into the array of the caller: the next wait raises it
                error = failure
        if self.on_end is not None:
            self.on_end()
        self.on_done = self.on_end = None
        self.error = error
        if error is None:
            self.header = header
        self._lock.release()


class Channel:
    """The pipes of a process, and what is under way on them. The public functions are for other threads; the rest
    is done by the thread."""

    def __init__(self, process):
        self._process = process
        self._input, self._output = process.stdout.fileno(), process.stdin.fileno()
        self._woken, self._wake = os.pipe()
        for file in (self._input, self._output, self._woken, self._wake):
            os.set_blocking(file, False)
        self._commands = queue.SimpleQueue()
        self._to_send = []
        self._received = bytearray()
        self._replies = {}
        self._next = 0
        self._is_stopped = False
        self._is_closing = False
        self.has_left = False   # nothing that is given now is taken any more
        self.failure = None     # why no command can be given any more
        self.unreported = []    # errors that no call has raised yet
        self._thread = threading.Thread(target=self._serve, name="tessera frames", daemon=True)
        self._thread.start()

    def submit(self, header, data, reply):
        """Gives a command to the thread; without a header `data` is a function for the thread to call."""
        self._commands.put((header, data, reply))
        self._wake_up()

    def close(self):
        """Ends the thread and the process; commands under way get no reply."""
        self._is_closing = True
        self._wake_up()
        if self._thread is not threading.current_thread():
            self._thread.join()

    def __del__(self):
        for file in (self._woken, self._wake):
            os.close(file)

    def _wake_up(self):
        try:
            os.write(self._wake, b"x")
        except BlockingIOError:  # it has enough to wake up for
            pass

    # --- the thread

    def _serve(self):
        try:
            while not self._is_closing and self.failure is None:
                self._exchange()
        except Exception as error:  # a defect; nobody must wait for ever
            self._give_up(f"the exchange with the simulator failed: {error!r}")
        if self.failure is None:
            self._give_up("stop() was called")
        self._end_process()
        self.has_left = True

    def _exchange(self):
        readers, writers, _ = select.select([self._input, self._woken], [self._output] if self._to_send else [], [])
        if self._woken in readers:
            os.read(self._woken, 1 << 12)
        self._take_commands()
        if writers:
            self._send_some()
        if self._input in readers:
            self._receive_some()

    def _take_commands(self):
        while True:
            try:
                header, data, reply = self._commands.get_nowait()
            except queue.Empty:
                return
            if reply.is_submitted:  # the call was interrupted, and made again
                continue
            reply.is_submitted = True
            if header is None:  # a function, which no interrupt cuts off here
                reply.complete({"result": data()}, b"", None)
                continue
            self._is_stopped = header["cmd"] == "stop"
            self._next += 1
            self._replies[self._next] = reply
            text = json.dumps(dict(header, id=self._next)).encode()
            self._to_send.append(memoryview(LENGTHS.pack(len(text), len(data)) + text))
            if len(data) > 0:
                self._to_send.append(memoryview(data))

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
            return
        if not piece:
            if self._replies or not self._is_stopped:
                self._lose()
            else:
                self._give_up("stop() was called")
            return
        self._received += piece
        while len(self._received) >= LENGTHS.size and self.failure is None:
            header_size, data_size = LENGTHS.unpack_from(self._received)
            end = LENGTHS.size + header_size + data_size
            if len(self._received) < end:
                break
            header = json.loads(self._received[LENGTHS.size:LENGTHS.size + header_size])
            data = bytes(self._received[LENGTHS.size + header_size:end])
            del self._received[:end]
            self._take(header, data)

    def _take(self, header, data):
        reply = self._replies.pop(header["id"], None) or Reply()
        if "error" not in header:
            reply.complete(header, data, None)
            if reply.error is not None:
                self.unreported.append(reply.error)
            return
        problem = header["error"]
        error = ERRORS.get(problem["kind"], RuntimeError)(problem["text"])
        self.unreported.append(error)
        if problem.get("fatal"):
            self.failure = problem["text"]
        reply.complete(None, b"", error)
        if self.failure is not None:
            self._give_up(self.failure)

    def _give_up(self, text):
        """The run is over: commands under way will have no reply."""
        self.failure = text
        pending, self._replies = list(self._replies.values()), {}
        for reply in pending:
            reply.complete(None, b"", RuntimeError(f"the run has ended: {text}"))

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
        self.failure = text
        self.unreported = [error]
        pending, self._replies = list(self._replies.values()), {}
        for reply in pending:
            reply.complete(None, b"", error)

    def _end_process(self):
        """The server ends when its input ends; one that does not is killed."""
        for pipe in (self._process.stdin, self._process.stdout):
            try:
                pipe.close()
            except OSError:
                pass
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
