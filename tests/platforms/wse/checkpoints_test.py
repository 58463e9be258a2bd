"""A run that goes on from a saved state is the run that was not interrupted: report, messages, exit code and outputs are
equal, wherever it was saved and by however many threads both are stepped. The bytes of a checkpoint depend on neither.
A file that is not whole is refused in one sentence; the newest whole file survives any end of a process.

checkpoints_test.py EXECUTABLE SOURCES [FIRST COUNT]: with FIRST and COUNT only random layouts (soak)."""
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent))
import random_layout  # noqa: E402
import structures_test  # noqa: E402
import mutants  # noqa: E402 pylint: disable=wrong-import-order
import share  # noqa: E402 pylint: disable=wrong-import-order

WAYS = [["--threads=1"], ["--threads=2"], ["--threads=7"], ["--threads=1", "--skew=8,4,4"],
        ["--threads=3", "--skew=3,2,5"], ["--threads=1", "--shuffle-step-order"]]
WAYS_OF_MODULES = [[], ["--shuffle-step-order"], ["--shuffle-step-order", "--seed=7"]]


KILLS = share.count(100, otherwise=5)


class Checkpoints:
    def __init__(self, executable, folder, structure="dense"):
        self.executable = executable
        self.folder = folder
        self.variant = [f"--structure={structure}"]
        self.ways = WAYS if structure == "dense" else WAYS_OF_MODULES
        self.runs = structures_test.Structures(executable, folder, [self.variant])
        self.draw = random.Random(46)
        self.saves = self.in_processes = 0
        library = pathlib.Path(executable).parents[1] / "lib" / "libtessera_mpi.so"
        self.ranks = 2 if structure == "dense" and library.exists() and shutil.which("mpirun") else None
        self.runs.ahead = True  # tiles that are ahead of one that fails have no accounts

    def run(self, layout, options, processes=()):
        return self.runs.run(layout, options, [*processes, *self.variant])

    def way(self):
        return self.draw.choice(self.ways)

    def saved(self, layout, options, cycle, name, processes=()):
        """The bytes of the state before `cycle`; None: the run never comes there. The run itself is as ever."""
        file = self.folder / name
        file.unlink(missing_ok=True)
        run = self.run(layout, [*options, "--checkpoint", str(file), "--checkpoint-at", str(cycle)], processes)
        return run, file if file.exists() else None

    def check(self, layout, options, places=1):
        whole = self.run(layout, options + self.ways[0])
        cycles = whole.report.get("cycles", 0)
        if whole.exit_code == 2 or cycles < 3:
            return
        for cycle in sorted(self.draw.sample(range(1, cycles), min(places, cycles - 1))):
            self.check_at(layout, options, whole, cycle, cycles)

    def check_at(self, layout, options, whole, cycle, cycles):
        what = f"{layout} {' '.join(options)} saved before cycle {cycle}"
        way, other, third = self.way(), self.way(), self.way()
        run, file = self.saved(layout, [*options, *way], cycle, "a")
        self.runs.expect_equal(whole, run, f"{what} {way}: the run that saves")
        if file is None:
            return
        self.saves += 1
        _, again = self.saved(layout, [*options, *other], cycle, "b")
        assert again is not None and again.read_bytes() == file.read_bytes(), f"{what}: other bytes with {other} than {way}"
        if layout.suffix == ".json":  # the state of a CSL program during a copy is saved later
            self.check_stop(layout, options, cycle, file)
        if not self.may_restore(options, cycle):
            return
        for attempt in (other, third):
            found = self.run(layout, [*options, *attempt, "--restore", str(file)])
            self.runs.expect_equal(whole, found, f"{what} {way}, restored {attempt}")
        if self.ranks is not None and layout.suffix == ".json" and self.saves % share.count(1, otherwise=6) == 0:
            found = self.run(layout, [*options, "--restore", str(file)], [self.ranks])
            self.runs.expect_equal(whole, found, f"{what} {way}, restored in {self.ranks} processes")
            self.in_processes += 1
            bare = [option for option in options if option not in ("--waits", "--no-waits")] + ["--no-waits"]
            alone, expected = self.saved(layout, bare, cycle, "f")
            shared, found = self.saved(layout, bare, cycle, "g", [self.ranks + 1])
            self.runs.expect_equal(alone, shared, f"{what} by {self.ranks + 1} processes: the run that saves")
            assert (expected is None) == (found is None), f"{what} by {self.ranks + 1} processes"
            for state, processes in ((expected, [self.ranks]), (found, ()), (found, [self.ranks])):
                again = self.run(layout, [*bare, "--restore", str(state)], processes)
                self.runs.expect_equal(alone, again, f"{what} by {self.ranks + 1} processes, restored in {processes or 1}")
        later = self.draw.randint(cycle, cycles)
        if later == cycle or not self.may_restore(options, later):
            return
        _, direct = self.saved(layout, [*options, *third], later, "c")
        _, twice = self.saved(layout, [*options, *other, "--restore", str(file)], later, "d")
        assert (direct is None) == (twice is None), f"{what}: and before {later}"
        if direct is not None:
            assert direct.read_bytes() == twice.read_bytes(), f"{what}: saved again before {later}, other bytes"
            found = self.run(layout, [*options, *way, "--restore", str(twice)])
            self.runs.expect_equal(whole, found, f"{what}, restored, saved before {later} and restored")

    @staticmethod
    def may_restore(options, cycle):
        """A run that ends less than 64 cycles later has counted too much, and is refused."""
        bounds = [int(options[i + 1]) for i, option in enumerate(options) if option == "--max-cycles"]
        return not bounds or bounds[0] >= cycle + 64

    def check_stop(self, layout, options, cycle, file):
        """--max-cycles ends a run before `cycle`, and saves what --checkpoint-at saves there. The run is as without that."""
        if "--max-cycles" in options:
            options = list(options)
            place = options.index("--max-cycles")
            del options[place:place + 2]
        bound = ["--max-cycles", str(cycle)]
        plain = self.run(layout, [*options, *self.way(), *bound])
        way = self.way()
        stopped = self.folder / "e"
        stopped.unlink(missing_ok=True)
        saving = self.run(layout, [*options, *way, *bound, "--checkpoint", str(stopped), "--checkpoint-on-stop"])
        self.runs.expect_equal(plain, saving, f"{layout} {' '.join(options)} ends before cycle {cycle} and saves")
        assert stopped.read_bytes() == file.read_bytes(), f"{layout} {' '.join(options)}: another state at the end in {cycle}"


