"""Vector registers of A5 in C++ against NumPy: loads and stores with distributions and post-update, predicates, arithmetic, conversions by
parts, reductions, lanes, gathers, masks in UB, casts between references to registers; that such a function takes as long as the
same one in PTO text; and what is refused."""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

PLATFORM = sys.argv[1]
N = 1000

HEAD = """#include <pto/pto-inst.hpp>
using namespace pto;
__simt_vf__ inline void nothing() {}
constexpr auto NORM_STORE = std::integral_constant<::DistVST, static_cast<::DistVST>(GetDistVst<float, pto::DistVST::DIST_NORM>())>();
template <class T, int Count, class F>
AICORE void with_tiles(__gm__ T* x, __gm__ T* y, F body) {
  using G = GlobalTensor<T, Shape<1, 1, 1, 1, Count>, Stride<Count, Count, Count, Count, 1>>;
  Tile<TileType::Vec, T, 1, Count> in, out;
  TASSIGN(in, 0x0);
  TASSIGN(out, 0x8000);
  G gx(x), gy(y);
  TLOAD(in, gx);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  body(in.data(), out.data());
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(gy, out);
}
"""


def merged(x, old):
    """What the kernel "merging" gives."""
    rows = np.zeros((8, 128), np.float16)
    rows[:3] = old
    rows[0, 0::2] = rows[1, 0::2] = 2 * x[0::2]
    rows[1, 1::2] = x[1::2]
    rows[2, 1:32:2] = 2 * x[0:32:2]
    rows[3, 0::2] = np.concatenate([x[0:64:2], x[65:128:2]])
    return rows.ravel()


