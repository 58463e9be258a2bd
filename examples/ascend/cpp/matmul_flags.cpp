// C = A B in bf16 with a result of bf16, as kernels/matmul_flags.pto: the schedule of a GEMM with flags of its own. L1 holds two
// panels, L0A and L0B two halves each, L0C one tile; tiles of 128 x 128, K in steps of 64.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kM = 128, kN = 128, kK = 64, kPanel = kM * kK * 2;
using PartA = GlobalTensor<bfloat16_t, Shape<1, 1, 1, kM, kK>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartB = GlobalTensor<bfloat16_t, Shape<1, 1, 1, kK, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartC = GlobalTensor<bfloat16_t, Shape<1, 1, 1, kM, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using MatA = Tile<TileType::Mat, bfloat16_t, kM, kK, BLayout::ColMajor, kM, kK, SLayout::RowMajor>;
using MatB = Tile<TileType::Mat, bfloat16_t, kK, kN, BLayout::ColMajor, kK, kN, SLayout::RowMajor>;

extern "C" __global__ AICORE void matmul_flags(__gm__ bfloat16_t* a, __gm__ bfloat16_t* b, __gm__ bfloat16_t* c, int M, int N, int K) {
#ifdef __DAV_CUBE__
  TileAcc<float, kM, kN> acc;
  TASSIGN(acc, 0);
  for (int n = 0; n < 2; ++n) set_flag(PIPE_MTE1, PIPE_MTE2, n);
  for (int n = 0; n < 2; ++n) set_flag(PIPE_M, PIPE_MTE1, n);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  const int tiles_n = N / kN;
  for (int64_t tile = get_block_idx(); tile < M / kM * tiles_n; tile += get_block_num()) {
    const int64_t m = tile / tiles_n * kM, n = tile % tiles_n * kN;
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    for (int s = 0; s < K / kK; ++s) {
      const int turn = s % 2;
      MatA at;
      MatB bt;
      TileLeft<bfloat16_t, kM, kK> left;
      TileRight<bfloat16_t, kK, kN> right;
      TASSIGN(at, turn * kPanel);
      TASSIGN(bt, 2 * kPanel + turn * kPanel);
      TASSIGN(left, turn * kPanel);
      TASSIGN(right, turn * kPanel);
      wait_flag(PIPE_MTE1, PIPE_MTE2, turn);
      TLOAD(at, PartA(a + m * K + s * kK, {}, {K}));
      TLOAD(bt, PartB(b + s * kK * N + n, {}, {N}));
      set_flag(PIPE_MTE2, PIPE_MTE1, turn);
      wait_flag(PIPE_MTE2, PIPE_MTE1, turn);
      wait_flag(PIPE_M, PIPE_MTE1, turn);
      TMOV(left, at);
      TMOV(right, bt);
      set_flag(PIPE_MTE1, PIPE_MTE2, turn);
      set_flag(PIPE_MTE1, PIPE_M, turn);
      wait_flag(PIPE_MTE1, PIPE_M, turn);
      if (s == 0)
        TMATMUL(acc, left, right);
      else
        TMATMUL_ACC(acc, left, right);
      set_flag(PIPE_M, PIPE_MTE1, turn);
    }
    set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    TSTORE(PartC(c + m * N + n, {}, {N}), acc);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  }
  for (int n = 0; n < 2; ++n) wait_flag(PIPE_MTE1, PIPE_MTE2, n);
  for (int n = 0; n < 2; ++n) wait_flag(PIPE_M, PIPE_MTE1, n);
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
#endif
}
