# SPDX-License-Identifier: Apache-2.0
"""The process that simulates a machine. Commands are sent at once and carried out in order."""
import os
import subprocess
import weakref

from tessera_csl import shared
from tessera_csl.frames import Channel, Reply
from tessera_csl.platform import tool

PROTOCOL = 1


class Server:
    """One process of tessera_csl_server."""

    def __init__(self, command=None):
        # A session of its own: an interrupt from the keyboard is for the script, and a notebook survives it.
        try:
            self._process = subprocess.Popen(command or [tool("tessera_csl_server")], stdin=subprocess.PIPE,
                                             stdout=subprocess.PIPE, bufsize=0, start_new_session=True)
            self._channel = Channel(self._process)
        except OSError as error:  # too many processes or open files
            raise RuntimeError(f"the simulator cannot be started: {error}") from None
        self._owner = os.getpid()
        self.raised = None  # the last error of the machine that a call has raised
        self._end = weakref.finalize(self, self._channel.close)
        self.hello = self.call({"cmd": "hello", "protocol": PROTOCOL}).header

    @property
    def has_ended(self):
        return self._channel.failure is not None

    def submit(self, header, data=b"", reply=None):
        """Sends a command and returns its Reply, which arrives later. A reply that was submitted before is only returned."""
        if os.getpid() != self._owner:  # a copy of this process has no thread of the frames
            raise RuntimeError("this runtime belongs to another process; start one of its own after the fork")
        self._raise_unreported()
        reply = reply or Reply()
        if reply.is_submitted:
            return reply
        if self.has_ended:
            raise RuntimeError(f"the run has ended: {self._channel.failure}")
        data = memoryview(data).tobytes()  # the caller may change its array now
        self._channel.submit(header, data, reply)
        return reply

    def wait(self, reply):
        """Returns the reply when it is there; raises its error, or that of an earlier command that nobody has waited for."""
        while not reply.is_done:
            reply.wait()
            if self._channel.has_left and not reply.is_done:  # it was given at the very end
                raise RuntimeError(f"the run has ended: {self._channel.failure}")
        if reply.error is not None:
            if reply.error in self._channel.unreported:
                self._channel.unreported.remove(reply.error)
            self._raise(reply.error)
        self._raise_unreported()
        return reply

    def call(self, header, data=b"", reply=None):
        """Sends a command and waits for its reply."""
        return self.wait(self.submit(header, data, reply))

    def shared_memory(self, size):
        """shared_memory(), made where no interrupt can leave half of it behind."""
        if size < shared.LARGE:
            return None
        reply = Reply()
        self._channel.submit(None, lambda: shared.shared_memory(size), reply)
        while not reply.is_done:
            reply.wait()
            if self._channel.has_left:
                return None  # the next command says why
        return reply.header["result"]

    def close(self, raises=True):
        """Ends the process, and raises what no call has raised, all of it in one error."""
        self._end()
        errors, self._channel.unreported = self._channel.unreported, []
        if raises and errors:
            raise errors[0] if len(errors) == 1 else type(errors[0])("\n".join(str(error) for error in errors))

    def _raise_unreported(self):
        if self._channel.unreported:
            self._raise(self._channel.unreported.pop(0))

    def _raise(self, error):
        self.raised = error
        raise error
