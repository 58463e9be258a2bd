# SPDX-License-Identifier: Apache-2.0
"""What a command imports first, before what takes long: until run() an interrupt ends the process without a traceback, and a stream
that is closed leads nowhere, so that no file takes its number."""
import os
import signal
import sys

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130


def _without_traceback():
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # it is not where a shell has put it into the background
        signal.signal(signal.SIGINT, signal.SIG_DFL)


def _open_closed_streams():
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 pylint: disable=consider-using-with


def run(main, name):
    """The exit code of `main`, of the command `name`. It gets interrupts as exceptions. Who reads what is printed may go away."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = main()
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:  # `tessera diff .. | head`
        _forget_output()
        return 0
    except OSError as error:
        if error.filename is not None or error.errno is None:
            raise
        _forget_output()
        print(f"{name}: what it prints cannot be written: {error.strerror}", file=sys.stderr)
        return EXIT_USAGE


def _forget_output():
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


_without_traceback()
_open_closed_streams()
