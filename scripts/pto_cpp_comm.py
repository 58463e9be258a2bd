#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs communication kernels of pto-isa's tests on several devices, and compares what each device has afterwards.

    scripts/pto_cpp_comm.py PTO_ISA [--devices 2,4,8] [--platform FILE] [--only TEXT]

The kernels of tests/npu/a2a3/comm are run unmodified (launch.devices); their host programs, which start a process for each rank, are not. Each
device gets the context that those would give it: its rank, how many there are, and where the windows of all lie. docs/pto-cpp-corpus.md.
"""
import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
MOST_RANKS = 64  # places for windows in a context
COUNT = 256


class Devices:
    """One kernel file on so many devices. `window` is the argument that is the window of a device."""

    def __init__(self, options, test, count, window, folder):
        self.options, self.test, self.count, self.window, self.folder = options, test, count, window, Path(folder)

    def run(self, function, results, **arguments):
        """The results of all devices, by name; None: it stopped. A list of arrays is one for each device."""
        cases = self.options.folder / "tests/npu/a2a3/comm/st/testcase"
        words = [self.options.platform, cases / self.test / f"{self.test}_kernel.cpp", "--preset", "a2a3", "--function", function, "--quiet",
                 "--hazards=error", "--set", f"launch.devices={self.count}"]
        for include in (ROOT / "scripts/pto_cpp_comm", ROOT / "scripts/pto_cpp_host", cases):
            words += ["--include", include]
        windows = ",".join([f"&{self.window}@{d}" for d in range(self.count)] + ["0"] * (MOST_RANKS - self.count))
        for d in range(self.count):
            words += ["--arg", f"hcclCtx@{d}=words:0,0,{d | self.count << 32},1048576,{windows},{windows}"]
        for name, value in arguments.items():
            for d, own in enumerate(value if isinstance(value, list) else [value]):
                place = f"{name}@{d}" if isinstance(value, list) else name
                if isinstance(own, np.ndarray):
                    np.save(self.folder / f"{place}.npy", own)
                    own = self.folder / f"{place}.npy"
                words += ["--arg", f"{place}={own}"]
        for name in results:
            for d in range(self.count):
                words += ["--output", f"{name}@{d}={self.folder / name}.{d}.out.npy"]
        done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=600, check=False, stdin=subprocess.DEVNULL)
        if done.returncode:
            print(f"{self.test} {function} on {self.count}: {done.stderr.strip()[:400]}")
            return None
        return {name: [np.load(self.folder / f"{name}.{d}.out.npy") for d in range(self.count)] for name in results}


def numbers(count):
    return [(np.arange(COUNT) + 10_000 * d).astype(np.float32) for d in range(count)]


def ring(devices, function):
    """Two launches with a barrier of the host between them; a device ends with the numbers of the next one."""
    sources = numbers(devices.count)
    windows = [np.zeros(64 + 4 * COUNT, np.float32)] * devices.count
    for phase in (0, 1):
        got = devices.run(function, ["shmem", "dst"], src=sources, dst=f"f32[{COUNT}]", shmem=windows, nranks=devices.count, phase=phase)
        if got is None:
            return False
        windows = got["shmem"]
    return all(np.array_equal(got["dst"][d], sources[(d + 1) % devices.count]) for d in range(devices.count))


def reduction(devices, kind, expected):
    sources = numbers(devices.count)
    got = devices.run(f"TReduceKernelImpl<float, {COUNT}, pto::comm::ReduceOp::{kind}>", ["output"], input=sources, output=f"f32[{COUNT}]",
                      nranks=devices.count, root=0)
    return got is not None and np.array_equal(got["output"][0], expected(sources, axis=0))


def gather(devices):
    sources = numbers(devices.count)
    got = devices.run(f"TGatherKernelImpl<float, {COUNT}>", ["dst"], src=sources, dst=f"f32[{COUNT * devices.count}]", nranks=devices.count, root=0)
    return got is not None and np.array_equal(got["dst"][0], np.concatenate(sources))


def scatter(devices):
    sources = numbers(devices.count)
    got = devices.run(f"TScatterKernelImpl<float, {COUNT}>", ["dst"], src=np.concatenate(sources), dst=f"f32[{COUNT}]", nranks=devices.count, root=0)
    return got is not None and all(np.array_equal(a, b) for a, b in zip(got["dst"], sources))


def broadcast(devices):
    sources = numbers(devices.count)
    got = devices.run(f"TBroadCastKernelImpl<float, {COUNT}>", ["output"], input=sources, output=f"f32[{COUNT}]", nranks=devices.count, root=0)
    return got is not None and all(np.array_equal(a, sources[0]) for a in got["output"])


def signals(devices, function, name, expected, **arguments):
    """Words of device `expected[0]` begin with the others."""
    got = devices.run(function, [name], **{name: "i32[256]"}, **arguments)
    return got is not None and got[name][expected[0]][:len(expected) - 1].tolist() == list(expected[1:])


# Test, window, and what it does on so many devices; those of signals are for the numbers of devices that they name.
CASES = (
    ("tput", "shmem", None, lambda d: ring(d, f"TPutKernelImpl<float, {COUNT}>")),
    ("tget", "shmem", None, lambda d: ring(d, f"TGetKernelImpl<float, {COUNT}>")),
    ("treduce", "input", None, lambda d: reduction(d, "Sum", np.sum)),
    ("treduce", "input", None, lambda d: reduction(d, "Max", np.max)),
    ("tgather", "src", None, gather),
    ("tscatter", "dst", None, scatter),
    ("tbroadcast", "output", None, broadcast),
    ("tnotify", "shmem_counter", None,
     lambda d: signals(d, "TNotifyAtomicAddKernel", "shmem_counter", (0, d.count), nranks=d.count)),
    ("twait", "shmem_signal", (2,), lambda d: signals(d, "TWaitBasicKernel", "shmem_signal", (1, 42))),
    ("twait", "shmem_matrix", (2,), lambda d: signals(d, "TWaitMatrixKernel<2, 2>", "shmem_matrix", (1, 1, 1, 1, 1))),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--devices", default="2,4,8")
    parser.add_argument("--platform", type=Path, default=ROOT / "build/bin/ascend_platform")
    parser.add_argument("--only", default="", help="only tests with this text in their name")
    options = parser.parse_args()
    options.folder = options.folder.resolve()
    equal = tried = 0
    for test, window, of, check in CASES:
        for count in of or [int(n) for n in options.devices.split(",")]:
            if options.only not in test:
                continue
            with tempfile.TemporaryDirectory() as folder:
                good = check(Devices(options, test, count, window, folder))
            print(f"{test} on {count} devices: {'equal' if good else 'not equal'}", flush=True)
            tried, equal = tried + 1, equal + bool(good)
    print(f"{equal} of {tried} equal")
    sys.exit(equal != tried)


if __name__ == "__main__":
    main()
