"""However a machine is built, as modules or dense, and by however many threads it is stepped, it is the same machine: the
report outside `wall`, `run` and `structure`, messages, exit codes and traces are equal. The examples at several sizes, runs
that are cut short, runs that fail, and random layouts.

structures_test.py EXECUTABLE SOURCES [FIRST COUNT]: only the random layouts FIRST .. FIRST + COUNT - 1 (soak).
structures_test.py EXECUTABLE SOURCES threads: dense with one thread and with several, instead of modules and dense.
structures_test.py EXECUTABLE SOURCES skews: dense with tiles that are level and with tiles ahead of others.
structures_test.py EXECUTABLE SOURCES ranks: dense in one process and in several, which mpirun starts.
The default run has a part of the sizes, seeds and variants; TESSERA_TEST_WHOLE=1 all of them (../../support/share.py)."""
import collections
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(1, str(pathlib.Path(__file__).parents[2] / "support"))
import random_layout  # noqa: E402
import share  # noqa: E402

SIZES = {
    "examples/broadcast_tree": [[], ["W=2", "H=2", "B=1"], ["W=9", "H=7", "B=33"]],
    "examples/exchange": [[], ["W=2", "H=2", "ITER=1", "K=2"], ["W=11", "H=9", "ITER=3"]],
    "examples/gemv_stream": [[], ["W=1", "H=1", "M=2", "N=2"], ["W=7", "H=9", "M=63", "N=63"]],
    "examples/hello_wavelet": [["W=2"], ["W=9", "H=2"]],
    "examples/pe_loops": [["KERNEL=7"], ["KERNEL=20"]],
    "examples/reduce_chain": [[], ["W=1", "H=1", "B=1"], ["W=1", "H=5"], ["W=5", "H=1"], ["W=17", "H=12", "B=64"]],
    "examples/reduce_filters": [[], ["SENDERS=1", "SINKS=1", "H=1"], ["SENDERS=12", "SINKS=5", "SHARE=31"]],
    "examples/reduce_two_phase": [[], ["W=1", "B=1"], ["W=7", "S=1"], ["W=33", "H=2", "B=64", "S=9"]],
    "examples/ring_allreduce": [[], ["W=3", "H=1", "B=1"], ["W=16", "H=3", "B=50"]],
    "examples/stream_rows": [[], ["W=1", "H=1", "B=1"], ["W=20", "H=9", "B=100"], ["H=9", "ROWS=2"]],
    "examples/two_phase_teardown": [[], ["W=2", "H=1", "B=1"], ["W=16", "H=3", "B=50"]],
    "examples/validation/path.json": [["HOPS=3", "WEST=1"]],
    "examples/validation/relay.json": [["N=3", "B=20"]],
    "examples/validation/row_reduce.json": [[], ["W=10", "S=10", "B=4"]],
    "tests/platforms/wse/programs/full_path": [[], ["W=9"]],
    "tests/platforms/wse/programs/rebinding": [[], ["SAFE=0"]],
    "tests/platforms/wse/programs/scatter": [[], ["W=9", "B=20"]],
    "tests/platforms/wse/programs/stream": [[], ["W=16", "B=300"]],
    "tests/platforms/wse/programs/teardown": [[], ["B=60"]],
}
CONFIGS = [
    ["fabric.hop_latency=5", "fabric.credit_latency=3", "fabric.buffer_depth=6", "fabric.arbitration=fixed"],
    ["fabric.buffer_depth=1", "fabric.on_ramp_latency=1", "fabric.off_ramp_latency=40", "queues.write_latency=3"],
    ["fabric.hop_latency=1", "fabric.credit_latency=7", "queues.input_lengths=[1,1,1,1,1,1,1,1]"],
]
TRACES = ("--trace-wse", "--trace-perfetto", "--vcd", "--heatmap")

# Programs that fail: example, file, text, replacement, exit code.
BROKEN = [
    ("broadcast_tree", "layout.json", '"tx": ["RAMP", "SOUTH"]},\n    {"rect": [0, "H - 1"',
     '"tx": ["RAMP"]},\n    {"rect": [0, "H - 1"', 4),
    ("broadcast_tree", "tree.tasm", "fmovs dds2, s1ds2", "fmovs dds2, 1.5", 1),
    ("gemv_stream", "gemv.tasm", "    ublk   x_in", "    brk", 4),  # on every tile in one cycle
    ("gemv_stream", "gemv.tasm", "    fmacs  dds1", "    brk\n    fmacs  dds1", 4),
    ("reduce_chain", "layout.json", '"COLUMN_OUT": "COLUMN + y % 2"', '"COLUMN_OUT": "COLUMN"', 4),
    ("reduce_filters", "layout.json", '"limit1": "SINKS * SHARE - 1"', '"limit1": "SINKS * SHARE"', 4),
    ("reduce_filters", "sender.tasm", " advance_switch", "", 4),
    ("ring_allreduce", "ring.tasm", "const TURN = 1 *", "const TURN = 0 *", 4),
    ("ring_allreduce", "layout.json", '"pos1": {"rx": ["EAST"]}', '"pos1": {"rx": ["WEST"]}', 4),
    ("two_phase_teardown", "row.tasm", "stcfg COLOR_CONFIG, ROUTE ", "stcfg COLOR_CONFIG, ROUTE + 0x4000", 4),
]

