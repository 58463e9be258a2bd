"""Launches of kernels in C++ from the command line: how many blocks run, what arguments may be, the page of a run."""
import base64
import gzip
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np

KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void blocks(__gm__ int32_t* y) {
  const int i = get_block_idx();
  y[i * 16] = 1 + i;
  y[i * 16 + 1] = get_block_num();
  dcci(y + i * 16, SINGLE_CACHE_LINE);
  dsb(DSB_DDR);
#ifdef __DAV_CUBE__
  pipe_barrier(PIPE_M);
#else
  Tile<TileType::Vec, float, 1, 64> a;
  TASSIGN(a, 0);
  TEXPANDS(a, 0.f);
#endif
}
extern "C" __global__ AICORE void numbers(__gm__ uint64_t* y, uint64_t large, bool truth) {
#ifdef __DAV_VEC__
  y[0] = large;
  y[1] = truth ? 3 : 2;
  dcci(y, SINGLE_CACHE_LINE);
  dsb(DSB_DDR);
  Tile<TileType::Vec, float, 1, 64> a;
  TASSIGN(a, 0);
  TEXPANDS(a, 0.f);
#endif
}
extern "C" __global__ AICORE void steps(__gm__ float* x, __gm__ float* y, int n) {
#ifdef __DAV_VEC__
  using G = GlobalTensor<float, Shape<1, 1, 1, 1, 512>, Stride<1, 1, 1, 512, 1>>;
  Tile<TileType::Vec, float, 1, 512> a;
  TASSIGN(a, 0);
  for (int i = 0; i < n; ++i) {
    G from(x + i * 512), to(y + i * 512);
    TLOAD(a, from);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TMULS(a, a, 2.f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(to, a);
    pipe_barrier(PIPE_ALL);
  }
#endif
}
"""
# Blocks meet, and there are fewer than the machine has room for.
MEETING = """#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void meet(__gm__ int32_t* y) {
  SYNCALL<SyncCoreType::AIVOnly>();
  y[get_block_idx() * 16] = get_block_num();
  dcci(y + get_block_idx() * 16, SINGLE_CACHE_LINE, CACHELINE_OUT);
}
void launch(int32_t* y, int32_t blocks, void* stream) { meet<<<blocks, nullptr, stream>>>(y); }
"""
ASCEND_C = """#include "kernel_operator.h"
extern "C" __global__ __aicore__ void k(GM_ADDR x) { AscendC::MatmulImpl<int> product; }
"""


def check_blocks(run, folder):
    """A launch of fewer blocks than clusters leaves clusters idle, whatever a block is."""
    for ratio, clusters, blocks, expected in (("0:1", 4, 2, 2), ("0:1", 4, 0, 4), ("0:1", 2, 5, 5), ("0:2", 4, 3, 3), ("0:2", 2, 0, 4),
                                              ("1:0", 4, 1, 1), ("1:2", 4, 3, 3)):
        done = run(KERNEL, "blocks", {"y": "i32[8,16]"}, "--set", f"launch.clusters={clusters}", "--set", f"launch.blocks={blocks}",
                   "--set", f"launch.ratio={ratio}", "--output", "y=y.npy")
        assert done.returncode == 0, done.stderr
        found, wanted = np.load(folder / "y.npy"), np.zeros((8, 16), np.int32)
        wanted[:expected, 0], wanted[:expected, 1] = np.arange(expected) + 1, expected
        assert np.array_equal(found, wanted), (ratio, clusters, blocks, found[:, :2])


def check_meeting(run, folder):
    """On A5 a kernel for one kind of core needs no mark to meet, and cores without a block of the launch are not waited for."""
    for blocks in (3, 8):
        done = run(MEETING, "launch", {"y": "i32[8,16]", "blocks": blocks}, "--preset", "a5", "--set", "launch.clusters=4", "--output", "y=y.npy")
        assert done.returncode == 0, done.stderr
        assert np.load(folder / "y.npy")[:, 0].tolist() == [blocks] * blocks + [0] * (8 - blocks)
    done = run(MEETING, "launch", {"y": "i32[8,16]", "blocks": 3}, "--set", "launch.clusters=4", "--set", "sync.missing_ffts=ignore")
    assert done.returncode == 4 and "not of MIX type" in done.stderr, done.stderr


def check_numbers(run, folder):
    for large, truth, expected in ((2**64 - 1, "true", [2**64 - 1, 3]), (2**63, 0, [2**63, 2]), (0, "false", [0, 2]), (5, 1, [5, 3])):
        done = run(KERNEL, "numbers", {"y": "u64[8]", "large": large, "truth": truth}, "--output", "y=y.npy")
        assert done.returncode == 0, done.stderr
        assert np.load(folder / "y.npy")[:2].tolist() == expected, (large, truth)
    for large, truth, message in ((-1, 1, "large=-1: an argument of type ui64 is a whole number, at least 0 and at most 18446744073709551615"),
                                  (2**64, 1, "of type ui64"), ("1.5", 1, "of type ui64"),
                                  (1, 2, "truth=2: an argument of type bool is true, false, 1 or 0"), (1, -1, "of type bool")):
        done = run(KERNEL, "numbers", {"y": "u64[8]", "large": large, "truth": truth})
        assert done.returncode == 2 and message in done.stderr, done.stderr


def check_page(run, folder):
    """The page has sentences for waits of cores whose scalar unit is in native code: flags may stand in a queue already."""
    done = run(KERNEL, "steps", {"x": "f32[64,512]", "y": "f32[64,512]", "n": 64}, "--live-page", "page.html")
    assert done.returncode == 0, done.stderr
    packed = re.search(r'id="data">([^<]*)<', (folder / "page.html").read_text())
    data = gzip.decompress(base64.b64decode(packed[1])).decode()
    assert "stands in the queue of pipe MTE2, which goes on" in data, json.loads(data)["sentences"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        os.environ.setdefault("TESSERA_CACHE", str(folder / "cache"))

        def run(text, function, arguments, *more):
            (folder / "k.cpp").write_text(text)
            preset = () if "--preset" in more else ("--preset", "a2a3")
            command = [pathlib.Path(sys.argv[1]).resolve(), "k.cpp", "--function", function, *preset, "--quiet", *more]
            for name, value in arguments.items():
                command += ["--arg", f"{name}={value}"]
            return subprocess.run([str(word) for word in command], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)

        check_blocks(run, folder)
        check_meeting(run, folder)
        check_numbers(run, folder)
        check_page(run, folder)
        done = run(ASCEND_C, "k", {"x": "null"})
        assert done.returncode == 2 and "k.cpp: uses a part of Ascend C" in done.stderr, done.stderr


if __name__ == "__main__":
    main()
