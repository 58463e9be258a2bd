# SPDX-License-Identifier: Apache-2.0
"""A mesh or an AI-core cluster that goes on from a saved state is the run that was not interrupted: report, messages, exit code and
outputs are equal, wherever it was saved, in either structure and in the other one. The bytes of a state do not depend on the order of steps.
A file that is not whole is refused in one sentence; the newest whole file survives any end of a process.

machine_checkpoints_test.py numesh|ascend EXECUTABLE SOURCES [FIRST COUNT]: with FIRST and COUNT so many saves more (soak)."""
import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).parent / "ascend"))
sys.path.insert(1, str(pathlib.Path(__file__).parents[1] / "support"))
import mutants  # noqa: E402
import share  # noqa: E402

STRUCTURES = ("dense", "modules")
KILLS = share.count(100, otherwise=3)


class Program:
    """A program with its options, and the arrays that it writes."""

    def __init__(self, path, options=(), outputs=()):
        self.path, self.options, self.outputs = str(path), list(options), list(outputs)

    def __str__(self):
        return f"{self.path} {' '.join(self.options)}"


class Checkpoints:
    def __init__(self, executable, folder, seed=46, shuffled_bytes=True):
        self.executable, self.folder, self.shuffled_bytes = executable, pathlib.Path(folder), shuffled_bytes
        self.draw = random.Random(seed)
        self.saves = self.runs = 0

    def run(self, program, *options):
        """Exit code, messages, what was printed, report and outputs."""
        report = self.folder / "report.json"
        files = {name: self.folder / f"{name}.out.npy" for name in program.outputs}
        for file in (report, *files.values()):
            file.unlink(missing_ok=True)
        command = [self.executable, program.path, *program.options, "--report", str(report), "--report-detail", *options]
        command += [f"--output={name}={file}" for name, file in files.items()]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
        self.runs += 1
        read = json.loads(report.read_text()) if report.exists() else {}
        for key in ("structure", "wall", "run", "checkpoint"):
            read.pop(key, None)
        name = pathlib.Path(self.executable).name
        remark = f"{name}: the state before cycle", f"{name}: no state was saved"
        error = [line for line in result.stderr.splitlines() if not line.startswith(remark)]
        printed = [line for line in result.stdout.splitlines() if line.startswith("cycle ")]
        contents = {name: file.read_bytes() for name, file in files.items() if file.exists()}
        return {"exit code": result.returncode, "messages": error, "printed": printed, "outputs": contents, **read}

    def expect_equal(self, expected, found, what):
        for key in {*expected, *found}:
            assert expected.get(key) == found.get(key), \
                f"{what}: {key} {str(expected.get(key))[:500]}\nand {str(found.get(key))[:500]}"

    def saved(self, program, name, cycle, *options):
        """The run, and its state before `cycle`; None: it never comes there."""
        file = self.folder / name
        file.unlink(missing_ok=True)
        return self.run(program, *options, "--checkpoint", str(file), "--checkpoint-at", str(cycle)), file if file.exists() else None

    def check(self, program, places):
        whole = self.run(program, f"--structure={self.draw.choice(STRUCTURES)}")
        cycles = whole.get("cycles", 0)
        assert whole["exit code"] in (0, 1, 2, 4), f"{program}: {whole['messages']}"
        if whole["exit code"] == 2 or cycles < 3:
            return False
        for cycle in sorted(self.draw.sample(range(1, cycles), min(places, cycles - 1))):
            self.check_at(program, whole, cycle, cycles)
        return True

    def check_at(self, program, whole, cycle, cycles):
        what = f"{program} saved before cycle {cycle}"
        structure = self.draw.choice(STRUCTURES)
        here = f"--structure={structure}"
        shuffled = [here, "--shuffle-step-order", f"--seed={self.draw.randint(1, 99)}"]
        run, file = self.saved(program, "a", cycle, here)
        self.expect_equal(whole, run, f"{what} {structure}: the run that saves")
        if file is None:
            return
        self.saves += 1
        same = shuffled if self.shuffled_bytes else [here]
        _, again = self.saved(program, "b", cycle, *same)
        assert again.read_bytes() == file.read_bytes(), f"{what}: other bytes with {same}"
        restore = ["--restore", str(file)]
        for options in ([here], shuffled, [f"--structure={STRUCTURES[structure == 'dense']}"]):
            self.expect_equal(whole, self.run(program, *options, *restore), f"{what} {structure}, restored {options}")
        later = self.draw.randint(cycle, cycles)
        if later == cycle:
            return
        _, direct = self.saved(program, "c", later, here)
        _, twice = self.saved(program, "d", later, *same, *restore)
        assert (direct is None) == (twice is None), f"{what} {structure}: and before {later}"
        if direct is None:
            return
        assert direct.read_bytes() == twice.read_bytes(), f"{what} {structure}: saved again before {later}, other bytes"
        self.expect_equal(whole, self.run(program, here, "--restore", str(twice)), f"{what}, saved before {later}, restored twice")
        self.check_stop(program, later, direct, here)

    def check_stop(self, program, cycle, file, here):
        """--max-cycles ends a run before `cycle` and saves what --checkpoint-at saves there. The run is as without that."""
        bound = [here, "--max-cycles", str(cycle)]
        stopped = self.folder / "e"
        stopped.unlink(missing_ok=True)
        plain = self.run(program, *bound)
        saving = self.run(program, *bound, "--checkpoint", str(stopped), "--checkpoint-on-stop")
        self.expect_equal(plain, saving, f"{program} ends before cycle {cycle} and saves")
        assert stopped.read_bytes() == file.read_bytes(), f"{program}: another state at the end in {cycle}"

    def refused(self, program, *options):
        command = [self.executable, program.path, *program.options, "--quiet", *options]
        result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
        assert result.returncode == 2, f"{options}: exit code {result.returncode} {result.stderr}"
        name = pathlib.Path(self.executable).name
        assert result.stderr.count("\n") == 1 and result.stderr.startswith(f"{name}: "), result.stderr
        return result.stderr

    def check_refusals(self, program, cases):
        """`cases`: program, options and words of the sentence; None stands for the state."""
        _, file = self.saved(program, "state", 20)
        for other, options, words in cases:
            error = self.refused(other, *[str(file) if option is None else option for option in options])
            assert words in error, f"{options}: {error}"
        self.check_mutants(program, file)

    def check_mutants(self, program, file):
        count = 0
        for mutant in mutants.mutants(file.read_bytes(), self.draw, share.count(500, otherwise=40)):
            (self.folder / "mutant").write_bytes(mutant)
            self.refused(program, "--restore", str(self.folder / "mutant"))
            count += 1
        print(f"{count} mutants refused")

    def check_ends(self, program):
        """Runs that are ended by force go on."""
        whole = self.run(program)
        file = self.folder / "ended"
        killed = 0
        for number in range(KILLS):
            for old in self.folder.glob("ended*"):
                old.unlink()
            process = subprocess.Popen([self.executable, program.path, *program.options, "--quiet", "--checkpoint", str(file),
                                        "--checkpoint-every=10", "--checkpoint-on-stop"], stderr=subprocess.DEVNULL)
            until = time.monotonic() + 60
            while not file.exists() and process.poll() is None and time.monotonic() < until:
                time.sleep(0.002)
            time.sleep(self.draw.random() * 0.05)
            process.send_signal(signal.SIGTERM if number % 4 == 3 else signal.SIGKILL)
            killed += process.wait() != 0
            assert file.exists(), "the newest file is gone"
            self.expect_equal(whole, self.run(program, "--restore", str(file)), f"{program} killed, moment {number}")
        print(f"{killed} of {KILLS} runs were ended, and went on")