def layout_of(sources, example):
    return sources / example if example.endswith(".json") else sources / example / "layout.json"


def check_examples(checkpoints, sources):
    for number, (example, sizes) in enumerate(structures_test.SIZES.items()):
        for size, params in enumerate(share.part(sizes, 2)):
            options = ["--preset", ("wse2", "wse3")[(number + size) % 2], *[f"--param={param}" for param in params]]
            detail = [[], ["--report-detail"], ["--waits"], ["--no-waits"]][(number + size) % 4]
            checkpoints.check(layout_of(sources, example), [*options, *detail])
            if size == 0:
                config = structures_test.CONFIGS[number % len(structures_test.CONFIGS)]
                checkpoints.check(layout_of(sources, example), [*options, *[f"--set={entry}" for entry in config]], 1)
    print(f"examples: {checkpoints.saves} states, {checkpoints.runs.runs} runs")


def check_far_ports(checkpoints, sources):
    """What edges announce so far ahead that it fits the masks of a router in some orders of steps only, has one form in a state."""
    layout = layout_of(sources, "examples/gemv_stream")
    options = ["--set=fabric.hop_latency=63", "--set=fabric.credit_latency=63", "--no-waits"]
    for cycle in (2, 10, 62, 66, 130, 200):
        states = [checkpoints.saved(layout, [*options, *way], cycle, "far")[1].read_bytes()
                  for way in ([], *(["--shuffle-step-order", f"--seed={seed}"] for seed in (1, 2, 3)))]
        assert len(set(states)) == 1, f"{layout} {options} saved before cycle {cycle}: other bytes in another order of steps"
    checkpoints.check(layout, options, 2)


