"""Communication in C++ (pto::comm), SYNCALL, atomics and counters of the scalar unit and sources that define __aicore__ anew,
against NumPy. The windows of several ranks are parts of one array, and each block is a rank."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
HEAD = "#include <pto/pto-inst.hpp>\n#include <pto/comm/pto_comm_inst.hpp>\nusing namespace pto;\n"

RING = HEAD + """
using G = GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1024, 1024, 1024, 64, 1>>;
using Stage = Tile<TileType::Vec, float, 5, 48, BLayout::RowMajor, DYNAMIC, DYNAMIC>;  // in parts, with rests
extern "C" __global__ AICORE void ring(__gm__ float* x, __gm__ float* y, __gm__ int32_t* signals, __gm__ float* sums, __gm__ float* most) {
  const int rank = get_block_idx(), ranks = get_block_num(), to = (rank + 1) % ranks;
  Stage a(5, 48), b(5, 48), c(5, 48);
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x4000);
  TASSIGN(c, 0x8000);
  G from(x + rank * 1024), there(y + to * 1024);
  comm::TPUT(there, from, a, b);
  comm::Signal next(signals + to * 16), all(signals + 256), mine(signals + rank * 16);
  comm::TNOTIFY(next, 5, comm::NotifyOp::AtomicAdd);
  comm::TNOTIFY(all, 1, comm::NotifyOp::AtomicAdd);
  comm::TWAIT(mine, 5, comm::WaitCmp::GE);
  if (rank != 0) return;
  comm::TWAIT(all, ranks, comm::WaitCmp::EQ);
  G parts[4] = {G(y), G(y + 1024), G(y + 2048), G(y + 3072)};
  auto group = comm::ParallelGroup<G>::Create(parts, ranks, 1);
  G sum(sums), largest(most);
  comm::TREDUCE(group, sum, a, b, c, comm::ReduceOp::Sum);
  comm::TREDUCE(group, largest, a, b, comm::ReduceOp::Max);
}
"""

COLLECTIVES = HEAD + """
using G = GlobalTensor<half, Shape<1, 1, 2, 8, 32>, Stride<512, 512, 256, 32, 1>>;
using Whole = GlobalTensor<half, Shape<1, 1, 2, 24, 32>, Stride<1536, 1536, 768, 32, 1>>;
using Stage = Tile<TileType::Vec, half, 4, 32>;
extern "C" __global__ AICORE void collect(__gm__ half* parts, __gm__ half* gathered, __gm__ half* scattered, __gm__ half* copies,
                                          __gm__ half* sum, __gm__ half* later) {
  Stage a, b;
  TASSIGN(a, 0x0);
  TASSIGN(b, 0x1000);
  G in[3] = {G(parts), G(parts + 512), G(parts + 1024)}, out[3] = {G(scattered), G(scattered + 512), G(scattered + 1024)};
  G same[3] = {G(copies), G(copies + 512), G(copies + 1024)};
  auto from = comm::ParallelGroup<G>::Create(in, 3, 0), to = comm::ParallelGroup<G>::Create(out, 3, 0), all = comm::ParallelGroup<G>::Create(same, 3, 0);
  Whole whole(gathered);
  comm::TGATHER(from, whole, a);
  comm::TSCATTER(to, whole, a, b);
  comm::TBROADCAST(all, in[2], b);
  G total(sum);
  comm::TPUT<AtomicType::AtomicAdd>(total, in[0], a);
  comm::TPUT(total, in[1], a, AtomicType::AtomicAdd);
  comm::AsyncSession session;
  Tile<TileType::Vec, uint8_t, 1, 256> scratch;
  TASSIGN(scratch, 0x2000);
  G target(later);
  if (!comm::BuildAsyncSession(scratch, (__gm__ uint8_t*)parts, session)) return;
  comm::AsyncEvent event = comm::TGET_ASYNC(target, in[1], session);
  if (!event.Wait(session)) return;
  comm::TGET(in[0], in[1], a, b);
}
"""

MEET = """#include <pto/pto-inst.hpp>
#undef __aicore__
#define __aicore__ [aicore]
using namespace pto;
using Word = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>;
static __aicore__ void add(__gm__ int32_t* word, int32_t value) {
  set_st_atomic_cfg(ATOMIC_S32, ATOMIC_SUM);
  st_atomic<int32_t>(value, word);
}
extern "C" __global__ __aicore__ void meet(__gm__ int32_t* counter, __gm__ int32_t* sums, __gm__ int32_t* seen) {
  const int n = get_block_idx();
#ifdef PTO_NPU_ARCH_A2A3
  set_ffts_base_addr(reinterpret_cast<uint64_t>(counter));
#endif
  Word word(counter);
  for (int round = 0; round < 3; ++round) {
    add(sums + 16 * round, n + 1);
    if (round == 1) SYNCALL();
    else SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(word);
    st_dev(ld_dev(sums + 16 * round, 0), seen + 64 * n + 16 * round, 0);
    if (round == 1) SYNCALL<SyncCoreType::AIVOnly>();
  }
}
"""


def run(folder, text, preset, arrays, outputs, *more, expect=0):
    (folder / "k.cpp").write_text(text)
    words = [PLATFORM, "k.cpp", "--preset", preset, "--quiet", "--hazards", "error", "--report", "report.json", *more]
    for name, value in arrays.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{name}.npy", value)
            value = f"{name}.npy"
        words += ["--arg", f"{name}={value}"]
    for name in outputs:
        words += ["--output", f"{name}={name}.out.npy"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=200)
    assert done.returncode == expect, done.stdout + done.stderr
    return {name: np.load(folder / f"{name}.out.npy") for name in outputs} if expect == 0 else done.stderr


def ring(folder, preset):
    x = np.random.default_rng(1).integers(-50, 50, (4, 16, 64)).astype(np.float32)
    out = run(folder, RING, preset, {"x": x, "y": "f32[4,16,64]", "signals": "i32[512]", "sums": "f32[16,64]", "most": "f32[16,64]"},
              ["y", "sums", "most"], "--set", "launch.clusters=2", "--set", "launch.blocks=4")
    assert np.array_equal(out["y"], np.roll(x, 1, axis=0))
    assert np.array_equal(out["sums"], x.sum(axis=0)) and np.array_equal(out["most"], x.max(axis=0))


def collectives(folder, preset):
    parts = np.random.default_rng(2).integers(-50, 50, (3, 2, 8, 32)).astype(np.float16)
    out = run(folder, COLLECTIVES, preset, {"parts": parts, "gathered": "f16[2,24,32]", "scattered": "f16[3,2,8,32]", "copies": "f16[3,2,8,32]",
                                            "sum": "f16[2,8,32]", "later": "f16[2,8,32]"},
              ["parts", "gathered", "scattered", "copies", "sum", "later"], "--set", "launch.clusters=1", "--set", "launch.ratio=0:1")
    assert np.array_equal(out["gathered"], np.concatenate(list(parts), axis=1))
    assert np.array_equal(out["scattered"], parts)
    assert np.array_equal(out["copies"], np.stack([parts[2]] * 3))
    assert np.array_equal(out["sum"], parts[0] + parts[1])
    assert np.array_equal(out["later"], parts[1]) and np.array_equal(out["parts"][0], parts[1])


def meet(folder, preset):
    for blocks in (2, 4):
        out = run(folder, MEET, preset, {"counter": "i32[16]", "sums": "i32[48]", "seen": f"i32[{blocks},4,16]"}, ["seen", "counter"],
                  "--set", f"launch.clusters={blocks // 2}", "--set", f"launch.blocks={blocks}", "--set", "launch.mix=yes")
        assert (out["seen"][:, :3, 0] == blocks * (blocks + 1) // 2).all(), out["seen"][:, :, 0]
        assert out["counter"][0] == 2 * blocks, out["counter"]


def count(folder, preset):
    """A counter in GM that many branches increase: the compiler tells the simulator of its first store only."""
    branches = "".join(f"  if (x[{k}] > 0) {{ int32_t n = total[0]; list[n] = {k}; total[0] = n + 1; }}\n" for k in range(64))
    text = HEAD + f"""extern "C" __global__ AICORE void k(__gm__ int32_t* x, __gm__ int32_t* total, __gm__ int32_t* list) {{
  total[0] = 0;
{branches}  pipe_barrier(PIPE_ALL);
  dcci((__gm__ void*)0, ENTIRE_DATA_CACHE);
  dsb(DSB_DDR);
}}
"""
    x = np.random.default_rng(4).integers(-1, 2, 64).astype(np.int32)
    out = run(folder, text, preset, {"x": x, "total": "i32[16]", "list": "i32[64]"}, ["total", "list"], "--set", "launch.clusters=1")
    chosen = np.flatnonzero(x > 0)
    assert out["total"][0] == len(chosen), (out["total"], len(chosen))
    assert np.array_equal(out["list"][:len(chosen)], chosen), out["list"]


def never(folder, preset):
    text = HEAD + """extern "C" __global__ AICORE void k(__gm__ int32_t* s) { comm::Signal signal(s); comm::TWAIT(signal, 1, comm::WaitCmp::EQ); }"""
    message = run(folder, text, preset, {"s": "i32[16]"}, [], "--set", "launch.clusters=1", expect=4)
    assert "TWAIT: the signal did not come" in message and "k.cpp:4" in message, message


for machine in ("a2a3", "a5"):
    for test in (ring, collectives, meet, count):
        with tempfile.TemporaryDirectory() as name:
            test(pathlib.Path(name), machine)
with tempfile.TemporaryDirectory() as name:
    never(pathlib.Path(name), "a2a3")
print("ok")