# Rows of 64 x 16: y = softmax(x), and what the predicate leaves out of the last row stays.
KERNELS = {
    "chain": ("float", 1024, """
  __VEC_SCOPE__ {
    RegTensor<float> a, b;
    uint32_t left = 1000;
    for (uint16_t i = 0; i < 16; ++i) {
      MaskReg mask = CreatePredicate<float>(left);
      vlds(a, x, 64, NORM, POST_UPDATE);
      vadds(b, a, 2.0f, mask, MODE_ZEROING);
      vmul(b, a, b, mask, MODE_ZEROING);
      vsts(b, y, i * 64, NORM_STORE, mask);
    }
  }""", lambda x: np.where(np.arange(1024) < 1000, x * (x + 2), 0)),
    # One instruction is several operations.
    "stream": ("float", 1024, """
  __VEC_SCOPE__ {
    RegTensor<float> a, b;
    vector_align align;
    vector_bool all = pset_b32(PAT_ALL);
    for (uint16_t i = 0; i < 16; ++i) {
      __ubuf__ float* to = y + i * 64;
      vlds(a, x, i * 64, NORM);
      vadds(b, a, 2.0f, all, MODE_ZEROING);
      vstus(align, 5, b, to, POST_UPDATE);
      vstus(align, 59, b, to, POST_UPDATE);
      vstas(align, to, 0, POST_UPDATE);
    }
  }""", lambda x: np.concatenate([(x.reshape(16, 64) + 2)[:, :5], (x.reshape(16, 64) + 2)[:, :59]], 1).ravel()),
    "softmax": ("float", 1024, """
  __VEC_SCOPE__ {
    vector_f32 v, most, sum;
    vector_bool all = pset_b32(PAT_ALL);
    for (uint16_t r = 0; r < 16; ++r) {
      vlds(v, x, r * 64, NORM);
      vcmax(most, v, all, MODE_ZEROING);
      vdup(most, most, all, POS_LOWEST, MODE_ZEROING);
      vsub(v, v, most, all, MODE_ZEROING);
      vexp(v, v, all, MODE_ZEROING);
      vcadd(sum, v, all, MODE_ZEROING);
      vdup(sum, sum, all, POS_LOWEST, MODE_ZEROING);
      vdiv(v, v, sum, all, MODE_ZEROING);
      vsts(v, y, r * 64, NORM_B32, all);
    }
  }""", lambda x: (lambda e: (e / e.sum(1, keepdims=True)).ravel())(np.exp((x := x.reshape(16, 64).astype(np.float64)) - x.max(1, keepdims=True)))),
    # The sign of a number by its bits; lanes of two registers in turn; a copy of a register stays as it was.
    "bits": ("float", 1024, """
  __VEC_SCOPE__ {
    vector_f32 a, b, first, second;
    vector_bool all = pset_b32(PAT_ALL), odd;
    vector_s32 lane, one;
    vci(lane, 0, INC_ORDER);
    vbr(one, 1);
    vand(lane, lane, one, all);
    vcmps_ne(odd, lane, 0, all);
    for (uint16_t i = 0; i < 8; ++i) {
      vlds(a, x, i * 128, NORM);
      vlds(b, x, i * 128 + 64, NORM);
      vshrs((vector_u32&)a, (vector_u32&)a, 31, all);
      vcvt(a, (vector_s32&)a, all, ROUND_R);
      vector_f32 copy = b;
      vmuls(b, b, 0.5f, all);
      vsel(b, copy, b, odd);
      vdup(b, -1.0f, pset_b32(PAT_VL8), MODE_MERGING);
      vintlv(first, second, a, b);
      vsts(first, y, i * 128, NORM_B32, all);
      vsts(second, y, i * 128 + 64, NORM_B32, all);
    }
  }""", lambda x: np.stack([np.signbit(x.reshape(8, 2, 64)[:, 0]).astype(np.float32),
                            np.where(np.arange(64) < 8, -1, np.where(np.arange(64) % 2 == 1, 1, 0.5) * x.reshape(8, 2, 64)[:, 1])],
                           -1).ravel()),
    # Even and odd halves as floats and back; two registers from alternate elements.
    "parts": ("half", 1024, """
  __VEC_SCOPE__ {
    vector_f16 h, even, odd, low, high;
    vector_f32 a, b;
    vector_bool all = pset_b16(PAT_ALL), wide = pset_b32(PAT_ALL);
    for (uint16_t i = 0; i < 4; ++i) {
      vlds(h, x, i * 128, NORM);
      vcvt(a, h, all, PART_EVEN);
      vcvt(b, h, all, PART_ODD);
      vmuls(a, a, 3.0f, wide);
      vmula(b, a, a, wide);
      vcvt(even, a, wide, ROUND_R, RS_DISABLE, PART_EVEN);
      vcvt(odd, b, wide, ROUND_R, RS_DISABLE, PART_ODD);
      vor((vector_u16&)h, (vector_u16&)even, (vector_u16&)odd, all);
      vsts(h, y, i * 128, NORM_B16, all);
    }
    vlds(low, high, x + 512, 0, DINTLV_B16);
    vsts(high, y + 512, 0, NORM_B16, all);
    vsts(low, y + 640, 0, NORM_B16, all);
    vlds(low, x, 3, BRC_B16);
    vsts(low, y + 768, 0, NORM_B16, all);
    vlds(a, (float*)x, 0, NORM);
    vsts((vector_u32&)a, (uint32_t*)(y + 896), 0, PK_B32, wide);
    vsts(h, y + 960, 0, NORM_B16, pset_b16(PAT_VL64));
  }""", None),
    # Conversions by parts leave the lanes of the result as they were that the part or the mask leaves out.
    "merging": ("half", 1024, """
  __VEC_SCOPE__ {
    vector_f16 h, old;
    vector_f32 a, b;
    vector_bool all = pset_b16(PAT_ALL), wide = pset_b32(PAT_ALL), some = pset_b32(PAT_VL16), few = pset_b16(PAT_VL64);
    vlds(h, x, 0, NORM);
    vcvt(a, h, all, PART_EVEN);
    vcvt(b, h, all, PART_ODD);
    vmuls(a, a, 2.0f, wide);
    vlds(old, x, 128, NORM);
    vcvt(old, a, wide, ROUND_R, RS_DISABLE, PART_EVEN, MODE_MERGING);
    vsts(old, y, 0, NORM_B16, all);
    vcvt(old, b, wide, ROUND_R, RS_DISABLE, PART_ODD, MODE_MERGING);
    vsts(old, y, 128, NORM_B16, all);
    vlds(old, x, 128, NORM);
    vcvt(old, a, some, ROUND_R, RS_DISABLE, PART_ODD, MODE_MERGING);
    vsts(old, y, 256, NORM_B16, all);
    vcvt(b, h, few, PART_EVEN, MODE_MERGING);
    vcvt(old, b, wide, ROUND_R, RS_DISABLE, PART_EVEN);
    vsts(old, y, 384, NORM_B16, all);
    vdup(old, (half)0, all, MODE_ZEROING);
    vsts(old, y, 512, NORM_B16, all);
    vsts(old, y, 640, NORM_B16, all);
    vsts(old, y, 768, NORM_B16, all);
    vsts(old, y, 896, NORM_B16, all);
  }""", lambda x: merged(x[:128], x[128:256])),
    "lanes": ("int32_t", 1024, """
  __VEC_SCOPE__ {
    vector_s32 v, index, sum, none;
    vector_bool all = pset_b32(PAT_ALL), big, small, mask;
    vector_align align;
    vbr(none, 0);
    for (uint16_t i = 0; i < 16; ++i) vsts(none, y, i * 64, NORM_B32, all);
    mem_bar(VST_VST);
    vci(index, 63, DEC_ORDER);
    vgather2(v, x, (vector_u32&)index, all);
    vsts(v, y, 0, NORM_B32, all);
    vscatter(v, y + 64, (vector_u32&)index, all);
    vlds(v, x, 64, NORM);
    vcmps_gt(big, v, 0, all);
    vsqz(sum, v, big, MODE_STORED);
    vsts(sum, y + 128, 0, NORM_B32, all);
    psts(big, (uint32_t*)(y + 192), 0, NORM);
    plds(mask, (uint32_t*)(y + 192), 0, NORM);
    pnot(small, mask, all);
    vabs(sum, v, small);
    vsts(sum, y + 256, 0, NORM_B32, all);
    vcgmax(sum, v, all);
    vsts(sum, y + 320, 0, NORM_B32, all);
    __ubuf__ int32_t* to = y + 403;
    vstus(align, 5, v, to, POST_UPDATE);
    vstus(align, 7, v, to, POST_UPDATE);
    vstas(align, to, 0, POST_UPDATE);
    vldas(align, x + 130);
    vldus(v, align, x + 130);
    vsts(v, y + 448, 0, NORM_B32, all);
    vsldb(v, x, 2 << 16, all);
    vsts(v, y + 512, 0, NORM_B32, all);
  }""", None),
}


