"""Functions of threads (SIMT) of A5 in C++ against NumPy: gathers by blocks of an array, sums by warps, through UB and with atomics of all
blocks, exchanges between lanes, in divergent code too; that tile operations around a function see what it has done; how its time
grows; and what a thread does wrong."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
THREADS, BLOCKS, TABLE = 256, 4, 4096

KERNEL = """#include <pto/pto-inst.hpp>
using namespace pto;
__simt_callee__ inline int clamped(int n, int most) { return n < most ? n : most; }
__simt_vf__ __launch_bounds__(1024) inline void gather(__gm__ float* out, __gm__ const float* table, __gm__ const int* at, int count, int most) {
  for (int n = threadIdx.x + blockIdx.x * blockDim.x; n < count; n += gridDim.x * blockDim.x) out[n] = table[clamped(at[n], most)];
}
// The sum of a block, by warps and then through UB; the sum of all blocks; how many numbers are negative.
__simt_vf__ inline void sums(__gm__ float* x, __gm__ float* blocks, __gm__ float* all, __gm__ int* negative, __ubuf__ float* scratch) {
  const unsigned tid = threadIdx.y * blockDim.x + threadIdx.x;
  const float own = x[blockIdx.x * 256 + tid];
  const float warp = __builtin_cce_redux_add_f32(own);
  if (threadIdx.x == 0) scratch[threadIdx.y] = warp;
  const unsigned lanes = asc_ballot(own < 0);
  if (threadIdx.x == 0) asc_atomic_add(negative, __builtin_popcount(lanes));
  __sync_workitems();
  float sum = 0;
  for (unsigned w = 0; w < blockDim.y; ++w) sum += scratch[w];
  if (tid == 0) {
    blocks[blockIdx.x] = sum;
    atomicAdd(all, sum);
  }
}
__simt_vf__ inline void exchanges(__gm__ int* out) {
  const int n = threadIdx.x;
  int* const row = out + n * 6;
  row[0] = asc_shfl(n, 5, 16);
  row[1] = asc_shfl_up(n, 3);
  row[2] = asc_shfl_down(n, 1, 16);
  row[3] = asc_shfl_xor(n, 6);
  if (n % 2 == 0) row[4] = asc_reduce_max(n);  // lanes of one side only
  else row[4] = asc_reduce_min(n);
  row[5] = asc_all(n < 40) * 2 + asc_any(n == 3);
}
__simt_vf__ inline void twice(__ubuf__ float* x, int count) {
  if ((int)threadIdx.x < count) x[threadIdx.x] *= 2;
}
extern "C" __global__ AICORE void run(__gm__ float* table, __gm__ int* at, __gm__ float* gathered, __gm__ float* x, __gm__ float* blocks,
                                      __gm__ float* all, __gm__ int* negative, __gm__ int* lanes, __gm__ float* doubled) {
  using T = Tile<TileType::Vec, float, 1, 128>;
  using G = GlobalTensor<float, Shape<1, 1, 1, 1, 128>, Stride<128, 128, 128, 128, 1>>;
  T tile;
  TASSIGN(tile, 0x4000);
  asc_vf_call<gather>(dim3(256), gathered, table, at, 4096, 4095);
  cce::async_invoke<sums>(cce::dim3{32, 8}, x, blocks, all, negative, reinterpret_cast<__ubuf__ float*>(0x100));
  if (get_block_idx() != 0) return;
  cce::async_invoke<exchanges>(cce::dim3{64}, lanes);
  TLOAD(tile, G(x));
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  TADDS(tile, tile, 1.0f);
  cce::async_invoke<twice>(cce::dim3{128}, tile.data(), 100);
  TADDS(tile, tile, 1.0f);
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(G(doubled), tile);
}
"""

WRONG = """#include <pto/pto-inst.hpp>
using namespace pto;
__simt_vf__ inline void beyond(__gm__ float* x) { x[threadIdx.x + 1000] = 1; }
__simt_vf__ inline void uses_pipes(__gm__ float* x) { pipe_barrier(PIPE_ALL); }
__simt_vf__ inline void runs_on(__gm__ float* x) { for (;;) x[threadIdx.x] += 1; }
__simt_vf__ inline void nothing(__gm__ float* x) {}
extern "C" __global__ AICORE void run(__gm__ float* x, int which) {
  if (which == 0) cce::async_invoke<beyond>(cce::dim3{32}, x);
  if (which == 1) cce::async_invoke<uses_pipes>(cce::dim3{32}, x);
  if (which == 2) cce::async_invoke<nothing>(cce::dim3{1024, 3}, x);
  if (which == 3) cce::async_invoke<nothing>(cce::dim3{32}, x);
}
"""


def run(folder, *options):
    return subprocess.run([PLATFORM, *map(str, options), "--preset", "a5", "--quiet"], cwd=folder, capture_output=True, text=True, timeout=300)


def check_values(folder):
    random = np.random.default_rng(1)
    arrays = {"table": random.random(TABLE, np.float32), "at": random.integers(0, 2 * TABLE, TABLE, np.int32),
              "gathered": np.zeros(TABLE, np.float32), "x": random.integers(-8, 9, THREADS * BLOCKS).astype(np.float32),
              "blocks": np.zeros(BLOCKS, np.float32), "all": np.zeros(1, np.float32), "negative": np.zeros(1, np.int32),
              "lanes": np.zeros((64, 6), np.int32), "doubled": np.zeros(128, np.float32)}
    (folder / "k.cpp").write_text(KERNEL)
    command = ["k.cpp", "--set", "launch.clusters=2", "--set", f"launch.blocks={BLOCKS}", "--hazards", "error"]
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
        command += ["--arg", f"{name}={name}.npy", "--output", f"{name}={name}.out.npy"]
    done = run(folder, *command, "--report", "r.json")
    assert done.returncode == 0, done.stderr
    got = {name: np.load(folder / f"{name}.out.npy") for name in arrays}
    x = arrays["x"].reshape(BLOCKS, THREADS)
    lane = np.arange(64)
    group, half = lane % 32, lane % 16
    expected_lanes = np.stack([lane // 16 * 16 + 5, np.where(group >= 3, lane - 3, lane), np.where(half < 15, lane + 1, lane), lane ^ 6,
                               np.where(lane % 2 == 0, lane // 32 * 32 + 30, lane // 32 * 32 + 1),
                               np.where(lane < 32, 3, 0)], 1)
    doubled = arrays["x"][:128] + 1
    doubled[:100] *= 2
    for name, expected in (("gathered", arrays["table"][np.minimum(arrays["at"], TABLE - 1)]), ("blocks", x.sum(1)), ("all", x.sum()),
                           ("negative", (x < 0).sum()), ("lanes", expected_lanes), ("doubled", doubled + 1)):
        assert np.array_equal(got[name], np.reshape(expected, got[name].shape)), (name, got[name], expected)
    again = run(folder, *command, "--report", "s.json")
    assert again.returncode == 0
    cycles = [json.loads((folder / f).read_text())["cycles"] for f in ("r.json", "s.json")]
    assert cycles[0] == cycles[1]
    # Two functions one after the other, each with its start of 1100 cycles.
    assert 2200 < cycles[0] < 60000, cycles


TIME = """#include <pto/pto-inst.hpp>
__simt_vf__ inline void gather(__gm__ float* out, __gm__ const float* table, __gm__ const int* at, int each) {
  for (int n = 0; n < each; ++n) out[n * blockDim.x + threadIdx.x] = table[at[n * blockDim.x + threadIdx.x]];
}
extern "C" __global__ AICORE void run(__gm__ float* out, __gm__ float* table, __gm__ int* at, int threads, int each) {
  cce::async_invoke<gather>(cce::dim3{(unsigned)threads}, out, table, at, each);
}
"""


def check_time(folder):
    (folder / "t.cpp").write_text(TIME)

    def cycles(indices, threads, each):
        np.save(folder / "at.npy", indices.astype(np.int32))
        done = run(folder, "t.cpp", "--arg", "at=at.npy", "--arg", f"out=f32[{indices.size}]", "--arg", "table=f32[1048576]", "--arg",
                   f"threads={threads}", "--arg", f"each={each}", "--report", "r.json")
        assert done.returncode == 0, done.stderr
        return json.loads((folder / "r.json").read_text())["cycles"]

    random = np.random.default_rng(2).permutation(1 << 20)
    near = cycles(np.arange(8192), 1024, 8)
    far = cycles(random[:8192], 1024, 8)
    # Each of 8192 elements is a line of its own: 550 cycles, 64 at a time.
    assert far - near > 0.7 * 8192 * 550 / 64, (near, far)
    # The same work by one warp waits for each access alone.
    alone = cycles(random[:1024], 32, 32)
    assert alone > 1100 + 32 * 550, alone


def check_mistakes(folder):
    (folder / "w.cpp").write_text(WRONG)
    for which, text in ((0, "kernel run on AIV0 of cluster 0, thread (0, 0, 0): native code writes 4 bytes at byte 4000 of the array x"),
                        (1, "a thread has no pipes"), (2, "a function of 3072 threads; a block has at most 2048")):
        done = run(folder, "w.cpp", "--arg", "x=f32[512]", "--arg", f"which={which}")
        assert done.returncode == 4 and text in done.stderr, (which, done.stderr)
    done = run(folder, "w.cpp", "--arg", "x=f32[512]", "--arg", "which=3", "--no-data")
    assert done.returncode == 4 and "threads need values" in done.stderr, done.stderr


with tempfile.TemporaryDirectory() as name:
    check_values(pathlib.Path(name))
    check_time(pathlib.Path(name))
    check_mistakes(pathlib.Path(name))
