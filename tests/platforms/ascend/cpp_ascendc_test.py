"""Kernels in Ascend C against NumPy: AscendC::Reg, tensors, queues with more blocks than cores and with the events of two pairs of pipes; and
what queues refuse."""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]

REG = """#include "kernel_operator.h"
template <class T>
__simd_vf__ inline void gelu(__ubuf__ T* x, __ubuf__ T* y, uint32_t count, uint16_t turns) {
  using namespace AscendC::Reg;
  constexpr uint32_t lanes = AscendC::GetVecLen() / sizeof(T);
  RegTensor<T> a, b;
  MaskReg mask;
  for (uint16_t i = 0; i < turns; ++i) {
    mask = UpdateMask<T>(count);
    LoadAlign(a, x + i * lanes);
    Mul(b, a, a, mask);
    Muls(b, b, T(-0.5), mask);
    Exp(b, b, mask);
    Adds(b, b, T(1), mask);
    Div(b, a, b, mask);
    StoreAlign(y + i * lanes, b, mask);
  }
}
__simd_vf__ inline void narrow(__ubuf__ float* x, __ubuf__ int16_t* y, uint16_t turns) {
  using namespace AscendC;
  Reg::MaskReg mask = Reg::CreateMask<float, Reg::MaskPattern::ALL>();
  Reg::RegTensor<float> a;
  Reg::RegTensor<int16_t> b;
  static constexpr Reg::CastTrait trait = {Reg::RegLayout::ZERO, Reg::SatMode::SAT, Reg::MaskMergeMode::ZEROING, RoundMode::CAST_FLOOR};
  for (uint16_t i = 0; i < turns; ++i) {
    Reg::LoadAlign<float, Reg::PostLiteral::POST_MODE_UPDATE>(a, x, 64);
    Reg::Cast<int16_t, float, trait>(b, a, mask);
    Reg::StoreAlign<int16_t, Reg::PostLiteral::POST_MODE_UPDATE, Reg::StoreDist::DIST_PACK_B32>(y, b, 64, mask);
  }
}
// Numbers above zero, one after the other.
__simd_vf__ inline void squeeze(__ubuf__ float* x, __ubuf__ float* y, uint16_t turns) {
  using namespace AscendC;
  Reg::MaskReg all = Reg::CreateMask<float>(), above;
  Reg::RegTensor<float> a, b;
  Reg::UnalignRegForStore align;
  Reg::ClearSpr<SpecialPurposeReg::AR>();
  for (uint16_t i = 0; i < turns; ++i) {
    Reg::AddrReg at = Reg::CreateAddrReg<float>(i, 64);
    Reg::LoadAlign(a, x, at);
    Reg::Compares<float, CMPMODE::GT>(above, a, 0.0f, all);
    Reg::Squeeze<float, Reg::GatherMaskMode::STORE_REG>(b, a, above);
    Reg::StoreUnAlign<float, Reg::PostLiteral::POST_MODE_UPDATE>(y, b, align);
  }
  Reg::StoreUnAlignPost(y, align);
}
extern "C" __global__ __vector__ void positive(__gm__ float* x, __gm__ float* y) {
  using namespace AscendC;
  LocalMemAllocator<Hardware::UB> memory;
  LocalTensor<float> a = memory.Alloc<float, 256>(), b = memory.Alloc<float, 256>();
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer(x);
  gy.SetGlobalBuffer(y);
  Duplicate(b, 0.0f, 256);
  DataCopy(a, gx, 256);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  asc_vf_call<squeeze>(a.GetPhyAddr(), b.GetPhyAddr(), 4);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopy(gy, b, 256);
}
// Blocks of 20 bytes, 8 bytes apart in GM; what is between them in UB stays.
extern "C" __global__ __vector__ void pads(__gm__ float* x, __gm__ float* y) {
  using namespace AscendC;
  LocalTensor<float> a(0, 64);
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer(x);
  gy.SetGlobalBuffer(y);
  Duplicate(a, 7.0f, 64);
  SetFlag<HardEvent::V_MTE2>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE2>(EVENT_ID0);
  DataCopyPad(a, gx, DataCopyExtParams{4, 20, 8, 0, 0}, DataCopyPadExtParams<float>{});
  SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
  DataCopy(gy, a, 32);
  DataCopyPad(gy[32], a, DataCopyExtParams{4, 20, 0, 4, 0});
}
extern "C" __global__ __vector__ void parts(__gm__ float* x) {
  using namespace AscendC;
  LocalTensor<float> a(0, 64);
  GlobalTensor<float> gx;
  gx.SetGlobalBuffer(x);
  DataCopyPad(a, gx, DataCopyExtParams{2, 18, 0, 0, 0}, DataCopyPadExtParams<float>{});
}
extern "C" __global__ __vector__ void lines(__gm__ float* x) {
  using namespace AscendC;
  LocalTensor<float> a(0, 64);
  GlobalTensor<float> gx;
  gx.SetGlobalBuffer(x);
  DataCopy(a, gx, 5);
}
// More tensors than there are.
extern "C" __global__ __vector__ void twice(__gm__ float* x) {
  using namespace AscendC;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, 256);
  GlobalTensor<float> gx;
  gx.SetGlobalBuffer(x);
  LocalTensor<float> a = in.AllocTensor<float>(), b = in.AllocTensor<float>();
  DataCopy(a, gx, 64);
  DataCopy(b, gx[64], 64);
}
// A tensor that has not been taken.
extern "C" __global__ __vector__ void freed(__gm__ float* x) {
  using namespace AscendC;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, 256);
  LocalTensor<float> a = in.AllocTensor<float>();
  in.FreeTensor(a);
  in.FreeTensor(a);
}
extern "C" __global__ __vector__ void empty(__gm__ float* x) {
  using namespace AscendC;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  pipe.InitBuffer(in, 1, 256);
  LocalTensor<float> a = in.DeQue<float>();
}
// `kOut` tensors of VECOUT beside five of VECIN: another pair of pipes.
template <int kOut>
AICORE void many(__gm__ float* x, __gm__ float* y) {
  using namespace AscendC;
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in, more;
  TQue<TPosition::VECOUT, 2> out, last;
  pipe.InitBuffer(in, 3, 256);
  pipe.InitBuffer(more, 2, 256);
  pipe.InitBuffer(out, 4, 256);
  pipe.InitBuffer(last, kOut - 4, 256);
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer(x);
  gy.SetGlobalBuffer(y);
  for (int n = 0; n < 8; ++n) {
    LocalTensor<float> a = in.AllocTensor<float>(), b = more.AllocTensor<float>();
    DataCopy(a, gx[n * 64], 64);
    DataCopy(b, gx[n * 64], 64);
    in.EnQue(a);
    more.EnQue(b);
    LocalTensor<float> c = out.AllocTensor<float>(), d = last.AllocTensor<float>();
    a = in.DeQue<float>();
    b = more.DeQue<float>();
    Add(c, a, b, 64);
    Add(d, c, b, 64);
    in.FreeTensor(a);
    more.FreeTensor(b);
    out.FreeTensor(c);
    last.EnQue(d);
    d = last.DeQue<float>();
    DataCopy(gy[n * 64], d, 64);
    last.FreeTensor(d);
  }
}
extern "C" __global__ __vector__ void many8(__gm__ float* x, __gm__ float* y) { many<8>(x, y); }
extern "C" __global__ __vector__ void many9(__gm__ float* x, __gm__ float* y) { many<9>(x, y); }
// Tiles of 512 elements through queues; the last one is shorter.
extern "C" __global__ __vector__ void run(__gm__ float* x, __gm__ float* y, __gm__ int16_t* z, int count) {
  using namespace AscendC;
  TPipe pipe;
  TQue<TPosition::VECIN, 2> in;
  TQue<TPosition::VECOUT, 2> out, halves;
  pipe.InitBuffer(in, 2, 2048);
  pipe.InitBuffer(out, 2, 2048);
  pipe.InitBuffer(halves, 2, 1024);
  GlobalTensor<float> gx, gy;
  GlobalTensor<int16_t> gz;
  gx.SetGlobalBuffer(x);
  gy.SetGlobalBuffer(y);
  gz.SetGlobalBuffer(z);
  for (int at = GetBlockIdx() * 512; at < count; at += GetBlockNum() * 512) {
    const int n = count - at < 512 ? count - at : 512;
    LocalTensor<float> a = in.AllocTensor<float>();
    DataCopy(a, gx[at], n);
    in.EnQue(a);
    LocalTensor<float> b = in.DeQue<float>(), c = out.AllocTensor<float>();
    LocalTensor<int16_t> d = halves.AllocTensor<int16_t>();
    asc_vf_call<gelu<float>>(b.GetPhyAddr(), c.GetPhyAddr(), n, (n + 63) / 64);
    Adds(c, c, 1.0f, n);
    asc_vf_call<narrow>(b.GetPhyAddr(), d.GetPhyAddr(), (n + 63) / 64);
    out.EnQue(c);
    halves.EnQue(d);
    in.FreeTensor(b);
    LocalTensor<float> e = out.DeQue<float>();
    DataCopy(gy[at], e, n);
    out.FreeTensor(e);
    LocalTensor<int16_t> f = halves.DeQue<int16_t>();
    DataCopy(gz[at], f, n);
    halves.FreeTensor(f);
  }
}
"""