def lanes(x):
    y = np.zeros(1024, np.int32)
    y[:64] = x[63::-1]
    y[64:128] = x[:64]
    v = x[64:128]
    big = v[v > 0]
    y[128:128 + big.size] = big
    bits = np.zeros(256, np.uint8)
    bits[::4] = v > 0
    y[192:200] = np.packbits(bits, bitorder="little").view(np.int32)
    y[256:320] = np.where(v > 0, 0, np.abs(v))
    y[320:328] = v.reshape(8, 8).max(1)
    y[403:408], y[408:415] = v[:5], v[:7]
    y[448:512] = x[130:194]
    y[512:576] = x[:128].reshape(8, 2, 8)[:, 0].ravel()
    return y


def parts(x):
    y = np.zeros(1024, np.float16)
    h = x[:512].reshape(256, 2).astype(np.float32)
    a = h[:, 0] * np.float32(3)
    y[:512] = np.stack([a, h[:, 1] + a * a], 1).astype(np.float16).ravel()
    y[512:640], y[640:768] = x[513:768:2], x[512:768:2]
    y[768:896] = x[3]
    y[896:960] = x[:128:2]
    y[960:] = y[384:448]
    return y


WRONG = {
    "TADDS in a scope": ("__VEC_SCOPE__ { Tile<TileType::Vec, float, 1, 64> t; TASSIGN(t, 0); TADDS(t, t, 1.0f); }",
                         "only instructions on vector registers may stand in __VEC_SCOPE__"),
    "a scalar access": ("Tile<TileType::Vec, float, 1, 64> t; TASSIGN(t, 0); __ubuf__ float* y = t.data(); __VEC_SCOPE__ { vector_f32 v; vector_bool m = "
                        "pset_b32(PAT_ALL); vbr(v, 40.0f); vsts(v, y, 0, NORM_B32, m); mem_bar(VST_LD); float s = y[3]; vadds(v, v, s, m); }",
                        "only instructions on vector registers may stand in __VEC_SCOPE__"),
    "a scalar store": ("__VEC_SCOPE__ { gm[3] = 1.0f; }", "only instructions on vector registers may stand in __VEC_SCOPE__"),
    "dcci in a scope": ("__VEC_SCOPE__ { dcci(gm, SINGLE_CACHE_LINE); }", "only instructions on vector registers may stand in __VEC_SCOPE__"),
    "threads in a scope": ("__VEC_SCOPE__ { cce::async_invoke<nothing>(cce::dim3{32}); }", "only instructions on vector registers may stand in __VEC_SCOPE__"),
    "the cycle in a scope": ("int64_t t = 0; __VEC_SCOPE__ { t = get_sys_cnt(); } gm[0] = t;", "only instructions on vector registers may stand in __VEC_SCOPE__"),
    "an address in GM": ("__VEC_SCOPE__ { vector_f32 v; vlds(v, gm, 0, NORM); }", "vlds accesses an address that is none of the UB of its core"),
    "no such form": ("__VEC_SCOPE__ { vector_s32 a, b; vector_bool m = pset_b32(PAT_ALL); vbr(a, 1); vbr(b, 2); vmod(a, a, b, m); }",
                     "vmod: this instruction on registers is not modelled"),
    "shifts of floats": ("__VEC_SCOPE__ { vector_f32 a; vector_bool m = pset_b32(PAT_ALL); vbr(a, 1.0f); vshrs(a, a, 3, m); }",
                         "a result of 64xf32, expected integers"),
    "roots of integers": ("__VEC_SCOPE__ { vector_s32 a; vector_bool m = pset_b32(PAT_ALL); vbr(a, 4); vsqrt(a, a, m); }",
                          "a result of 64xi32, expected floats"),
    "nothing written": ("__VEC_SCOPE__ { vector_f32 a, b; vector_bool m = pset_b32(PAT_ALL); vadds(b, a, 1.0f, m); }",
                        "a register that nothing has written"),
}