# --- scheduled meshes ---

EXAMPLES = {
    "continuing": [[], ["M=90"]],
    "jacobi": [[], ["W=4", "H=7", "ROUNDS=1", "M=2"]],
    "online": [[]],
    "ring_right": [[], ["N=7", "M=5", "LATE=40"]],
    "ring_wrong": [[], ["LATE=30"]],
    "tour": [[], ["N=9", "M=11"]],
    "two_phases": [[]],
}


def mesh_examples(sources):
    for name, sizes in EXAMPLES.items():
        path = sources / f"examples/numesh/{name}.json"
        arrays = json.loads(path.read_text()).get("arrays", {})
        for params in sizes:
            options = [f"--param={param}" for param in params]
            options += ["--set=router.vfsm_buffer=2"] if name == "two_phases" else []
            yield Program(path, options, arrays)


def random_mesh(draw, folder, number):
    """A program of several operators; many are refused."""
    mesh = draw.choice([[draw.randint(2, 12)], [draw.randint(2, 5), draw.randint(2, 5)], [2, draw.randint(2, 3), 2]])
    operators, axes = {}, "xyz"[:len(mesh)]
    for i in range(draw.randint(2, 5)):
        kind = draw.choice(["shift", "circular_shift", "prefix", "broadcast", "reduce", "stream"])
        node = [draw.randrange(n) for n in mesh]
        one = {"kind": kind, "words": draw.randint(1, 30)}
        if kind in ("shift", "circular_shift", "prefix"):
            one.update(nodes="all", **({"each": draw.choice(axes)} if len(mesh) > 1 else {}))
        if kind in ("broadcast", "stream"):
            one["from"] = node
        if kind in ("stream", "reduce"):
            one["to"] = [draw.randrange(n) for n in mesh]
        if kind in ("broadcast", "reduce"):
            one["nodes"] = "all"
        if kind != "stream" or draw.random() < 0.5:
            one["in"] = "v"
        if draw.random() < 0.4:
            one["technique"] = draw.choice(["message", "marker", "barrier", "processor", "none", "auto"])
        operators[f"o{i}"] = one
    program = {"schema": "tessera-numesh-program-1", "mesh": mesh, "arrays": {"v": {"words": 40, "init": "7 * node + k"}},
               "operators": operators, "program": {"sequential": list(operators), "phases": draw.choice(["separate", "auto"])},
               "starts": [{"nodes": "all", "at": draw.randint(0, 60)}] if draw.random() < 0.3 else []}
    path = folder / f"random_{number}.json"
    path.write_text(json.dumps(program))
    options = [f"--set=phase.switch_cost={draw.randint(0, 12)}"] if draw.random() < 0.5 else []
    return Program(path, options, ["v"])


