"""The examples of the fabric give their results on both generations, at several sizes and in any step order, and their
checks notice a program or a layout that is wrong."""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

SIZES = {
    "broadcast_tree": [[], ["W=2", "H=2", "B=1"], ["W=9", "H=7", "B=33"]],
    "exchange": [[], ["W=2", "H=2", "ITER=1", "K=2"], ["W=11", "H=9", "ITER=7"]],
    "reduce_chain": [[], ["W=1", "H=1", "B=1"], ["W=1", "H=5"], ["W=5", "H=1"], ["W=17", "H=12", "B=64"]],
    "reduce_filters": [[], ["SENDERS=1", "SINKS=1", "H=1"], ["SENDERS=12", "SINKS=5", "SHARE=31"]],
    "reduce_two_phase": [[], ["W=1", "B=1"], ["W=7", "S=1"], ["W=7", "S=100"], ["W=64", "H=2", "B=64", "S=9"]],
    "ring_allreduce": [[], ["W=3", "H=1", "B=1"], ["W=16", "H=3", "B=100"]],
    "stream_rows": [[], ["W=1", "H=1", "B=1"], ["W=20", "H=9", "B=100"], ["H=9", "ROWS=2"]],
    "two_phase_teardown": [[], ["W=2", "H=1", "B=1"], ["W=16", "H=3", "B=100"]],
}

CHECK_FAILED, STUCK = 1, 4

# What is wrong: example, file, text, replacement, how the run ends, and the preset if it is wrong on one alone.
BROKEN = [
    ("broadcast_tree", "tree.tasm", "fmovs dds2, s1ds2", "fmovs dds2, 1.5", CHECK_FAILED),
    ("broadcast_tree", "layout.json", '"tx": ["RAMP", "SOUTH"]},\n    {"rect": [0, "H - 1"',
     '"tx": ["RAMP"]},\n    {"rect": [0, "H - 1"', STUCK),
    ("exchange", "exchange.tasm", "fmuls dds6, s1ds1, WEIGHT ", "fmuls dds6, s1ds1, 1 ", CHECK_FAILED),
    ("exchange", "exchange.tasm", "fadds dds3, s0ds3, s1ds3 async", "fmovs dds3, s1ds3 async", CHECK_FAILED),
    # On WSE-3, where transfers go before the main thread, nothing comes too late without it.
    ("exchange", "exchange.tasm", "    blk   south_came\n", "", CHECK_FAILED, "wse2"),
    ("exchange", "layout.json", '"tx": ["WEST", "EAST", "SOUTH", "NORTH"]', '"tx": ["WEST", "EAST", "SOUTH"]', STUCK),
    ("reduce_chain", "chain.tasm", "fadds dds2, s0ds2, s1ds1", "fmovs dds2, s0ds2", CHECK_FAILED),
    ("reduce_chain", "chain.tasm", "fadds dds0, s1ds1, d0 ", "fmovs dds0, d0 ", CHECK_FAILED),
    ("reduce_chain", "layout.json", '"COLUMN_OUT": "COLUMN + y % 2"', '"COLUMN_OUT": "COLUMN"', STUCK),
    ("reduce_filters", "layout.json", '"init_counter": "(W - x) % SINKS * SHARE"', '"init_counter": 0', CHECK_FAILED),
    ("reduce_filters", "layout.json", '"limit1": "SINKS * SHARE - 1"', '"limit1": "SINKS * SHARE"', STUCK),
    ("reduce_filters", "sender.tasm", " advance_switch", "", STUCK),
    ("reduce_two_phase", "two_phase.tasm", "fadds dds2, s0ds2, s1ds1", "fmovs dds2, s0ds2", CHECK_FAILED),
    ("reduce_two_phase", "two_phase.tasm", "fadds dds1, s0ds1, s1ds1", "fmovs dds1, s0ds1", CHECK_FAILED),
    ("reduce_two_phase", "layout.json", '"LEADER_OUT": "LEADER + x / S % 2"', '"LEADER_OUT": "LEADER"', STUCK),
    ("ring_allreduce", "ring.tasm", "fadds dds1, s0ds1, s1ds1 ", "fmovs dds1, s0ds1", CHECK_FAILED),
    ("ring_allreduce", "ring.tasm", "const TURN = 1 *", "const TURN = 0 *", STUCK),
    ("ring_allreduce", "layout.json", '"pos1": {"rx": ["EAST"]}', '"pos1": {"rx": ["WEST"]}', STUCK),
    ("stream_rows", "layout.json", '"rx": ["WEST"], "tx": ["EAST"]}',
     '"rx": ["WEST"], "tx": ["EAST"]}, {"rect": [1, 1, 1, 1], "color": "LINE", "rx": ["NORTH"], "tx": ["EAST"]}', STUCK),
    ("two_phase_teardown", "row.tasm", "fadds dds3, s0ds1, s1ds2", "fmovs dds3, s0ds1", CHECK_FAILED),
    ("two_phase_teardown", "row.tasm", "stcfg COLOR_CONFIG, ROUTE ", "stcfg COLOR_CONFIG, ROUTE + 0x4000", STUCK),
    ("two_phase_teardown", "row.tasm", "mov32 dds2, TEARDOWN", "", CHECK_FAILED),
]


def run(executable, layout, preset, params, *options):
    command = [executable, str(layout), "--preset", preset, "--quiet", *options]
    command += [f"--param={param}" for param in params]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)


def report(executable, layout, preset, params, folder, *options):
    """The report without what the wall clock says."""
    path = folder / "report.json"
    result = run(executable, layout, preset, params, "--report", str(path), "--report-detail", *options)
    assert result.returncode == 0, f"{layout} {preset} {params} {options}\n{result.stderr}"
    values = json.loads(path.read_text())
    del values["wall"], values["run"]
    return values


def check_results(executable, examples, folder):
    for example, sizes in SIZES.items():
        layout = examples / example / "layout.json"
        for preset in ("wse2", "wse3"):
            for params in sizes:
                expected = report(executable, layout, preset, params, folder, "--check-epochs")
                for seed in ("1", "2"):
                    shuffled = report(executable, layout, preset, params, folder,
                                      "--shuffle-step-order", "--seed", seed)
                    assert shuffled == expected, f"{layout} {preset} {params}: the step order changes the report"
        print(f"{example}: {len(sizes)} sizes")


def check_broken(executable, examples, folder):
    for number, (example, name, text, replacement, expected, *only) in enumerate(BROKEN):
        copy = pathlib.Path(shutil.copytree(examples / example, folder / str(number)))
        source = (copy / name).read_text()
        assert text in source, f"{example}/{name} has no '{text}'"
        (copy / name).write_text(source.replace(text, replacement))
        for preset in only or ("wse2", "wse3"):
            result = run(executable, copy / "layout.json", preset, [])
            assert result.returncode == expected, \
                f"{example}/{name} with '{replacement}' on {preset}: exit code {result.returncode}\n{result.stderr}"


def main():
    executable, examples = sys.argv[1], pathlib.Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as name:
        check_results(executable, examples, pathlib.Path(name))
        check_broken(executable, examples, pathlib.Path(name))


main()
