#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels in C++ on several devices at once (launch.devices): values of each device, windows of the others by a context as hosts give it, signals
that order devices, barriers that stay on one device, what a link costs, and waits that never end."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
# The context has the words that host programs of public tests write: rank and number of ranks, and where the windows lie.
HEAD = """#include <pto/pto-inst.hpp>
#include <pto/comm/pto_comm_inst.hpp>
using namespace pto;
struct Context {
  uint64_t space, space_size;
  uint32_t rank, ranks;
  uint64_t size, windows[8];
};
template <class T>
AICORE inline __gm__ T* on(__gm__ Context* ctx, __gm__ T* mine, int rank) {
  return (__gm__ T*)(ctx->windows[rank] + ((uint64_t)mine - ctx->windows[ctx->rank]));
}
using G = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>>;
using T = Tile<TileType::Vec, float, 16, 64>;
"""
# Each device puts its array into the window of the next one, tells it, and waits for what the one before it puts.
RING = HEAD + """
extern "C" __global__ AICORE void ring(__gm__ float* src, __gm__ float* dst, __gm__ float* win, __gm__ int32_t* signals, __gm__ Context* ctx,
                                       int extra) {
  const int rank = ctx->rank, ranks = ctx->ranks, to = (rank + 1) % ranks;
  T t;
  TASSIGN(t, 0);
  G mine(src), there(on(ctx, win, to)), here(win), out(dst);
  comm::TPUT(there, mine, t);
  __gm__ int32_t* word = (__gm__ int32_t*)(win + 1024);
  comm::Signal next(on(ctx, word, to)), own(word);
  comm::TNOTIFY(next, rank + 1, comm::NotifyOp::Set);
  comm::TWAIT(own, (rank + ranks - 1) % ranks + 1 + extra, comm::WaitCmp::EQ);
  pipe_barrier(PIPE_ALL);
  TLOAD(t, here);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(t, t, (float)(rank + get_block_idx()));
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(out, t);
}
"""
# The root reads the arrays of all devices and adds them; the blocks of each device meet before.
REDUCE = HEAD + """
extern "C" __global__ AICORE void reduce(__gm__ float* win, __gm__ float* sum, __gm__ int32_t* met, __gm__ Context* ctx) {
  met[16 * get_block_idx()] = 100 * get_block_num() + get_block_idx();
  dcci(met + 16 * get_block_idx(), SINGLE_CACHE_LINE);
  SYNCALL();
  if (ctx->rank != 0 || get_block_idx() != 0) return;
  T a, b;
  TASSIGN(a, 0);
  TASSIGN(b, 0x4000);
  G parts[8], total(sum);
  for (uint32_t r = 0; r < ctx->ranks; ++r) parts[r] = G(on(ctx, win, r));
  auto group = comm::ParallelGroup<G>::Create(parts, ctx->ranks, 0);
  comm::TREDUCE(group, total, a, b, comm::ReduceOp::Sum);
}
"""


def run(folder, text, devices, arguments, outputs, *options, status=0):
    source = folder / "k.cpp"
    source.write_text(text, encoding="utf-8")
    windows = ",".join(f"&win@{d}" for d in range(devices))
    arguments = dict(arguments, **{f"ctx@{d}": f"words:0,0,{d | devices << 32},65536,{windows}" for d in range(devices)})
    words = [PLATFORM, source, "--preset", "a5", "--set", f"launch.devices={devices}", "--report", folder / "r.json", "--quiet", "--hazards=error"]
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = folder / f"{name}.npy"
        words += ["--arg", f"{name}={value}"]
    for name in outputs:
        words += ["--output", f"{name}={folder / name}.out.npy"]
    done = subprocess.run([str(w) for w in [*words, *options]], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == status, f"{done.returncode}: {done.stderr}"
    if status:
        return done.stderr
    return json.loads((folder / "r.json").read_text()), [np.load(folder / f"{name}.out.npy") for name in outputs]


def check_ring(folder):
    cycles = {}
    for devices, link in ((2, 330), (2, 3000), (4, 330), (8, 330)):
        x = np.arange(devices * 1024, dtype=np.float32).reshape(devices, 16, 64)
        arguments = {"dst": "f32[16,64]", "win": "f32[1040]", "signals": "i32[16]", "extra": 0, **{f"src@{d}": x[d] for d in range(devices)}}
        report, results = run(folder, RING, devices, arguments, [f"dst@{d}" for d in range(devices)], "--set", f"link.latency={link}")
        for d, y in enumerate(results):
            assert np.array_equal(y, x[(d - 1) % devices] + d), f"device {d} of {devices}"
        cycles[devices, link] = report["cycles"]
    # The copy and the signal after it each pay for the way.
    assert 2 * 2670 <= cycles[2, 3000] - cycles[2, 330] <= 4 * 2670, cycles


def check_reduce(folder):
    x = np.random.default_rng(3).integers(-9, 9, (4, 1024)).astype(np.float32)
    arguments = {"sum": "f32[1024]", "met": "i32[64]", **{f"win@{d}": x[d] for d in range(4)}}
    options = ("--set", "launch.clusters=2", "--set", "launch.mix=yes")
    _, (total, *met) = run(folder, REDUCE, 4, arguments, ["sum@0"] + [f"met@{d}" for d in range(4)], *options)
    assert np.array_equal(total, x.sum(axis=0))
    for of_device in met:
        assert of_device[::16].tolist() == [400, 401, 402, 403]


def check_refusals(folder):
    arguments = {"src": "f32[1024]", "dst": "f32[1024]", "win": "f32[1040]", "signals": "i32[16]"}
    said = run(folder, RING, 2, dict(arguments, extra=7), [], status=4)
    assert "the signal did not come" in said and "(device 1) is at" in said and "k.cpp:" in said, said
    said = run(folder, RING, 2, {"src@0": "f32[1024]"}, [], status=2)
    assert "--arg src@1=FILE.npy" in said and "src@0" not in said, said
    said = run(folder, RING, 2, dict(arguments, extra=0), [], "--structure", "modules", status=2)
    assert "several devices" in said, said
    said = run(folder, RING, 2, {**arguments, "extra": 0, "src": "words:1,&other@0"}, [], status=2)
    assert "there is no array other@0" in said, said
    said = run(folder, RING, 2, {**arguments, "extra": 0, "src@2": "f32[4]"}, [], status=2)
    assert "'src@2' is no argument" in said, said


def main():
    with tempfile.TemporaryDirectory() as name:
        for check in (check_ring, check_reduce, check_refusals):
            check(pathlib.Path(name))


if __name__ == "__main__":
    main()
