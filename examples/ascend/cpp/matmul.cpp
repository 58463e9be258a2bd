// C = A B in f16 with a result of f32, as kernels/matmul.pto: tiles of 64 x 128, K in two halves of 64 that overlap. Run it with
// --auto-sync.
#include <pto/pto-inst.hpp>

using namespace pto;

constexpr int kM = 64, kN = 128, kK = 64;
using PartA = GlobalTensor<half, Shape<1, 1, 1, kM, kK>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartB = GlobalTensor<half, Shape<1, 1, 1, kK, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using PartC = GlobalTensor<float, Shape<1, 1, 1, kM, kN>, Stride<1, 1, 1, DYNAMIC, 1>>;
using MatA = Tile<TileType::Mat, half, kM, kK, BLayout::ColMajor, kM, kK, SLayout::RowMajor>;
using MatB = Tile<TileType::Mat, half, kK, kN, BLayout::ColMajor, kK, kN, SLayout::RowMajor>;

extern "C" __global__ AICORE void matmul(__gm__ half* a, __gm__ half* b, __gm__ float* c, int M, int N, int K) {
#ifdef __DAV_CUBE__
  MatA at[2];
  MatB bt[2];
  TileLeft<half, kM, kK> left[2];
  TileRight<half, kK, kN> right[2];
  TileAcc<float, kM, kN> acc;
  for (int n = 0; n < 2; ++n) {
    TASSIGN(at[n], n * kM * kK * 2);
    TASSIGN(bt[n], 2 * kM * kK * 2 + n * kK * kN * 2);
    TASSIGN(left[n], n * kM * kK * 2);
    TASSIGN(right[n], n * kK * kN * 2);
  }
  TASSIGN(acc, 0);
  const int tiles_n = N / kN;
  for (int64_t tile = get_block_idx(); tile < M / kM * tiles_n; tile += get_block_num()) {
    const int64_t m = tile / tiles_n * kM, n = tile % tiles_n * kN;
    for (int k = 0; k < K; k += 2 * kK) {
      for (int i = 0; i < 2; ++i) {
        TLOAD(at[i], PartA(a + m * K + k + i * kK, {}, {K}));
        TLOAD(bt[i], PartB(b + (k + i * kK) * N + n, {}, {N}));
      }
      TMOV(left[0], at[0]);
      TMOV(right[0], bt[0]);
      if (k == 0)
        TMATMUL(acc, left[0], right[0]);
      else
        TMATMUL_ACC(acc, left[0], right[0]);
      TMOV(left[1], at[1]);
      TMOV(right[1], bt[1]);
      TMATMUL_ACC(acc, left[1], right[1]);
    }
    TSTORE(PartC(c + m * N + n, {}, {N}), acc);
  }
#endif
}