def run(folder, *options):
    return subprocess.run([PLATFORM, *map(str, options), "--preset", "a5", "--quiet"], cwd=folder, capture_output=True, text=True, timeout=300)


def check_kernels(folder):
    random = np.random.default_rng(3)
    dtypes = {"float": np.float32, "half": np.float16, "int32_t": np.int32}
    for name, (kind, count, body, expected) in KERNELS.items():
        expected = expected or {"parts": parts, "lanes": lanes}[name]
        x = random.integers(-99, 99, count) if kind == "int32_t" else random.standard_normal(count)
        x = x.astype(dtypes[kind])
        np.save(folder / "x.npy", x)
        np.save(folder / "y.npy", np.zeros_like(x))
        text = HEAD + f"""extern "C" __global__ AICORE void k(__gm__ {kind}* gx, __gm__ {kind}* gy) {{
#ifdef __DAV_VEC__
  with_tiles<{kind}, {count}>(gx, gy, [](__ubuf__ {kind}* x, __ubuf__ {kind}* y) {{ {body} }});
#endif
}}
"""
        (folder / f"{name}.cpp").write_text(text)
        done = run(folder, f"{name}.cpp", "--arg", "gx=x.npy", "--arg", "gy=y.npy", "--output", "gy=out.npy", "--hazards", "error",
                   "--report", f"{name}.json")
        assert done.returncode == 0, (name, done.stderr)
        got, wanted = np.load(folder / "out.npy"), expected(x)
        if name == "chain":
            got = got[:1000]
            wanted = wanted[:1000]
        near = np.allclose(got, wanted, rtol=2e-3 if kind == "half" else 1e-6, atol=1e-7)
        assert near, (name, np.flatnonzero(got != wanted)[:20], got[got != wanted][:20], np.asarray(wanted)[got != wanted][:20])