Run = collections.namedtuple("Run", "exit_code error report files")

STRUCTURES = [["--structure=modules"], ["--structure=dense"]]
# A number instead of options: processes.
RANKS = [["--structure=dense"], *share.part([[4, "--structure=dense", "--threads=2"], [2, "--structure=dense"]], 2)]
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]
THREADS = [["--structure=dense", f"--threads={count}"] for count in share.part((1, 2, 3, 7), 2)]
# Tiles that are stepped ahead of others, in blocks of several sizes.
SKEWS = [["--structure=dense", f"--threads={threads}", f"--skew={skew}"]
         for threads, skew in share.part(((1, "1,1,1"), (1, "8,4,4"), (1, "2,3,2"), (3, "3,2,5"), (1, "3,1,5"), (2, "32,16,16"),
                                          (1, "32,16,16"), (7, "8,1,3")), 3)]


def check_waits(report):
    """The cycles of every tile are busy, idle or waits; of all tiles too."""
    waits = report.get("waits")
    if waits is None:
        return
    total = waits["busy"] + waits["idle"] + sum(waits["reasons"].values())
    assert total == waits["units"] * report["cycles"], f"{total} cycles of {waits['units']} tiles: {waits}"
    assert waits["busy"] == report["counters"]["busy_issue_cycles"]["value"], waits["busy"]
    for tile in report.get("tiles", []):
        parts = [value for name, value in tile.items() if name.startswith("wait_")]
        total = sum(parts) + tile["busy_issue_cycles"] + tile.get("idle_cycles", 0)
        assert total in (0, report["cycles"]), f"tile {tile['tile']}: {total} of {report['cycles']} cycles"


