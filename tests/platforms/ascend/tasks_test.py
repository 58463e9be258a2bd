"""TASKS.json: a graph of launches on the cores of a device. Every expected time is worked out by hand from the costs of the list."""
import json
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

PLATFORM = sys.argv[1]

KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
using G = GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
extern "C" __global__ AICORE void twice(__gm__ float* x, __gm__ float* y) {
  Tile<TileType::Vec, float, 8, 64> t;
  TASSIGN(t, 0);
  TLOAD(t, G(x));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADD(t, t, t);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(G(y), t);
}
"""


def run(folder, tasks, *more, expect=0):
    (folder / "tasks.json").write_text(json.dumps(tasks))
    done = subprocess.run([PLATFORM, "tasks.json", "--report", "report.json", *more], cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == expect, done.stdout + done.stderr
    return json.loads((folder / "report.json").read_text()) if expect == 0 else done.stderr


def given(cores, ns):
    return {"cores": cores, "time_ns": ns}


def chain(folder):
    """Two tasks in a row on one core, by one thread: dispatch 5, way 140, the read that sees the end is a multiple of 95 later."""
    report = run(folder, {"schema": "tessera-tasks-1", "clusters": 1, "scheduler": {"threads": 1}, "kernels": {"k": given("aiv", 1000)},
                          "tasks": [{"name": "a", "kernel": "k"}, {"name": "b", "kernel": "k", "after": ["a"]}]})
    a, b = report["tasks"]["a"], report["tasks"]["b"]
    assert (a["dispatch_ns"], a["start_ns"], a["end_ns"]) == (5, 145, 1145), a
    # Reads at 100, 195, ..; the first one at or after 1145 + 180 is 5 + 14 * 95 = 1335.
    assert a["finish_ns"] == 1335, a
    assert (b["ready_ns"], b["dispatch_ns"], b["start_ns"]) == (1145, 1340, 1480), b
    path = report["schedule"]["critical_path_us"]
    assert (path["computes"], path["scheduler"], path["transport"], path["switches"]) == (2, 0.2, 0.28, 0), path  # 5 + 195; 2 * 140
    assert report["schedule"]["makespan_us"] == 2.335, report["schedule"]


def places(folder):
    """Three tasks without order and one AIV: the second one is with the core before the first one is over, and starts a switch later."""
    report = run(folder, {"schema": "tessera-tasks-1", "clusters": 1, "aivs": 1, "scheduler": {"threads": 1}, "kernels": {"k": given("aiv", 3000)},
                          "tasks": [{"name": n, "kernel": "k"} for n in "abc"]}, "--trace-perfetto", "trace.json")
    a, b, c = (report["tasks"][n] for n in "abc")
    assert (b["dispatch_ns"], b["start_ns"]) == (10, a["end_ns"] + 800), (a, b)
    assert c["dispatch_ns"] == a["finish_ns"] + 5 and c["start_ns"] == b["end_ns"] + 800, (a, c)
    assert report["cores"]["cluster 0 AIV0"]["switch_us"] == 1.6, report["cores"]
    names = [e["args"]["name"] for e in json.loads((folder / "trace.json").read_text())["traceEvents"] if e["name"] == "thread_name"]
    assert names == ["cluster 0 AIC", "cluster 0 AIV0"], names
    one = run(folder, {"schema": "tessera-tasks-1", "clusters": 1, "aivs": 1, "scheduler": {"threads": 1, "slots": 1},
                       "kernels": {"k": given("aiv", 3000)}, "tasks": [{"name": n, "kernel": "k"} for n in "ab"]})
    assert one["tasks"]["b"]["dispatch_ns"] == one["tasks"]["a"]["finish_ns"] + 5, one["tasks"]
    # From the second task's start in the list of ready ones to its dispatch the core is busy until 3145: that much is overhead.
    assert abs(one["schedule"]["scheduler_overhead_percent"]["aiv"] -
               100 * (one["tasks"]["b"]["dispatch_ns"] - 3145) / (one["tasks"]["b"]["end_ns"] - 145)) < 1e-9, one["schedule"]


def blocks(folder):
    """Blocks of one task on several cores; a mixed block takes a cluster and starts at once on its three cores."""
    report = run(folder, {"schema": "tessera-tasks-1", "clusters": 2, "scheduler": {"threads": 2},
                          "kernels": {"c": given("aic", 500), "m": given("mix", 700), "v": given("aiv", 400)},
                          "tasks": [{"name": "c", "kernel": "c", "blocks": 2}, {"name": "m", "kernel": "m", "blocks": 2, "after": ["c"]},
                                    {"name": "v", "kernel": "v", "blocks": 4, "after": ["m"]}]})
    assert report["schedule"]["blocks"] == 2 + 2 * 3 + 4, report["schedule"]
    assert {n: core["blocks"] for n, core in report["cores"].items()} == {
        "cluster 0 AIC": 2, "cluster 0 AIV0": 2, "cluster 0 AIV1": 2, "cluster 1 AIC": 2, "cluster 1 AIV0": 2, "cluster 1 AIV1": 2}
    # Each thread has a cluster, and no cluster gets a next block while the other one is idle.
    assert 700 <= report["tasks"]["m"]["end_ns"] - report["tasks"]["m"]["start_ns"] < 1400, report["tasks"]


def kernels(folder):
    """The time of a task is that of a run of its kernel; equal launches run once."""
    (folder / "twice.cpp").write_text(KERNEL)
    kernel = {"source": "twice.cpp", "cores": "aiv", "arguments": {"x": "f32[8,64]", "y": "f32[8,64]"}}
    report = run(folder, {"schema": "tessera-tasks-1", "preset": "a2a3", "clusters": 2, "kernels": {"k": kernel},
                          "tasks": [{"name": f"t{n}", "kernel": "k", "after": [f"t{n - 1}"] if n else []} for n in range(20)]})
    alone = subprocess.run([PLATFORM, "twice.cpp", "--preset", "a2a3", "--quiet", "--set", "launch.clusters=1", "--set", "launch.ratio=0:1", "--arg",
                            "x=f32[8,64]", "--arg", "y=f32[8,64]", "--report", "alone.json"], cwd=folder, capture_output=True, text=True, timeout=100)
    assert alone.returncode == 0, alone.stderr
    time = json.loads((folder / "alone.json").read_text())["time_ns"]
    first = report["tasks"]["t0"]
    assert 0 <= first["end_ns"] - first["start_ns"] - time < 1, (first, time)
    message = run(folder, {"schema": "tessera-tasks-1", "preset": "a2a3", "clusters": 2, "kernels": {"k": {**kernel, "source": "no.cpp"}},
                           "tasks": [{"name": "t", "kernel": "k"}]}, expect=2)
    assert "no.cpp" in message, message


def saves(folder):
    """A list goes on between two runs of its kernels: after its end, and after a signal in its middle."""
    (folder / "twice.cpp").write_text(KERNEL)
    kernel = {"source": "twice.cpp", "cores": "aiv", "arguments": {"x": "f32[8,64]", "y": "f32[8,64]"}}
    tasks = {"schema": "tessera-tasks-1", "preset": "a2a3", "clusters": 8, "kernels": {"k": kernel},
             "tasks": [{"name": f"t{n}", "kernel": "k", "blocks": 1 + n % 8, "after": [f"t{n - 1}"] if n else []} for n in range(20)]}

    def outcome(*more):
        report = run(folder, tasks, *more)
        return {key: report[key] for key in ("schedule", "cores", "tasks", "cycles")}, report.get("checkpoint")
    whole, _ = outcome()
    saving, _ = outcome("--checkpoint", "state", "--checkpoint-every", "0.001s")
    assert saving == whole
    assert outcome("--restore", "state") == (whole, {"restored_runs": 8})
    for old in folder.glob("state*"):
        old.unlink()
    command = [PLATFORM, "tasks.json", "--quiet", "--checkpoint", "state", "--checkpoint-every", "0.001s", "--checkpoint-on-stop"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 100
        while not (folder / "state").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGTERM)
        message = process.communicate(timeout=100)[1]
    assert process.returncode == 4 and "stopped by SIGTERM after" in message, message
    restored, checkpoint = outcome("--restore", "state")
    assert restored == whole and 0 < checkpoint["restored_runs"] < 8, checkpoint
    (folder / "twice.cpp").write_text(KERNEL + "// other\n")
    assert "twice.cpp is not what it was" in run(folder, tasks, "--restore", "state", expect=2)
    assert "--checkpoint-at: a list of tasks is saved between two runs" in run(folder, tasks, "--checkpoint", "state", "--checkpoint-at", "5", expect=2)
    tasks["clusters"] = 4
    assert "tasks.json" in run(folder, tasks, "--restore", "state", expect=2)


def mistakes(folder):
    base = {"schema": "tessera-tasks-1", "clusters": 1, "kernels": {"k": given("aiv", 10)}}
    for tasks, words in (([{"name": "a", "kernel": "k", "after": ["b"]}], "'b' is no task"), ([{"name": "a", "kernel": "q"}], "a kernel of the list"),
                         ([{"name": "a", "kernel": "k"}] * 2, "two tasks"), ([], "expected 1 to"),
                         ([{"name": "a", "kernel": "k", "blocks": 0}], "blocks")):
        message = run(folder, {**base, "tasks": tasks}, expect=2)
        assert words in message and "tasks" in message, (message, words)
    for more in (["--set", "launch.clusters=2"], ["--max-cycles", "10"], ["--output", "c=c.npy"], ["--waits"], ["--no-data"], ["--print-config"]):
        message = run(folder, {**base, "tasks": [{"name": "a", "kernel": "k"}]}, *more, expect=2)
        assert message.startswith(f"ascend_platform: {more[0]}: a list of tasks is a run for each task"), message


for test in (chain, places, blocks, kernels, saves, mistakes):
    with tempfile.TemporaryDirectory() as name:
        test(pathlib.Path(name))
print("ok")