def check_modules(executable, folder, sources):
    """The same with a module for each block."""
    checkpoints = Checkpoints(executable, folder, "modules")
    for number, (example, sizes) in enumerate(structures_test.SIZES.items()):
        if number % 4 != 1 and not share.WHOLE:
            continue
        options = ["--preset", ("wse2", "wse3")[number % 2], *[f"--param={param}" for param in sizes[0]]]
        checkpoints.check(layout_of(sources, example), [*options, *[[], ["--report-detail"], ["--no-waits"]][number % 3]], share.count(3, otherwise=1))
    for name, params, launches in CSL[:1]:
        options = ["--params", params, *[f"--launch={launch}" for launch in launches]]
        checkpoints.check(sources / "examples/csl" / name / "layout.csl", options, 2)
    check_random(checkpoints, 4000, share.count(12, otherwise=2), 1)
    print(f"modules: {checkpoints.saves} states, {checkpoints.runs.runs} runs")


CSL = [("allreduce", "width:5,height:4,length:16", ["all_reduce"]), ("allreduce", "width:3,height:3,length:9", ["all_reduce"] * 3)]


def check_csl(checkpoints, sources):
    """The state is saved while the functions of the host run; where it is asked for during a copy, after that."""
    for name, params, launches in CSL:
        options = ["--params", params, *[f"--launch={launch}" for launch in launches]]
        checkpoints.check(sources / "examples/csl" / name / "layout.csl", options, 4)
    # Arguments that the host writes to memory wait for the function, and for its turn after another.
    keep = "keep:-1,2,-3,4,-5,6,-7,8,-9,1.5,2.5,1"
    checkpoints.check(sources / "tests/platforms/wse/programs/arguments/layout.csl", [f"--launch={keep}"] * 3, 4)
    print(f"CSL: {checkpoints.saves} states, {checkpoints.runs.runs} runs")


def check_random(checkpoints, first, count, places=2):
    for seed in range(first, first + count):
        folder = checkpoints.folder / f"random_{seed}"
        folder.mkdir()
        drawn = random_layout.RandomLayout(seed)
        checkpoints.check(drawn.write(folder), drawn.options, places)
        shutil.rmtree(folder)
    print(f"random layouts: {checkpoints.saves} states, {checkpoints.runs.runs} runs")


def refused(executable, layout, options):
    result = subprocess.run([executable, str(layout), "--quiet", *options], capture_output=True, text=True, check=False,
                            timeout=120)
    assert result.returncode == 2, f"{options}: exit code {result.returncode} {result.stderr}"
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("wse_platform: "), result.stderr
    return result.stderr


def check_remarks(checkpoints, sources):
    """A state that was asked for and is not there is said also with --quiet, with its reason."""
    chain = layout_of(sources, "examples/reduce_chain")
    file = checkpoints.folder / "no_state"
    command = [checkpoints.executable, str(chain), "--quiet", "--preset=wse3", "--checkpoint", str(file), "--checkpoint-at"]
    late = subprocess.run([*command, "1000000"], capture_output=True, text=True, check=True, timeout=120)
    assert "no state was saved: the run ended before cycle 1000000" in late.stderr and not file.exists(), late.stderr
    csl = [*command[:1], sources / "examples/csl/gemv/layout.csl", *command[2:4], "--params=width:4,height:4,M:32,N:32", "--launch=compute",
           f"--output=y={checkpoints.folder / 'y.npy'}", "--report", str(checkpoints.folder / "whole.json")]
    subprocess.run(csl, capture_output=True, check=True, timeout=120)
    last = json.loads((checkpoints.folder / "whole.json").read_text(encoding="utf-8"))["cycles"] - 1
    late = subprocess.run([*csl, "--checkpoint", str(file), f"--checkpoint-at={last}"], capture_output=True, text=True, check=True, timeout=120)
    assert "no function ran without a copy or a stream of the host" in late.stderr and not file.exists(), late.stderr