REFUSED = {
    "parts": "DataCopyPad of bytes that are no whole elements",
    "lines": "DataCopy of bytes that are no multiple of 32; DataCopyPad copies others",
    "twice": "AllocTensor: all tensors of the queue are taken, and none has been freed",
    "freed": "a tensor that has not been taken from this queue",
    "empty": "DeQue: no tensor waits in the queue",
    "many9": "queues of VECOUT have more than 8 tensors; a pair of pipes has 8 events",
}


# Addresses that stay and that move; the size of a buffer.
MODES = """#include "kernel_operator.h"
using namespace AscendC;
__simd_vf__ inline void accesses(__ubuf__ float* x, __ubuf__ float* y) {
  constexpr auto kStays = Reg::PostLiteral::POST_MODE_NORMAL, kMoves = Reg::PostLiteral::POST_MODE_UPDATE;
  Reg::RegTensor<float> a, b;
  Reg::MaskReg all = Reg::CreateMask<float>();
  Reg::UnalignRegForLoad u;
  __ubuf__ float* p = x + 3;
  Reg::LoadUnAlignPre(u, p);
  Reg::LoadUnAlign<float, kStays>(a, u, p, 64);
  Reg::LoadUnAlign<float, kMoves>(b, u, p, 64);
  Reg::StoreAlign(y, a, all);
  Reg::StoreAlign(y + 64, b, all);
  Reg::LoadUnAlign<float, kMoves>(a, u, p, 64);
  Reg::StoreAlign(y + 128, a, all);
  __ubuf__ float* q = x;
  Reg::LoadAlign<float, kStays>(a, q, 128);
  Reg::LoadAlign<float, kMoves>(b, q, 64);
  Reg::StoreAlign(y + 192, a, all);
  Reg::StoreAlign(y + 256, b, all);
  Reg::LoadAlign<float, kStays, Reg::LoadDist::DIST_DINTLV_B32>(a, b, q, 64);
  Reg::StoreAlign(y + 320, b, all);
}
extern "C" __global__ __vector__ void k(__gm__ float* x, __gm__ float* y) {
  TPipe pipe;
  TBuf<TPosition::VECCALC> in, out;
  pipe.InitBuffer(in, 2048);
  pipe.InitBuffer(out, 2048);
  LocalTensor<float> a = in.Get<float>(), c = out.Get<float>();
  GlobalTensor<float> gx, gy;
  gx.SetGlobalBuffer(x, 512);
  gy.SetGlobalBuffer(y, 512);
  DataCopy(a, gx, a.GetSize());
  Duplicate(c, 7.0f, c.GetSize());
  SetFlag<HardEvent::MTE2_V>(0);
  WaitFlag<HardEvent::MTE2_V>(0);
  asc_vf_call<accesses>(a.GetPhyAddr(), c.GetPhyAddr());
  SetFlag<HardEvent::V_MTE3>(0);
  WaitFlag<HardEvent::V_MTE3>(0);
  DataCopy(gy, c, out.Get<half>().GetSize() / 2);
}
"""