TIMES = {
    "chain": """pto.vecscope {
%end = scf.for %i = %c0 to %c16 step %c1 iter_args(%left = %n) -> (i32) {
%at = arith.muli %i, %c64 : index
%m, %rest = pto.plt_b32 %left : i32 -> !pto.mask<b32>, i32
%a = pto.vlds %x[%at] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
%b = pto.vadds %a, %two, %m : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
%c = pto.vmul %a, %b, %m : !pto.vreg<64xf32>, !pto.vreg<64xf32>, !pto.mask<b32> -> !pto.vreg<64xf32>
pto.vsts %c, %y[%at], %m : !pto.vreg<64xf32>, !pto.ptr<f32, ub>, !pto.mask<b32>
scf.yield %rest : i32
}
}
""",
    "stream": """pto.vecscope {
%all = pto.pset_b32 "PAT_ALL" : !pto.mask<b32>
scf.for %i = %c0 to %c16 step %c1 {
%at = arith.muli %i, %c64 : index
%next = arith.addi %at, %c5 : index
%a = pto.vlds %x[%at] : !pto.ptr<f32, ub> -> !pto.vreg<64xf32>
%b = pto.vadds %a, %two, %all : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<64xf32>
pto.vstus %b, %n5, %y[%at] : !pto.vreg<64xf32>, i32, !pto.ptr<f32, ub>
pto.vstus %b, %n59, %y[%next] : !pto.vreg<64xf32>, i32, !pto.ptr<f32, ub>
}
}
""",
}


def check_time(folder):
    """These functions in PTO text take as long."""
    head = """module attributes {pto.target_arch = "a5"} { func.func @k() attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c16 = arith.constant 16 : index
%c64 = arith.constant 64 : index
%c5 = arith.constant 5 : index
%n5 = arith.constant 5 : i32
%n59 = arith.constant 59 : i32
%n = arith.constant 1000 : i32
%two = arith.constant 2.0 : f32
%a0 = arith.constant 0 : i64
%a1 = arith.constant 32768 : i64
%x = pto.castptr %a0 : i64 -> !pto.ptr<f32, ub>
%y = pto.castptr %a1 : i64 -> !pto.ptr<f32, ub>
"""

    def busy(file):
        return max(core["v_busy"] for core in json.loads((folder / file).read_text())["cores"])

    for name, text in TIMES.items():
        (folder / "t.pto").write_text(head + text + "return } }\n")
        done = run(folder, "t.pto", "--no-data", "--report", "t.json")
        assert done.returncode == 0, (name, done.stderr)
        assert busy("t.json") == busy(f"{name}.json"), (name, busy("t.json"), busy(f"{name}.json"))


def check_wrong(folder):
    for name, (body, message) in WRONG.items():
        (folder / "w.cpp").write_text(HEAD + 'extern "C" __global__ AICORE void k(__gm__ float* gm) {\n#ifdef __DAV_VEC__\n  '
                                      + body + "\n#endif\n}\n")
        done = run(folder, "w.cpp", "--arg", "gm=f32[64]")
        assert done.returncode != 0 and message in done.stderr and "w.cpp:2" in done.stderr, (name, done.stderr)
    # A wait that is missing.
    text = (folder / "chain.cpp").read_text().replace("  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n", "")
    (folder / "late.cpp").write_text(text)
    done = run(folder, "late.cpp", "--arg", "gx=f32[1024]", "--arg", "gy=f32[1024]", "--hazards", "error")
    assert done.returncode != 0 and "late.cpp" in done.stderr and "nothing orders them" in done.stderr, done.stderr


with tempfile.TemporaryDirectory() as path:
    where = pathlib.Path(path)
    check_kernels(where)
    check_time(where)
    check_wrong(where)
print("vector registers in C++ equal NumPy")
