"""Vector operations of Ascend C on whole tensors, on repeats with a mask and on blocks, events of a pipe, and histograms in registers,
against NumPy; and what operations refuse."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
RANDOM = np.random.default_rng(6)

KERNELS = """#include "kernel_operator.h"
using namespace AscendC;
// Softmax of a row by tensors: maximum, difference, exponential, sum.
class Softmax {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t columns, TPipe* p) {
    columns_ = columns;
    gx.SetGlobalBuffer((__gm__ float*)x + GetBlockIdx() * columns, columns);
    gy.SetGlobalBuffer((__gm__ float*)y + GetBlockIdx() * columns, columns);
    p->InitBuffer(in, 1, columns * sizeof(float));
    p->InitBuffer(out, 1, columns * sizeof(float));
    p->InitBuffer(work, columns * sizeof(float));
    p->InitBuffer(one, 32);
  }
  __aicore__ inline void Process() {
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopyPad(a, gx, {1, (uint32_t)(columns_ * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
    in.EnQue(a);
    LocalTensor<float> x = in.DeQue<float>(), y = out.AllocTensor<float>(), w = work.Get<float>(), s = one.Get<float>();
    ReduceMax(s, x, w, columns_);
    event_t e = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(e);
    WaitFlag<HardEvent::V_S>(e);
    float m = s.GetValue(0);
    SetFlag<HardEvent::S_V>(e);
    WaitFlag<HardEvent::S_V>(e);
    Adds(y, x, -m, columns_);
    PipeBarrier<PIPE_V>();
    Exp(y, y, columns_);
    PipeBarrier<PIPE_V>();
    ReduceSum(s, y, w, columns_);
    SetFlag<HardEvent::V_S>(e);
    WaitFlag<HardEvent::V_S>(e);
    float total = s.GetValue(0);
    SetFlag<HardEvent::S_V>(e);
    WaitFlag<HardEvent::S_V>(e);
    Muls(y, y, 1.0f / total, columns_);
    out.EnQue(y);
    in.FreeTensor(x);
    y = out.DeQue<float>();
    DataCopyPad(gy, y, {1, (uint32_t)(columns_ * sizeof(float)), 0, 0, 0});
    out.FreeTensor(y);
  }
 private:
  GlobalTensor<float> gx, gy;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<TPosition::VECCALC> work, one;
  uint32_t columns_;
};
extern "C" __global__ __aicore__ void softmax(GM_ADDR x, GM_ADDR y, uint32_t columns) {
#ifdef __DAV_VEC__
  TPipe pipe;
  Softmax op;
  op.Init(x, y, columns, &pipe);
  op.Process();
#endif
}
// Comparison and selection, repeats with a mask, reductions of repeats and blocks, shifts, bits.
extern "C" __global__ __aicore__ void mixed(__gm__ float* x, __gm__ float* y, __gm__ float* sel, __gm__ float* lim, __gm__ float* part, __gm__ float* sums, __gm__ float* blocks, __gm__ int16_t* i, __gm__ int16_t* sh) {
#ifdef __DAV_VEC__
  LocalTensor<float> a(TPosition::VECIN, 0, 512), b(TPosition::VECIN, 0x1000, 512), c(TPosition::VECOUT, 0x2000, 512), d(TPosition::VECOUT, 0x3000, 512), p(TPosition::VECOUT, 0x4000, 512), s(TPosition::VECOUT, 0x5000, 64), k(TPosition::VECOUT, 0x5800, 64);
  LocalTensor<uint8_t> bits(TPosition::VECCALC, 0x6000, 64), bits2(TPosition::VECCALC, 0x6100, 64);
  LocalTensor<int16_t> n(TPosition::VECIN, 0x7000, 128), r(TPosition::VECOUT, 0x8000, 128);
  GlobalTensor<float> gx, gy, gs, gl, gp, gu, gb;
  GlobalTensor<int16_t> gi, gr;
  gx.SetGlobalBuffer(x); gy.SetGlobalBuffer(y); gs.SetGlobalBuffer(sel); gl.SetGlobalBuffer(lim); gp.SetGlobalBuffer(part); gu.SetGlobalBuffer(sums); gb.SetGlobalBuffer(blocks); gi.SetGlobalBuffer(i); gr.SetGlobalBuffer(sh);
  DataCopy(a, gx, DataCopyParams{4, 16, 0, 0});
  DataCopy(b, gy, 512);
  DataCopy(n, gi, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Compare(bits, a, b, CMPMODE::LT, 512);
  CompareScalar(bits2, a, 0.5f, CMPMODE::GE, 512);
  Duplicate(p, 7.0f, 512);
  PipeBarrier<PIPE_V>();
  Select(c, bits, a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, 512);
  Select(d, bits2, b, -1.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 512);
  Add(p, a, b, 40, 8, {1, 1, 1, 8, 8, 8});
  WholeReduceSum(s, a, 64, 8, 1, 1, 8);
  BlockReduceMax(k, b, 8, 64, 1, 1, 8);
  ShiftRight(r, n, (int16_t)2, 128);
  PipeBarrier<PIPE_V>();
  Not(r, r, 128);
  PipeBarrier<PIPE_V>();
  And(r, r, n, 128);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gs, c, 512); DataCopy(gl, d, 512); DataCopy(gp, p, 512); DataCopy(gu, s, 8); DataCopy(gb, k, 64); DataCopy(gr, r, 128);
#endif
}
// The largest of each 32, and every second element of the pairs.
extern "C" __global__ __aicore__ void sorted(__gm__ float* x, __gm__ uint32_t* index, __gm__ float* y, __gm__ float* z) {
#ifdef __DAV_VEC__
  LocalTensor<float> a(TPosition::VECIN, 0, 128), b(TPosition::VECOUT, 0x1000, 256), c(TPosition::VECOUT, 0x2000, 128);
  LocalTensor<uint32_t> n(TPosition::VECIN, 0x3000, 128);
  GlobalTensor<float> gx, gy, gz;
  GlobalTensor<uint32_t> gi;
  gx.SetGlobalBuffer(x); gy.SetGlobalBuffer(y); gz.SetGlobalBuffer(z); gi.SetGlobalBuffer(index);
  DataCopy(a, gx, 128);
  DataCopy(n, gi, 128);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  Sort32(b, a, n, 4);
  PipeBarrier<PIPE_V>();
  uint64_t taken = 0;
  GatherMask(c, b, 1, false, 0, {1, 4, 8, 0}, taken);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, b, 256);
  DataCopy(gz, c, taken);
#endif
}
#ifdef PTO_NPU_ARCH_A5
template <Reg::HistogramsType Type>
__simd_vf__ inline void count(__ubuf__ uint8_t* x, __ubuf__ uint16_t* y, uint16_t turns) {
  Reg::RegTensor<uint8_t> a;
  Reg::RegTensor<uint16_t> low, high;
  Reg::MaskReg all = Reg::CreateMask<uint8_t>(), wide = Reg::CreateMask<uint16_t>();
  Reg::Duplicate(low, (uint16_t)0);
  Reg::Duplicate(high, (uint16_t)0);
  for (uint16_t n = 0; n < turns; ++n) {
    Reg::LoadAlign<uint8_t, Reg::PostLiteral::POST_MODE_UPDATE>(a, x, 256);
    Reg::Histograms<uint8_t, uint16_t, Reg::HistogramsBinType::BIN0, Type>(low, a, all);
    Reg::Histograms<uint8_t, uint16_t, Reg::HistogramsBinType::BIN1, Type>(high, a, all);
  }
  Reg::StoreAlign(y, low, wide);
  Reg::StoreAlign(y + 128, high, wide);
}
extern "C" __global__ __vector__ void histogram(__gm__ uint8_t* x, __gm__ uint16_t* y, __gm__ uint16_t* z) {
  LocalTensor<uint8_t> a(0, 1024);
  LocalTensor<uint16_t> b(0x1000, 256), c(0x2000, 256);
  GlobalTensor<uint8_t> gx;
  GlobalTensor<uint16_t> gy, gz;
  gx.SetGlobalBuffer(x); gy.SetGlobalBuffer(y); gz.SetGlobalBuffer(z);
  DataCopy(a, gx, 1024);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  asc_vf_call<count<Reg::HistogramsType::FREQUENCY>>(a.GetPhyAddr(), b.GetPhyAddr(), 4);
  asc_vf_call<count<Reg::HistogramsType::ACCUMULATE>>(a.GetPhyAddr(), c.GetPhyAddr(), 4);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, b, 256);
  DataCopy(gz, c, 256);
}
#endif
extern "C" __global__ __vector__ void strides(__gm__ float* x) {
  LocalTensor<float> a(0, 256), b(0x1000, 256);
  Add(a, a, b, 64, 2, {1, 1, 1, 8, 8, 16});
}
extern "C" __global__ __vector__ void lanes(__gm__ float* x) {
  LocalTensor<float> a(0, 256), b(0x1000, 256);
  Add(a, a, b, 65, 2, {1, 1, 1, 8, 8, 8});
}
extern "C" __global__ __vector__ void place(__gm__ float* x) {
  LocalTensor<float> a(0, 256), b(0x1000, 256);
  ReduceMax(a, b, a[64], 256, true);
}
extern "C" __global__ __vector__ void events(__gm__ float* x) {
  TPipe pipe;
  for (int n = 0; n < 9; ++n) pipe.AllocEventID<HardEvent::V_S>();
}
// Events that are released in another order than they were taken in, and those beside the ones of queues.
extern "C" __global__ __vector__ void released(__gm__ float* x) {
  TPipe pipe;
  int32_t first = pipe.AllocEventID<HardEvent::V_S>(), second = pipe.AllocEventID<HardEvent::V_S>();
  pipe.ReleaseEventID<HardEvent::V_S>(first);
  int32_t third = pipe.AllocEventID<HardEvent::V_S>();
  TQue<TPosition::VECIN, 2> in;
  pipe.InitBuffer(in, 6, 32);
  int32_t a = pipe.AllocEventID<HardEvent::MTE2_V>(), b = pipe.AllocEventID<HardEvent::MTE2_V>();
  if (first == 7 && second == 6 && third == 7 && pipe.FetchEventID(HardEvent::V_S) == 5 && a == 7 && b == 6) pipe.AllocEventID<HardEvent::MTE2_V>();
}
extern "C" __global__ __vector__ void again(__gm__ float* x) {
  TPipe pipe;
  int32_t id = pipe.AllocEventID<HardEvent::V_S>();
  pipe.AllocEventID<HardEvent::V_S>();
  pipe.ReleaseEventID<HardEvent::V_S>(id);
  pipe.ReleaseEventID<HardEvent::V_S>(id);
}
extern "C" __global__ __vector__ void late(__gm__ float* x) {
  TPipe pipe;
  pipe.AllocEventID<HardEvent::V_MTE2>();
  TQue<TPosition::VECIN, 2> in;
  pipe.InitBuffer(in, 8, 32);
}
extern "C" __global__ __vector__ void gone(__gm__ float* x) {
  { TPipe pipe; }
  GetTPipePtr()->FetchEventID(HardEvent::V_S);
}
extern "C" __global__ __vector__ void none(__gm__ float* x) {
  LocalTensor<float> a(0, 256), b(0x1000, 256);
  BlockReduceSum(a, b, 0, 64, 1, 1, 8);
}
"""

REFUSED = {
    "strides": "a vector operation by repeats with other strides than 1 and 8 is not modelled",
    "lanes": "a vector operation takes 1 to 255 repeats and a mask of the lanes of 256 bytes at most",
    "place": "ReduceMax with the index of the extreme is not modelled",
    "events": "a pair of pipes has 8 events, and all are taken",
    "released": "a pair of pipes has 8 events, and all are taken",
    "again": "ReleaseEventID: AllocEventID has not given this event, or it was released",
    "late": "InitBuffer: AllocEventID has given an event that the queue needs",
    "gone": "GetTPipePtr: there is no TPipe here",
    "none": "BlockReduceSum takes 1 to 255 repeats",
}


def run(folder, preset, name, arguments, *options):
    """Arrays of the results, which are the arguments given as types; or the process of a run that stops."""
    command, outputs = [PLATFORM, "vector.asc", "--function", name, "--preset", preset, "--quiet", "--hazards", "error", *options], []
    for argument, value in arguments.items():
        if isinstance(value, np.ndarray):
            np.save(folder / f"{argument}.npy", value)
            value = f"{argument}.npy"
        elif isinstance(value, str):
            outputs.append(argument)
        command += ["--arg", f"{argument}={value}"]
    for argument in outputs:
        command += ["--output", f"{argument}={argument}.out.npy"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        return done
    return [np.load(folder / f"{argument}.out.npy") for argument in outputs]


def equals(got, *expected):
    assert isinstance(got, list), got.stderr
    for number, (one, want) in enumerate(zip(got, expected)):
        assert np.array_equal(one.ravel(), np.ravel(want)), (number, one.ravel()[:8], np.ravel(want)[:8])


def check(folder, preset):
    x = RANDOM.standard_normal((3, 300)).astype(np.float32) * 4
    got = run(folder, preset, "softmax", {"x": x, "y": "f32[3,300]", "columns": 300}, "--set", "launch.blocks=3")
    assert isinstance(got, list), got.stderr
    power = np.exp(x - x.max(1, keepdims=True))
    assert np.allclose(got[0], power / power.sum(1, keepdims=True), rtol=1e-5)
    x, y = RANDOM.integers(-99, 99, (2, 512)).astype(np.float32) / 64
    i = RANDOM.integers(-9999, 9999, 128).astype(np.int16)
    part = np.full((8, 64), 7, np.float32)
    part[:, :40] = (x + y).reshape(8, 64)[:, :40]
    got = run(folder, preset, "mixed", {"x": x, "y": y, "sel": "f32[512]", "lim": "f32[512]", "part": "f32[512]", "sums": "f32[8]", "blocks": "f32[64]", "i": i,
                                        "sh": "i16[128]"})
    equals(got, np.minimum(x, y), np.where(x >= 0.5, y, -1), part, x.reshape(8, 64).sum(1), y.reshape(64, 8).max(1), ~(i >> 2) & i)
    x, n = RANDOM.standard_normal(128).astype(np.float32), np.arange(128, dtype=np.uint32)
    order = np.concatenate([b * 32 + np.argsort(-x[b * 32 : b * 32 + 32]) for b in range(4)])
    pairs = np.stack([x[order].view(np.uint32), n[order]], 1).view(np.float32)
    equals(run(folder, preset, "sorted", {"x": x, "index": n, "y": "f32[256]", "z": "f32[128]"}), pairs, x[order])
    if preset == "a5":
        x = RANDOM.integers(0, 256, 1024).astype(np.uint8)
        counts = np.bincount(x, minlength=256)
        equals(run(folder, preset, "histogram", {"x": x, "y": "u16[256]", "z": "u16[256]"}), counts, np.cumsum(counts))
    for name, message in REFUSED.items():
        done = run(folder, preset, name, {"x": "f32[8]"})
        assert not isinstance(done, list) and done.returncode == 4 and message in done.stderr, (name, done)


with tempfile.TemporaryDirectory() as path:
    (pathlib.Path(path) / "vector.asc").write_text(KERNELS)
    for machine in "a2a3", "a5":
        check(pathlib.Path(path), machine)
print("vector operations of Ascend C equal NumPy")