def check_modes(folder):
    (folder / "modes.asc").write_text(MODES)
    x = np.arange(512, dtype=np.float32)
    np.save(folder / "x.npy", x)
    done = run(folder, "modes.asc", "--arg", "x=x.npy", "--arg", "y=f32[512]", "--output", "y=y.npy")
    assert done.returncode == 0, done.stderr
    expected = np.full(512, 7, np.float32)
    expected[:384] = np.concatenate([x[3:67], x[3:67], x[67:131], x[128:192], x[:64], x[129:257:2]])
    np.testing.assert_array_equal(np.load(folder / "y.npy"), expected)


def run(folder, *options):
    return subprocess.run([PLATFORM, *map(str, options), "--preset", "a5", "--quiet"], cwd=folder, capture_output=True, text=True, timeout=300)


def check_reg(folder):
    count = 5424
    x = np.random.default_rng(4).standard_normal(count).astype(np.float32) * 9
    np.save(folder / "rx.npy", x)
    (folder / "reg.asc").write_text(REG)
    exact = x.astype(np.float64)
    for blocks in 2, 5:  # and more than there are cores: a block leaves no flags to the next one
        done = run(folder, "reg.asc", "--function", "run", "--arg", "x=rx.npy", "--arg", f"y=f32[{count}]", "--arg", f"z=i16[{count}]", "--arg", f"count={count}",
                   "--output", "y=ry.npy", "--output", "z=rz.npy", "--hazards", "error", "--set", f"launch.blocks={blocks}", "--set", "launch.clusters=1")
        assert done.returncode == 0, done.stderr
        assert np.allclose(np.load(folder / "ry.npy"), exact / (1 + np.exp(-0.5 * exact * exact)) + 1, rtol=1e-5, atol=1e-6)
        assert np.array_equal(np.load(folder / "rz.npy"), np.floor(x).astype(np.int16))
    done = run(folder, "reg.asc", "--function", "positive", "--arg", "x=rx.npy", "--arg", "y=f32[256]", "--output", "y=ry.npy", "--hazards", "error")
    assert done.returncode == 0, done.stderr
    above = x[:256][x[:256] > 0]
    assert np.array_equal(np.load(folder / "ry.npy"), np.pad(above, (0, 256 - above.size)))
    done = run(folder, "reg.asc", "--function", "many8", "--arg", "x=rx.npy", "--arg", "y=f32[512]", "--output", "y=ry.npy", "--hazards", "error")
    assert done.returncode == 0, done.stderr
    assert np.array_equal(np.load(folder / "ry.npy"), x[:512] + x[:512] + x[:512])
    done = run(folder, "reg.asc", "--function", "pads", "--arg", "x=rx.npy", "--arg", "y=f32[56]", "--output", "y=ry.npy", "--hazards", "error")
    assert done.returncode == 0, done.stderr
    blocks, y = x[:28].reshape(4, 7)[:, :5], np.load(folder / "ry.npy")
    assert np.array_equal(y[:32].reshape(4, 8), np.pad(blocks, ((0, 0), (0, 3)), constant_values=7)), y
    assert np.array_equal(y[32:].reshape(4, 6), np.pad(blocks, ((0, 0), (0, 1)))), y
    for name, message in REFUSED.items():
        done = run(folder, "reg.asc", "--function", name, "--arg", "x=rx.npy", *(["--arg", "y=f32[512]"] if name == "many9" else []))
        assert done.returncode == 4 and message in done.stderr and "reg.asc:" in done.stderr, (name, done.stderr)


with tempfile.TemporaryDirectory() as path:
    check_reg(pathlib.Path(path))
    check_modes(pathlib.Path(path))
print("kernels in Ascend C equal NumPy")