class Structures:
    """Runs layouts in several variants of a machine, which are options, and compares."""

    def __init__(self, executable, folder, variants):
        self.executable = executable
        self.folder = folder
        self.variants = variants
        self.runs = 0
        self.ahead = variants is SKEWS

    def run(self, layout, options, variant, traces=False):
        path = self.folder / "report.json"
        path.unlink(missing_ok=True)
        ranks, variant = ([*MPIRUN, str(variant[0])], variant[1:]) if isinstance(variant[0], int) else ([], variant)
        command = [*ranks, self.executable, str(layout), "--quiet", *variant, "--report", str(path), *options]
        files = [self.folder / option for option in TRACES] if traces else []
        for option, file in zip(TRACES, files):
            command += [option, str(file)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        self.runs += 1
        report = json.loads(path.read_text()) if path.exists() else {}
        if report:
            assert variant[0] == f"--structure={report['structure']}" or result.returncode == 2, report["structure"]
            del report["structure"], report["wall"], report["run"]
            report.pop("checkpoint", None)
            check_waits(report)
        contents = [file.read_bytes() for file in files if file.exists()]
        # mpirun has something to say too.
        own = [line for line in result.stderr.splitlines(True) if line.startswith("wse_platform: ")]
        lines = own if ranks else result.stderr.splitlines(True)
        error = "".join(line for line in lines if not line.startswith("wse_platform: no state was saved"))
        return Run(result.returncode, error, report, contents)

    def expect_equal(self, expected, found, what):
        assert expected.exit_code == found.exit_code, f"{what}: exit code {expected.exit_code}, {found.exit_code}"
        assert expected.error == found.error, f"{what}:\n{expected.error}\n{found.error}"
        keys = {*expected.report, *found.report}
        # Where tiles may have been ahead of one that failed, their waits are unknown.
        if self.ahead and "[/tessera/" in found.error and "waits" not in found.report:
            keys.discard("waits")
        for key in keys:
            assert expected.report.get(key) == found.report.get(key), \
                f"{what}: {key} {str(expected.report.get(key))[:500]}\nand {str(found.report.get(key))[:500]}"
        assert expected.files == found.files, f"{what}: traces"

    def compare(self, layout, options, traces=False):
        """The run in the first variant; it is the same one in all others."""
        expected = self.run(layout, options, self.variants[0], traces)
        for variant in self.variants[1:]:
            found = self.run(layout, options, variant, traces)
            self.expect_equal(expected, found, f"{layout} {' '.join(map(str, [*variant, *options]))}")
        return expected

    def compare_shuffled(self, expected, layout, options, traces=False):
        shuffled = [*options, "--shuffle-step-order", "--seed", "7"]
        self.expect_equal(expected, self.run(layout, shuffled, self.variants[-1], traces), f"{layout} {' '.join(shuffled)}")


def check_examples(structures, sources):
    for place, (example, sizes) in enumerate(SIZES.items()):
        layout = sources / example if example.endswith(".json") else sources / example / "layout.json"
        for number, params in enumerate(sizes):
            # Not whole: a size has one preset, and the next size the other one.
            for preset in share.part(("wse2", "wse3") if (place + number) % 2 else ("wse3", "wse2"), 2):
                options = ["--preset", preset, *[f"--param={param}" for param in params]]
                whole = structures.compare(layout, [*options, "--report-detail"], traces=True)
                structures.compare_shuffled(whole, layout, [*options, "--report-detail"], traces=True)
                cycles = whole.report["cycles"]
                for cut in (cycles // 3, cycles - 2)[:1 if number else 2]:
                    structures.compare(layout, [*options, "--max-cycles", str(max(cut, 1))], traces=number == 0)
                config = CONFIGS[number % len(CONFIGS)]
                structures.compare(layout, [*options, *[f"--set={entry}" for entry in config]])
    print(f"examples: {structures.runs} runs")


def check_skews(structures, sources):
    """Without what keeps tiles level: counters of tiles and traces."""
    for number, (example, sizes) in enumerate(SIZES.items()):
        layout = sources / example if example.endswith(".json") else sources / example / "layout.json"
        for params in sizes:
            options = ["--preset", ("wse2", "wse3")[number % 2], *[f"--param={param}" for param in params]]
            whole = structures.compare(layout, options)
            structures.compare_shuffled(whole, layout, options)
            if share.WHOLE or params is sizes[0]:
                structures.compare(layout, [*options, "--max-cycles", str(max(whole.report["cycles"] // 3, 1))])
                structures.compare(layout, [*options, *[f"--set={entry}" for entry in CONFIGS[number % len(CONFIGS)]]])
    check_broken(structures, sources, ("wse3",))
    for seed in range(2000, 2000 + share.count(40, otherwise=10)):
        folder = structures.folder / f"random_{seed}"
        folder.mkdir()
        drawn = random_layout.RandomLayout(seed)
        structures.compare(drawn.write(folder), drawn.options)
    print(f"tiles ahead of others: {structures.runs} runs")


def check_broken(structures, sources, presets=("wse2", "wse3"), options=()):
    for number, (example, name, text, replacement, exit_code) in enumerate(BROKEN):
        copy = pathlib.Path(shutil.copytree(sources / "examples" / example, structures.folder / f"broken_{number}",
                                            dirs_exist_ok=True))
        source = (copy / name).read_text()
        assert text in source, f"{example}/{name} has no '{text}'"
        (copy / name).write_text(source.replace(text, replacement))
        for preset in presets:
            run = structures.compare(copy / "layout.json", ["--preset", preset, *options])
            assert run.exit_code == exit_code, f"{example}/{name} with '{replacement}': exit code {run.exit_code}"


def check_ranks(structures, sources):
    """What the examples do does not depend on the number of processes."""
    for number, (example, sizes) in enumerate(SIZES.items()):
        layout = sources / example if example.endswith(".json") else sources / example / "layout.json"
        for params in sizes[:1]:
            options = [f"--param={param}" for param in params]
            whole = structures.compare(layout, [*options, "--report-detail"], traces=number % 2 == 1)
            if number % 2 == 0:  # tiles ahead of others
                structures.compare(layout, [*options, f"--skew={2 + number % 15},2,3"])
            if number % 4 == 0:
                structures.compare(layout, [*options, "--max-cycles", str(whole.report["cycles"] // 2)])
    print(f"examples in several processes: {structures.runs} runs")


def check_lost_rank(structures, sources):
    """A process that is lost ends the run; its rank stands in the report of what was recorded."""
    path = structures.folder / "lost.json"
    command = [*MPIRUN, "3", "--mca", "odls_base_sigkill_timeout", "5", structures.executable, str(sources / "examples/exchange/layout.json"),
               "--param=W=24", "--param=H=24", "--param=ITER=60000", "--structure=dense", "--quiet", "--report", str(path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
        lost = None
        while lost is None and run.poll() is None:
            time.sleep(0.2)
            lost = process_of_rank(2, path)
        while processor_time(lost) < 2:  # past the construction
            time.sleep(0.1)
        os.kill(lost, signal.SIGKILL)
        assert run.wait(timeout=600) != 0
    report = json.loads(path.read_text())
    assert report["status"] == "could_not_finish", report["status"]
    assert "rank 2 does not answer any more [/tessera/ranks/lost]" in report["message"], report["message"]
    assert report["cycles"] > 0 and report["run"]["ranks"] == 3


def processor_time(process):
    """In seconds."""
    words = pathlib.Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def process_of_rank(rank, path):
    """The process id of a rank of the run that writes the report `path`; None: it is not there yet."""
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            environment = (process / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if str(path).encode() in words and f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment:
            return int(process.name)
    return None


def check_random(structures, first, count):
    ends = collections.Counter()
    for seed in range(first, first + count):
        folder = structures.folder / "random"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        drawn = random_layout.RandomLayout(seed)
        layout = drawn.write(folder)
        traces = seed % 4 == 0
        try:
            run = structures.compare(layout, [*drawn.options, "--report-detail"], traces)
            if seed % 3 == 0:
                structures.compare_shuffled(run, layout, [*drawn.options, "--report-detail"], traces)
        except AssertionError as difference:
            raise AssertionError(f"random layout {seed}: {difference}") from None
        ends[run.exit_code] += 1
    assert ends[2] < count / 10, f"{ends[2]} of {count} random layouts are not accepted"
    print(f"random layouts: {count}, by exit code {dict(ends)}")


def check_choice(structures, sources):
    """`auto`, and what dense cannot do."""
    layout = sources / "tests/platforms/wse/programs/stream/layout.json"

    def built(*options):
        path = structures.folder / "choice.json"
        subprocess.run([structures.executable, str(layout), "--quiet", "--report", str(path), *options], check=True)
        return json.loads(path.read_text())["structure"]

    def refused(*options):
        command = [structures.executable, str(layout), *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 2, f"{options}: exit code {result.returncode}"
        return result.stderr

    assert built("--param=W=32", "--param=H=32") == "modules"
    assert built("--param=W=41", "--param=H=25") == "dense"
    assert built("--param=W=41", "--param=H=25", "--check-links") == "modules"
    assert built("--structure=dense") == "dense"
    assert "no links between its routers" in refused("--structure=dense", "--check-links")
    assert "--structure modules" in refused("--structure=dense", "--check-links", "--validate")
    assert "does not follow single wavelets" in refused("--structure=dense", "--check-epochs")
    for key in ("fabric.hop_latency", "fabric.credit_latency", "fabric.on_ramp_latency", "fabric.off_ramp_latency",
                "queues.write_latency"):
        structures.compare(layout, [f"--set={key}=63"])
        expected = f"config: {key}: structure 'dense' takes at most 63, found 64"
        assert expected in refused("--structure=dense", f"--set={key}=64"), key
        assert expected in refused("--structure=dense", f"--set={key}=64", "--validate"), key
    assert "fabric.buffer_depth" in refused("--structure=dense", "--set=fabric.buffer_depth=300")
    assert "modules, dense, auto" in refused("--structure=sparse")


def main():
    executable, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        if sys.argv[3:] == ["ranks"]:
            library = pathlib.Path(executable).resolve().parent.parent / "lib/libtessera_mpi.so"
            if not library.exists() or shutil.which("mpirun") is None:
                print("skipped: there is no MPI")
                sys.exit(77)
            structures = Structures(executable, pathlib.Path(name), RANKS)
            check_ranks(structures, sources)
            check_broken(structures, sources, presets=("wse3",))
            if share.WHOLE:
                check_broken(structures, sources, ("wse3",), ["--skew=8,4,4"])
            check_lost_rank(structures, sources)
            return
        if sys.argv[3:] == ["skews"]:
            check_skews(Structures(executable, pathlib.Path(name), SKEWS), sources)
            return
        if sys.argv[3:] == ["threads"]:
            structures = Structures(executable, pathlib.Path(name), THREADS)
            check_examples(structures, sources)
            check_broken(structures, sources, share.part(("wse3", "wse2"), 2))
            check_random(structures, 1000, share.count(40, otherwise=12))
            return
        structures = Structures(executable, pathlib.Path(name), STRUCTURES)
        if len(sys.argv) > 3:
            check_random(structures, int(sys.argv[3]), int(sys.argv[4]))
            return
        check_examples(structures, sources)
        check_broken(structures, sources)
        check_random(structures, 0, share.count(150, otherwise=40))
        check_choice(structures, sources)
        print(f"{structures.runs} runs")


if __name__ == "__main__":
    main()