def check_refusals(checkpoints, sources):
    """What differs is named; what does not go together too."""
    chain = layout_of(sources, "examples/reduce_chain")
    file = checkpoints.folder / "state"
    save = ["--checkpoint", str(file), "--checkpoint-at", "60"]
    run = checkpoints.run(chain, ["--preset=wse3", "--no-waits", *save])
    assert run.exit_code == 0 and file.exists()
    restore = ["--restore", str(file), "--no-waits"]
    copy = pathlib.Path(shutil.copytree(chain.parent, checkpoints.folder / "copy"))
    source = next(copy.glob("*.tasm"))
    source.write_text(source.read_text() + "\n")
    pipe = checkpoints.folder / "pipe"
    os.mkfifo(pipe)  # stands for a device, such as /dev/null, whose place a state would take
    for layout, options, words in [
            (chain, ["--preset=wse2", *restore], "configuration value"),
            (chain, ["--set=fabric.hop_latency=3", *restore], "fabric.hop_latency is 2 in the checkpoint and 3 in this run"),
            (chain, ["--param=B=7", *restore], "parameter B"),
            (copy / "layout.json", restore, source.name),
            (layout_of(sources, "examples/exchange"), restore, "the checkpoint"),
            (chain, ["--max-cycles=60", *restore], "--max-cycles: 60 is not after the checkpoint"),
            (chain, ["--max-cycles=100", *restore], "100 is less than 64 cycles after the checkpoint"),
            (chain, ["--structure=modules", *restore], "the structure is dense in the checkpoint and modules in this run"),
            (chain, ["--check-links", *save], "--check-links: the watch over the links has no state"),
            (chain, ["--check-epochs", *restore], "--check-epochs: the watch over changes of routes has no state"),
            (chain, ["--replace=router[1,1]=x", *save], "--replace: a module of a user has no state"),
            (chain, ["--why=1,1@59", *restore], "--why: cycle 59 lies before the checkpoint, which is of cycle 60"),
            (chain, ["--vcd=/dev/null", "--trace-to=59", *restore], "--trace-to: cycle 59 lies before the checkpoint, which is of cycle 60"),
            (chain, ["--restore", str(file)], ""),
            (chain, ["--restore", str(file), "--report", str(checkpoints.folder / "r.json")], "accounts of waits"),
            (chain, ["--restore", str(file), "--heatmap", str(checkpoints.folder / "h.svg")], "counts of each tile"),
            (chain, ["--restore", "nowhere"], "nowhere: cannot be read"),
            (chain, ["--restore", str(chain)], "this is no checkpoint"),
            (chain, ["--restore", "/dev/zero"], "/dev/zero: is a device or a pipe; a checkpoint is a file"),
            (chain, ["--restore", str(checkpoints.folder)], "is a folder; a checkpoint is a file"),
            (chain, ["--checkpoint", str(pipe), "--checkpoint-at=60"], "is a device or a pipe; a checkpoint is a file"),
            (chain, ["--checkpoint", str(file)], "has no effect without --checkpoint-at, --checkpoint-every or"),
            (chain, ["--checkpoint-at=5"], "has no effect without --checkpoint"),
            (chain, ["--checkpoint-on-stop"], "has no effect without --checkpoint"),
            (chain, ["--checkpoint", str(file), "--checkpoint-every=0"], "'0' is neither"),
            (chain, ["--checkpoint", str(file), "--checkpoint-every=-5s"], "'-5s' is neither"),
            (chain, ["--checkpoint", str(file), "--checkpoint-every=1e20s"], "'1e20s' is neither"),
            (chain, ["--checkpoint", str(file), "--checkpoint-at=0"], "the beginning"),
    ]:
        if words:
            error = refused(checkpoints.executable, layout, options)
            assert words in error, f"{options}: {error}"
        else:
            assert checkpoints.runs.executable and subprocess.run(
                [checkpoints.executable, str(layout), "--quiet", *options], check=False, timeout=120).returncode == 0
    assert pipe.is_fifo()
    return file, chain


