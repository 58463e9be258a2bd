# SPDX-License-Identifier: Apache-2.0
"""Runs programs on wse_platform, and kernels on ascend_platform beside it, and keeps what they gave, so that cases can share a run."""
import concurrent.futures
import json
import pathlib
import subprocess
import tempfile
import threading

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# Of programs written by hand: published times come from traces and formulas, or their authors have subtracted the readings.
PURE_READING = "--set=pe.timestamp_cycles=1"
LIBRARY_READING = ("validation/stamped_loops.json",)  # the published time contains what the library's reading takes


class RunFailed(Exception):
    """A program did not end well: its own check failed, or it could not finish."""


class Run:
    """What one run left behind."""

    def __init__(self, report, arrays, trace):
        self.cycles = report["cycles"]
        self.counters = {name: counter["value"] for name, counter in report["counters"].items()}
        self.arrays = arrays
        self.trace = trace  # lines of --trace-wse, if asked for

    def number(self, array, index=0):
        """An element of a host array, as an int."""
        return int(self.arrays[array].ravel()[index])

    def stamp(self, array, index=0):
        """A counter of 48 bits, stored as three words of 16 bits."""
        words = self.arrays[array].ravel()[3 * index:3 * index + 3]
        return sum(int(word) << 16 * k for k, word in enumerate(words))


class AscendRun:
    """The report of a kernel: times in microseconds by the names of the profiler."""

    def __init__(self, report):
        self.cycles = report["cycles"]
        self.profile = report["profile"]

    @property
    def task(self):
        return self.profile["task_time_us"]

    @property
    def core(self):
        """Time of a core on average; in a mixed kernel that of the kind that takes longer."""
        return max(self.profile.get(f"{kind}_time_us", 0) for kind in ("aic", "aiv"))

    def busy(self, pipe):
        """"aic_mac", "aiv_mte2"."""
        return self.profile[f"{pipe}_time_us"]


class Bench:
    """`settings`: "KEY=VALUE" for --set, on every run of wse_platform."""

    def __init__(self, platform, settings=()):
        self.platform = platform
        self.settings = tuple(settings)
        self.known = {}
        self.lock = threading.Lock()

    def run(self, example, preset, outputs=(), trace=False, options=(), **params):
        """Runs examples/<example> with these parameters; `outputs` are the host arrays to read back."""
        return self.once(self.run_now, (example, preset, tuple(outputs), trace, tuple(options), tuple(sorted(params.items()))))

    def ascend(self, example, sets=(), preset="a2a3", **params):
        """Runs examples/<example> on ascend_platform, without values."""
        return self.once(self.run_ascend, (example, preset, tuple(sets), tuple(sorted(params.items()))))

    def once(self, run, key):
        with self.lock:
            mine = key not in self.known
            future = self.known.setdefault(key, concurrent.futures.Future())
        if mine:
            try:
                future.set_result(run(*key))
            except BaseException as error:
                future.set_exception(error)
        return future.result()

    def run_ascend(self, example, preset, sets, params):
        platform = pathlib.Path(self.platform).with_name("ascend_platform")
        with tempfile.TemporaryDirectory() as name:
            report = pathlib.Path(name) / "report.json"
            command = [str(platform), str(ROOT / "examples" / example), "--preset", preset, "--quiet", "--no-data", "--hazards=off",
                       "--report", str(report)]
            command += [f"--set={setting}" for setting in sets] + [f"--param={key}={value}" for key, value in params]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise RunFailed(f"{' '.join(command)}\nended with exit code {result.returncode}\n{result.stderr}")
            return AscendRun(json.loads(report.read_text()))

    def refusal(self, presets):
        """What wse_platform says about the settings if no preset takes them; '' if one does."""
        said = ""
        for preset in presets:
            command = [self.platform, "--preset", preset, "--print-config", *[f"--set={setting}" for setting in self.settings]]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode == 0:
                return ""
            said = result.stderr.strip()
        return said or "wse_platform does not take these settings"

    def run_now(self, example, preset, outputs, trace, options, params):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            command = [self.platform, str(ROOT / "examples" / example), "--preset", preset, "--quiet",
                       "--report", str(folder / "report.json"), *options]
            command += [f"--param={key}={value}" for key, value in params]
            command += [f"--set={setting}" for setting in self.settings]
            if example.endswith(".json") and example not in LIBRARY_READING:
                command.append(PURE_READING)
            command += [f"--output={array}={folder / array}.npy" for array in outputs]
            if trace:
                command += ["--trace-wse", str(folder / "trace.log")]
            result = subprocess.run(command, capture_output=True, text=True, check=False)
            if result.returncode != 0:
                raise RunFailed(f"{' '.join(command)}\nended with exit code {result.returncode}\n{result.stderr}")
            arrays = {array: numpy.load(folder / f"{array}.npy") for array in outputs}
            lines = (folder / "trace.log").read_text().splitlines() if trace else []
            return Run(json.loads((folder / "report.json").read_text()), arrays, lines)


def fit(points):
    """Value at 0 and slope of the line nearest to the points (x, y)."""
    x, y = numpy.array(points, dtype=float).T
    slope, start = numpy.polyfit(x, y, 1)
    return float(start), float(slope)