def mesh_refusals(sources, folder):
    tour = Program(sources / "examples/numesh/tour.json")
    other = folder / "other.json"
    other.write_text((sources / "examples/numesh/tour.json").read_text() + "\n")
    return tour, [
        (tour, ["--restore", None, "--set=phase.switch_cost=11"], "phase.switch_cost is "),
        (tour, ["--restore", None, "--param=M=47"], "parameter M is 48 in the checkpoint and 47 in this run"),
        (Program(other), ["--restore", None], "program file"),
        (tour, ["--restore", None, "--max-cycles=20"], "--max-cycles: 20 is not after the checkpoint"),
        (tour, ["--restore", None, "--why=1@3"], "--why: cycle 3 lies before the checkpoint"),
        (tour, ["--restore", "nowhere"], "nowhere: cannot be read"),
        (tour, ["--checkpoint-on-stop"], "has no effect without --checkpoint"),
    ]


# --- AI-core clusters ---


def kernels(sources, folder):
    """The kernels of the examples, with random arrays."""
    import kernels_test  # pylint: disable=import-outside-toplevel
    import numpy  # pylint: disable=import-outside-toplevel
    bench = kernels_test.Bench("", sources / "examples/ascend/kernels")
    for number, case in enumerate(kernels_test.CASES):
        profile = case.profiles[number % len(case.profiles)]
        options = ["--preset", profile, *case.launch, *[f"--param={name}={value}" for name, value in case.params.items()]]
        arrays = bench.arrays(case)
        for name, array in arrays.items():
            file = folder / f"{number}_{name}.npy"
            numpy.save(file, array)
            options.append(f"--input={name}={file}")
        options += ["--hazards=off"] if number % 3 == 2 else []
        yield Program(bench.kernels / f"{case.file}.pto", options, bench.expected(case, arrays))