def check_mutants(checkpoints, file, layout):
    count = 0
    for mutant in mutants.mutants(file.read_bytes(), checkpoints.draw, share.count(500, otherwise=60)):
        (checkpoints.folder / "mutant").write_bytes(mutant)
        refused(checkpoints.executable, layout, ["--restore", str(checkpoints.folder / "mutant"), "--no-waits"])
        count += 1
    print(f"{count} mutants refused")


def check_ends(checkpoints, sources):
    """Runs that are ended by force or by a bound go on."""
    layout = layout_of(sources, "examples/stream_rows")
    options = ["--param=W=24", "--param=H=16", "--param=B=3000", "--no-waits"]
    whole = checkpoints.run(layout, options)
    assert whole.exit_code == 0, whole.error
    file = checkpoints.folder / "ended"
    command = [checkpoints.executable, str(layout), "--quiet", "--structure=dense", *options, "--checkpoint", str(file)]
    def remove():
        for old in checkpoints.folder.glob("ended*"):
            old.unlink()

    def interrupted(options_of_run, number, after_s):
        """The exit code of a run that gets a signal some time after its first state."""
        remove()
        process = subprocess.Popen([*command, *options_of_run], stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while not file.exists() and process.poll() is None and time.monotonic() < until:
            time.sleep(0.002)
        time.sleep(after_s)
        process.send_signal(number)
        return process.wait()

    killed = 0
    for number in range(KILLS):
        killed += interrupted(["--checkpoint-every=50"], signal.SIGKILL, checkpoints.draw.random() * 0.1) != 0
        assert file.exists(), "the newest file is gone"
        again = checkpoints.run(layout, [*options, "--restore", str(file)])
        checkpoints.runs.expect_equal(whole, again, f"killed, moment {number}")
    print(f"{killed} of {KILLS} runs were killed, and went on")
    code = interrupted(["--checkpoint-every=400", "--checkpoint-on-stop"], signal.SIGTERM, 0.02)
    assert code in (0, 4), code
    checkpoints.runs.expect_equal(whole, checkpoints.run(layout, [*options, "--restore", str(file)]), "ended by SIGTERM")
    for end in ("--max-cycles=900", "--timeout=1"):
        remove()
        stopped = subprocess.run([*command, "--checkpoint-on-stop", end], check=False, capture_output=True, timeout=120)
        if stopped.returncode == 0:
            continue  # it was quicker
        assert stopped.returncode == 4 and file.exists(), stopped.stderr
        checkpoints.runs.expect_equal(whole, checkpoints.run(layout, [*options, "--restore", str(file)]), f"ended by {end}")


def main():
    executable, sources = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        checkpoints = Checkpoints(executable, pathlib.Path(folder))
        if len(sys.argv) > 3:
            return check_random(checkpoints, int(sys.argv[3]), int(sys.argv[4]), 3)
        check_remarks(checkpoints, sources)
        check_mutants(checkpoints, *check_refusals(checkpoints, sources))
        check_ends(checkpoints, sources)
        check_examples(checkpoints, sources)
        check_far_ports(checkpoints, sources)
        check_csl(checkpoints, sources)
        check_modules(executable, pathlib.Path(folder), sources)
        check_random(checkpoints, 3000, share.count(12, otherwise=4))


if __name__ == "__main__":
    main()
