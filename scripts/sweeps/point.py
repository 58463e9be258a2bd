# SPDX-License-Identifier: Apache-2.0
"""One point of a sweep: its command, what its result depends on, and whether that result is there."""
import functools
import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from files import write_text  # noqa: E402
from sweeps.expression import BadSpec  # noqa: E402

ENDED = ("finished", "check_failed", "could_not_finish")


@functools.lru_cache(maxsize=None)
def _digest(path, _size, _changed):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def digest(path):
    """The digest of a file as it is now; None: there is no such file."""
    try:
        status = os.stat(path)
        return _digest(path, status.st_size, status.st_mtime_ns)
    except OSError:
        return None


def read_json(path):
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    except RecursionError:
        return None


def key_file(report):
    """Beside the report: what its result depends on."""
    return Path(report).with_suffix(".key")


def log_file(report):
    """Beside the report: what a run printed that left no report."""
    return Path(report).with_suffix(".log")


def _values(command, option):
    """What an option has got, as a word of its own or after "="."""
    prefix = option + "="
    return ([command[i + 1] for i, word in enumerate(command[:-1]) if word == option] +
            [word[len(prefix):] for word in command if word.startswith(prefix)])


def dependencies(command, report):
    """The files that a run has read, and its executable, each with its digest; None: its place is not known."""
    folder = Path(command[1]).parent
    given = {}  # files that the command names: they stand where it ran, others beside the program
    for text in (*_values(command, "--input"), *_values(command, "--arg")):
        name, _, path = text.partition("=")
        given[name] = given[path] = path
    paths = {command[0], *_values(command, "--config")}
    paths.update(given.get(name, str(folder / name)) for names in ("files", "inputs") for name in report["run"][names])
    return {path: digest(path) for path in sorted(paths)}


def is_result(report):
    """Whether a run came to its end: one that a signal or --timeout has stopped did not."""
    return (isinstance(report, dict) and report.get("status") in ENDED and "stopped by" not in str(report.get("message"))
            and all(isinstance(report.get(name), kind) for name, kind in (("run", dict), ("counters", dict), ("checks", list))))


class _Running:
    """The runs of this process, so that an interrupted sweep does not wait for their ends."""

    def __init__(self):
        self._lock, self._processes, self._stopped = threading.Lock(), set(), False

    def allow(self):
        """Runs may begin, again."""
        self._stopped = False

    def run(self, command, log):
        """Runs a command, whose messages go to the file `log`; answers its exit code."""
        with self._lock:
            if self._stopped:
                return -signal.SIGTERM
            with open(log, "wb") as messages:
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages)
            self._processes.add(process)
        try:
            return process.wait()
        finally:
            with self._lock:
                self._processes.discard(process)

    def stop(self, patience=10):
        """Ends all runs, and lets none begin. One that does not heed SIGTERM is killed after `patience` seconds."""
        with self._lock:
            self._stopped = True
            processes = list(self._processes)
        for process in processes:
            process.terminate()
        end = time.monotonic() + patience
        for process in processes:
            try:
                process.wait(max(0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()


_RUNNING = _Running()
allow_runs, stop_runs = _RUNNING.allow, _RUNNING.stop


def _without_effect(log):
    """What a run of a CSL program says of a parameter that it does not have: the points of such an axis are all the same."""
    for line in log.read_text(errors="replace").splitlines() if log.exists() else ():
        if "[csl-0213]" in line:
            return line.strip()
    return ""


def run_point(command, report, timeout=None):
    """Runs `command`, which leaves `report`, and notes what the result depends on."""
    for older in (key_file(report), Path(report)):
        older.unlink(missing_ok=True)
    begin = time.time()
    status = _RUNNING.run([*command, *(["--timeout", str(timeout)] if timeout else []), "--report", report], log_file(report))
    result = read_json(report)
    if result is not None:
        said = _without_effect(log_file(report))
        log_file(report).unlink(missing_ok=True)
        if said:
            raise BadSpec(said)
    if status < 0 or not is_result(result):
        return
    files = dependencies(command, result)
    if all(os.stat(path).st_mtime <= begin for path in files if os.path.exists(path)):  # else the run may have read another text
        write_text(key_file(report), json.dumps({"command": command, "files": files}, indent=1) + "\n")


class Point:
    """`labels`: axis -> value, as the table has them; `values`: all names of expressions."""

    def __init__(self, labels, values, command, folder, warm=None):
        self.labels, self.values, self.command = labels, values, command
        self.warm, self.state = warm, None  # the point whose `state` this one begins with
        self.report = str(folder / f"{hashlib.sha256(json.dumps(command).encode()).hexdigest()[:12]}.json")

    def name(self):
        return ", ".join(f"{name}={value}" for name, value in self.labels.items())

    def result(self):
        """The report of a run that had the same command, files and executable; None: there is none."""
        key = read_json(key_file(self.report))
        if not isinstance(key, dict) or key.get("command") != self.command or not isinstance(key.get("files"), dict):
            return None
        if any(known is None or digest(path) != known for path, known in key["files"].items()):
            return None
        if self.state is not None and not Path(self.state).exists():
            return None
        report = read_json(self.report)
        return report if is_result(report) else None

    def problem(self):
        """Why there is no result."""
        report = read_json(self.report)
        if self.warm is not None and self.warm.result() is None:
            ended = read_json(self.warm.report)
            return ("the warm-up " + (f"ended before cycle {self.warm.labels['warm-up to cycle']}" if is_result(ended) else
                                      f"has no state: {self.warm.problem()}"))
        if not isinstance(report, dict):
            return self._printed() or "has not been run"
        return " ".join(str(report.get("message", "")).split()) or "its files have changed"

    def is_refused(self):
        """The run was refused as a mistake of the user: an option, a name, a value."""
        report = read_json(self.report)
        return isinstance(report, dict) and report.get("exit_code") == 2

    def _printed(self):
        """The last line of a run that left no report."""
        try:
            lines = log_file(self.report).read_text(encoding="utf-8", errors="replace").split("\n")
        except OSError:
            return ""
        return next((line[:1000] for line in reversed(lines) if line.strip()), "")