def other_kernels(sources):
    yield Program(sources / "examples/ascend/vector_add.pto", ["--param=TILES=4", "--set=launch.clusters=2"], ["c"])
    for name in ("fused_gemm_a2a3", "fused_gemm_a5", "c2v_a2a3", "v2c_a5", "tpush_tpop", "gemm"):
        yield Program(sources / f"examples/ascend/{name}.pto", ["--no-data"])
    for name in ("ascend_gemm_small", "ascend_gemm_a5_unit", "ascend_micro_copy_ub", "ascend_micro_operations"):
        yield Program(sources / f"examples/validation/{name}.pto", ["--no-data"])


def kernel_refusals(sources, folder):
    add = Program(sources / "examples/ascend/vector_add.pto", ["--param=TILES=4", "--set=launch.clusters=1"])
    more = Program(add.path, ["--param=TILES=6", "--set=launch.clusters=1"])
    native = folder / "kernel.cpp"
    native.write_text("// a kernel\n")
    tasks = folder / "tasks.json"
    tasks.write_text("{}\n")
    save = ["--checkpoint", str(folder / "none"), "--checkpoint-at=9"]
    return add, [
        (more, ["--restore", None], "parameter TILES"),
        (add, ["--restore", None, "--set=launch.clusters=2"], "launch.clusters is 1 in the checkpoint and 2 in this run"),
        (add, ["--restore", None, "--hazards=off"], "search for hazards is on in the checkpoint and off in this run"),
        (add, ["--restore", None, "--no-data"], "the run is one with data in the checkpoint and one without data in this run"),
        (add, ["--restore", None, "--preset=a2a3"], "in the checkpoint and"),
        (Program(native), save, "a kernel in C++ runs on native stacks, which cannot be saved"),
        (Program(tasks), save, "a list of tasks is saved between two runs of its kernels, so not in a cycle"),
        (add, ["--isolate", *save], "--isolate is for native code"),
    ]


def main():
    machine, executable, sources = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        soak = list(map(int, sys.argv[4:6]))
        is_mesh = machine == "numesh"
        checkpoints = Checkpoints(executable, folder, soak[0] if soak else 46, shuffled_bytes=is_mesh)
        programs = [*mesh_examples(sources)] if is_mesh else [*kernels(sources, folder), *other_kernels(sources)]
        if soak:
            number = 0
            while checkpoints.saves < soak[1]:
                drawn = checkpoints.draw.choice(programs)
                if is_mesh and number % 2 == 1:
                    drawn = random_mesh(checkpoints.draw, folder, number)
                checkpoints.check(drawn, 3)
                number += 1
        else:
            checkpoints.check_refusals(*(mesh_refusals if is_mesh else kernel_refusals)(sources, folder))
            ran = sum(checkpoints.check(program, share.count(3, otherwise=1)) for program in share.part(programs, 1 if is_mesh else 5))
            assert ran > 0
            for number in range(share.count(60, otherwise=8) if is_mesh else 0):
                checkpoints.check(random_mesh(checkpoints.draw, folder, number), 1)
            checkpoints.check_ends(programs[2] if is_mesh else next(other_kernels(sources)))
        print(f"{checkpoints.saves} states, {checkpoints.runs} runs")


if __name__ == "__main__":
    os.environ.pop("TESSERA_OPTIONS", None)
    main()
