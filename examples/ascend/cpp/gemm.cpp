// C = A B of f16, as gemm.pto: the reference schedule (ascend.md 3.2). Panels of four blocks of K, two of each operand in L1; L0A
// and L0B in turn; one tile of L0C. GM x GN cores share C; K in steps of 512.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kM = 128, kN = 256, kPanel = 256, kK = 64;
constexpr int kBytesA = kM * kPanel * 2, kBytesB = kPanel * kN * 2;
using PartA = GlobalTensor<half, Shape<1, 1, 1, kM, kPanel>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartB = GlobalTensor<half, Shape<1, 1, 1, kPanel, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartC = GlobalTensor<float, Shape<1, 1, 1, kM, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using MatA = Tile<TileType::Mat, half, kM, kPanel, BLayout::ColMajor, kM, kPanel, SLayout::RowMajor>;
using MatB = Tile<TileType::Mat, half, kPanel, kN, BLayout::ColMajor, kPanel, kN, SLayout::RowMajor>;
using Left = TileLeft<half, kM, kK>;
using Right = TileRight<half, kK, kN>;
using Acc = TileAcc<float, kM, kN>;

/// Multiplies the panels `turn` of L1; `starts`: they are the first of a tile.
AICORE inline void multiply(Acc& acc, MatA& a, MatB& b, int turn, bool starts) {
  for (int block = 0; block < 4; ++block) {
    const int half_of_l0 = block % 2;
    Left left;
    Right right;
    TASSIGN(left, half_of_l0 * kM * kK * 2);
    TASSIGN(right, half_of_l0 * kK * kN * 2);
    wait_flag(PIPE_M, PIPE_MTE1, half_of_l0);
    if (block == 0) wait_flag(PIPE_MTE2, PIPE_MTE1, turn);
    TEXTRACT(left, a, 0, block * kK);
    if (block == 3) set_flag(PIPE_MTE1, PIPE_MTE2, turn);
    if (block == 0) wait_flag(PIPE_MTE2, PIPE_MTE1, 2 + turn);
    TEXTRACT(right, b, block * kK, 0);
    if (block == 3) set_flag(PIPE_MTE1, PIPE_MTE2, 2 + turn);
    set_flag(PIPE_MTE1, PIPE_M, half_of_l0);
    wait_flag(PIPE_MTE1, PIPE_M, half_of_l0);
    if (starts && block == 0)
      TMATMUL(acc, left, right);
    else
      TMATMUL_ACC(acc, left, right);
    set_flag(PIPE_M, PIPE_MTE1, half_of_l0);
  }
}

extern "C" __global__ AICORE void gemm(__gm__ half* a_gm, __gm__ half* b_gm, __gm__ float* c_gm, int M, int N, int K, int GM, int GN) {
#ifdef __DAV_CUBE__
  const int64_t id = get_block_idx();
  const int64_t rows = M / GM, row0 = id / GN * rows;
  const int64_t columns = (N / kN + GN - 1) / GN * kN, column0 = id % GN * columns;
  const int64_t column1 = min(column0 + columns, N);
  MatA a[2];
  MatB b[2];
  Acc acc;
  for (int turn = 0; turn < 2; ++turn) {
    TASSIGN(a[turn], turn * (kBytesA + kBytesB));
    TASSIGN(b[turn], turn * (kBytesA + kBytesB) + kBytesA);
  }
  TASSIGN(acc, 0);
  for (int n = 0; n < 4; ++n) set_flag(PIPE_MTE1, PIPE_MTE2, n);
  for (int n = 0; n < 2; ++n) set_flag(PIPE_M, PIPE_MTE1, n);
  set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
  for (int64_t row = row0; row < row0 + rows; row += kM) {
    for (int64_t column = column0; column < column1; column += kN) {
      wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
      for (int k = 0; k < K; k += 2 * kPanel) {
        for (int turn = 0; turn < 2; ++turn) {
          const int64_t from = k + turn * kPanel;
          wait_flag(PIPE_MTE1, PIPE_MTE2, 2 + turn);
          TLOAD(b[turn], PartB(b_gm + from * N + column, {}, {N}));
          set_flag(PIPE_MTE2, PIPE_MTE1, 2 + turn);
          wait_flag(PIPE_MTE1, PIPE_MTE2, turn);
          TLOAD(a[turn], PartA(a_gm + row * K + from, {}, {K}));
          set_flag(PIPE_MTE2, PIPE_MTE1, turn);
          multiply(acc, a[turn], b[turn], turn, from == 0);
        }
      }
      set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
      TSTORE(PartC(c_gm + row * N + column, {}, {N}), acc);
      set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    }
  }
  for (int n = 0; n < 4; ++n) wait_flag(PIPE_MTE1, PIPE_MTE2, n);
  for (int n = 0; n < 2; ++n) wait_flag(PIPE_M, PIPE_MTE1, n);
  wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
#endif
}
