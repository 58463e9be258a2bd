"""CSL programs in several processes, which mpirun starts: report, memory, arrays, messages and traces are those of one process,
for host programs in Python and for the options --input, --launch and --output. A run of a host program that is not the first
one has one process, and a script without a run ends.

csl_ranks_test.py EXECUTABLE SOURCES; TESSERA_TEST_WHOLE=1: more programs and numbers of processes."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
import share  # noqa: E402

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]
HOSTS = share.part(("examples/csl/gemv", "examples/csl/allreduce", "examples/csl/stencil"), 2)
TRACES = {"--trace-perfetto": "t.json", "--trace-wse": "t.log", "--vcd": "t.vcd", "--heatmap": "h.svg"}
FAILING = """
import sys
import numpy as np
from cerebras.sdk.runtime.sdkruntimepybind import MemcpyDataType, MemcpyOrder, SdkRuntime
runner = SdkRuntime(sys.argv[1])
runner.load()
runner.run()
A = runner.get_id("A")
try:
    runner.memcpy_h2d(A, np.zeros(8 * 8 * 4096, dtype=np.uint32), 0, 0, 8, 8, 4096, streaming=False,
                      order=MemcpyOrder.ROW_MAJOR, data_type=MemcpyDataType.MEMCPY_32BIT, nonblock=False)
except Exception as error:
    print(type(error).__name__, error)
runner.stop()
"""


class Runs:
    def __init__(self, executable, sources, folder):
        self.executable, self.sources, self.folder = executable, sources, folder
        sdk = executable.parent.parent / "sdk/bin"
        self.cs_python = sdk / "cs_python"
        self.environment = {**os.environ, "PATH": f"{sdk}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1"}
        self.count = 0

    def run(self, command, where, ranks=1, options="", expected=0, **more):
        self.count += 1
        command = [*(MPIRUN + [str(ranks)] if ranks > 1 else []), *map(str, command)]
        done = subprocess.run(command, cwd=where, env={**self.environment, "TESSERA_OPTIONS": options, **more}, text=True,
                              capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=600)
        assert done.returncode == expected, f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        return done


def result(path):
    """A report without what depends on the computer and the number of processes."""
    report = json.loads(path.read_text(encoding="utf-8"))
    ranks = report["run"].get("ranks", 1)
    for name in ("wall", "run"):
        del report[name]
    return ranks, report


def compiled(runs, example):
    where = runs.folder / pathlib.Path(example).name
    shutil.copytree(runs.sources / example, where, dirs_exist_ok=True)
    script = (where / "commands.sh").read_text(encoding="utf-8").splitlines()
    runs.run(["sh", "-c", script[0]], where)
    return where


def check_hosts(runs):
    for example in HOSTS:
        where = compiled(runs, example)
        expected = None
        for ranks in (1, *share.part((2, 4), 2)):
            traces = " ".join(f"{option} {file}" for option, file in TRACES.items())
            done = runs.run([runs.cs_python, "run.py", "--name", "out"], where, ranks, f"--report r.json --waits {traces}")
            assert "SUCCESS" in done.stdout, f"{example}, {ranks} processes: {done.stdout}{done.stderr}"
            count, report = result(where / "r.json")
            assert count == ranks, f"{example}: {count} of {ranks} processes"
            files = {name: (where / name).read_bytes() for name in ("out/memory.bin", *TRACES.values())}
            expected = expected or (report, files)
            for name, value in expected[0].items():
                assert report.get(name) == value, f"{example}, {ranks} processes: {name}: {report.get(name)}, not {value}"
            for name, content in expected[1].items():
                assert files[name] == content, f"{example}, {ranks} processes: {name} is another one"


def check_messages(runs):
    where = compiled(runs, "examples/csl/gemv")
    (where / "failing.py").write_text(FAILING, encoding="utf-8")
    texts = [runs.run([runs.cs_python, "failing.py", "out"], where, ranks).stdout for ranks in (1, 2)]
    assert texts[0] == texts[1] and "A" in texts[0], texts


def check_launcher(runs):
    where = compiled(runs, "examples/csl/gemv")
    done = runs.run([runs.cs_python, "-c", "print('no run')"], where, 2)
    assert done.stdout == "no run\n", done.stdout
    twice = "import subprocess, sys\nfor i in range(2): subprocess.run([sys.executable, 'run.py', '--name', 'out'], check=True)"
    done = runs.run([runs.cs_python, "-c", twice], where, 2)
    assert done.stdout.count("SUCCESS") == 2 and "share the first run of a host program" in done.stderr, done.stdout + done.stderr
    done = runs.run([runs.cs_python, "-c", "print('alone')"], where, 2, TESSERA_RANKS="0")
    assert done.stdout == "alone\nalone\n", done.stdout


def check_options(runs):
    """A program without a host program: files of arrays and launches."""
    where = compiled(runs, "examples/csl/stencil")
    expected = None
    for ranks in (1, 3):
        done = runs.run([runs.executable, "layout.csl", "--param", "width=8", "--param", "height=8", "--param", "depth=32",
                         "--launch", "iterate:4", "--output", "u=u.npy", "--report", "r.json", "--quiet", "--why", "3,7@200"], where, ranks)
        count, report = result(where / "r.json")
        assert count == ranks, count
        found = (report, (where / "u.npy").read_bytes(), done.stdout)
        expected = expected or found
        for a, b in zip(expected, found):
            assert a == b, f"{ranks} processes: {b} is not {a}"


def main():
    executable, sources = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    if not (executable.parent.parent / "lib/libtessera_mpi.so").exists() or shutil.which("mpirun") is None:
        print("skipped: there is no MPI")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        runs = Runs(executable, sources, pathlib.Path(name))
        check_hosts(runs)
        check_messages(runs)
        check_launcher(runs)
        check_options(runs)
        print(f"CSL programs in several processes: {runs.count} runs")


if __name__ == "__main__":
    main()
